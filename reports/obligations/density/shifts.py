"""What could move out of a week that holds too much, and into which week near it that still has room."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from reports.obligations.density import density
from reports.shared.wording import count, sentence

NEARBY = (-1, -2, 1, 2)  # earlier weeks first: work done early breaks no promise


@dataclass
class Week:
    """A week while duties are moved in thought."""

    name: str
    known: int
    demand: float
    available: float
    movable: int
    movable_hours: float

    @property
    def each(self) -> float:
        """Mean hours of a duty that can move."""
        return self.movable_hours / self.movable if self.movable else 0.0


def with_suggestions(
    rated: pl.DataFrame, duties: pl.DataFrame, bounds: density.Limits, short: Mapping[str, str]
) -> pl.DataFrame:
    """``rated`` weeks with ``causes``, ``movable`` duties and a ``suggestion`` where the week is over a limit.

    ``short`` has what is recommended for weeks that lack hours: the suggestion says that, and nothing moves into them.
    Of the others the worst is relieved first, and room that one takes is not offered again. Hard deadlines stay.
    """
    loose = (
        duties.filter(pl.col("place") == "known", ~pl.col("hard"))
        .group_by("week")
        .agg(movable=pl.len().cast(pl.Int64), movable_hours=pl.col("effort_hours").sum())
    )
    frame = rated.join(loose, on="week", how="left", maintain_order="left").with_columns(
        pl.col("movable").fill_null(0), pl.col("movable_hours").fill_null(0.0)
    )
    columns = ("week", "known", "demand_hours", "available_hours", "movable", "movable_hours")
    plan = [Week(*row) for row in frame.select(columns).iter_rows()]
    over = [number for number, level in enumerate(frame["level"]) if level != "ok"]
    worst_first = sorted(over, key=lambda number: (-density.LEVELS.index(frame["level"][number]), -plan[number].known))
    said = {
        number: sentence(short.get(plan[number].name) or _relief(plan, number, bounds, short)) for number in worst_first
    }
    used = list(frame.select("known", "utilisation_pct").iter_rows())
    causes = [
        density.causes(used[number][0], used[number][1], bounds) if number in said else []
        for number in range(frame.height)
    ]
    texts = [said.get(number, "") for number in range(frame.height)]
    return frame.drop("movable_hours").with_columns(
        causes=pl.Series(causes, dtype=pl.List(pl.String)), suggestion=pl.Series(texts, dtype=pl.String)
    )


def _relief(plan: list[Week], at: int, bounds: density.Limits, short: Mapping[str, str]) -> str:
    week = plan[at]
    excess = _excess(week, bounds)
    fixed = bool(week.movable) and excess > week.movable
    wanted = min(week.movable, excess)
    moves = []
    for step in NEARBY:
        target = at + step
        if wanted and 0 <= target < len(plan) and plan[target].name not in short:
            number = min(wanted, _room(plan[target], week.each, bounds))
            if number > 0:
                _move(week, plan[target], number)
                wanted -= number
                moves.append(f"{'pull' if step < 0 else 'defer'} {number} to {plan[target].name}")
    parts = []
    if moves:
        parts.append(
            f"of {count(week.movable + _duty_count(moves), 'duty', 'duties')} that can move, {', '.join(moves)}"
        )
    elif not week.movable and week.known:
        parts.append("every duty of the week has a hard deadline, so bring in hours")
    if wanted or (not moves and week.movable):
        crowded = week.demand >= bounds.warn_pct / 100 * week.available
        parts.append(
            f"no {'other ' if moves else ''}week within two of it has room" + (", so bring in hours" if crowded else "")
        )
    elif fixed:
        parts.append("the rest has hard deadlines, so bring in hours")
    return "; ".join(parts) or "bring in hours"


def _duty_count(moves: list[str]) -> int:
    return sum(int(move.split()[1]) for move in moves)


def _excess(week: Week, bounds: density.Limits) -> int:
    """How many duties must leave for the week to be below both warnings."""
    by_count = week.known - (math.ceil(bounds.warn_count) - 1)
    over = week.demand - bounds.warn_pct / 100 * week.available
    by_hours = math.floor(over / week.each) + 1 if over >= 0 and week.each else 0
    return max(by_count, by_hours, 0)


def _room(week: Week, each: float, bounds: density.Limits) -> int:
    """How many duties of ``each`` hours the week can take and stay below both warnings."""
    by_count = math.ceil(bounds.warn_count) - 1 - week.known
    spare = bounds.warn_pct / 100 * week.available - week.demand
    by_hours = math.ceil(spare / each) - 1 if each else by_count
    return max(min(by_count, by_hours), 0)


def _move(source: Week, target: Week, number: int) -> None:
    moved = number * source.each
    for week, sign in ((source, -1), (target, 1)):
        week.known += sign * number
        week.demand += sign * moved
    source.movable_hours -= moved
    source.movable -= number
