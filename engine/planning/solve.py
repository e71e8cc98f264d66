"""The cheapest choice of actions, as an integer programme that HiGHS solves.

Work of one person that may be split over weeks fits exactly if, for every stretch of weeks, the hours that must lie in
it are no more than there are (Hall's condition; Horn 1974 for preemptive work with release times and deadlines). So no
week needs a variable of its own: there is one for each action and person who could do it. What waits for something else
has one for each week in which the one may end and the other begin.

Solves follow each other, each keeping what the one before reached: as many gaps as are wanted, as much of what was
agreed as can stay, the fewest hours, the fewest days on which evidence has lapsed, the fewest actions done by somebody
else than whose they are, and of equal choices the first in the order of the actions.
One thread, a fixed seed and limits that count work instead of seconds: equal questions have equal answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import highspy
import numpy as np

from engine.planning.problem import Choice, PlanAction, PlanProblem, WorkPart, closed_gaps, within

GAP = 0.02  # of the fewest hours: a choice that may be so much dearer than the best is taken on large questions
EXACT_UP_TO = 2_000  # columns up to which the very best is looked for
MOST_NODES = 20_000  # of each search
MOST_CUTS = 13  # weeks in which what waits may begin; of more as many, evenly spread
_SLACK = 1e-6
_LITTLE = 1e-9


def solve(problem: PlanProblem) -> Choice:
    """The best choice; of the same problem always the same. Where what is wanted cannot be reached, the most."""
    columns = _columns(problem)
    if not columns or all(goal.wanted <= 0 for goal in problem.gap_goals):
        return Choice({}, 0, 0.0, 0.0)
    model = _Model(problem, columns)
    if problem.keep:
        model.maximise_agreed()
    closed = model.maximise_closed()
    if not problem.keep:
        model.maximise_agreed()
    bound = model.minimise_core()
    model.minimise_holes()
    hours, bound = model.minimise_hours(bound)
    model.minimise_changes()
    chosen = model.first_in_order()
    done = {column.action.id: column.owner for column in chosen}
    windows = {column.action.id: column.window for column in chosen if column.window is not None}
    if not problem.needs and not problem.goals:
        closed = min(len(closed_gaps(problem, list(done))), problem.wanted)
    return Choice(done, closed, hours, bound, windows)


@dataclass(frozen=True)
class _Column:
    """An action done by one person, within a window where something waits for it or it waits for something."""

    action: PlanAction
    owner: str
    window: tuple[int, int] | None = None


def _columns(problem: PlanProblem) -> list[_Column]:
    known = {action.name for action in problem.actions}
    awaited = {name for action in problem.actions for name in action.after if name in known}
    columns = []
    for action in problem.actions:
        waits = any(name in known for name in action.after)
        if not (action.closes or action.name in awaited) or not _is_possible(action):
            continue
        windows: list[tuple[int, int] | None] = [None]
        if waits or action.name in awaited:
            first, last = min(p.first for p in action.parts), max(p.last for p in action.parts)
            begins = _cuts(first, last) if waits else [first]
            ends = _cuts(first, last) if action.name in awaited else [last]
            windows = [(begin, end) for begin in begins for end in ends if begin <= end]
        for window in windows:
            cut = action if window is None else within(action, *window)
            if _is_possible(cut):
                columns += [_Column(cut, owner, window) for owner in action.owners if owner in problem.capacity]
    return columns


def _cuts(first: int, last: int) -> list[int]:
    """The weeks of a span; of many weeks some, the first and the last included."""
    count = last - first + 1
    if count <= MOST_CUTS:
        return list(range(first, last + 1))
    return sorted({first + round(step * (count - 1) / (MOST_CUTS - 1)) for step in range(MOST_CUTS)})


def _is_possible(action: PlanAction) -> bool:
    return bool(action.parts) and all(part.first <= part.last for part in action.parts) and bool(action.owners)


class _QuietHighs(highspy.Highs):
    """HiGHS without a word on standard output, where its constructor would print a line of its own."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def enableCallbacks(self) -> None:  # noqa: N802 - HiGHS's name: what the constructor calls before anything else
        self.setOptionValue("output_flag", False)


class _Model:
    """The programme: its columns of work, then one for each gap."""

    def __init__(self, problem: PlanProblem, columns: Sequence[_Column]) -> None:
        self._columns = columns
        self._problem = problem
        self._gaps = sorted(problem.gap_needs)
        self._solver = _QuietHighs()
        self._set(threads=1, parallel="off", random_seed=1, mip_feasibility_tolerance=_SLACK)
        large = len(columns) > EXACT_UP_TO
        self._set(mip_rel_gap=GAP / 2 if large else 0.0, mip_abs_gap=1e-6, mip_max_nodes=MOST_NODES)
        self._is_small = not large
        self._width = len(columns) + len(self._gaps)
        self._build()

    def _set(self, **options: bool | float | str) -> None:
        for name, value in options.items():
            self._solver.setOptionValue(name, value)

    # -- the programme -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        width, count = self._width, len(self._columns)
        self._solver.addVars(width, np.zeros(width), np.ones(width))
        kinds = np.array([highspy.HighsVarType.kInteger] * count)
        self._solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), kinds)
        by_name: dict[str, list[int]] = {}
        for place, column in enumerate(self._columns):
            by_name.setdefault(column.action.name, []).append(place)
        for columns in by_name.values():
            if len(columns) > 1:
                self._row(dict.fromkeys(columns, 1.0), upper=1.0)
        self._build_order(by_name)
        covering: dict[str, dict[int, float]] = {}
        for place, column in enumerate(self._columns):
            for need in column.action.closes:
                covering.setdefault(need, {})[place] = -1.0
        for number, gap in enumerate(self._gaps):
            for need in sorted(self._problem.gap_needs[gap]):
                self._row(covering.get(need, {}) | {count + number: 1.0}, upper=0.0)
        self._build_hours()

    def _build_order(self, by_name: Mapping[str, Sequence[int]]) -> None:
        """What waits begins no earlier than in the week in which what it waits for ends."""
        every = {action.name for action in self._problem.actions}
        for place, column in enumerate(self._columns):
            for name in column.action.after:
                if name not in every or column.window is None:
                    continue
                begins = column.window[0]
                before = [one for one in by_name.get(name, []) if _end(self._columns[one]) <= begins]
                self._row({place: 1.0} | dict.fromkeys(before, -1.0), upper=0.0)

    def _build_hours(self) -> None:
        """In no stretch of weeks more hours of anybody than there are."""
        by_person: dict[str, list[tuple[int, WorkPart]]] = {}
        for place, column in enumerate(self._columns):
            mine = [(column.owner, part) for part in column.action.parts]
            for person, part in [*mine, *column.action.asides_of(column.owner)]:
                if part.hours > 0 and person in self._problem.capacity:
                    by_person.setdefault(person, []).append((place, part))
        for person, parts in sorted(by_person.items()):
            for need, room in _stretches(parts, self._problem.capacity[person]):
                self._row(need, upper=room)

    def _row(self, entries: Mapping[int, float], *, upper: float, lower: float = -highspy.kHighsInf) -> None:
        index = np.fromiter(entries, dtype=np.int32, count=len(entries))
        value = np.fromiter(entries.values(), dtype=np.float64, count=len(entries))
        self._solver.addRow(lower, upper, len(entries), index, value)

    # -- one solve after the other -------------------------------------------------------------------------------------

    def maximise_closed(self) -> int:
        """As many gaps as can be closed, of those wanted for each goal; later solves close no fewer."""
        first = len(self._columns)
        every: dict[int, float] = {}
        for goal in self._problem.gap_goals:
            mine = {first + number: 1.0 for number, gap in enumerate(self._gaps) if gap in goal.gaps}
            if mine:
                self._row(mine, upper=float(max(goal.wanted, 0)))
                every |= mine
        self._minimise(dict.fromkeys(every, -1.0))
        closed = round(-self._value())
        self._row(every, lower=float(closed), upper=highspy.kHighsInf)
        return closed

    def maximise_agreed(self) -> None:
        """As much agreed work as can stay with whom it was agreed; later solves keep as much."""
        agreed = {place: 1.0 for place, column in enumerate(self._columns) if column.action.agreed == column.owner}
        if agreed:
            self._minimise(dict.fromkeys(agreed, -1.0))
            self._row(agreed, lower=float(round(-self._value())), upper=highspy.kHighsInf)

    def minimise_core(self) -> float:
        """The fewest hours; later solves take no more. What no choice can be below."""
        hours = {place: column.action.core_hours for place, column in enumerate(self._columns)}
        self._minimise(hours)
        found, info = self._value(), self._solver.getInfo()
        self._row(hours, upper=found + _SLACK * max(1.0, found))
        return min(max(info.mip_dual_bound, 0.0), found)

    def minimise_holes(self) -> None:
        """The fewest days on which evidence has lapsed, as far as hours allow."""
        holes = {place: float(c.action.holes) for place, c in enumerate(self._columns) if c.action.holes}
        if holes:
            self._minimise(holes)
            self._row(holes, upper=self._value() + 0.5)

    def minimise_hours(self, bound: float) -> tuple[float, float]:
        """The fewest hours of all that is left, and what no choice can be below; later solves take no more."""
        hours = {place: column.action.hours for place, column in enumerate(self._columns)}
        if all(column.action.least_hours is None for column in self._columns):
            self._minimise(hours) if self._is_small else None
        else:
            self._minimise(hours)
        values = self._solver.getSolution().col_value
        found = sum(cost for place, cost in hours.items() if values[place] > 0.5)
        self._row(hours, upper=found + _SLACK * max(1.0, found))
        return round(found, 6), round(min(bound, found), 6)

    def minimise_changes(self) -> None:
        """As few actions as can be done by somebody else than whose they are."""
        changed = {place: 1.0 for place, column in enumerate(self._columns) if column.owner != column.action.owners[0]}
        if changed and self._is_small:
            self._minimise(changed)
            self._row(changed, upper=round(self._value()) + _SLACK)

    def first_in_order(self) -> list[_Column]:
        """Of equal choices the one whose actions come first."""
        if self._is_small:
            self._minimise({place: float(1 + place) for place in range(len(self._columns))})
        values = self._solver.getSolution().col_value
        return [column for place, column in enumerate(self._columns) if values[place] > 0.5]

    def _minimise(self, costs: Mapping[int, float]) -> None:
        cost = np.zeros(self._width)
        for column, value in costs.items():
            cost[column] = value
        self._solver.changeColsCost(self._width, np.arange(self._width, dtype=np.int32), cost)
        self._solver.run()
        status = self._solver.getModelStatus()
        if self._solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            raise RuntimeError(f"the integer programme has no solution: {self._solver.modelStatusToString(status)}")

    def _value(self) -> float:
        return float(self._solver.getInfo().objective_function_value)


def _end(column: _Column) -> int:
    return max(part.last for part in column.action.parts) if column.window is None else column.window[1]


def _stretches(
    parts: Sequence[tuple[int, WorkPart]], capacity: Sequence[float]
) -> Iterator[tuple[dict[int, float], float]]:
    """For each stretch of weeks that may be too short the hours that must lie in it by column, and those there are."""
    total = [0.0]
    for hours in capacity:
        total.append(total[-1] + hours)
    for first in sorted({part.first for _, part in parts}):
        inside = sorted(((part.last, column, part.hours) for column, part in parts if part.first >= first))
        need: dict[int, float] = {}
        whole = 0.0
        for (last, column, hours), (following, *_) in pairwise([*inside, (len(capacity), -1, 0.0)]):
            need[column] = need.get(column, 0.0) + hours
            whole += hours
            room = total[last + 1] - total[first]
            if following != last and whole > room + _LITTLE:
                yield dict(need), room
