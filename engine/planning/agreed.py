"""Work that was agreed upon: whose it is and in which weeks, so that planning again moves nothing without a reason."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import Protocol, TypeVar

import polars as pl

from engine.facts.obligations.accepted_plans import hours_to_come, is_late
from engine.planning.actions import EARLY, SIGN
from engine.planning.problem import PlanAction, WorkPart
from engine.planning.signatures import SIGNATURE
from engine.planning.weeks import PlanWeeks


@dataclass(frozen=True)
class Agreement:
    """A remediation of an accepted plan that is open, with the hours that it still takes; ``weeks`` by number."""

    remediation_id: str
    owner: str
    way: str
    kinds: tuple[str, ...]
    hours: float
    weeks: tuple[tuple[int, float], ...]
    due_on: date | None
    ended_on: date | None = None  # of work that is done and whose evidence is still to come


def agreements(accepted: pl.DataFrame, as_of: date, weeks: PlanWeeks) -> Mapping[str, tuple[Agreement, ...]]:
    """What was agreed of each control, by ``framework:control``, what is due first first."""
    found: dict[str, tuple[Agreement, ...]] = {}
    numbers = {monday: number for number, monday in enumerate(weeks.mondays)}
    rows = accepted.filter(pl.col("standing") != "done", pl.col("owner").is_not_null())
    for row in rows.sort("planned_due_on", "part", "id").iter_rows(named=True):
        left = hours_to_come(row, as_of, is_late(row, as_of))
        ahead = sorted((numbers[monday], hours) for monday, hours in left.items() if monday in numbers)
        one = Agreement(
            row["id"],
            row["owner"],
            row["way"] or "",
            tuple(row["planned_kinds"] or ()),
            round(sum(left.values(), 0.0), 6),
            tuple(ahead),
            row["due_on"],
            None
            if left or not row["work_hours"] or row["planned_due_on"] is None
            else min(row["planned_due_on"], as_of),
        )
        name = f"{row['framework']}:{row['control_id']}"
        found[name] = (*found.get(name, ()), one)
    return found


def with_agreed(
    actions: Sequence[PlanAction], agreed: Mapping[str, Sequence[Agreement]], people: Collection[str]
) -> list[PlanAction]:
    """The actions, those that were agreed with their owner, the hours that are left and the weeks that these lie in."""
    ways: dict[str, set[str]] = {}
    for action in actions:
        ways.setdefault(action.name, set()).add(action.id.removeprefix(action.name))
    plan_actions = []
    for action in actions:
        mine = agreed.get(action.name, ())
        way = action.id.removeprefix(action.name)
        if not mine or way != _way(mine[0].way, ways[action.name]) or mine[0].owner not in people:
            plan_actions.append(action)
            continue
        owner = mine[0].owner
        parts = _agreed_parts(action.parts, mine)
        owners = action.owners if owner in action.owners else (*action.owners, owner)
        plan_actions.append(replace(action, owners=owners, parts=parts, agreed=owner))
    least: dict[str, float] = {}
    for action in plan_actions:
        if not action.id.endswith(SIGN):
            least[action.name] = min(least.get(action.name, action.hours), action.hours)
    return [
        action
        if action.id.endswith(SIGN) or action.least_hours is None
        else replace(action, least_hours=least[action.name])
        for action in plan_actions
    ]


def _way(wanted: str, there: Collection[str]) -> str:
    return wanted if wanted in there else EARLY if wanted == "" and there == {EARLY} else ""


def _agreed_parts(parts: Sequence[WorkPart], mine: Sequence[Agreement]) -> tuple[WorkPart, ...]:
    waiting = list(mine)
    work_parts = []
    for part in parts:
        one = next((one for one in waiting if _is_of(part, one)), None)
        if one is None or (part.duty is not None and one.hours <= part.hours + 1e-6):
            work_parts.append(part)  # the hours of a signature are those of its duty, unless more is said to be left
            continue
        waiting.remove(one)
        inside = all(part.first <= week <= part.last for week, _ in one.weeks)
        whole = abs(sum(hours for _, hours in one.weeks) - one.hours) < 1e-6
        work_parts.append(replace(part, hours=one.hours, agreed=one.weeks if inside and whole else ()))
    return tuple(work_parts)


class _Yielding(Protocol):
    """Work that yields evidence of kinds."""

    @property
    def kinds(self) -> tuple[str, ...]: ...


Work = TypeVar("Work", bound=_Yielding)


def _is_of(part: _Yielding, one: Agreement) -> bool:
    """Whether a part is what was agreed, or what is left of it."""
    mine, theirs = ({kind for kind in kinds if kind != SIGNATURE} for kinds in (part.kinds, one.kinds))
    return mine == theirs or (bool(mine) and mine < theirs)


def in_pairs(agreed: Sequence[Agreement], work: Sequence[Work]) -> list[tuple[Agreement | None, Work | None]]:
    """The work on a control, in the order of its days, beside what was agreed of it: that of the same kinds, else what
    is left. What there is no other of is beside nothing."""
    waiting, alone = [*agreed], list[Work]()
    pairs: list[tuple[Agreement | None, Work | None]] = []
    for one in work:
        mine = next((known for known in waiting if _is_of(one, known)), None)
        if mine is None:
            alone.append(one)
        else:
            waiting.remove(mine)
            pairs.append((mine, one))
    return [*pairs, *zip_longest(waiting, alone)]


def under_way(agreed: Mapping[str, Sequence[Agreement]]) -> Mapping[str, Mapping[str, date]]:
    """The days on which work was done whose evidence is still to come, by control and kind."""
    return {
        name: {
            kind: one.ended_on for one in mine if one.ended_on is not None for kind in one.kinds if kind != SIGNATURE
        }
        for name, mine in agreed.items()
    }
