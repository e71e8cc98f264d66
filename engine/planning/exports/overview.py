"""Frameworks and their days, of one organization: a row for each that has a day, as whoever runs many reads them."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from engine.model.declarations.plan_parameters import BY
from engine.planning.outlook import Fact, make_plan
from engine.planning.question import MOST_DAYS, Goal, PlanQuestion
from engine.planning.verdict.likelihood import likelihoods, ready_days, spread_of, verdict_of

COLUMNS = (
    *("organization", "framework", "by", "target_pct", "strict_pct", "planned_strict_pct", "plan_hours"),
    *("available_hours", "verdict", "likely_pct", "note"),
)


def overview(
    org_id: str, fact: Fact, as_of: date, slack_days: int, wanted: Sequence[tuple[str, int, date | None]]
) -> list[Mapping[str, object]]:
    """A row for each framework that is ``wanted`` (its target, its day), else for each in scope with a target date.

    The verdict is no where hours do not reach, and hardly where they do and it is less than even that they suffice.
    What has no day within a year, or is not in scope, has a note in place of figures. BadRequest for a day that is
    asked for and is not within a year.
    """
    last = as_of + timedelta(days=MOST_DAYS)
    for _, _, by in wanted:
        if by is not None and not as_of <= by <= last:
            raise BY.refusal(str(by), f"a day from {as_of} to {last}")
    targets: dict[str, date | None] = dict(fact("framework_targets").select("framework", "target_on").iter_rows())
    asked = wanted or [(name, 100, None) for name, on in targets.items() if on is not None]
    if not asked:
        return [_row(org_id, None, None, None, note="no framework has a target date")]
    rows: list[Mapping[str, object]] = []
    for framework, target, by in asked:
        day = by or targets.get(framework)
        if framework not in targets:
            rows.append(_row(org_id, framework, day, target, note="not in scope"))
        elif day is None or not as_of <= day <= last:
            rows.append(_row(org_id, framework, day, target, note="no day within a year"))
        else:
            rows.append(_plan_row(org_id, fact, as_of, PlanQuestion((Goal(framework, target, day),), slack_days)))
    return rows


def _plan_row(org_id: str, fact: Fact, as_of: date, question: PlanQuestion) -> Mapping[str, object]:
    plan = make_plan(fact, question, as_of)
    goal, likely = plan.goals[0], likelihoods(plan, ready_days(plan, spread_of(fact("accepted_plans"))))[0]
    strict = goal.projection.readiness([goal.goal.by])["strict_pct"][0]
    planned = goal.with_plan.readiness([goal.goal.by])["strict_pct"][0]
    row = _row(org_id, goal.goal.framework, goal.goal.by, goal.goal.target)
    return row | {
        "strict_pct": strict,
        "planned_strict_pct": planned,
        "plan_hours": plan.choice.hours,
        "available_hours": plan.available_hours,
        "verdict": verdict_of(plan.is_reached, likely.probability),
        "likely_pct": round(100 * likely.probability, 1),
    }


def _row(
    org_id: str, framework: str | None, by: date | None, target: int | None, note: str | None = None
) -> dict[str, object]:
    asked = {"organization": org_id, "framework": framework, "by": by, "target_pct": target, "note": note}
    return {name: asked.get(name) for name in COLUMNS}
