"""The tables of the obligation rollup: pending duties by kind, date, framework and owner, with what was finished."""

from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared import ledger
from reports.shared.ordering import rank

AHEAD = (30, 60, 90)
STATUSES = ("overdue", "open", "done", "late")


def _counts() -> dict[str, pl.Expr]:
    places = {place: (pl.col("place") == place).sum().cast(pl.Int64) for place in ledger.PLACES}
    return {**places, "pending": pl.len().cast(pl.Int64), "hours": pl.col("effort_hours").sum().round(3)}


def kinds(duties: pl.DataFrame, finished: pl.DataFrame) -> pl.DataFrame:
    pending = duties.group_by("kind").agg(**_counts())
    done = finished.group_by("kind").agg(
        (pl.col("state") == state).sum().cast(pl.Int64).alias(state) for state in ("done", "late")
    )
    return (
        pending.join(done, on="kind", how="full", coalesce=True)
        .with_columns(pl.col(pl.Int64, pl.Float64).fill_null(0))
        .sort(rank("kind", ledger.KINDS), "kind")
        .insert_column(1, ledger.kind_name().alias("duty"))
    )


def weeks_ahead(duties: pl.DataFrame, as_of: date) -> pl.DataFrame:
    upcoming = duties.filter(pl.col("place") != "overdue")
    rows = []
    for days in AHEAD:
        until = as_of + timedelta(days=days)
        held = upcoming.filter(pl.col("due_on") <= until)
        rows.append((days, until, held.height, ledger.hours(held), held.filter("hard").height))
    schema = pl.Schema(
        {"within_days": pl.Int64, "until_on": pl.Date, "obligations": pl.Int64, "hours": pl.Float64, "hard": pl.Int64}
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def frameworks(duties: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    shared = (
        duties.filter(pl.col("framework") == ledger.SEVERAL)
        .explode("frameworks", empty_as_null=False)
        .group_by(framework="frameworks")
        .agg(shared=pl.col("obligation_id").n_unique().cast(pl.Int64))
    )
    return (
        duties.group_by("framework")
        .agg(**_counts())
        .join(shared, on="framework", how="full", coalesce=True)
        .with_columns(pl.col(pl.Int64, pl.Float64).fill_null(0))
        .sort(ledger.framework_rank(), "framework")
        .insert_column(1, ledger.framework_name(ask).alias("name"))
    )


def owners(duties: pl.DataFrame, as_of: date) -> pl.DataFrame:
    upcoming = pl.max_horizontal("due_on", pl.lit(as_of)).filter(pl.col("place") != "overdue")
    return (
        duties.group_by("owner")
        .agg(**_counts(), next_on=upcoming.min())
        .sort("overdue", "pending", "owner", descending=[True, True, False], nulls_last=True)
    )


def overdue(duties: pl.DataFrame, requests: pl.DataFrame, as_of: date) -> pl.DataFrame:
    """Overdue duties, the gravest first."""
    return ledger.gravest_first(duties.filter(pl.col("place") == "overdue"), requests).select(
        "due_on",
        "due_at",
        (as_of - pl.col("due_on")).dt.total_days().alias("days_late"),
        "title",
        "kind",
        ledger.kind_name().alias("duty"),
        "owner",
        "hard",
        "effort_hours",
        "obligation_id",
        "handed_in",
    )


def months(duties: pl.DataFrame, finished: pl.DataFrame) -> pl.DataFrame:
    columns = ("kind", "effort_hours", "due_on")
    dated = [duties.select(*columns, status="state"), finished.select(*columns[:2], due_on="done_on", status="state")]
    return (
        pl.concat(dated)
        .group_by("kind", "status", month=pl.col("due_on").dt.strftime("%Y-%m"))
        .agg(obligations=pl.len().cast(pl.Int64), hours=pl.col("effort_hours").sum().round(3))
        .sort("month", rank("kind", ledger.KINDS), "kind", rank("status", STATUSES))
        .select("month", "kind", ledger.kind_name().alias("duty"), "status", "obligations", "hours")
    )


def due_months(duties: pl.DataFrame, as_of: date) -> pl.DataFrame:
    """Overdue, the months of a year, later: three years of vendor reviews would not fit a page."""
    month = pl.max_horizontal("due_on", pl.lit(as_of)).dt.strftime("%Y-%m")
    when = (
        pl.when(pl.col("place") == "overdue")
        .then(pl.lit("overdue"))
        .when(pl.col("due_on") < as_of + timedelta(days=365))
        .then(month)
        .otherwise(pl.lit("later"))
    )
    return (
        duties.group_by(when=when)
        .agg(obligations=pl.len().cast(pl.Int64))
        .sort(rank("when", ["overdue"]), "when", descending=[False, False])
    )
