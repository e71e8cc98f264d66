"""The question that a plan answers, in numbers alone: actions with hours and weeks, people with hours in each week."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WorkPart:
    """Work of so many hours that must lie in the weeks from ``first`` to ``last``, both included.

    ``kinds`` are those of the evidence that it yields.
    """

    hours: float
    first: int
    last: int
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanAction:
    """Work that closes gaps when all its parts are done, by one of ``owners``: the first is whose it is.

    ``after`` names actions that must be done before.
    """

    id: str
    owners: tuple[str, ...]
    parts: tuple[WorkPart, ...]
    closes: frozenset[str]
    after: tuple[str, ...] = ()

    @property
    def hours(self) -> float:
        """What it takes."""
        return sum(part.hours for part in self.parts)


@dataclass(frozen=True)
class PlanProblem:
    """Close at least ``wanted`` gaps for the fewest hours; ``capacity`` has the hours of each person, week by week.

    Work may be split over the weeks that it may lie in.
    """

    capacity: Mapping[str, tuple[float, ...]]
    actions: tuple[PlanAction, ...]
    wanted: int


@dataclass(frozen=True)
class Choice:
    """Which actions are done, each by whom. ``closed`` gaps of those wanted; ``hours`` in all.

    No choice that closes as many takes fewer hours than ``bound``.
    """

    done: Mapping[str, str]
    closed: int
    hours: float
    bound: float


def in_order(actions: Sequence[PlanAction]) -> tuple[PlanAction, ...]:
    """The actions with weeks that keep what comes before another before it.

    The weeks that the two have are shared out by their hours: what comes first ends where its share does.
    """
    known = {action.id: action for action in actions}
    for action in sorted(actions, key=lambda one: (_depth(one, known, ()), one.id)):
        for name in action.after:
            if name not in known:
                continue
            before, behind = known[name], known[action.id]
            start, end = _span(before)[0], _span(behind)[1]
            whole = before.hours + behind.hours
            share = round((end - start + 1) * before.hours / whole) if whole else 0
            cut = min(max(start + max(share, 1) - 1, start), end - 1)
            known[name] = _within(before, start, cut)
            known[action.id] = _within(behind, cut + 1, end)
    return tuple(known[action.id] for action in actions)


def _depth(action: PlanAction, known: Mapping[str, PlanAction], seen: tuple[str, ...]) -> int:
    if action.id in seen:
        raise ValueError(f"actions wait for each other in a circle: {' → '.join((*seen, action.id))}")
    return max(
        (1 + _depth(known[name], known, (*seen, action.id)) for name in action.after if name in known), default=0
    )


def _span(action: PlanAction) -> tuple[int, int]:
    return min(part.first for part in action.parts), max(part.last for part in action.parts)


def _within(action: PlanAction, first: int, last: int) -> PlanAction:
    parts = tuple(replace(one, first=max(one.first, first), last=min(one.last, last)) for one in action.parts)
    return replace(action, parts=parts)
