"""Which hours of a choice lie in which week: as agreed where they were, else as evenly as can be and as early."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.planning.problem import Choice, PlanProblem, WorkPart, within

MOST_TURNS = 4  # in which hours beside signatures follow these
_LITTLE = 1e-9


@dataclass(frozen=True)
class WorkItem:
    """Hours of a part of an action that one person does in one week. What has no hours of its own lies in its last.

    Hours of who is accountable beside a signature have a ``part`` below 0: -1 less the number of the signature's.
    """

    action: str
    part: int
    owner: str
    week: int
    hours: float


@dataclass
class _Open:
    """A part of an action with the hours that are still to be laid into weeks; or hours beside the signature of
    somebody else, whose number ``beside`` is."""

    action: str
    number: int
    part: WorkPart
    left: float
    beside: int | None = None

    def in_week(self, week: int) -> "_Open":
        """The same in one week alone."""
        return replace(self, part=replace(self.part, first=week, last=week))


_Laid = list[tuple[_Open, dict[int, float]]]


def schedule(problem: PlanProblem, choice: Choice) -> tuple[WorkItem, ...]:
    """The work of a choice by week, person and action. Nobody's week holds more hours than there are."""
    by_owner = _open_parts(problem, choice)
    laid = {owner: _laid_out(parts, problem.capacity[owner]) for owner, parts in by_owner.items()}
    for _ in range(MOST_TURNS):
        moved = _beside_their_signatures(laid, problem.capacity)
        if not moved:
            break
        laid |= moved
    work_items = [
        WorkItem(one.action, one.number, owner, week, round(hours, 9))
        for owner, parts in laid.items()
        for one, weeks in parts
        for week, hours in sorted(weeks.items())
        if hours > _LITTLE or one.part.hours <= 0
    ]
    return tuple(sorted(work_items, key=lambda item: (item.week, item.owner, item.action, item.part)))


def _open_parts(problem: PlanProblem, choice: Choice) -> dict[str, list[_Open]]:
    """Everybody's parts of the work of a choice."""
    known = {action.id: action for action in problem.actions}
    opens: dict[str, list[_Open]] = {}
    for name, owner in choice.done.items():
        action = known[name] if name not in choice.windows else within(known[name], *choice.windows[name])
        for number, part in enumerate(action.parts):
            opens.setdefault(owner, []).append(_Open(name, number, part, part.hours))
        signed = [number for number, part in enumerate(action.parts) if part.is_signed]
        for number, (person, part) in zip(signed, action.asides_of(owner), strict=False):
            if person in problem.capacity:
                opens.setdefault(person, []).append(_Open(name, -1 - number, part, part.hours, number))
    return opens


def _beside_their_signatures(laid: Mapping[str, _Laid], capacity: Mapping[str, Sequence[float]]) -> dict[str, _Laid]:
    """Anew the work of those who have hours beside the signatures of others in other weeks than these, as duties on
    record count both in one week. Where their hours do not allow that, the signature goes where both fit."""
    opens = {owner: [one for one, _ in parts] for owner, parts in laid.items()}
    signatures = {
        (one.action, one.number): (owner, place, max(weeks))
        for owner, parts in laid.items()
        for place, (one, weeks) in enumerate(parts)
        if one.beside is None and weeks
    }
    moved: set[str] = set()
    for person, parts in laid.items():
        beside = [
            (number, *signatures[one.action, one.beside])
            for number, (one, _) in enumerate(parts)
            if one.beside is not None and (one.action, one.beside) in signatures
        ]
        if all([*parts[number][1]] == [week] for number, *_, week in beside):
            continue
        moved.add(person)
        mine = [one for one in opens[person] if one.beside is None]
        for number, signer, place, week in beside:
            aside, signature = opens[person][number], laid[signer][place][0]
            for other in sorted(range(signature.part.first, signature.part.last + 1), key=lambda one: one != week):
                theirs = [*opens[signer][:place], signature.in_week(other), *opens[signer][place + 1 :]]
                if not _has_room([*mine, aside.in_week(other)], capacity[person]):
                    continue
                if other == week or _has_room(theirs, capacity[signer]):
                    aside = aside.in_week(other)
                    if other != week:
                        opens[signer] = theirs
                        moved.add(signer)
                    break
            else:  # what does not fit into its week comes after it, as other duties do
                later = (aside.in_week(other) for other in range(week + 1, len(capacity[person])))
                aside = next((one for one in later if _has_room([*mine, one], capacity[person])), aside)
            opens[person][number] = aside
            mine.append(aside)
    return {
        owner: _laid_out(opens[owner], capacity[owner]) for owner in moved if _has_room(opens[owner], capacity[owner])
    }


def _has_room(parts: Sequence[_Open], capacity: Sequence[float]) -> bool:
    return fullest([one.part for one in parts], capacity) <= 1 + _LITTLE


def fullest(parts: Sequence[WorkPart], capacity: Sequence[float]) -> float:
    """The least share of everybody's hours that all of the work needs in some week: below 1 it fits."""
    parts = [part for part in parts if part.hours > 0]
    total = [0.0]
    for hours in capacity:
        total.append(total[-1] + hours)
    most = 0.0
    for first in {part.first for part in parts}:
        inside = sorted((part.last, part.hours) for part in parts if part.first >= first)
        need = 0.0
        for (last, hours), (following, _) in pairwise([*inside, (len(capacity), 0.0)]):
            need += hours
            if following != last:
                room = total[last + 1] - total[first]
                most = max(most, need / room if room > 0 else float("inf"))
    return most


def _laid_out(parts: Sequence[_Open], capacity: Sequence[float]) -> list[tuple[_Open, dict[int, float]]]:
    """As agreed, where all else still fits then; else everything anew."""
    agreed = [one for one in parts if one.part.agreed]
    if agreed:
        taken, left = _as_agreed(agreed, capacity)
        others = [one for one in parts if not one.part.agreed]
        rest = _evenly(others, left)
        if taken is not None and _fits(others, rest):
            return sorted([*taken, *rest], key=lambda one: (one[0].action, one[0].number))
    return _evenly(parts, capacity)


def _as_agreed(
    parts: Sequence[_Open], capacity: Sequence[float]
) -> tuple[list[tuple[_Open, dict[int, float]]] | None, list[float]]:
    left, found = list(capacity), []
    for one in parts:
        weeks = {week: hours for week, hours in one.part.agreed if one.part.first <= week <= one.part.last}
        if abs(sum(weeks.values()) - one.part.hours) > 1e-6:
            return None, left
        for week, hours in weeks.items():
            left[week] -= hours
        found.append((one, weeks))
    return (None if min(left, default=0.0) < -1e-6 else found), [max(hours, 0.0) for hours in left]


def _fits(parts: Sequence[_Open], laid: Sequence[tuple[_Open, Mapping[int, float]]]) -> bool:
    return sum(sum(weeks.values()) for _, weeks in laid) >= sum(one.part.hours for one in parts) - 1e-6


def _evenly(parts: Sequence[_Open], capacity: Sequence[float]) -> list[tuple[_Open, dict[int, float]]]:
    """Earliest deadline first (Jackson 1955), in weeks of which no larger share is used than has to be."""
    share = min(fullest([one.part for one in parts], capacity), 1.0)
    left = {id(one): one.part.hours for one in parts}
    found: dict[int, dict[int, float]] = {id(one): {one.part.last: 0.0} if one.part.hours <= 0 else {} for one in parts}
    for week, hours in enumerate(capacity):
        room = hours * share
        waiting = [one for one in parts if one.part.first <= week <= one.part.last and left[id(one)] > _LITTLE]
        for one in sorted(waiting, key=_urgency):
            taken = min(room, left[id(one)])
            if taken > _LITTLE:
                found[id(one)][week] = taken
                left[id(one)] -= taken
                room -= taken
    laid = [(one, found[id(one)]) for one in parts]
    for one, weeks in laid:
        if one.part.duty is not None and len(weeks) > 1:
            _gather(weeks, one.part, laid, capacity)
    return laid


def _gather(
    weeks: dict[int, float], part: WorkPart, laid: Sequence[tuple[_Open, dict[int, float]]], capacity: Sequence[float]
) -> None:
    """Put a signature, which duties on record count in one week, into one: where there is room, else in place of work
    that can be split."""
    used: dict[int, float] = {}
    for _, mine in laid:
        for week, hours in mine.items():
            used[week] = used.get(week, 0.0) + hours
    last = max(weeks)
    for week in [last, *(week for week in range(part.first, part.last + 1) if week != last)]:
        if capacity[week] - used.get(week, 0.0) + weeks.get(week, 0.0) >= part.hours - _LITTLE:
            weeks.clear()
            weeks[week] = part.hours
            return
    for week in sorted(set(weeks) - {last}):
        for other, mine in laid:
            if other.part.duty is not None or not other.part.first <= week <= other.part.last:
                continue
            moved = min(weeks.get(week, 0.0), mine.get(last, 0.0))
            if moved > _LITTLE:
                weeks[week] -= moved
                weeks[last] += moved
                mine[last] -= moved
                mine[week] = mine.get(week, 0.0) + moved
    for week in [week for week, hours in weeks.items() if hours <= _LITTLE]:
        del weeks[week]


def _urgency(one: _Open) -> tuple[int, int, str, int]:
    return one.part.last, one.part.first, one.action, one.number
