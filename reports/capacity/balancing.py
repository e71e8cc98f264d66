"""Which duties to hand over or do earlier so that nobody has more work than hours; dates are never moved."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from reports.capacity.workload import HEALTHY_PCT

ACCOUNTABLE = 0.25  # what is left of a duty to who stays accountable for it (F7)
FORWARD = (1, 2)  # weeks by which work may be pulled forward, nearest first
MEETINGS = ("committee", "audit_checkpoint")  # have a chair and a day: nobody else can hold them, nor earlier
WINDOWED = ("test_window", "bundle")  # can be handed over, but have a period before which they cannot be done
FULL_PCT = 100.0
EPSILON = 1e-9


@dataclass(frozen=True)
class LoadItem:
    """What somebody is responsible for in a week."""

    id: str
    title: str
    kind: str
    accountable: str | None
    due_on: Any
    hours: float


class Load:
    """Demand and hours of owners who are there while suggestions are tried."""

    def __init__(self, grid: pl.DataFrame, load: pl.DataFrame, weeks: list[str]) -> None:
        columns = ("owner", "week", "demand_hours", "available_hours")
        self.weeks = weeks
        self.available: dict[tuple[str, str], float] = {}
        self.demand: dict[tuple[str, str], float] = {}
        for owner, week, demand, available in grid.filter("staffed").select(columns).iter_rows():
            self.demand[owner, week], self.available[owner, week] = demand, available
        self.owners = sorted({owner for owner, _ in self.demand})
        mine = load.filter(pl.col("role") == "R", pl.col("owner").is_not_null())
        self.doers: dict[str, set[str]] = {}
        for kind, owner in mine.select("kind", "owner").unique().iter_rows():
            self.doers.setdefault(kind, set()).add(owner)
        self.items: dict[tuple[str, str], list[LoadItem]] = {}
        movable = ~pl.col("hard") & ~pl.col("kind").is_in(MEETINGS) & (pl.col("hours") > 0)
        loose = mine.filter(movable, pl.col("week").is_not_null()).sort("due_on", "obligation_id")
        fields = ("owner", "week", "obligation_id", "title", "kind", "accountable", "due_on", "hours")
        for owner, week, name, title, kind, accountable, due, hours in loose.select(fields).iter_rows():
            item = LoadItem(name, title, kind, accountable, due, hours)
            self.items.setdefault((owner, week), []).append(item)

    def utilisation(self, owner: str, week: str, more: float = 0.0) -> float:
        """Utilisation in percent with ``more`` hours; infinite for work without hours."""
        demand, available = self.demand.get((owner, week), 0.0) + more, self.available.get((owner, week), 0.0)
        return 100 * demand / available if available > 0 else (float("inf") if demand > EPSILON else 0.0)

    def peak(self, week: str) -> float:
        """The highest utilisation of any owner in the week."""
        return max((self.utilisation(owner, week) for owner in self.owners), default=0.0)


def weeks_over(state: Load) -> list[str]:
    """Weeks in which some owner has more work than hours."""
    return [week for week in state.weeks if state.peak(week) > FULL_PCT + EPSILON]


def after(grid: pl.DataFrame, state: Load) -> pl.DataFrame:
    """``grid`` with the work that the suggestions leave to each owner: nobody becomes short by them."""
    moved = [(owner, week, round(hours, 6)) for (owner, week), hours in state.demand.items()]
    then = pl.DataFrame(moved, schema={"owner": pl.String, "week": pl.String, "then_hours": pl.Float64}, orient="row")
    missing = pl.max_horizontal(pl.col("demand_hours") - pl.col("available_hours"), pl.lit(0.0)).round(6)
    return (
        grid.join(then, on=["owner", "week"], how="left", maintain_order="left")
        .with_columns(demand_hours=pl.coalesce("then_hours", "demand_hours"))
        .with_columns(
            shortfall_hours=pl.when(pl.col("shortfall_hours") > 0).then(missing).otherwise(0.0),
            utilisation_pct=pl.when(pl.col("available_hours") > 0).then(
                (100 * pl.col("demand_hours") / pl.col("available_hours")).round(1)
            ),
        )
        .drop("then_hours")
    )


def suggestions(state: Load, ask: Ask) -> Iterator[dict[str, Any]]:
    """Greedy and in one order: week by week, the most used owner first, the earliest duty first.

    A duty goes to whoever does that kind of work, is not accountable for it and is below 70 %, the least used one
    first; else it is done up to two weeks earlier. Neither may push anybody over the warning. Hard deadlines and
    meetings stay where they are. ``state`` is changed.
    """
    limit = FULL_PCT + EPSILON
    for week in weeks_over(state):
        stuck: set[str] = set()
        while True:
            over = [name for name in state.owners if name not in stuck and state.utilisation(name, week) > limit]
            if not over:
                break
            owner = min(over, key=lambda name: (-state.utilisation(name, week), name))
            first_move = _first_move(state, owner, week, ask)
            if first_move is None:
                stuck.add(owner)
            else:
                yield first_move


def _first_move(state: Load, owner: str, week: str, ask: Ask) -> dict[str, Any] | None:
    room = ask.settings["utilisation_warn_pct"] + EPSILON
    for item in state.items.get((owner, week), []):
        helper = _helper(state, owner, week, item, room)
        earlier = None if helper else _earlier(state, owner, week, item, room)
        if helper is None and earlier is None:
            continue
        before, mine = state.peak(week), state.utilisation(owner, week)
        state.items[owner, week].remove(item)
        kept = ACCOUNTABLE * item.hours if helper and item.accountable == owner else 0.0
        state.demand[owner, week] -= item.hours - kept
        if helper:
            state.demand[helper, week] = state.demand.get((helper, week), 0.0) + item.hours
        else:
            state.demand[owner, str(earlier)] += item.hours
        return {
            "week": week,
            "kind": "reassign" if helper else "pull_forward",
            "owner": owner,
            "to_owner": helper or owner,
            "to_week": week if helper else earlier,
            "title": item.title,
            "obligation_id": item.id,
            "duty": item.kind,
            "due_on": item.due_on,
            "hours": item.hours,
            "relief_hours": round(item.hours - kept, 3),
            "owner_before_pct": _pct(mine),
            "owner_after_pct": _pct(state.utilisation(owner, week)),
            "max_before_pct": _pct(before),
            "max_after_pct": _pct(state.peak(week)),
        }
    return None


def _helper(state: Load, owner: str, week: str, item: LoadItem, room: float) -> str | None:
    """The least used owner who may take the duty over; never who is accountable for it."""
    able = [
        (state.utilisation(name, week, item.hours), name)
        for name in sorted(state.doers.get(item.kind, set()) - {owner, item.accountable})
        if state.utilisation(name, week) < HEALTHY_PCT and state.utilisation(name, week, item.hours) <= room
    ]
    return min(able)[1] if able else None


def _earlier(state: Load, owner: str, week: str, item: LoadItem, room: float) -> str | None:
    """The nearest week before in which the owner has room; windowed work cannot be done earlier."""
    if item.kind in WINDOWED:
        return None
    place = state.weeks.index(week)
    before = [state.weeks[place - step] for step in FORWARD if place - step >= 0]
    return next((name for name in before if state.utilisation(owner, name, item.hours) <= room), None)


def _pct(value: float) -> float | None:
    return None if value == float("inf") else round(value, 1)
