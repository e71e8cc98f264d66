"""What load balancing suggests, week by week and owner by owner, as its tables show it and figures count it."""

from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from engine.model.declarations.ask import Ask
from reports.capacity import balancing, shortfall, workload
from reports.capacity.proposals import action_id

MOVE = pl.Schema({
    "week": pl.String, "kind": pl.String, "owner": pl.String, "to_owner": pl.String, "to_week": pl.String,
    "title": pl.String, "obligation_id": pl.String, "duty": pl.String, "due_on": pl.Date, "hours": pl.Float64,
    "relief_hours": pl.Float64, "owner_before_pct": pl.Float64, "owner_after_pct": pl.Float64,
    "max_before_pct": pl.Float64, "max_after_pct": pl.Float64,
})  # fmt: skip


@dataclass(frozen=True)
class Balance:
    """Owners and weeks as they are, the same with all suggestions taken, and the suggestions."""

    grid: pl.DataFrame
    weeks: pl.DataFrame
    now: balancing.Load
    then: balancing.Load
    moves: list[dict[str, Any]]


def balance(grid: workload.InHorizon, weeks: shortfall.ByWeek, load: pl.DataFrame, ask: Ask) -> Balance:
    """The present facts, balanced."""
    names = weeks["week"].to_list()
    now, then = balancing.Load(grid, load, names), balancing.Load(grid, load, names)
    moves = list(balancing.suggestions(then, ask))
    return Balance(grid, weeks, now, then, moves)


def suggestions(made: Annotated[Balance, balance], load: pl.DataFrame) -> pl.DataFrame:
    """The suggestions in the order in which they were found, each with the staffing action that it is part of."""
    frame = pl.DataFrame(made.moves, schema=MOVE, orient="row")
    org = load["org_id"][0] if load.height else ""
    keys = [action_id(org, *row) for row in frame.select("week", "kind", "owner").iter_rows()]
    return (
        frame.with_columns(pl.Series("action_id", keys, dtype=pl.String))
        .with_row_index("number", 1)
        .with_columns(pl.col("number").cast(pl.Int64))
    )


def by_week(made: Annotated[Balance, balance], ask: Ask) -> pl.DataFrame:
    """Every week of the horizon, how work is spread in it, and the busiest owner and whether it is short then."""
    then = shortfall.by_week(balancing.after(made.grid, made.then), ask)
    most = [[_finite(state.peak(week)) for week in made.weeks["week"]] for state in (made.now, made.then)]
    return made.weeks.select(
        *("week", "week_start_on", "demand_hours", "available_hours", "shortfall_hours", "unowned_hours", "short"),
        *("owners", "mean_pct", pl.Series("max_pct", most[0], dtype=pl.Float64), "imbalance", "gini", "state"),
        pl.Series("max_after_pct", most[1], dtype=pl.Float64),
        then["short"].alias("short_then"),
        then["shortfall_hours"].alias("shortfall_then_hours"),
    )


def slices(made: Annotated[Balance, balance], load: pl.DataFrame) -> pl.DataFrame:
    """Who does what in weeks that are short, the most used owner of each first."""
    roles = load.group_by("owner", "week").agg(
        pl.col("hours").filter(pl.col("role") == role).sort().sum().round(3).alias(name)
        for role, name in (("R", "responsible_hours"), ("A", "accountable_hours"))
    )
    frame = (
        made.grid.join(made.weeks.filter("short").select("week"), on="week", how="semi")
        .filter(pl.col("demand_hours") > 0)
        .join(roles, on=["owner", "week"], how="left", nulls_equal=True, maintain_order="left")
        .sort("week_start_on", "utilisation_pct", "owner", descending=[False, True, False], nulls_last=True)
    )
    after = [
        None if owner is None else _finite(made.then.utilisation(owner, week))
        for owner, week in frame.select("owner", "week").iter_rows()
    ]
    return frame.select(
        *("week", "week_start_on", "owner", "obligations", "responsible_hours", "accountable_hours", "demand_hours"),
        *("available_hours", "utilisation_pct", "flag"),
    ).with_columns(pl.Series("after_pct", after, dtype=pl.Float64))


def _finite(value: float) -> float | None:
    return None if value == float("inf") else round(value, 1)
