"""What a plan is asked, checked against the organization: frameworks, days, targets, and what may not move."""

import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Parameters
from engine.model.declarations.plan_parameters import (
    BY,
    DEFAULT_TARGET,
    FROM,
    GOALS,
    KEEP,
    MORE_HOURS,
    PLANNED_FRAMEWORK,
    SLACK,
    TARGET,
    WITHOUT,
)
from engine.model.vocabulary import FRAMEWORKS

MOST_DAYS = 364  # ahead: capacity is known for a year
_YEAR = timedelta(days=MOST_DAYS)
SLACK_DAYS = 5
ONE_MORE = "one more "  # before the role of somebody whose hours are a question
_MORE_HOURS = re.compile(r"(\d{1,2}(?:\.\d+)?)/week@(\S{1,100})")


@dataclass(frozen=True)
class Goal:
    """Strict readiness of ``target`` percent of a framework on the day ``by``; with ``start`` throughout from then on
    (Type II)."""

    framework: str
    target: int
    by: date
    start: date | None = None

    @property
    def id(self) -> str:
        """``soc2-85-2027-03-01``; with the first day of its period, where it is of one."""
        period = [self.start.isoformat()] if self.start else []
        return "-".join([self.framework, str(self.target), *period, self.by.isoformat()])


@dataclass(frozen=True)
class PlanQuestion:
    """The goals of one plan, each framework once. Work ends ``slack_days`` before the day of its goal.

    Agreed work stays where it is unless a target asks for something else; with ``keep`` even then. ``without`` names
    controls on which no work is planned; ``more_hours`` has hours a week of a role or a person that nobody has yet.
    """

    goals: tuple[Goal, ...]
    slack_days: int = SLACK_DAYS
    keep: bool = False
    without: frozenset[str] = frozenset()
    more_hours: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, framework: str, target: int, by: date, start: date | None = None) -> "PlanQuestion":
        """A question about one framework."""
        return cls((Goal(framework, target, by, start),))

    @property
    def by(self) -> date:
        """The last of the days."""
        return max(goal.by for goal in self.goals)

    @property
    def first(self) -> Goal:
        """The goal that was named first."""
        return self.goals[0]

    def goal_of(self, framework: str) -> Goal | None:
        """The goal of a framework; None where it has none."""
        return next((goal for goal in self.goals if goal.framework == framework), None)


def plan_question(
    framework_targets: pl.DataFrame, parameters: Parameters, as_of: date, slack_days: int = SLACK_DAYS
) -> PlanQuestion:
    """The question that parameters ask. BadRequest names the one that there is no answer for.

    Of one framework that is not in scope nothing is asked, as its own report has nothing to say.
    """
    asked = parameters.get(SLACK.name)
    slack = slack_days if asked is None else int(asked)
    without = frozenset(_words(parameters.get(WITHOUT.name)))
    more = tuple(_more_hours(text) for text in _words(parameters.get(MORE_HOURS.name)))
    known = {*FRAMEWORKS, *framework_targets["framework"]}
    named = _goal_parameters(parameters.get(GOALS.name), known)
    goals = tuple(_goal(framework_targets, one, as_of) for one in named) or (
        _goal(framework_targets, parameters, as_of),
    )
    twice = [goal.framework for goal in goals if sum(goal.framework == one.framework for one in goals) > 1]
    if twice:
        raise GOALS.refusal(twice[0], "each framework once: one day and one target for it")
    return PlanQuestion(goals, slack, parameters.get(KEEP.name) is not None, without, more)


def has_day(framework_targets: pl.DataFrame, framework: str, as_of: date) -> bool:
    """Whether a framework is to be ready on a day within the year to come: a plan of it can be asked without a day."""
    day = pl.coalesce("target_on", "audit_until").is_between(as_of, as_of + _YEAR)
    return not framework_targets.filter(pl.col("framework") == framework, day).is_empty()


def _words(value: object) -> list[str]:
    return [word.strip() for word in str(value or "").split(",") if word.strip()]


def _goal_parameters(value: object, known: Container[str]) -> list[Parameters]:
    parameters: list[Parameters] = []
    for word in _words(value):
        framework, target, by, start = (*word.split(":"), "", "", "")[:4]
        if framework not in known or not target.isdigit() or word.count(":") > 3:
            raise GOALS.refusal(word, "framework:target:day, such as soc2:100:20270301")
        days = {BY.name: by, FROM.name: start}
        try:
            dated = {name: date.fromisoformat(text).isoformat() for name, text in days.items() if text}
        except ValueError as error:
            raise GOALS.refusal(word, "framework:target:day, such as soc2:100:20270301") from error
        parameters.append({PLANNED_FRAMEWORK.name: framework, TARGET.name: int(target), **dated})
    return parameters


def _more_hours(text: str) -> tuple[str, float]:
    match = _MORE_HOURS.fullmatch(text)
    if match is None or not 0 < float(match[1]) <= 60:
        raise MORE_HOURS.refusal(text, "hours a week, at most 60, and whose: 8/week@operator or 8/week@ann@example.com")
    return match[2], float(match[1])


def _goal(framework_targets: pl.DataFrame, parameters: Parameters, as_of: date) -> Goal:
    framework, target = parameters.get(PLANNED_FRAMEWORK.name), int(parameters.get(TARGET.name) or DEFAULT_TARGET)
    scope = framework_targets["framework"].to_list()
    if framework is None and scope:
        raise PLANNED_FRAMEWORK.refusal("", f"a framework in scope: {', '.join(scope)}")
    if framework not in scope:
        asked = date.fromisoformat(str(parameters.get(BY.name) or as_of))
        return Goal(str(framework or FRAMEWORKS[0]), target, min(max(asked, as_of), as_of + _YEAR))
    known = framework_targets.row(by_predicate=pl.col("framework") == framework, named=True)
    text, own, window = parameters.get(BY.name), known["target_on"], known["audit_until"]
    by = date.fromisoformat(str(text)) if text else own or window
    last = as_of + _YEAR
    if by is None or not as_of <= by <= last:
        expected = f"a day from {as_of} to {last}"
        raise BY.refusal(str(by or ""), expected if text else f"{expected}, as the framework has no target date then")
    start = date.fromisoformat(str(parameters[FROM.name])) if parameters.get(FROM.name) else None
    if not text and own is None and start is None and known["audit_from"] != window:
        start = known["audit_from"]  # the period of the audit on record: throughout
    if start is not None and start >= by:
        raise FROM.refusal(str(start), f"a day before {by}")
    return Goal(str(framework), target, by, start)
