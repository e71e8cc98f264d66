"""A plan: whether a framework will be ready by a day, and the cheapest work that makes it so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

import polars as pl

from engine.reporting.planning.problem import Choice, PlanAction, PlanProblem
from engine.reporting.planning.projection import Projection, project
from engine.reporting.planning.question import PlanQuestion
from engine.reporting.planning.schedule import WorkItem, schedule
from engine.reporting.planning.solver import solve
from engine.reporting.planning.weeks import PlanWeeks
from engine.reporting.planning.work import (
    ControlWork,
    Owners,
    actions_for,
    capacity_by_week,
    control_work,
    wanted_count,
)

Fact = Callable[[str], pl.DataFrame]


@dataclass(frozen=True)
class FirstShort:
    """The first week whose work does not fit, and whose hours are missing."""

    week: str
    owner: str
    missing_hours: float


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
    def wanted(self) -> int:
        """Controls that must be effective for the target."""
        return wanted_count(self.question.target, self.applicable)

    @property
    def effective(self) -> int:
        """Controls that will be if nothing is done."""
        return self.applicable - len(self.mine)

    @property
    def effective_with(self) -> int:
        """Controls that will be if the plan is done."""
        return self.applicable - len([one for one in self.mine if one.id not in self.closed])

    @property
    def is_reached(self) -> bool:
        """Whether the plan reaches the target."""
        return self.effective_with >= self.wanted

    @cached_property
    def chosen(self) -> tuple[PlanAction, ...]:
        """The actions of the plan."""
        return tuple(action for action in self.problem.actions if action.id in self.choice.done)

    @cached_property
    def closed(self) -> Mapping[str, tuple[PlanAction, date]]:
        """Of each gap that the plan closes the action that does it first, and the day from which it is effective."""
        found: dict[str, tuple[PlanAction, date]] = {}
        for action in sorted(self.chosen, key=lambda one: (self.ready_on[one.id], one.id)):
            for gap in sorted(action.closes):
                found.setdefault(gap, (action, self.ready_on[action.id]))
        return found

    @cached_property
    def done_on(self) -> Mapping[str, date]:
        """The day by which each action is done: the end of its last week with work."""
        last: dict[str, int] = {action.id: 0 for action in self.chosen}
        for item in self.items:
            last[item.action] = max(last[item.action], item.week)
        return {name: self.weeks.end(week) for name, week in last.items()}

    @cached_property
    def ready_on(self) -> Mapping[str, date]:
        """The day from which there is evidence of what each action does."""
        lead = {one.id: one.lead_days for one in self.work}
        return {name: day + timedelta(days=lead[name]) for name, day in self.done_on.items()}

    @cached_property
    def planned(self) -> Projection:
        """The projection with the plan done."""
        ready = {gap.split(":", 1)[1]: day for gap, (_, day) in self.closed.items()}
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
        return tuple((one, self._why_open(one)) for one in self.mine if one.id not in self.closed)

    def _why_open(self, one: ControlWork) -> str:
        if one.reason:
            earliest = self._earliest(one)
            return f"{one.reason}: {earliest} at the earliest" if earliest and one.lead_days else one.reason
        if not one.owners:
            return "nobody with hours on record owns it"
        if self.is_reached:
            return "not needed for the target"
        return f"{one.owners[0]} has no {one.hours:g} hours left for it"

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
    owner_weeks = fact("owner_weeks")
    staffed = owner_weeks.filter("staffed").select(pl.col("owner").unique().sort()).to_series().to_list()
    owners = Owners(horizons, dict.fromkeys(staffed, ()))
    concerned = _concerned(horizons, gaps, question)
    work = control_work(concerned, gaps, weeks, question.start, owners)
    actions = actions_for(work, question.framework)
    capacity = capacity_by_week(owner_weeks, fact("load"), fact("obligations"), weeks, [one.id for one in work])
    mine = sum(one.framework == question.framework for one in work)
    applicable = _applicable(projection, question.by)
    missing = wanted_count(question.target, applicable) - (applicable - mine)
    problem = PlanProblem(capacity, tuple(actions), max(missing, 0))
    return ReadinessPlan(
        question, as_of, projection, tuple(work), problem, Choice({}, 0, 0.0, 0.0), (), weeks, concerned
    )


def _applicable(projection: Projection, day: date) -> int:
    return projection.on(day).filter(pl.col("state") != "not_applicable").height


def _concerned(horizons: pl.DataFrame, gaps: pl.DataFrame, question: PlanQuestion) -> pl.DataFrame:
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
