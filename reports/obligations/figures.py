"""Figures of calendar, heatmap and forecast; those of the ledger are the house's."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, First, Percentile, WeightedMean
from engine.model.figures.figure import Figure
from reports.obligations.calendar.entries import entries
from reports.obligations.forecast import expectations, weeks
from reports.shared import ledger

_STATUS = pl.col("status")
CALENDAR = (
    Figure(
        "calendar_entries",
        "Entries of the calendar",
        "count",
        "neither",
        "Duties that the calendar lists: all that are pending, finished ones until 30 days after they were both due "
        "and done, cancelled ones for 30 days.",
        entries,
        Count(),
        reason="{status}, due {due_on}",
    ),
    Figure(
        "calendar_entries_done",
        "Calendar entries done in time",
        "count",
        "more",
        "Entries of the calendar that were done by their due date.",
        entries,
        Count(),
        _STATUS == "done",
        "due {due_on}, done {done_on}",
    ),
    Figure(
        "calendar_entries_late",
        "Calendar entries done late",
        "count",
        "neither",
        "Entries of the calendar that were done after their due date.",
        entries,
        Count(),
        _STATUS == "late",
        "due {due_on}, done {done_on}",
    ),
    Figure(
        "calendar_entries_cancelled",
        "Calendar entries cancelled",
        "count",
        "neither",
        "Entries of the calendar that are no longer owed.",
        entries,
        Count(),
        _STATUS == "cancelled",
        "cancelled {changed_on}",
    ),
)

_ARRIVED = "{requests} requests arrived in {week}"
_FORECAST = "{forecast} forecast, {planned} planned"
FORECAST = (
    Figure(
        "frameworks_with_obligations",
        "Frameworks with pending duties",
        "count",
        "neither",
        "Frameworks that a pending duty names, alone or with others.",
        ledger.by_framework,
        Distinct("framework"),
        reason="named by {title}, due {due_on}",
    ),
    Figure(
        "busiest_week",
        "Week with most duties",
        "word",
        "neither",
        "The week of the horizon in which most pending duties fall due, of equal ones the earliest.",
        weeks.fullest,
        First("week"),
        reason="{obligations} duties, {hours} hours",
    ),
    Figure(
        "request_history_weeks",
        "Weeks of requests that the forecast rests on",
        "count",
        "more",
        "Weeks since the first evidence request, the present one not included, {history_weeks} at most.",
        expectations.arrivals,
        Count(),
        reason=_ARRIVED,
    ),
    Figure(
        "request_history",
        "History of requests",
        "word",
        "neither",
        "Whether at least 8 weeks of evidence requests lie behind, so that something can be expected.",
        expectations.request_history,
        First("standing"),
        reason="{weeks} weeks",
    ),
    Figure(
        "expected_unplanned_week",
        "Requests expected in a week",
        "count",
        "less",
        "Mean of the evidence requests that arrived in the weeks behind, up to {history_weeks} of them; not known "
        "below 8 weeks.",
        expectations.arrivals,
        WeightedMean("requests"),
        expectations.ENOUGH,
        _ARRIVED,
    ),
    Figure(
        "expected_unplanned_p50",
        "Requests expected in a week, median",
        "count",
        "less",
        "Median, by nearest rank, of the evidence requests that arrived in the weeks behind.",
        expectations.arrivals,
        Percentile("requests"),
        expectations.ENOUGH,
        _ARRIVED,
    ),
    Figure(
        "expected_unplanned_p80",
        "Requests expected in a week, 80th percentile",
        "count",
        "less",
        "80th percentile, by nearest rank, of the evidence requests that arrived in the weeks behind.",
        expectations.arrivals,
        Percentile("requests", 80),
        expectations.ENOUGH,
        _ARRIVED,
    ),
    Figure(
        "expected_unplanned_hours",
        "Hours of requests expected in a week",
        "hours",
        "less",
        "Mean over the weeks behind of the evidence requests that arrived, each taking the mean effort of those in "
        "the ledger.",
        expectations.arrivals,
        WeightedMean("hours"),
        expectations.ENOUGH,
        _ARRIVED,
    ),
    Figure(
        "forecast_weeks_checked",
        "Earlier forecasts checked",
        "count",
        "more",
        "Past weeks, the last 8 at most, of which both the forecast made four weeks before and the plan at their "
        "start are recorded.",
        expectations.forecast_errors,
        Count(),
        reason=_FORECAST,
    ),
    Figure(
        "forecast_backtest",
        "Back-test of the forecast",
        "word",
        "neither",
        "Whether 8 earlier forecasts can be checked against what was planned, in at least one week of them anything.",
        expectations.backtest,
        First("standing"),
        reason="{weeks} forecasts",
    ),
    Figure(
        "forecast_mape_pct",
        "Mean error of earlier forecasts",
        "percent",
        "less",
        "Mean absolute percentage error of the last 8 forecasts, made four weeks before, over the weeks in which "
        "anything was planned; not known below 8 forecasts.",
        expectations.forecast_errors,
        WeightedMean(expectations.ERROR_PCT),
        expectations.CHECKED,
        _FORECAST,
    ),
)

FIGURES = (*CALENDAR, *FORECAST)
