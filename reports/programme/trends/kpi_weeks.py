"""The weeks of the KPI trends: one row each, empty where nothing is known rather than 0, and what they add up to."""

from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import iso_week, nearest_rank
from reports.shared import formula_breaks
from reports.shared.packs import pack_name

AVERAGED = 4  # weeks of a moving average
WEEKS = 13
RECORDED = ("strict_pct", "weighted_pct", "fresh_pct")


def _week_count(ask: Ask) -> int:
    return int(ask.options.get("weeks") or WEEKS)


def _weeks(ask: Ask, before: int = 0) -> pl.DataFrame:
    """The weeks asked for, oldest first, and ``before`` more in front of them; the last is cut to the report's day."""
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    total = _week_count(ask) + before
    starts = [monday - timedelta(weeks=number) for number in reversed(range(total))]
    return pl.DataFrame(
        {"week": [iso_week(start) for start in starts], "week_start_on": starts},
        schema={"week": pl.String, "week_start_on": pl.Date},
    ).with_columns(
        last_on=pl.min_horizontal(pl.col("week_start_on") + timedelta(days=6), pl.lit(ask.as_of)),
        complete=pl.col("week_start_on") + timedelta(days=6) <= ask.as_of,
    )


def first_on(ask: Ask) -> date:
    """The Monday with which the weeks asked for begin."""
    return ask.as_of - timedelta(days=ask.as_of.weekday(), weeks=_week_count(ask) - 1)


def weekly(
    remediations: pl.DataFrame, obligations: pl.DataFrame, readiness_weeks: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Flow of remediations, closure of attestations and recorded readiness by week, with moving averages.

    Means over frameworks are not rounded yet: what follows from them is rounded once, when it is shown.
    """
    weeks = _weeks(ask, before=AVERAGED - 1)
    recorded = (
        readiness_weeks.sort("week", "framework")
        .group_by("week", maintain_order=True)
        .agg(
            *(pl.col(name).mean() for name in RECORDED),
            pl.col("formula_change").drop_nulls().first(),
            frameworks=pl.col("framework"),
        )
    )
    frame = (
        _flow(weeks, remediations)
        .join(_days(remediations), on="week", how="left", maintain_order="left")
        .join(_attestations(weeks, obligations, ask), on="week", how="left", maintain_order="left")
        .join(recorded, on="week", how="left", maintain_order="left")
        .with_columns(
            pl.col("attestations_due", "attestations_closed").fill_null(0),
            closed_average=_average(pl.when("complete").then("closed")),
            weighted_average=_average(pl.when(pl.col("formula_change").is_null()).then("weighted_pct")),
        )
    )
    due = pl.col("attestations_due")
    return frame.tail(_week_count(ask)).select(
        *("week", "week_start_on", "complete", "opened", "closed", "net", "still_open", "median_days", "p90_days"),
        *("closed_average", "attestations_due", "attestations_closed"),
        pl.when(due > 0).then((100 * pl.col("attestations_closed") / due).round(1)).alias("attestation_pct"),
        *("strict_pct", "weighted_pct", "weighted_average", "fresh_pct", "formula_change", "frameworks"),
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
    """Each framework that was ever recorded in these weeks x week from the first recorded one on; empty cells where it
    was not recorded."""
    weeks = _weeks(ask).select("week")
    recorded = readiness_weeks.filter(pl.col("week").is_in(weeks["week"].implode()))
    weeks = weeks.filter(pl.col("week") >= pl.lit(recorded["week"].min(), dtype=pl.String))
    order = organization["frameworks"].explode().drop_nulls().to_list()
    names = sorted(recorded["framework"].unique().to_list(), key=lambda name: (name not in order, name))
    names = [name for name in order if name in names] + [name for name in names if name not in order]
    grid = pl.DataFrame({"framework": names}, schema={"framework": pl.String}).join(
        weeks, how="cross", maintain_order="left_right"
    )
    return grid.join(recorded, on=["framework", "week"], how="left", maintain_order="left").select(
        *("framework", pack_name(ask).alias("name"), "week", "taken_on", "strict_pct", "weighted_pct"),
        *("fresh_pct", "gaps_open", "formula_change"),
    )


def recorded_weeks(readiness_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Readiness of each framework as recorded in the weeks asked for."""
    return readiness_weeks.filter(_recorded_in(ask))


def newest_snapshots(readiness_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Readiness of each framework as recorded in the last of the weeks asked for that has a snapshot."""
    recorded = readiness_weeks.filter(_recorded_in(ask))
    return recorded.filter(pl.col("week") == pl.col("week").max()).sort("framework")


def readiness_course(readiness_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row: mean weighted readiness in the first and in the last week with a snapshot by today's formulas.

    Both as they are shown, so that their difference is that of the two. No row below two weeks.
    """
    means = (
        formula_breaks.comparable(readiness_weeks)
        .filter(_recorded_in(ask))
        .sort("week", "framework")
        .group_by("week", maintain_order=True)
        .agg(pl.col("weighted_pct").mean().round(1))
    )
    ends = pl.concat([means.head(1), means.tail(1)]) if means.height > 1 else means.clear()
    return ends.select(
        first_week=pl.col("week").first(),
        first_pct=pl.col("weighted_pct").first(),
        week=pl.col("week").last(),
        last_pct=pl.col("weighted_pct").last(),
    ).drop_nulls()


def week_step(
    remediations: pl.DataFrame, obligations: pl.DataFrame, readiness_weeks: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """One row: the present week beside the one before. No row where only one week is asked for.

    Readiness is compared, as it is shown, where both weeks have the same frameworks by today's formulas.
    """
    weeks = weekly(remediations, obligations, readiness_weeks, ask).tail(2)
    pair = weeks if weeks.height > 1 else weeks.clear()
    same = pl.col("formula_change").is_null().all() & (pl.col("frameworks").n_unique() == 1)
    return pair.select(
        before_week=pl.col("week").first(),
        week=pl.col("week").last(),
        still_open=pl.col("still_open").last(),
        still_open_before=pl.col("still_open").first(),
        **{name: pl.when(same).then(pl.col(name).last().round(1)) for name in RECORDED},
        **{f"{name}_before": pl.when(same).then(pl.col(name).first().round(1)) for name in RECORDED},
    ).filter(pl.col("week").is_not_null())


def _recorded_in(ask: Ask) -> pl.Expr:
    return pl.col("week").is_in(_weeks(ask)["week"].implode()) & pl.col("weighted_pct").is_not_null()


def backlog_pace(remediations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row: remediations still open against those opened and closed in whole weeks, and what becomes of them.

    ``weeks_to_clear`` is null where the backlog grows, or no whole week is on record. No row without remediations.
    """
    weeks = _flow(_weeks(ask), remediations).filter(pl.col("opened").is_not_null())
    whole = pl.col("complete")
    backlog, opened, closed = pl.col("still_open"), pl.col("opened_whole"), pl.col("closed_whole")
    clears = closed > opened
    return (
        weeks.select(
            still_open=pl.col("still_open").last(),
            whole_weeks=whole.sum().cast(pl.Int64),
            opened_whole=pl.col("opened").filter(whole).sum(),
            closed_whole=pl.col("closed").filter(whole).sum(),
        )
        .filter(backlog.is_not_null())
        .with_columns(
            course=pl.when(backlog == 0)
            .then(pl.lit("clear"))
            .when(pl.col("whole_weeks") == 0)
            .then(pl.lit("unknown"))
            .when(clears)
            .then(pl.lit("shrinking"))
            .when(closed == opened)
            .then(pl.lit("steady"))
            .otherwise(pl.lit("growing")),
            weeks_to_clear=pl.when(backlog == 0)
            .then(0.0)
            .when(clears)
            .then((backlog * pl.col("whole_weeks") / (closed - opened)).round(1)),
        )
    )
