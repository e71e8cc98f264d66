"""Polars expressions that several facts share."""

from collections.abc import Mapping

import polars as pl

from engine.facts.schemas import SCHEMAS
from engine.model.figures.thousands import with_thousands

# F1: days after which evidence of a cadence is stale, about a tenth of grace included
WINDOW_DAYS = {
    "continuous": 7,
    "daily": 3,
    "weekly": 9,
    "monthly": 35,
    "quarterly": 100,
    "semi-annual": 200,
    "annual": 380,
}
ANNUAL = WINDOW_DAYS["annual"]  # of a policy without a day of its review
# how long a signature counts unless a later duty of its control is overdue, whatever the cadence of the control: being
# attested is beside being fresh (F2), and nobody signs each week for what runs all the time
SIGNED_DAYS = ANNUAL
# one and several pieces of evidence of a source
_NOUNS = {
    "operation": ("event", "events"),
    "item": ("evidence item", "evidence items"),
    "test": ("test", "tests"),
    "policy": ("policy", "policies"),
    "attestation": ("attestation", "attestations"),
}
SUPPORTING = ("supports", "records")  # effects of actions that are evidence for a control
CADENCE_DAYS = {"weekly": 7, "monthly": 30, "quarterly": 91, "semi-annual": 182, "annual": 365}
CADENCE_MONTHS = {"monthly": 1, "quarterly": 3, "semi-annual": 6, "annual": 12}


def shape(fact: str, frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with exactly the columns and types of the fact; a missing column is an error, extra ones go."""
    return frame.select(pl.col(name).cast(dtype) for name, dtype in SCHEMAS[fact].items())


def days_between(later: str | pl.Expr, earlier: str | pl.Expr) -> pl.Expr:
    """Whole days from ``earlier`` to ``later``, both dates."""
    end = pl.col(later) if isinstance(later, str) else later
    start = pl.col(earlier) if isinstance(earlier, str) else earlier
    return (end - start).dt.total_days()


def time_between(end: str, begin: str) -> pl.Expr:
    """The time from ``begin`` to ``end``; null where the end is before it, which is none that is known."""
    return pl.when(pl.col(end) >= pl.col(begin)).then(pl.col(end) - pl.col(begin))


def plus_days(day: str, days: str | pl.Expr) -> pl.Expr:
    """The date ``days`` after ``day``."""
    count = pl.col(days) if isinstance(days, str) else days
    return pl.col(day) + pl.duration(days=count)


def iso_week(day: str) -> pl.Expr:
    """ISO week of a date column, ``2026-W47``."""
    return pl.col(day).dt.strftime("%G-W%V")


def local_day(instant: str, asked: pl.DataFrame) -> pl.Expr:
    """The business date of an instant, by the row's ``org_id`` and that organization's time zone."""
    utc = pl.col(instant).dt.replace_time_zone("UTC")
    days = [
        pl.when(pl.col("org_id").is_in(group["org_id"].to_list())).then(utc.dt.convert_time_zone(zone).dt.date())
        for (zone,), group in sorted(asked.partition_by("time_zone", as_dict=True).items())
    ]
    return pl.coalesce(days) if days else utc.dt.date()


def window_of(cadence: str) -> pl.Expr:
    """F1 window of a cadence column, in days."""
    return pl.col(cadence).replace_strict(WINDOW_DAYS, default=None, return_dtype=pl.Int64)


def freshness(age: pl.Expr, window: pl.Expr) -> pl.Expr:
    """F1 in words: fresh up to 0.8 of the window, due_soon up to all of it, then stale; missing without an age."""
    return (
        pl.when(age.is_null())
        .then(pl.lit("missing"))
        .when(5 * age <= 4 * window)
        .then(pl.lit("fresh"))
        .when(age <= window)
        .then(pl.lit("due_soon"))
        .otherwise(pl.lit("stale"))
    )


def has_happened(day: str) -> pl.Expr:
    """Whether a date is there and not after ``as_of``."""
    return (pl.col(day) <= pl.col("as_of")).fill_null(False)


def evidence_note(counts: Mapping[str, pl.Expr]) -> pl.Expr:
    """What is on record of a control whose governing evidence was never given; ``counts`` has a number per source."""
    named = [
        pl.when(number == 1)
        .then(pl.lit(f"1 {_NOUNS[source][0]}"))
        .when(number > 1)
        .then(pl.format("{} " + _NOUNS[source][1], with_thousands(number)))
        for source, number in counts.items()
    ]
    total = pl.sum_horizontal(*counts.values())
    others = pl.when(total == 1).then(pl.lit("another kind")).otherwise(pl.lit("other kinds"))
    listed = pl.concat_list(named).list.drop_nulls().list.join(" and ")
    return (
        pl.when(total == 0)
        .then(pl.lit("no evidence on record"))
        .otherwise(pl.format("none of the evidence that it needs, {} of {}", listed, others))
    )


def pct(part: str | pl.Expr, whole: str | pl.Expr) -> pl.Expr:
    """Percent with one decimal; null when the whole is 0."""
    over = pl.col(whole) if isinstance(whole, str) else whole
    of = pl.col(part) if isinstance(part, str) else part
    return pl.when(over > 0).then((100 * of / over).round(1))
