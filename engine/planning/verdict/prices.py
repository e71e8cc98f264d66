"""What promises cost: the hours that a plan saves when one day moves by a week, or one target by a point."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from engine.planning.outlook import Fact, make_plan
from engine.planning.plan import ReadinessPlan
from engine.planning.question import MOST_DAYS, Goal, PlanQuestion


@dataclass(frozen=True)
class PromisePrice:
    """One promise made a little easier: hours saved where the plan reaches every target before and after."""

    framework: str
    change: str
    reached: bool
    plan_hours: float
    saved_hours: float | None


def prices(fact: Fact, plan: ReadinessPlan) -> list[PromisePrice]:
    """The price of each day and each target of a plan, the dearest first."""
    promise_prices = []
    for goal, change, easier in _easier(plan.question.goals, plan.as_of):
        goals = tuple(easier if one == goal else one for one in plan.question.goals)
        other = make_plan(fact, replace(plan.question, goals=goals), plan.as_of)
        both = plan.is_reached and other.is_reached
        saved = round(plan.choice.hours - other.choice.hours, 2) if both else None
        promise_prices.append(PromisePrice(goal.framework, change, other.is_reached, other.choice.hours, saved))
    return sorted(promise_prices, key=lambda one: (-(one.saved_hours or 0.0), one.framework, one.change))


def without_more_hours(fact: Fact, plan: ReadinessPlan) -> ReadinessPlan:
    """The plan with the people that there are: what hours that were asked about are compared with."""
    question: PlanQuestion = replace(plan.question, more_hours=())
    return make_plan(fact, question, plan.as_of)


def _easier(goals: tuple[Goal, ...], as_of: date) -> Iterator[tuple[Goal, str, Goal]]:
    for goal in goals:
        later = goal.by + timedelta(days=7)
        if (later - as_of).days <= MOST_DAYS:
            yield goal, "its day a week later", replace(goal, by=later)
        if goal.target > 1:
            yield goal, "its target a point lower", replace(goal, target=goal.target - 1)
