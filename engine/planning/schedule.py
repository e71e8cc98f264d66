"""Which hours of a choice lie in which week: as evenly as can be, each piece of work as early as that leaves it."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.planning.problem import Choice, PlanAction, PlanProblem, in_order

_LITTLE = 1e-9


@dataclass(frozen=True)
class WorkItem:
    """Hours of a part of an action that one person does in one week."""

    action: str
    part: int
    owner: str
    week: int
    hours: float


@dataclass
class _Open:
    """A part of an action with the hours that are still to be laid into weeks."""

    action: str
    part: int
    first: int
    last: int
    left: float


def schedule(problem: PlanProblem, choice: Choice) -> tuple[WorkItem, ...]:
    """The work of a choice by week, person and action. Nobody's week holds more hours than there are."""
    chosen = [action for action in in_order(problem.actions) if action.id in choice.done]
    by_owner: dict[str, list[PlanAction]] = {}
    for action in chosen:
        by_owner.setdefault(choice.done[action.id], []).append(action)
    work = [item for owner, actions in by_owner.items() for item in _laid_out(owner, actions, problem.capacity[owner])]
    return tuple(sorted(work, key=lambda item: (item.week, item.owner, item.action, item.part)))


def fullest(actions: Sequence[PlanAction], capacity: Sequence[float]) -> float:
    """The least share of everybody's hours that all of the work needs in some week: below 1 it fits."""
    parts = [part for action in actions for part in action.parts if part.hours > 0]
    total = [0.0]
    for hours in capacity:
        total.append(total[-1] + hours)
    most = 0.0
    for first in {part.first for part in parts}:
        inside = [part for part in parts if part.first >= first]
        for last in {part.last for part in inside}:
            need = sum(part.hours for part in inside if part.last <= last)
            room = total[last + 1] - total[first]
            most = max(most, need / room if room > 0 else float("inf"))
    return most


def _laid_out(owner: str, actions: Sequence[PlanAction], capacity: Sequence[float]) -> list[WorkItem]:
    """Earliest deadline first (Jackson 1955), in weeks of which no larger share is used than has to be."""
    share = min(fullest(actions, capacity), 1.0)
    waiting = [
        _Open(action.id, number, part.first, part.last, part.hours)
        for action in actions
        for number, part in enumerate(action.parts)
    ]
    found: dict[tuple[int, str, int], float] = {}
    for week, hours in enumerate(capacity):
        room = hours * share
        for one in sorted((one for one in waiting if one.first <= week and one.left > _LITTLE), key=_urgency):
            taken = min(room, one.left)
            if taken > _LITTLE:
                key = week, one.action, one.part
                found[key] = found.get(key, 0.0) + taken
                one.left -= taken
                room -= taken
    return [WorkItem(action, part, owner, week, round(hours, 9)) for (week, action, part), hours in found.items()]


def _urgency(one: _Open) -> tuple[int, int, str, int]:
    return one.last, one.first, one.action, one.part
