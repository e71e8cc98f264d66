"""The weeks of the KPI trends: one row each, empty where nothing is known rather than 0."""

from datetime import timedelta

import polars as pl

from engine.model.formulas import iso_week, nearest_rank
from engine.model.report import Ask

AVERAGED = 4  # weeks of a moving average
WEEKS = 13
RECORDED = ("strict_pct", "weighted_pct", "fresh_pct")


def _asked(ask: Ask) -> int:
    return int(ask.options.get("weeks") or WEEKS)


def _weeks(ask: Ask, before: int = 0) -> pl.DataFrame:
    """The weeks asked for, oldest first, and ``before`` more in front of them; the last is cut to the report's day."""
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    total = _asked(ask) + before
    starts = [monday - timedelta(weeks=number) for number in reversed(range(total))]
    return pl.DataFrame(
        {"week": [iso_week(start) for start in starts], "week_start_on": starts},
        schema={"week": pl.String, "week_start_on": pl.Date},
    ).with_columns(
        last_on=pl.min_horizontal(pl.col("week_start_on") + timedelta(days=6), pl.lit(ask.as_of)),
        complete=pl.col("week_start_on") + timedelta(days=6) <= ask.as_of,
    )


def weekly(
    remediations: pl.DataFrame, obligations: pl.DataFrame, readiness_weeks: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Flow of gaps, closure of attestations and recorded readiness by week, with moving averages."""
    weeks = _weeks(ask, before=AVERAGED - 1)
    recorded = readiness_weeks.sort("week", "framework").group_by("week", maintain_order=True).agg(
        *(pl.col(name).mean().round(1) for name in RECORDED), frameworks=pl.col("framework")
    )  # fmt: skip
    frame = (
        _flow(weeks, remediations)
        .join(_days(remediations), on="week", how="left", maintain_order="left")
        .join(_attestations(weeks, obligations, ask), on="week", how="left", maintain_order="left")
        .join(recorded, on="week", how="left", maintain_order="left")
        .with_columns(
            pl.col("attestations_due", "attestations_closed").fill_null(0),
            closed_average=_average(pl.when("complete").then("closed")),
            weighted_average=_average(pl.col("weighted_pct")),
        )
    )
    due = pl.col("attestations_due")
    return frame.tail(_asked(ask)).select(
        *("week", "week_start_on", "complete", "opened", "closed", "net", "still_open", "median_days", "p90_days"),
        *("closed_average", "attestations_due", "attestations_closed"),
        pl.when(due > 0).then((100 * pl.col("attestations_closed") / due).round(1)).alias("attestation_pct"),
        *("strict_pct", "weighted_pct", "weighted_average", "fresh_pct", "frameworks"),
    )


def _average(values: pl.Expr) -> pl.Expr:
    """Mean of the week and those before it, null where one is missing; a sum of few values keeps it exact."""
    shifted = [values.shift(number) for number in range(AVERAGED)]
    total = shifted[0] + shifted[1] + shifted[2] + shifted[3]
    return (total / AVERAGED).round(1)


def _flow(weeks: pl.DataFrame, remediations: pl.DataFrame) -> pl.DataFrame:
    """Remediations opened and closed in each week; null before the first one on record."""
    first = remediations["opened_on"].min()
    columns = []
    for word in ("opened", "closed"):
        days = remediations[f"{word}_on"].drop_nulls().sort()
        before = days.search_sorted(weeks["week_start_on"], side="left").cast(pl.Int64)
        until = days.search_sorted(weeks["last_on"], side="right").cast(pl.Int64)
        columns += [(until - before).alias(word), until.alias(f"{word}_total")]
    frame = weeks.with_columns(columns)
    on_record = pl.col("last_on") >= pl.lit(first, dtype=pl.Date)
    numbers = {
        "opened": pl.col("opened"),
        "closed": pl.col("closed"),
        "net": pl.col("opened") - pl.col("closed"),
        "still_open": pl.col("opened_total") - pl.col("closed_total"),
    }
    return frame.with_columns(pl.when(on_record).then(value).alias(name) for name, value in numbers.items())


def _days(remediations: pl.DataFrame) -> pl.DataFrame:
    """Median and 90th percentile of the days that remediations closed in a week were open."""
    closed = (
        remediations.filter(pl.col("closed_on").is_not_null())
        .with_columns(week=pl.col("closed_on").dt.strftime("%G-W%V"))
        .group_by("week")
        .agg(days=pl.col("days_open").drop_nulls())
        .sort("week")
    )
    lists = closed["days"].to_list()
    return closed.select(
        "week",
        pl.Series("median_days", [nearest_rank(days, 50) for days in lists], dtype=pl.Int64),
        pl.Series("p90_days", [nearest_rank(days, 90) for days in lists], dtype=pl.Int64),
    )


def _attestations(weeks: pl.DataFrame, obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Attestations due by week up to the report's day, and those of them that were decided by the end of the week."""
    due = obligations.filter(
        pl.col("kind") == "attestation", pl.col("state") != "cancelled", pl.col("due_on") <= ask.as_of
    )
    return (
        due.join(weeks.select("week", "last_on"), on="week")
        .group_by("week")
        .agg(
            attestations_due=pl.len().cast(pl.Int64),
            attestations_closed=(pl.col("done_on") <= pl.col("last_on")).sum().cast(pl.Int64),
        )
    )


def by_framework(readiness_weeks: pl.DataFrame, organization: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Each framework that was ever recorded in these weeks x week; empty cells where it was not recorded."""
    weeks = _weeks(ask).select("week")
    recorded = readiness_weeks.filter(pl.col("week").is_in(weeks["week"].implode()))
    order = organization["frameworks"].explode().drop_nulls().to_list()
    names = sorted(recorded["framework"].unique().to_list(), key=lambda name: (name not in order, name))
    names = [name for name in order if name in names] + [name for name in names if name not in order]
    grid = pl.DataFrame({"framework": names}, schema={"framework": pl.String}).join(
        weeks, how="cross", maintain_order="left_right"
    )
    return grid.join(recorded, on=["framework", "week"], how="left", maintain_order="left")
