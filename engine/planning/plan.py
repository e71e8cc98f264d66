"""A plan: whether a framework will be ready by a day, and the cheapest work that makes it so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

import polars as pl

from engine.planning.problem import Choice, PlanAction, PlanProblem
from engine.planning.projection import Projection, project
from engine.planning.question import PlanQuestion
from engine.planning.schedule import WorkItem, schedule
from engine.planning.solver import solve
from engine.planning.weeks import PlanWeeks
from engine.planning.work import ControlWork, Owners, actions_for, capacity_by_week, control_work, wanted_count

Fact = Callable[[str], pl.DataFrame]


@dataclass(frozen=True)
class FirstShort:
    """The first week whose work does not fit, and whose hours are missing."""

    week: str
    owner: str
    missing_hours: float


@dataclass(frozen=True)
class WorkStep:
    """A part of an action: who does it by when, and from when there is evidence of it. ``part`` 0 is the first."""

    action: PlanAction
    work: ControlWork
    part: int
    owner: str
    done_on: date
    ready_on: date
    hours: float
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class ReadinessPlan:
    """The answer: what will be, what it takes, and what to do. Gaps are controls that will not be effective."""

    question: PlanQuestion
    as_of: date
    projection: Projection
    work: tuple[ControlWork, ...]
    problem: PlanProblem
    choice: Choice
    items: tuple[WorkItem, ...]
    weeks: PlanWeeks
    horizons: pl.DataFrame  # of the controls that it is about, those of other frameworks included

    @cached_property
    def mine(self) -> tuple[ControlWork, ...]:
        """The controls of the framework that will not be effective, or not throughout."""
        return tuple(one for one in self.work if one.framework == self.question.framework)

    @cached_property
    def applicable(self) -> int:
        """Controls of the framework that apply on the day."""
        return _applicable(self.projection, self.question.by)

    @property
    def target_count(self) -> int:
        """Controls that must be effective for the target."""
        return wanted_count(self.question.target, self.applicable)

    @property
    def effective(self) -> int:
        """Controls that will be if nothing is done."""
        return self.applicable - len(self.mine)

    @property
    def effective_with(self) -> int:
        """Controls that will be if the plan is done."""
        return self.applicable - len([one for one in self.mine if one.id not in self.closing_actions])

    @property
    def is_reached(self) -> bool:
        """Whether the plan reaches the target."""
        return self.applicable > 0 and self.effective_with >= self.target_count

    @cached_property
    def chosen(self) -> tuple[PlanAction, ...]:
        """The actions of the plan."""
        return tuple(action for action in self.problem.actions if action.id in self.choice.done)

    @cached_property
    def closing_actions(self) -> Mapping[str, tuple[PlanAction, date]]:
        """Of each gap that the plan closes the action that does it first, and the day from which it is effective."""
        found: dict[str, tuple[PlanAction, date]] = {}
        ready = {action.id: self._effective_from(action) for action in self.chosen}
        for action in sorted(self.chosen, key=lambda one: (ready[one.id], one.id)):
            for gap in sorted(action.closes):
                found.setdefault(gap, (action, ready[action.id]))
        return found

    def _effective_from(self, action: PlanAction) -> date:
        one = self.work_by_control[action.id]
        if one.is_renewal and self.question.start is not None:
            return self.as_of
        return self._end_day(action, 0) + timedelta(days=one.lead_days)

    @cached_property
    def work_by_control(self) -> Mapping[str, ControlWork]:
        """The work by ``framework:control``."""
        return {one.id: one for one in self.work}

    @cached_property
    def steps(self) -> tuple[WorkStep, ...]:
        """Each part of each action of the plan, in the order in which they are done."""
        found = []
        for action in self.chosen:
            one, owner = self.work_by_control[action.id], self.choice.done[action.id]
            for number, part in enumerate(action.parts):
                done_on = self._end_day(action, number)
                lead = 0 if number or one.is_renewal else one.lead_days
                ready_on = done_on + timedelta(days=lead)
                found.append(WorkStep(action, one, number, owner, done_on, ready_on, part.hours, part.kinds))
        return tuple(sorted(found, key=lambda step: (step.done_on, step.owner, step.action.id, step.part)))

    def _end_day(self, action: PlanAction, part: int) -> date:
        """The day by which a part is done: the end of its last week with work."""
        return self.weeks.end(self._last_week.get((action.id, part), 0))

    @cached_property
    def _last_week(self) -> Mapping[tuple[str, int], int]:
        last: dict[tuple[str, int], int] = {}
        for item in self.items:
            last[item.action, item.part] = max(last.get((item.action, item.part), 0), item.week)
        return last

    @cached_property
    def with_plan(self) -> Projection:
        """The projection with the plan done."""
        ready = {gap.split(":", 1)[1]: day for gap, (_, day) in self.closing_actions.items()}
        was = self.projection
        return Projection(was.framework, was.as_of, was.by, was.horizons, ready)

    @property
    def needed_hours(self) -> float:
        """What closing every gap takes."""
        return round(sum(one.hours for one in self.mine), 2)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Who would do it."""
        return tuple(sorted({one.owners[0] for one in self.mine if one.owners}))

    @property
    def available_hours(self) -> float:
        """What the owners of the gaps have until the day beside their other duties."""
        return round(sum(sum(self.problem.capacity[owner]) for owner in self.owners), 2)

    @property
    def first_owner(self) -> str | None:
        """Whose work on a gap must be done the soonest."""
        due = [(one.parts[0].last, one.id, one.owners[0]) for one in self.mine if one.owners and one.parts]
        return min(due)[2] if due else None

    @cached_property
    def first_short(self) -> FirstShort | None:
        """Where closing every gap first asks for hours that its owner does not have."""
        found = []
        for owner in self.owners:
            due: dict[int, float] = {}
            for one in self.mine:
                if one.owners and one.owners[0] == owner and not one.reason:
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

    @cached_property
    def open(self) -> tuple[tuple[ControlWork, str], ...]:
        """The gaps that the plan leaves, each with why."""
        return tuple((one, self._why_open(one)) for one in self.mine if one.id not in self.closing_actions)

    def _why_open(self, one: ControlWork) -> str:
        if one.reason:
            earliest = self._earliest(one)
            return f"{one.reason}: {earliest} at the earliest" if earliest and one.lead_days else one.reason
        if not one.owners:
            return "nobody with hours on record owns it"
        if self.is_reached:
            return "not needed for the target"
        first = self.weeks.mondays[min(part.first for part in one.parts)]
        last = self.weeks.mondays[max(part.last for part in one.parts)]
        when = f"in {first:%G-W%V}" if first == last else f"from {first:%G-W%V} to {last:%G-W%V}"
        return f"{one.owners[0]} has no {one.hours:g} hours left for it {when}"

    def _earliest(self, one: ControlWork) -> date | None:
        """The first day on which there can be evidence."""
        return self.weeks.end(0) + timedelta(days=one.lead_days)


def make_plan(fact: Fact, question: PlanQuestion, as_of: date) -> ReadinessPlan:
    """The plan that answers a question from the facts of ``as_of``; equal facts, equal plan."""
    known = outlook(fact, question, as_of)
    choice = solve(known.problem)
    return replace(known, choice=choice, items=schedule(known.problem, choice))


def outlook(fact: Fact, question: PlanQuestion, as_of: date) -> ReadinessPlan:
    """What will be and what it takes, with nothing chosen to be done."""
    weeks = PlanWeeks(as_of, question.by)
    horizons, gaps = fact("control_horizons"), fact("gaps")
    projection = project(horizons, question.framework, as_of, question.by)
    capacity = capacity_by_week(fact("owner_weeks"), weeks)
    concerned = _concerned_controls(horizons, gaps, question)
    failed = _failures(fact("state_changes"), question.start) if question.start else frozenset[str]()
    work = control_work(concerned, gaps, weeks, question.start, Owners(horizons, capacity), failed)
    actions = actions_for(work, question.framework)
    mine = sum(one.framework == question.framework for one in work)
    applicable = _applicable(projection, question.by)
    missing = wanted_count(question.target, applicable) - (applicable - mine)
    problem = PlanProblem(capacity, tuple(actions), max(missing, 0))
    return ReadinessPlan(
        question, as_of, projection, tuple(work), problem, Choice({}, 0, 0.0, 0.0), (), weeks, concerned
    )


def _failures(state_changes: pl.DataFrame, start: date) -> frozenset[str]:
    """Controls that were seen in a state that is not effective on the first day of a period or since."""
    tag = pl.format("{}:{}", "framework", "control_id").alias("tag")
    seen = state_changes.sort("observed_on").with_columns(tag)
    before = seen.filter(pl.col("observed_on") <= start).group_by("tag").agg(pl.col("state").last())
    within = seen.filter(pl.col("observed_on") > start).select("tag", "state")
    good = pl.col("state").is_in(["effective", "not_applicable"])
    return frozenset(pl.concat([before, within], how="diagonal").filter(~good)["tag"])


def _applicable(projection: Projection, day: date) -> int:
    return projection.on(day).filter(pl.col("state") != "not_applicable").height


def _concerned_controls(horizons: pl.DataFrame, gaps: pl.DataFrame, question: PlanQuestion) -> pl.DataFrame:
    """The controls of the framework, and for a day those of others whose gaps support one of it."""
    mine = pl.col("framework") == question.framework
    if question.start is not None:
        return horizons.filter(mine)
    prefix = f"{question.framework}:"
    supporting = gaps.filter(
        pl.col("framework") != question.framework,
        pl.col("requirements").list.eval(pl.element().str.starts_with(prefix)).list.any(),
    ).select("framework", "control_id")
    others = horizons.join(supporting, on=["framework", "control_id"], how="semi")
    return pl.concat([horizons.filter(mine), others])
