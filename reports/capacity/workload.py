"""Work against hours, owner by owner and week by week (F7), and how evenly it is spread (F8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Alarm
from engine.model.figures.formulas import gini
from engine.model.thresholds import Thresholds
from reports.shared import ledger
from reports.shared.wording import count, hours

HEALTHY_PCT = 70.0  # below, an owner has room for more (F7)
NOT_MEANINGFUL = "not_meaningful"


@dataclass(frozen=True)
class Spread:
    """Imbalance of the owners of a week: largest over mean utilisation, Gini, and what they say."""

    owners: int
    mean_pct: float | None
    ratio: float | None
    gini: float | None
    state: str


def spread(utilisations: Sequence[float], settings: Thresholds) -> Spread:
    """F8 over the utilisation of each owner with any work; too few owners are not meaningful."""
    count = len(utilisations)
    mean = sum(utilisations) / count if count else 0.0
    mean_pct = round(mean, 1) if count else None
    if count < settings["imbalance_min_owners"] or not mean:
        return Spread(count, mean_pct, None, None, NOT_MEANINGFUL)
    ratio = max(utilisations) / mean
    state = "imbalanced" if ratio >= settings["imbalance_ratio"] - 1e-9 else "balanced"
    return Spread(count, mean_pct, round(ratio, 3), round(gini(utilisations) or 0.0, 4), state)


def flag(short: pl.Expr, settings: Thresholds) -> pl.Expr:
    """green, amber, red, or shortfall where it is ``short`` (F7)."""
    used = pl.col("utilisation_pct")
    return (
        pl.when(short)
        .then(pl.lit("shortfall"))
        .when(used > settings["utilisation_warn_pct"])
        .then(pl.lit("red"))
        .when(used >= HEALTHY_PCT)
        .then(pl.lit("amber"))
        .otherwise(pl.lit("green"))
    )


def in_horizon(owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Owners and weeks of the horizon with a flag, by week and owner; work of nobody comes last in its week.

    What nobody is there to do is ``uncovered``.
    """
    nobodys = ~pl.col("staffed") & (pl.col("demand_hours") > 0)
    short = flag(pl.col("shortfall_hours") > 0, ask.settings)
    return (
        owner_weeks.join(ledger.horizon(ask).select("week"), on="week", how="semi")
        .with_columns(
            flag=pl.when(nobodys)
            .then(pl.lit("uncovered"))
            .when(ledger.is_over(ask))
            .then(pl.lit("over"))
            .otherwise(short)
        )
        .sort("week_start_on", "owner", nulls_last=True)
    )


def without_owner(unowned_hours: float, duties: ledger.Pending, grid: pl.DataFrame) -> list[Alarm]:
    """That work of the horizon has no owner who is there, and who is to name one; nothing without such work."""
    if not unowned_hours:
        return []
    left = grid.filter(~pl.col("staffed"))["owner"].drop_nulls().unique().to_list()
    gone = pl.col("owner").is_null() | pl.col("owner").is_in(left)
    here = pl.when(~pl.col("accountable").is_in(left)).then("accountable")
    alone = duties.filter(pl.col("place") == "known", gone).with_columns(accountable=here)
    are = "is" if unowned_hours == 1 else "are"
    many = f" in {count(alone.height, 'duty', 'duties')}" if alone.height else ""
    return [
        Alarm(f"{hours(unowned_hours)} of work{many} {are} without an owner who is there: {ledger.who_names(alone)}.")
    ]


def most_short(grid: pl.DataFrame, week: str) -> str:
    """Who lacks most hours in a week, behind what is said of it: ``, most for ann@acme.example, who lacks 9 hours``."""
    lacking = grid.filter(pl.col("week") == week, pl.col("owner").is_not_null(), pl.col("shortfall_hours") > 0)
    if lacking.is_empty():
        return ""
    owner, missing = (
        lacking.sort("shortfall_hours", "owner", descending=[True, False]).select("owner", "shortfall_hours").row(0)
    )
    return f", most for {owner}, who lacks {hours(round(missing, 1))}"


InHorizon: TypeAlias = Annotated[pl.DataFrame, in_horizon]
