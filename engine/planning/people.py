"""Who could do the work, and which hours they have for it beside what they are due to do anyway."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import polars as pl

from engine.facts.obligations.days_away import away_of_owners
from engine.facts.obligations.ledger import EFFORT_HOURS
from engine.planning.problem import WorkPart
from engine.planning.weeks import PlanWeeks

MILESTONE_HOURS = EFFORT_HOURS["poam_milestone"]


@dataclass(frozen=True)
class Capacity:
    """Hours of somebody by week, as the capacity budget of committees has them: available, due, and overdue in all."""

    available: tuple[float, ...]
    due: tuple[float, ...]
    overdue: float
    last_share: float = 1.0  # of the last week, that lies before the last day is over

    @property
    def remainder(self) -> float:
        """What duties leave, less than nothing where they ask for more."""
        return round(sum(self.available) - sum(self.due) - self.overdue, 6)

    def completion_week(self, week: int) -> int:
        """The week in which duties of a week are done: that one, or the first in which nothing is behind any more."""
        behind = self.overdue
        for number, (available, due) in enumerate(zip(self.available, self.due, strict=True)):
            behind = max(behind + due - available, 0.0)
            if number >= week and behind <= 1e-6:
                return number
        return len(self.available)

    @property
    def free(self) -> tuple[float, ...]:
        """The hours of each week that are left: overdue work comes first, and what does not fit goes into the next."""
        behind, found = self.overdue, []
        for available, due in zip(self.available, self.due, strict=True):
            left = available - due - behind
            found.append(round(max(left, 0.0), 6))
            behind = max(-left, 0.0)
        return (*found[:-1], *(round(hours * self.last_share, 6) for hours in found[-1:]))


def capacities(
    owner_weeks: pl.DataFrame, days_away: pl.DataFrame, load: pl.DataFrame, weeks: PlanWeeks, own: Collection[str] = ()
) -> dict[str, Capacity]:
    """The hours of everybody who is there. ``own`` names the work on record that the plan counts itself, with the hours
    beside its signatures: accepting a plan changes nobody's hours for it."""
    away = away_by_day(days_away.filter(pl.col("week_start_on") == weeks.mondays[-1]), owner_weeks)
    mine = load.filter(pl.col("obligation_id").is_in(sorted(own)))
    key = ["owner", "week_start_on"]
    freed = mine.drop_nulls("week_start_on").group_by(key).agg(freed=pl.col("hours").sort().sum())
    late = (
        load.filter(pl.col("state") == "overdue", pl.col("role") == "R", ~pl.col("obligation_id").is_in(sorted(own)))
        .group_by("owner")
        .agg(pl.col("hours").sort().sum())
    )
    overdue: dict[str | None, float] = dict(late.iter_rows())
    rows = (
        owner_weeks.filter("staffed")
        .join(freed, on=key, how="left")
        .with_columns(due=(pl.col("demand_hours") - pl.col("freed").fill_null(0.0)).clip(0.0))
    )
    available: dict[str, dict[date, float | None]] = {}
    due: dict[str, dict[date, float | None]] = {}
    for owner, monday, there, asked in (
        rows.drop_nulls("owner").select("owner", "week_start_on", "available_hours", "due").iter_rows()
    ):
        available.setdefault(owner, {})[monday] = there
        due.setdefault(owner, {})[monday] = asked
    return {
        owner: Capacity(
            weeks.hours(available[owner]),
            weeks.hours(due[owner]),
            round(overdue.get(owner, 0.0), 6),
            weeks.share_of_last(away.get(owner, {})),
        )
        for owner in sorted(available)
    }


def away_by_day(days_away: pl.DataFrame, owner_weeks: pl.DataFrame) -> Mapping[str, Mapping[date, float]]:
    """The share of each working day on which somebody is not there."""
    found: dict[str, dict[date, float]] = {}
    for owner, on, share in away_of_owners(days_away, owner_weeks).select("owner", "on", "away_share").iter_rows():
        found.setdefault(owner, {})[on] = share
    return found


def has_milestone(gap: Mapping[str, Any], capacity: Collection[str]) -> bool:
    """Whether closing a gap is a duty on record, of somebody who is there."""
    return gap.get("milestone_on") is not None and gap["owner"] in capacity


def beside_milestone(
    parts: Sequence[WorkPart], gap: Mapping[str, Any] | None, people: Mapping[str, Capacity], weeks: PlanWeeks
) -> list[WorkPart]:
    """The work on a gap without the hours that its milestone has, in the week of that; where its owner is behind with
    other work, in the first after it. Where the day asks for the work earlier, or later, it has hours of its own."""
    if gap is None or not has_milestone(gap, people):
        return [*parts]
    done = people[gap["owner"]].completion_week(max(weeks.last_week_by(gap["milestone_on"]), 0))
    left, work_parts = MILESTONE_HOURS, list[WorkPart]()
    for part in parts:
        if part.duty is not None or not part.first <= done <= part.last:
            work_parts.append(part)
            continue
        counted = min(part.hours, left)
        left -= counted
        rest = round(part.hours - counted, 6)
        work_parts.append(replace(part, hours=rest, first=done, last=part.last if rest else done))
    return work_parts


class Owners:
    """Who could do the work on a control: whose it is, who is accountable, else whoever has most of its group."""

    def __init__(
        self, horizons: pl.DataFrame, capacity: Mapping[str, Capacity], more: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.capacity = capacity
        self._more = more or {}  # who could do the work of somebody besides
        counted = (
            horizons.filter(pl.col("owner").is_in(list(capacity)))
            .group_by("framework", "group_id", "owner")
            .len()
            .sort("framework", "group_id", "len", "owner", descending=[False, False, True, False])
        )
        self._of_group = {
            (framework, group): owner
            for framework, group, owner in counted.unique(["framework", "group_id"], keep="first", maintain_order=True)
            .select("framework", "group_id", "owner")
            .iter_rows()
        }

    def of(self, row: Mapping[str, Any], gap: Mapping[str, Any] | None) -> tuple[str, ...]:
        """The people of whom one does the work, whose it is first; empty where nobody has hours on record.

        A gap with a milestone on the plan of action is closed by whose duty that is.
        """
        if gap is not None and has_milestone(gap, self.capacity):
            return (gap["owner"],)
        named = [gap["owner"] if gap is not None else None, row["owner"], row["accountable"]]
        found = dict.fromkeys(name for name in named if name in self.capacity)
        mine = tuple(found) or tuple(filter(None, [self._of_group.get((row["framework"], row["group_id"]))]))
        return tuple(dict.fromkeys([*mine, *(other for one in mine for other in self._more.get(one, ()))]))
