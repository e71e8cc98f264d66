"""Figures of the obligation ledger: pending duties by their place in the horizon, finished ones by the period."""

from collections.abc import Mapping
from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Sum
from engine.model.figures.figure import Figure
from reports.shared import ledger

SOON_DAYS = 30
DUE = "{state}, due {due_on}"
# of each place in the horizon: what the titles say of it, and what the definitions do
PLACES: Mapping[str, tuple[str, str]] = {
    "overdue": ("overdue", "that were due before the day of the report"),
    "known": (
        "due within {horizon_weeks} weeks",
        "due from the day of the report to the end of the horizon of "
        "{horizon_weeks} weeks, the present one included, or paused past their date",
    ),
    "beyond": ("due after {horizon_weeks} weeks", "due after the horizon of {horizon_weeks} weeks"),
}

TOTALS = (
    *("obligations_pending", "obligations_overdue", "obligations_known", "obligations_beyond"),
    *("obligations_pending_hours", "obligations_overdue_hours", "obligations_known_hours", "obligations_beyond_hours"),
)


def _in_period(ask: Ask) -> pl.Expr:
    return pl.col("done_on").is_between(ask.period_start, ask.as_of)


def _in_place(place: str) -> pl.Expr:
    return pl.col("place") == place


def _due_soon(ask: Ask) -> pl.Expr:
    return ~_in_place("overdue") & (pl.col("due_on") <= ask.as_of + timedelta(days=SOON_DAYS))


PENDING = (
    Figure(
        "obligations_pending",
        "Duties pending",
        "count",
        "neither",
        "Duties of the ledger that are neither done nor cancelled: overdue, due within the horizon or after it.",
        ledger.pending,
        Count(),
        reason=DUE,
    ),
    *(
        Figure(
            f"obligations_{place}",
            f"Duties {title}",
            "count",
            "less" if place == "overdue" else "neither",
            f"Pending duties {meaning}.",
            ledger.pending,
            Count(),
            _in_place(place),
            DUE,
        )
        for place, (title, meaning) in PLACES.items()
    ),
    Figure(
        "obligations_pending_hours",
        "Hours of pending duties",
        "hours",
        "neither",
        "Effort of pending duties for whoever does them, without the time of those who are accountable.",
        ledger.pending,
        Sum("effort_hours"),
        reason=DUE,
    ),
    *(
        Figure(
            f"obligations_{place}_hours",
            f"Hours of duties {title}",
            "hours",
            "less" if place == "overdue" else "neither",
            f"Effort, for whoever does them, of pending duties {meaning}.",
            ledger.pending,
            Sum("effort_hours"),
            _in_place(place),
            DUE,
        )
        for place, (title, meaning) in PLACES.items()
    ),
    Figure(
        "obligations_due_in_30_days",
        "Duties due within 30 days",
        "count",
        "neither",
        "Pending duties due on the day of the report or within 30 days after it.",
        ledger.pending,
        Count(),
        _due_soon,
        DUE,
    ),
    Figure(
        "obligations_without_owner",
        "Duties without owner",
        "count",
        "less",
        "Pending duties that nobody owns.",
        ledger.pending,
        Count(),
        pl.col("owner").is_null(),
        "{state}, due {due_on}, no owner",
    ),
    Figure(
        "obligations_deadline_passed",
        "Fixed deadlines passed",
        "count",
        "less",
        "Overdue duties whose deadline is legal or contractual.",
        ledger.pending,
        Count(),
        _in_place("overdue") & pl.col("hard"),
        "fixed deadline of {due_on} has passed",
    ),
)

FINISHED = (
    Figure(
        "obligations_finished_in_period",
        "Duties finished in {period_days} days",
        "count",
        "neither",
        "Duties that were done from {period_start} to {as_of}, in time or late.",
        "obligations",
        Count(),
        _in_period,
        "{state}, due {due_on}, done {done_on}",
    ),
    Figure(
        "obligations_finished_late_in_period",
        "Duties finished late in {period_days} days",
        "count",
        "neither",
        "Duties that were done from {period_start} to {as_of}, after they were due.",
        "obligations",
        Count(),
        lambda ask: _in_period(ask) & (pl.col("state") == "late"),
        "due {due_on}, done {done_on}",
    ),
)

WEEK_MEANING = (
    "that were due in the {week_days} days before the day of the report and are not done, less those overdue before "
    "that were done since; what was cancelled or given another day in between is in neither."
).replace("{week_days}", str(ledger.WEEK_DAYS))
CHANGES = (
    Figure(
        "obligations_overdue_week_change",
        "Change of duties overdue in a week",
        "count",
        "less",
        f"Duties {WEEK_MEANING}",
        ledger.week_turns,
        Sum("turn"),
        reason="{state}, due {due_on}, done {done_on}",
        comparison=True,
    ),
    Figure(
        "attestations_overdue_week_change",
        "Change of attestations overdue in a week",
        "count",
        "less",
        f"Attestations {WEEK_MEANING}",
        ledger.week_turns,
        Sum("turn"),
        pl.col("kind") == "attestation",
        "{state}, due {due_on}, done {done_on}",
        comparison=True,
    ),
)

FIGURES = (*PENDING, *FINISHED, *CHANGES)
