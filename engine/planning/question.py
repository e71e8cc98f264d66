"""What a plan is asked, checked against the organization."""

from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Parameters
from engine.model.declarations.plan_parameters import BY, DEFAULT_TARGET, FROM, PLANNED_FRAMEWORK, TARGET
from engine.model.vocabulary import FRAMEWORKS

MOST_DAYS = 364  # ahead: capacity is known for a year
_YEAR = timedelta(days=MOST_DAYS)


@dataclass(frozen=True)
class PlanQuestion:
    """Strict readiness of ``target`` percent of a framework on the day ``by``; with ``start`` throughout from then on
    (Type II)."""

    framework: str
    target: int
    by: date
    start: date | None = None


def plan_question(framework_targets: pl.DataFrame, parameters: Parameters, as_of: date) -> PlanQuestion:
    """The question that parameters ask. BadRequest names the one that there is no answer for.

    Of a framework that is not in scope nothing is asked, as its own report has nothing to say.
    """
    framework, target = parameters.get(PLANNED_FRAMEWORK.name), int(parameters.get(TARGET.name) or DEFAULT_TARGET)
    scope = framework_targets["framework"].to_list()
    if framework is None and scope:
        raise PLANNED_FRAMEWORK.refusal("", f"a framework in scope: {', '.join(scope)}")
    if framework not in scope:
        asked = date.fromisoformat(str(parameters.get(BY.name) or as_of))
        return PlanQuestion(str(framework or FRAMEWORKS[0]), target, min(max(asked, as_of), as_of + _YEAR))
    text, own = parameters.get(BY.name), framework_targets.filter(framework=framework)["target_on"].to_list()[0]
    by = date.fromisoformat(str(text)) if text else own
    last = as_of + _YEAR
    if by is None or not as_of <= by <= last:
        expected = f"a day from {as_of} to {last}"
        raise BY.refusal(str(by or ""), expected if text else f"{expected}, as the framework has no target date then")
    start = date.fromisoformat(str(parameters[FROM.name])) if parameters.get(FROM.name) else None
    if start is not None and start >= by:
        raise FROM.refusal(str(start), f"a day before {by}")
    return PlanQuestion(str(framework), target, by, start)
