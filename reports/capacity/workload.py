"""Work against hours, owner by owner and week by week (F7), and how evenly it is spread (F8)."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from engine.model.formulas import gini
from engine.model.report import Ask
from engine.model.thresholds import Thresholds
from reports.shared import ledger

HEALTHY_PCT = 70.0  # below, an owner has room for more (F7)
NOT_MEANINGFUL = "not_meaningful"


@dataclass(frozen=True)
class Spread:
    """Imbalance of the owners of a week: largest over mean utilisation, Gini, and what they say."""

    owners: int
    ratio: float | None
    gini: float | None
    state: str


def spread(utilisations: Sequence[float], settings: Thresholds) -> Spread:
    """F8 over the utilisation of each owner with any work; too few owners are not meaningful."""
    mean = sum(utilisations) / len(utilisations) if utilisations else 0.0
    if len(utilisations) < settings["imbalance_min_owners"] or not mean:
        return Spread(len(utilisations), None, None, NOT_MEANINGFUL)
    ratio = max(utilisations) / mean
    state = "imbalanced" if ratio >= settings["imbalance_ratio"] - 1e-9 else "balanced"
    return Spread(len(utilisations), round(ratio, 3), round(gini(utilisations) or 0.0, 4), state)


def flag(settings: Thresholds) -> pl.Expr:
    """green, amber, red or shortfall (F7); work that nobody has hours for is a shortfall."""
    used = pl.col("utilisation_pct")
    return (
        pl.when((pl.col("demand_hours") > pl.col("available_hours")) | (used > settings["utilisation_critical_pct"]))
        .then(pl.lit("shortfall"))
        .when(used > settings["utilisation_warn_pct"]).then(pl.lit("red"))
        .when(used >= HEALTHY_PCT).then(pl.lit("amber"))
        .otherwise(pl.lit("green"))
    )  # fmt: skip


def week_flag(settings: Thresholds) -> pl.Expr:
    """The flag of all owners together: a shortfall when hours must be borrowed, at least amber when any is short."""
    plain = flag(settings)
    return (
        pl.when(pl.col("borrow_hours") > 0).then(pl.lit("shortfall"))
        .when((pl.col("shortfall_hours") > 0) & (plain == "green")).then(pl.lit("amber"))
        .otherwise(plain)
    )  # fmt: skip


def in_horizon(owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Owners and weeks of the horizon with a flag, by week and owner; work of nobody comes last in its week."""
    return (
        owner_weeks.join(ledger.horizon(ask).select("week"), on="week", how="semi")
        .with_columns(flag=flag(ask.settings))
        .sort("week_start_on", "owner", nulls_last=True)
    )


def staffed_rows(grid: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """The rows of owners who are there; work of nobody and of those who have left needs another owner first."""
    left = people.filter(~pl.col("active"))["email"].to_list()
    return grid.filter(pl.col("owner").is_not_null(), ~pl.col("owner").is_in(left))


def ownerless_hours(grid: pl.DataFrame, people: pl.DataFrame) -> float:
    """Hours of work of nobody and of those who have left."""
    return round(float(grid["demand_hours"].sum()) - float(staffed_rows(grid, people)["demand_hours"].sum()), 2)


def by_week(grid: pl.DataFrame) -> pl.DataFrame:
    """Totals of each week: hours missing, those that owners with room could take over, and the rest to borrow."""
    spare = pl.max_horizontal(pl.col("available_hours") - pl.col("demand_hours"), pl.lit(0.0)).sum()
    return (
        grid.group_by("week", "week_start_on")
        .agg(
            *(pl.col(name).sum().round(3) for name in ("budget_hours", "absence_hours", "available_hours")),
            *(pl.col(name).sum().round(3) for name in ("demand_hours", "shortfall_hours")),
            spare_hours=spare.round(3),
            owners_short=((pl.col("shortfall_hours") > 0) & pl.col("owner").is_not_null()).sum().cast(pl.Int64),
            unowned_hours=pl.col("demand_hours").filter(pl.col("owner").is_null()).sum().round(3),
        )
        .with_columns(shift_hours=pl.min_horizontal("shortfall_hours", "spare_hours"))
        .with_columns(borrow_hours=(pl.col("shortfall_hours") - pl.col("shift_hours")).round(3))
        .with_columns(
            utilisation_pct=pl.when(pl.col("demand_hours") <= 0).then(0.0)
            .when(pl.col("available_hours") > 0)
            .then((100 * pl.col("demand_hours") / pl.col("available_hours")).round(1))
        )
        .sort("week_start_on")
    )  # fmt: skip
