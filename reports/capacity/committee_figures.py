"""Figures of the committees' quarter."""

import polars as pl

from engine.model.figures.aggregates import Count, First, Percentile, Ratio, Share
from engine.model.figures.figure import Figure
from reports.capacity import agenda, outlook, quarters
from reports.evidence.request_items import turnaround_days

_QUARTER = "from {start_on} to {end_on}"
FIGURES = (
    Figure(
        "quarter",
        "Quarter",
        "word",
        "neither",
        "The calendar quarter of {as_of}, up to that day.",
        quarters.both,
        First("quarter"),
        reason=_QUARTER,
    ),
    Figure(
        "quarter_before",
        "Quarter before",
        "word",
        "neither",
        "The calendar quarter before that of {as_of}.",
        quarters.both,
        First("quarter"),
        lambda ask: pl.col("end_on") < ask.as_of,
        _QUARTER,
        comparison=True,
    ),
    Figure(
        "committee_decisions",
        "Decisions for committees",
        "count",
        "neither",
        "Decisions that committees are asked for: those of the executive summary, on staffing actions past the SLA, "
        "and on the duties whose evidence is best collected once.",
        agenda.decisions_needed,
        Count(),
        reason="{decision}: {reason}",
    ),
    Figure(
        "weeks_over_limit",
        "Weeks that reach a density limit",
        "count",
        "less",
        "Weeks of the horizon whose number of pending duties or whose utilisation reaches a limit of the density "
        "alerts, whatever was alerted before.",
        outlook.forecast,
        Count(),
        pl.col("level") != "ok",
        "{level}: {known} duties, {utilisation_pct} % used",
    ),
    Figure(
        "requests_on_time_in_quarter_pct",
        "Evidence requests answered in time this quarter",
        "percent",
        "more",
        "Evidence requests answered by their due date, as a share of those answered in the quarter and those "
        "overdue at its end.",
        "requests",
        Share(pl.col("closed_on") <= pl.col("due_on")),
        quarters.requests_judged,
        "due {due_on}, answered {finished_on}",
    ),
    Figure(
        "request_turnaround_in_quarter_days",
        "Turnaround of evidence requests this quarter, 90th percentile",
        "days",
        "less",
        "Nine in ten evidence requests that were answered in the quarter were answered within so many days, less "
        "whole days spent waiting on the requester; nearest rank. Closed requests alone flatter a backlog.",
        "requests",
        Percentile(turnaround_days(), 90),
        lambda ask: quarters.within("finished_on", ask),
        "opened {opened_on}, answered {finished_on}, {paused_minutes} minutes paused",
    ),
    Figure(
        "obligations_kept_in_quarter_pct",
        "Duties completed in the week they were planned for",
        "percent",
        "more",
        "Duties completed in the week at whose start they were planned, as a share of those planned, over the "
        "recorded weeks whose Monday is in the quarter.",
        "obligation_weeks",
        Ratio("completed", "planned"),
        lambda ask: quarters.within("week_start_on", ask),
        "{completed} of {planned} completed",
    ),
    Figure(
        "staffing_on_time_in_quarter_pct",
        "Punctuality of staffing actions this quarter",
        "percent",
        "more",
        "Staffing actions completed at most {staffing_sla_days} business days after their peak week, as a share of "
        "those completed in the quarter and those past that at its end.",
        "staffing_actions",
        Share(pl.col("completed_on") <= pl.col("sla_due_on")),
        quarters.staffing_judged,
        "due by {sla_due_on}, completed {completed_on}",
    ),
)
