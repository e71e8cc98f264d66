"""What is to be done about a week that is short of hours: one recommendation, which every page on the week repeats."""

from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import FrameRow
from reports.capacity import balancing, moves, shortfall
from reports.shared.wording import all_of, hours

WAYS = {"reassign": "hand over", "pull_forward": "do earlier"}
LABELS = {"relief_hours": "Relief by moving (h)", "remaining_hours": "To bring in (h)"}


def by_week(made: Annotated[moves.Balance, moves.balance], ask: Ask) -> pl.DataFrame:
    """The weeks of ``shortfall.by_week`` with what the suggested moves make of each.

    ``relief_hours`` of the shortfall go by handing duties over or doing them earlier (``ways``); ``remaining_hours``
    stay.
    """
    kinds = {week: {move["kind"] for move in made.moves if move["week"] == week} for week in made.weeks["week"]}
    ways = [[kind for kind in WAYS if kind in kinds[week]] for week in made.weeks["week"]]
    then = shortfall.by_week(balancing.after(made.grid, made.then), ask)["shortfall_hours"]
    return made.weeks.with_columns(
        relief_hours=pl.max_horizontal(pl.col("shortfall_hours") - then, pl.lit(0.0)).round(3),
        remaining_hours=then.round(3),
        ways=pl.Series(ways, dtype=pl.List(pl.String)),
    )


Relieved: TypeAlias = Annotated[pl.DataFrame, by_week]


def worst(weeks: pl.DataFrame) -> FrameRow | None:
    """The week that is shortest of hours, of equals the earliest; None where none is short."""
    short = weeks.filter("short").sort(
        "shortfall_hours", "borrow_hours", "week_start_on", descending=[True, True, False]
    )
    return short.row(0, named=True) if short.height else None


def recommendation(week: FrameRow) -> str:
    """``hand over 8 hours and bring in 57.75 hours``; where owners lack none, to name owners for work of nobody."""
    steps = []
    if week["relief_hours"]:
        way = " or ".join(WAYS[kind] for kind in week["ways"])
        steps.append(f"{way} {hours(week['relief_hours'])}")
    if week["remaining_hours"]:
        steps.append(f"bring in {hours(week['remaining_hours'])}")
    return all_of(steps) or f"name owners for {hours(week['unowned_hours'])}"


def of_short(weeks: pl.DataFrame) -> dict[str, str]:
    """What is recommended for each week that is short, by its key."""
    return {week["week"]: recommendation(week) for week in weeks.filter("short").iter_rows(named=True)}
