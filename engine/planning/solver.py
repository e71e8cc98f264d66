"""The cheapest choice of actions, as an integer programme that HiGHS solves.

Work of one person that may be split over weeks fits exactly if, for every stretch of weeks, the hours that must lie in
it are no more than there are (Hall's condition; Horn 1974 for preemptive work with release times and deadlines). So no
week needs a variable of its own: there is one for each action and person who could do it.

Solves follow each other, each keeping what the one before reached: as many gaps as are wanted, the fewest hours, the
fewest actions done by somebody else than whose they are, and of equal choices the first in the order of the actions.
One thread, a fixed seed and limits that count work instead of seconds: equal questions have equal answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import highspy
import numpy as np

from engine.planning.problem import Choice, PlanAction, PlanProblem, WorkPart, in_order

GAP = 0.02  # of the fewest hours: a choice that may be so much dearer than the best is taken on large questions
EXACT_UP_TO = 2_000  # actions up to which the very best is looked for
MOST_NODES = 20_000  # of each search
_SLACK = 1e-6


def solve(problem: PlanProblem) -> Choice:
    """The best choice; of the same problem always the same. Where ``wanted`` cannot be reached, the most that can."""
    actions = in_order([action for action in problem.actions if action.closes and _is_possible(action)])
    if not actions or problem.wanted <= 0:
        return Choice({}, 0, 0.0, 0.0)
    model = _Model(problem, actions)
    closed = model.maximise_closed(problem.wanted)
    hours, bound = model.minimise_hours()
    model.minimise_changes()
    done = model.first_in_order()
    return Choice(done, closed, hours, bound)


def _is_possible(action: PlanAction) -> bool:
    return all(part.first <= part.last for part in action.parts) and bool(action.owners)


class _QuietHighs(highspy.Highs):
    """HiGHS without a word on standard output, where its constructor would print a line of its own."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def enableCallbacks(self) -> None:  # noqa: N802 - HiGHS's name: what the constructor calls before anything else
        self.setOptionValue("output_flag", False)


class _Model:
    """The programme: a column for each action and person, then one for each gap."""

    def __init__(self, problem: PlanProblem, actions: Sequence[PlanAction]) -> None:
        self._actions = actions
        self._pairs = [
            (place, owner)
            for place, action in enumerate(actions)
            for owner in action.owners
            if owner in problem.capacity
        ]
        self._gaps = sorted(set().union(*(action.closes for action in actions)))
        self._solver = _QuietHighs()
        self._set(threads=1, parallel="off", random_seed=1, mip_feasibility_tolerance=_SLACK)
        large = len(actions) > EXACT_UP_TO
        self._set(mip_rel_gap=GAP / 2 if large else 0.0, mip_abs_gap=1e-6, mip_max_nodes=MOST_NODES)
        self._is_small = not large
        self._width = len(self._pairs) + len(self._gaps)
        self._build(problem.capacity)

    def _set(self, **options: bool | float | str) -> None:
        for name, value in options.items():
            self._solver.setOptionValue(name, value)

    # -- the programme -------------------------------------------------------------------------------------------------

    def _build(self, capacity: Mapping[str, Sequence[float]]) -> None:
        width, pairs = self._width, len(self._pairs)
        self._solver.addVars(width, np.zeros(width), np.ones(width))
        kinds = np.array([highspy.HighsVarType.kInteger] * pairs)
        self._solver.changeColsIntegrality(pairs, np.arange(pairs, dtype=np.int32), kinds)
        by_action: dict[int, list[int]] = {}
        by_owner: dict[str, list[int]] = {}
        for column, (place, owner) in enumerate(self._pairs):
            by_action.setdefault(place, []).append(column)
            by_owner.setdefault(owner, []).append(column)
        for columns in by_action.values():
            if len(columns) > 1:
                self._row(dict.fromkeys(columns, 1.0), upper=1.0)
        places = {action.id: place for place, action in enumerate(self._actions)}
        for place, columns in by_action.items():
            for name in self._actions[place].after:
                before = by_action.get(places.get(name, -1), [])
                self._row(dict.fromkeys(columns, 1.0) | dict.fromkeys(before, -1.0), upper=0.0)
        closing: dict[str, dict[int, float]] = {gap: {} for gap in self._gaps}
        for column, (place, _) in enumerate(self._pairs):
            for gap in self._actions[place].closes:
                closing[gap][column] = -1.0
        for number, gap in enumerate(self._gaps):
            self._row(closing[gap] | {pairs + number: 1.0}, upper=0.0)
        for owner, columns in sorted(by_owner.items()):
            self._hold(columns, capacity[owner])

    def _hold(self, columns: Sequence[int], capacity: Sequence[float]) -> None:
        """In no stretch of weeks more hours than there are."""
        parts = [(column, part) for column in columns for part in self._actions[self._pairs[column][0]].parts]
        for need, room in _stretches(parts, capacity):
            self._row(need, upper=room)

    def _row(self, entries: Mapping[int, float], *, upper: float, lower: float = -highspy.kHighsInf) -> None:
        index = np.fromiter(entries, dtype=np.int32, count=len(entries))
        value = np.fromiter(entries.values(), dtype=np.float64, count=len(entries))
        self._solver.addRow(lower, upper, len(entries), index, value)

    # -- one solve after the other -------------------------------------------------------------------------------------

    def maximise_closed(self, wanted: int) -> int:
        """As many gaps as can be closed, of those wanted; later solves close no fewer."""
        gaps = {len(self._pairs) + number: 1.0 for number in range(len(self._gaps))}
        self._row(gaps, upper=float(wanted))
        self._minimise(dict.fromkeys(gaps, -1.0))
        closed = round(-self._value())
        self._row(gaps, lower=float(closed), upper=highspy.kHighsInf)
        return closed

    def minimise_hours(self) -> tuple[float, float]:
        """The fewest hours, and what no choice can be below; later solves take no more."""
        hours = {column: self._actions[place].hours for column, (place, _) in enumerate(self._pairs)}
        self._minimise(hours)
        found, info = self._value(), self._solver.getInfo()
        bound = min(max(info.mip_dual_bound, 0.0), found)
        self._row(hours, upper=found + _SLACK * max(1.0, found))
        return round(found, 6), round(bound, 6)

    def minimise_changes(self) -> None:
        """As few actions as can be done by somebody else than whose they are."""
        changed = {
            column: 1.0 for column, (place, owner) in enumerate(self._pairs) if owner != self._actions[place].owners[0]
        }
        if changed and self._is_small:
            self._minimise(changed)
            self._row(changed, upper=round(self._value()) + _SLACK)

    def first_in_order(self) -> dict[str, str]:
        """Of equal choices the one whose actions come first; who does each."""
        if self._is_small:
            self._minimise({column: float(1 + column) for column in range(len(self._pairs))})
        chosen = self._solver.getSolution().col_value[: len(self._pairs)]
        return {
            self._actions[place].id: owner
            for (place, owner), value in zip(self._pairs, chosen, strict=True)
            if value > 0.5
        }

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
        for (last, column, hours), (following, *_) in pairwise([*inside, (len(capacity), -1, 0.0)]):
            need[column] = need.get(column, 0.0) + hours
            room = total[last + 1] - total[first]
            if following != last and sum(need.values()) > room:
                yield dict(need), room
