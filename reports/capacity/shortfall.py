"""When a week is short: one definition over one horizon, from which every report counts (F7)."""

from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from reports.capacity import workload
from reports.shared import ledger

LEAST = 0.5  # hours: less is neither a peak nor worth bringing somebody in
# what every report on capacity shows
IDS = (*("weeks_short", "peak_weeks", "owners_short", "shortfall_hours", "unowned_hours"), "obligations_overdue_hours")


def by_week(owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every week of the horizon: hours due, there and missing, who could help, and whether it is short or a peak.

    ``shift_hours`` of what is missing or unowned fit into spare hours of the same week; ``borrow_hours`` do not.
    """
    spare = pl.max_horizontal(pl.col("available_hours") - pl.col("demand_hours"), pl.lit(0.0)).filter("staffed").sum()
    sums = ("budget_hours", "absence_hours", "available_hours", "demand_hours", "shortfall_hours", "unowned_hours")
    busy = pl.col("staffed") & (pl.col("demand_hours") > 0)
    totals = owner_weeks.group_by("week").agg(
        *(pl.col(name).sort().sum().round(3) for name in sums),
        spare_hours=spare.round(3),
        owners_short=(pl.col("shortfall_hours") > 0).sum().cast(pl.Int64),
        used=pl.col("utilisation_pct").filter(busy).drop_nulls().sort(),
    )
    uncovered = pl.col("shortfall_hours") + pl.col("unowned_hours")
    frame = (
        ledger.horizon(ask)
        .join(totals, on="week", how="left", maintain_order="left")
        .with_columns(pl.col("^.*_hours$").fill_null(0.0), pl.col("owners_short").fill_null(0))
        .with_columns(shift_hours=pl.min_horizontal(uncovered.round(3), "spare_hours"))
        .with_columns(borrow_hours=(uncovered - pl.col("shift_hours")).round(3))
        .with_columns(
            short=((pl.col("owners_short") > 0) | (pl.col("borrow_hours") > 0)) & ~ledger.is_over(ask),
            utilisation_pct=pl.when(pl.col("demand_hours") <= 0)
            .then(0.0)
            .when(pl.col("available_hours") > 0)
            .then((100 * pl.col("demand_hours") / pl.col("available_hours")).round(1)),
        )
    )
    spreads = [workload.spread(used or [], ask.settings) for used in frame["used"].to_list()]
    return (
        frame.drop("used")
        .with_columns(
            pl.Series("owners", [spread.owners for spread in spreads], dtype=pl.Int64),
            pl.Series("mean_pct", [spread.mean_pct for spread in spreads], dtype=pl.Float64),
            pl.Series("imbalance", [spread.ratio for spread in spreads], dtype=pl.Float64),
            pl.Series("gini", [spread.gini for spread in spreads], dtype=pl.Float64),
            pl.Series("state", [spread.state for spread in spreads], dtype=pl.String),
        )
        .with_columns(peak=(pl.col("shortfall_hours") >= LEAST) & (pl.col("state") == "imbalanced"))
    )


ByWeek: TypeAlias = Annotated[pl.DataFrame, by_week]
