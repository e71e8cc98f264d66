"""The cells of the obligation heatmap: pending duties counted by a row and a column."""

from collections.abc import Sequence

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import VENDOR_TIERS
from reports.shared import ledger
from reports.shared.ordering import rank

TIER_COLUMNS = (*VENDOR_TIERS, "unknown", "no_vendor")
SCHEDULE_COLUMNS = ("missed", "open", "upcoming", "no_schedule", "no_control")
BUCKETS = ((10, "10+"), (6, "6-9"), (3, "3-5"), (1, "1-2"), (0, "0"))
HOTTEST = 5
HEATMAPS = ("framework_week", "framework_tier", "kind_schedule")


def with_places(duties: pl.DataFrame, test_windows: pl.DataFrame) -> pl.DataFrame:
    """Pending duties with their ``column`` in time, vendor ``tier`` and state of the testing ``schedule``."""
    return duties.join(_schedules(duties, test_windows), on="obligation_id", how="left").with_columns(
        column=pl.when(pl.col("place") == "known").then("week").otherwise("place"),
        tier=pl.when(pl.col("vendor_id").is_null())
        .then(pl.lit("no_vendor"))
        .when(pl.col("vendor_tier").is_in(VENDOR_TIERS))
        .then("vendor_tier")
        .otherwise(pl.lit("unknown")),
        schedule=pl.when(pl.col("kind") == "test_window", pl.col("state") == "overdue")
        .then(pl.lit("missed"))
        .when(pl.col("controls").list.len() == 0)
        .then(pl.lit("no_control"))
        .otherwise(pl.col("schedule").fill_null("no_schedule")),
    )


def _schedules(duties: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """The worst state of the test windows of a duty's controls; a test window has its own."""
    waiting = pl.col("standing").is_in(SCHEDULE_COLUMNS) & pl.col("done_since_on").is_null()
    frame = windows.filter(waiting).select(
        rank("standing", SCHEDULE_COLUMNS).alias("worst"),
        tag=pl.format("{}:{}", "framework", "control_id"),
        own=pl.format("test_window:{}-{}", "schedule_id", "window_open_on"),
    )
    worst = frame.group_by("tag").agg(pl.col("worst").min())
    tags = duties.filter(pl.col("kind") != "test_window").select("obligation_id", tag="controls")
    others = tags.explode("tag", empty_as_null=False).join(worst, on="tag").select("obligation_id", "worst")
    own = duties.select("obligation_id").join(frame, left_on="obligation_id", right_on="own").select(others.columns)
    state = pl.col("worst").min().replace_strict(range(len(SCHEDULE_COLUMNS)), SCHEDULE_COLUMNS, return_dtype=pl.String)
    return pl.concat([others, own]).group_by("obligation_id").agg(schedule=state)


def with_tiers(duties: pl.DataFrame, vendor_controls: pl.DataFrame) -> pl.DataFrame:
    """Duties once for each framework that they concern, those of vendors by the controls that the vendor carries."""
    columns = ("obligation_id", "tier", "place", "effort_hours")
    carried = vendor_controls.select("vendor_id", "framework").unique()
    own = duties.select(*columns, framework="frameworks").explode("framework", empty_as_null=False)
    through = duties.select(*columns, "vendor_id").join(carried, on="vendor_id").select(own.columns)
    named = pl.concat([own, through]).drop_nulls("framework")
    nothing = duties.join(named, on="obligation_id", how="anti").select(*columns, framework=pl.lit(ledger.NONE))
    return pl.concat([named, nothing]).unique(["obligation_id", "framework"])


def matrix(duties: pl.DataFrame, row: str, column: str, columns: Sequence[str], order: Sequence[str]) -> pl.DataFrame:
    """Counts with one column for each of ``columns``, then total, hours and overdue share of the row."""
    counts = [(pl.col(column) == name).sum().cast(pl.Int64).alias(name) for name in columns]
    sums = ledger.group_measures()
    return (
        duties.group_by(row)
        .agg(*counts, total=sums["obligations"], hours=sums["hours"], overdue_pct=sums["overdue_pct"])
        .sort(rank(row, order), row)
    )


def hottest(duties: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The fullest cells of framework and week; ties to more hours, the earlier week, the order of frameworks."""
    kinds = pl.col("kind").value_counts(sort=True, name="n").struct.field("kind")
    return (
        duties.filter(pl.col("place") == "known")
        .sort("kind")
        .group_by("framework", "week", "week_start_on", maintain_order=True)
        .agg(**ledger.group_measures(), mostly=kinds.first())
        .sort(
            *("obligations", "hours", "week_start_on", ledger.framework_rank(), "framework"),
            descending=[True, True, False, False, False],
        )
        .head(HOTTEST)
        .select(
            "framework",
            ledger.framework_name(ask).alias("name"),
            "week",
            "week_start_on",
            "obligations",
            "hours",
            ledger.kind_name("mostly"),
        )
    )


def week_totals(duties: pl.DataFrame, weeks: pl.DataFrame) -> pl.DataFrame:
    """Overdue, each week of the horizon, beyond: the columns of the heatmap summed up."""
    names = ["overdue", *weeks["week"], "beyond"]
    columns = pl.DataFrame({"week": names}).join(weeks, on="week", how="left", maintain_order="left")
    sums = duties.group_by("column").agg(**{name: ledger.group_measures()[name] for name in ("obligations", "hours")})
    return columns.join(sums, left_on="week", right_on="column", how="left", maintain_order="left").with_columns(
        pl.col("obligations").fill_null(0), pl.col("hours").fill_null(0.0)
    )


def tier_totals(duties: pl.DataFrame) -> pl.DataFrame:
    """Each duty once, by the tier of its vendor."""
    return duties.group_by("tier").agg(**ledger.group_measures()).sort(rank("tier", TIER_COLUMNS))


def cells(duties: pl.DataFrame, by_framework: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The filled cells of all three heatmaps in one list."""
    sides = (
        (duties, "framework", "column", ledger.framework_rank(), ledger.framework_name(ask, "row")),
        (by_framework, "framework", "tier", ledger.framework_rank(), ledger.framework_name(ask, "row")),
        (duties, "kind", "schedule", rank("kind", ledger.KINDS), ledger.kind_name("row")),
    )
    parts = [
        frame.group_by(row=row, column=column)
        .agg(**ledger.group_measures(), order=order.first())
        .with_columns(heatmap=pl.lit(name), name=label)
        .sort("order", "row", _column_order(name), "column")
        for name, (frame, row, column, order, label) in zip(HEATMAPS, sides, strict=True)
    ]
    return pl.concat(parts).select(
        "heatmap", "row", "name", "column", "obligations", "hours", "overdue_pct", intensity=_bucket()
    )


def _column_order(heatmap: str) -> pl.Expr:
    if heatmap == "framework_week":
        return pl.when(pl.col("column") == "overdue").then(0).when(pl.col("column") == "beyond").then(2).otherwise(1)
    return rank("column", TIER_COLUMNS if heatmap == "framework_tier" else SCHEDULE_COLUMNS)


def _bucket() -> pl.Expr:
    return pl.coalesce(pl.when(pl.col("obligations") >= least).then(pl.lit(name)) for least, name in BUCKETS)
