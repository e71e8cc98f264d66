"""A plan: whether frameworks will be ready on their days, and the cheapest work that makes it so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

import polars as pl

from engine.planning.actions import wanted_count
from engine.planning.agreed import Agreement, in_pairs
from engine.planning.check import Evidence, PlanSimulation
from engine.planning.control_work import ControlWork
from engine.planning.horizons import Projection, project
from engine.planning.people import Capacity
from engine.planning.problem import Choice, PlanAction, PlanProblem
from engine.planning.question import ONE_MORE, Goal, PlanQuestion
from engine.planning.schedule import WorkItem
from engine.planning.signatures import NEW_DUTY, Signatures
from engine.planning.weeks import PlanWeeks


@dataclass(frozen=True)
class FirstShort:
    """The first week whose work does not fit, and whose hours are missing."""

    week: str
    owner: str
    missing_hours: float


@dataclass(frozen=True)
class WorkStep:
    """A part of an action: who does it by when, and from when there is evidence of it. ``part`` 0 is the first.

    ``due_on`` is the last day on which it is in time.
    """

    action: PlanAction
    work: ControlWork
    part: int
    owner: str
    done_on: date
    ready_on: date
    due_on: date
    hours: float
    kinds: tuple[str, ...]
    duty: str | None


@dataclass(frozen=True)
class GoalPlan:
    """What a plan does for one of its goals."""

    goal: Goal
    projection: Projection
    with_plan: Projection
    mine: tuple[ControlWork, ...]
    """The controls of the framework that will not be effective, or not throughout."""

    @cached_property
    def applicable(self) -> int:
        """Controls of the framework that apply on the day."""
        return count_applicable(self.projection, self.goal.by)

    @property
    def target_count(self) -> int:
        """Controls that must be effective for the target."""
        return wanted_count(self.goal.target, self.applicable)

    @property
    def effective(self) -> int:
        """Controls that will be if nothing is done."""
        return self.applicable - len(self.mine)

    @cached_property
    def effective_with(self) -> int:
        """Controls that will be if the plan is done, as the simulation has it: of a period those that are on its first
        day, at the end of each week of it, and on its last day."""
        effective = self._effective_on(self.goal.by)
        if self.goal.start is None:
            return len(effective)
        first = max(self.goal.start, self.with_plan.as_of)
        for day in {first, *self.with_plan.days}:
            if day >= first:
                effective &= self._effective_on(day)
        return len(effective - {one.control_id for one in self.mine if one.reason})

    def _effective_on(self, day: date) -> set[str]:
        return set(self.with_plan.on(day).filter(pl.col("state") == "effective")["control_id"])

    @property
    def is_reached(self) -> bool:
        """Whether the plan reaches the target."""
        return self.applicable > 0 and self.effective_with >= self.target_count


@dataclass(frozen=True)
class ReadinessPlan:
    """The answer: what will be, what it takes, and what to do. Gaps are controls that will not be effective."""

    question: PlanQuestion
    as_of: date
    work: tuple[ControlWork, ...]
    problem: PlanProblem
    choice: Choice
    items: tuple[WorkItem, ...]
    weeks: PlanWeeks
    horizons: pl.DataFrame  # of the controls that it is about, those of other frameworks included
    people: Mapping[str, Capacity]
    signatures: Mapping[str, Signatures]
    agreed: Mapping[str, tuple[Agreement, ...]]

    # -- what is asked of it -------------------------------------------------------------------------------------------

    @cached_property
    def goals(self) -> tuple[GoalPlan, ...]:
        """What the plan does for each goal."""
        simulation = PlanSimulation(self.horizons, self.evidence, self.signatures)
        goal_plans = []
        for goal in self.question.goals:
            projection = project(self.horizons, goal.framework, self.as_of, goal.by)
            mine = tuple(one for one in self.work if one.framework == goal.framework and one.is_wanted)
            goal_plans.append(GoalPlan(goal, projection, replace(projection, simulation=simulation), mine))
        return tuple(goal_plans)

    @cached_property
    def mine(self) -> tuple[ControlWork, ...]:
        """The controls of all goals that will not be effective."""
        return tuple(one for goal in self.goals for one in goal.mine)

    @property
    def projection(self) -> Projection:
        """What will be of the first goal if nothing is done."""
        return self.goals[0].projection

    @property
    def with_plan(self) -> Projection:
        """The same with the plan done, as the simulation has it."""
        return self.goals[0].with_plan

    @property
    def applicable(self) -> int:
        """Controls that apply, of all goals."""
        return sum(goal.applicable for goal in self.goals)

    @property
    def target_count(self) -> int:
        """Controls that must be effective for all targets."""
        return sum(goal.target_count for goal in self.goals)

    @property
    def effective(self) -> int:
        """Controls that will be if nothing is done."""
        return sum(goal.effective for goal in self.goals)

    @property
    def effective_with(self) -> int:
        """Controls that will be if the plan is done."""
        return sum(goal.effective_with for goal in self.goals)

    @property
    def is_reached(self) -> bool:
        """Whether the plan reaches every target, as the simulation has it, within everybody's hours."""
        return all(goal.is_reached for goal in self.goals) and not self.overload

    # -- what is done --------------------------------------------------------------------------------------------------

    @cached_property
    def chosen(self) -> tuple[PlanAction, ...]:
        """The actions of the plan."""
        return tuple(action for action in self.problem.actions if action.id in self.choice.done)

    @cached_property
    def work_by_control(self) -> Mapping[str, ControlWork]:
        """The work by ``framework:control``."""
        return {one.id: one for one in self.work}

    @cached_property
    def steps(self) -> tuple[WorkStep, ...]:
        """Each part of each action of the plan, in the order in which they are done."""
        work_steps = []
        for action in self.chosen:
            one, owner = self.work_by_control[action.name], self.choice.done[action.id]
            for number, part in enumerate(action.parts):
                done_on = self._end_day(action, number)
                ready_on = done_on + timedelta(days=part.lead_days)
                latest = (
                    done_on if part.duty == NEW_DUTY else self.weeks.end(min(part.last, len(self.weeks.mondays) - 1))
                )
                work_steps.append(
                    WorkStep(action, one, number, owner, done_on, ready_on, latest, part.hours, part.kinds, part.duty)
                )
        return tuple(sorted(work_steps, key=lambda step: (step.done_on, step.owner, step.action.id, step.part)))

    def beside_agreed(self, control: str, steps: Sequence[WorkStep]) -> list[tuple[Agreement | None, WorkStep | None]]:
        """Steps on a control in the order of their days, beside what was agreed of it."""
        return in_pairs(self.agreed.get(control, ()), sorted(steps, key=lambda step: (step.done_on, step.part)))

    def _end_day(self, action: PlanAction, part: int) -> date:
        """The day by which a part is done: the end of its last week with work."""
        return self.weeks.end(self.last_week.get((action.id, part), 0))

    @cached_property
    def last_week(self) -> Mapping[tuple[str, int], int]:
        """The last week with work on each part."""
        last: dict[tuple[str, int], int] = {}
        for item in self.items:
            last[item.action, item.part] = max(last.get((item.action, item.part), 0), item.week)
        return last

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """What doing the plan brings about: evidence of each kind for the control of the work and those that it
        serves."""
        evidences = []
        for step in self.steps:
            evidences += [Evidence(step.work.id, kind, step.ready_on, step.duty) for kind in step.kinds]
            if step.part == 0 and not step.kinds and step.work.opposed_by:
                evidences.append(Evidence(step.work.id, "work", step.ready_on))
            for need in sorted(step.action.closes):
                control, _, kind = need.rpartition("/")
                if control != step.work.id and kind in step.kinds:
                    evidences.append(Evidence(control, kind, step.ready_on))
        return tuple(evidences)

    @cached_property
    def closing_actions(self) -> Mapping[str, tuple[PlanAction, date]]:
        """Of each gap that is effective on its day with the plan the last action that it needs, and the day of it."""
        actions: dict[str, tuple[PlanAction, date]] = {}
        good = {
            f"{goal.goal.framework}:{control}"
            for goal in self.goals
            for control in goal.with_plan.on(goal.goal.by).filter(pl.col("state") == "effective")["control_id"]
        }
        for step in sorted(self.steps, key=lambda step: (step.ready_on, step.action.id)):
            for gap in sorted({need.rpartition("/")[0] for need in step.action.closes}):
                if gap in good:
                    actions[gap] = step.action, step.ready_on
        return actions

    # -- hours ---------------------------------------------------------------------------------------------------------

    @property
    def needed_hours(self) -> float:
        """What closing every gap takes, each by its own work."""
        return round(sum(one.hours for one in self.mine), 2)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Who could do it."""
        return tuple(sorted({owner for one in self.mine for owner in one.owners if not owner.startswith(ONE_MORE)}))

    @property
    def available_hours(self) -> float:
        """What the owners of the gaps have in the weeks until the day beside all duties and overdue work on record."""
        return round(sum(self.people[owner].remainder for owner in self.owners), 2)

    @cached_property
    def overload(self) -> tuple[tuple[str, int, float], ...]:
        """Weeks of the plan with more hours than somebody has: person, number of the week, hours too many."""
        used: dict[tuple[str, int], float] = {}
        for item in self.items:
            used[item.owner, item.week] = used.get((item.owner, item.week), 0.0) + item.hours
        capacity = self.problem.capacity
        over = ((owner, week, hours - capacity[owner][week]) for (owner, week), hours in sorted(used.items()))
        laid: dict[str, float] = {}
        for item in self.items:
            if item.part >= 0:
                laid[item.action] = laid.get(item.action, 0.0) + item.hours
        lost = (
            (self.choice.done[action.id], 0, action.hours - laid.get(action.id, 0.0))
            for action in self.chosen
            if action.hours - laid.get(action.id, 0.0) > 1e-6
        )
        return (*(one for one in over if one[2] > 1e-6), *lost)

    def doer(self, one: ControlWork) -> str:
        """Who does the work on a control with the plan; whose it is, where nobody does."""
        return self._doers.get(one.id) or one.owners[0]

    @cached_property
    def _doers(self) -> Mapping[str, str]:
        return {action.name: self.choice.done[action.id] for action in self.chosen}

    @property
    def first_owner(self) -> str | None:
        """Whose work on a gap must be done the soonest."""
        due = [(one.parts[0].last, one.id, one.owners[0]) for one in self.mine if one.owners and one.parts]
        return min(due)[2] if due else None

    @cached_property
    def first_short(self) -> FirstShort | None:
        """Where closing every gap first asks for hours that nobody has whose it is, or who does it with the plan."""
        found = []
        for owner in self.owners:
            due: dict[int, float] = {}
            for one in self.mine:
                if one.owners and self.doer(one) == owner and not one.reason:
                    for part in one.parts:
                        due[part.last] = due.get(part.last, 0.0) + part.hours
            need = there = 0.0
            for week, hours in enumerate(self.problem.capacity[owner]):
                need, there = need + due.get(week, 0.0), there + hours
                if need > there + 1e-6:
                    found.append((week, owner, round(need - there, 2)))
                    break
        if not found:
            return None
        week, owner, missing = min(found)
        return FirstShort(f"{self.weeks.mondays[week]:%G-W%V}", owner, missing)

    # -- what stays open -----------------------------------------------------------------------------------------------

    @cached_property
    def open(self) -> tuple[ControlWork, ...]:
        """The gaps that the plan leaves; ``reasons.open_reasons`` says why."""
        return tuple(one for one in self.mine if one.id not in self.closing_actions or one.reason)

    @property
    def nobodys(self) -> list[ControlWork]:
        """Those of them that work would close, and that nobody with hours on record could be asked for."""
        return [one for one in self.open if not one.owners and not one.reason]


def count_applicable(projection: Projection, day: date) -> int:
    """Controls that apply on a day."""
    return projection.on(day).filter(pl.col("state") != "not_applicable").height
