"""Figures of density: weeks over the limits, the limits themselves, and how right the alerts were."""

import polars as pl

from engine.model.figures.aggregates import Count, First, Ratio, Share, Sum
from engine.model.figures.figure import Figure
from reports.obligations.density import density_history
from reports.obligations.density.breaches import breaches, limits, rated_weeks
from reports.obligations.density.density import ALERTING
from reports.obligations.forecast import weeks

_OVER = pl.col("level") != "ok"
_FULL = "{known} duties, {utilisation_pct} % of capacity: {level}"
ALERTS = (
    Figure(
        "density_breaches",
        "Weeks over a density limit",
        "count",
        "less",
        "Weeks of the horizon of {horizon_weeks} weeks with as many duties, or as much utilisation, as a limit; "
        "one that was alerted stays until it is below {hysteresis_fraction} of the limit.",
        breaches,
        Count(),
        _OVER,
        _FULL,
    ),
    *(
        Figure(
            f"density_breaches_{level}",
            f"Weeks over a density limit, {level}",
            "count",
            "less",
            f"Weeks over a density limit whose level is {level}.",
            breaches,
            Count(),
            pl.col("level") == level,
            _FULL,
        )
        for level in ALERTING
    ),
    Figure(
        "density_alerts_to_send",
        "Density alerts to send",
        "count",
        "less",
        "Weeks over a density limit that are new or worse than what was last sent about them.",
        breaches,
        Count(),
        pl.col("send"),
        "{news}: {level}, last sent {previous_level}",
    ),
    Figure(
        "density_weeks_without_hours",
        "Weeks with work and nobody with hours",
        "count",
        "less",
        "Weeks of the horizon in which work falls due and no owner has hours.",
        rated_weeks,
        Count(),
        pl.col("utilisation_pct").is_null(),
        "{demand_hours} hours of work",
    ),
    *(
        figure
        for level, pct in (("warning", 75), ("critical", 90))
        for figure in (
            Figure(
                f"density_{level}_from",
                f"Duties in a week: {level} from",
                "count",
                "neither",
                f"The larger of the setting and the {pct}th percentile of the last {{history_weeks}} weeks.",
                limits,
                First("limit"),
                pl.col("level") == level,
                "{source}",
            ),
            Figure(
                f"density_{level}_source",
                f"Duties in a week: where the {level} comes from",
                "word",
                "neither",
                f"Whether the limit for {level} is the setting, the default or a percentile of the weeks behind.",
                limits,
                First("source"),
                pl.col("level") == level,
                "{limit} duties",
            ),
        )
    ),
    Figure(
        "obligations_due_in_history",
        "Duties due in the last {history_weeks} weeks",
        "count",
        "neither",
        "Duties, cancelled ones left out, that fell due in the last {history_weeks} weeks before the present one.",
        weeks.behind,
        Sum("due"),
        reason="{due} duties were due",
    ),
)

_RECORDED, _ALERTED = pl.col("slipped").is_not_null(), pl.col("alert_level").is_not_null()
_SLIPPED = pl.col("slipped") > 0
_WEEK = "{planned} planned, {slipped} slipped"
_TOLD = "alerted {alert_level}, {slipped} slipped"
HISTORY = (
    Figure(
        "density_weeks_recorded",
        "Weeks recorded of the last 13",
        "count",
        "more",
        "Weeks before the present one, the last 13, whose plan and outcome were recorded.",
        density_history.history,
        Count(),
        _RECORDED,
        _WEEK,
    ),
    Figure(
        "obligations_planned_in_13_weeks",
        "Duties planned in the last 13 weeks",
        "count",
        "neither",
        "Duties that the recorded weeks of the last 13 held at their start, as recorded then.",
        density_history.history,
        Sum("planned"),
        _RECORDED,
        _WEEK,
    ),
    Figure(
        "obligations_completed_in_13_weeks",
        "Planned duties completed in the last 13 weeks",
        "count",
        "more",
        "Duties that the recorded weeks of the last 13 held at their start and that were completed in their week.",
        density_history.history,
        Sum("completed"),
        _RECORDED,
        _WEEK,
    ),
    Figure(
        "obligations_slipped_in_13_weeks",
        "Planned duties slipped in the last 13 weeks",
        "count",
        "less",
        "Duties that the recorded weeks of the last 13 held at their start and that were not completed in them.",
        density_history.history,
        Sum("slipped"),
        _RECORDED,
        _WEEK,
    ),
    Figure(
        "obligations_slipped_in_13_weeks_pct",
        "Share of planned duties that slipped",
        "percent",
        "less",
        "Slipped duties as a share of the planned ones, over the recorded weeks of the last 13.",
        density_history.history,
        Ratio("slipped", "planned"),
        _RECORDED,
        _WEEK,
    ),
    Figure(
        "density_alerts_recorded",
        "Density alerts of the last 13 weeks",
        "count",
        "neither",
        "Alerts to a recipient that were decided in the last 13 weeks or are about one of them, whatever became of "
        "their delivery.",
        density_history.deliveries,
        Count(),
        reason="{level} for {week}, {status}",
    ),
    Figure(
        "density_weeks_alerted",
        "Recorded weeks alerted",
        "count",
        "neither",
        "Recorded weeks of the last 13 about which an alert was sent before they ended.",
        density_history.history,
        Count(),
        _RECORDED & _ALERTED,
        _TOLD,
    ),
    Figure(
        "density_weeks_alerted_and_slipped",
        "Alerted weeks in which duties slipped",
        "count",
        "neither",
        "Recorded weeks of the last 13 about which an alert was sent in time, and in which a duty slipped.",
        density_history.history,
        Count(),
        _RECORDED & _ALERTED & _SLIPPED,
        _TOLD,
    ),
    Figure(
        "alert_precision_pct",
        "Density alerts that were right",
        "percent",
        "more",
        "Alerted weeks in which a duty slipped, as a share of the alerted weeks that were recorded.",
        density_history.history,
        Share(_SLIPPED),
        _RECORDED & _ALERTED,
        _TOLD,
    ),
    Figure(
        "alert_recall_pct",
        "Weeks with slips that were alerted",
        "percent",
        "more",
        "Alerted weeks in which a duty slipped, as a share of all recorded weeks in which one did.",
        density_history.history,
        Share(_ALERTED),
        _RECORDED & _SLIPPED,
        _TOLD,
    ),
)

FIGURES = (*ALERTS, *HISTORY)
