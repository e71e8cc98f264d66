"""Figures of the compliance digest: what moved since the last one, and what falls due next."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, First, Sum
from engine.model.figures.figure import Figure
from reports.programme.digest import digest_changes
from reports.shared import ledger

AHEAD_DAYS = 14
_MOVED = "was {previous_state}, is {state}"


def _is_upcoming(ask: Ask) -> pl.Expr:
    return pl.col("due_on").is_between(ask.as_of, ask.as_of + timedelta(days=AHEAD_DAYS))


def _marked_sum(mark: pl.Expr) -> Sum:
    """How many of the controls compared bear a mark; not known without any, because nothing was compared."""
    return Sum(mark.fill_null(False).cast(pl.Int64), known_without_rows=False)


FIGURES = (
    Figure(
        "digest_compared_on",
        "Day that the digest compares with",
        "date",
        "neither",
        "The day of the snapshot that the last digest stored; before the first digest, of the last one before "
        "{period_start}. Sending the digest stores the present one.",
        digest_changes.base,
        First("taken_on"),
        reason="snapshot of {taken_on}",
    ),
    *(
        Figure(
            f"digest_controls_{way}",
            f"Controls {way} than at the last digest",
            "count",
            better,
            f"Controls whose state is {way} than on the day that the digest compares with, from best to worst: "
            "effective, partial, stale, no data, ineffective; not known where nothing is compared.",
            digest_changes.controls,
            _marked_sum(pl.col("direction") == way),
            reason=_MOVED,
        )
        for way, better in digest_changes.BETTER.items()
    ),
    Figure(
        "digest_gaps_new",
        "Gaps opened since the last digest",
        "count",
        "less",
        "Applicable controls that are not effective and were effective or not applicable on the day that the digest "
        "compares with; not known where nothing is compared.",
        digest_changes.controls,
        _marked_sum(digest_changes.OPENED),
        reason=_MOVED,
    ),
    Figure(
        "digest_gaps_closed",
        "Gaps closed since the last digest",
        "count",
        "more",
        "Controls that are effective or not applicable and were a gap on the day that the digest compares with; not "
        "known where nothing is compared.",
        digest_changes.controls,
        _marked_sum(digest_changes.CLOSED),
        reason=_MOVED,
    ),
    Figure(
        f"obligations_due_in_{AHEAD_DAYS}_days",
        f"Duties due within {AHEAD_DAYS} days",
        "count",
        "neither",
        f"Pending duties due on the day of the report or within {AHEAD_DAYS} days after it.",
        ledger.pending,
        Count(),
        _is_upcoming,
        "due {due_on}",
    ),
)
