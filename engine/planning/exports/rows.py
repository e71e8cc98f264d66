"""A plan as rows that the import takes: work on controls, and attestations that fall due."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import msgspec
import polars as pl

from engine.facts.obligations.accepted_plans import PLAN, PlannedWork
from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import MORE_HOURS, PLAN_CHOICES, PLAN_PARAMETERS, PLANNED_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Table
from engine.planning.outlook import make_plan
from engine.planning.people import away_by_day
from engine.planning.plan import ReadinessPlan, WorkStep
from engine.planning.question import plan_question
from engine.planning.signatures import NEW_DUTY, NEXT_DUTY, SIGNATURE, Signatures

AwayDays = Mapping[str, Mapping[date, float]]
# what an open remediation has besides stays as it is: a column that is left out is not touched
COLUMNS = ("table", "id", "framework", "control_id", "title", "owner", "opened_on", "due_on", "details")


def build(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    days_away: pl.DataFrame,
    load: pl.DataFrame,
    state_changes: pl.DataFrame,
    framework_targets: pl.DataFrame,
    signature_duties: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    members: pl.DataFrame,
    awaited_work: pl.DataFrame,
    remediations_rows: pl.DataFrame,
    remediation_details_rows: pl.DataFrame,
    ask: Ask,
) -> Document:
    """A remediation for each piece of work of the plan, the first of a gap being the gap's own where it has one, and a
    duty for each attestation that nobody has been asked for."""
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "days_away": days_away,
        "load": load,
        "state_changes": state_changes,
        "signature_duties": signature_duties,
        "accepted_plans": accepted_plans,
        "members": members,
        "awaited_work": awaited_work,
    }
    slack = int(ask.settings["plan_slack_days"])
    question = plan_question(framework_targets, ask.options, ask.as_of, slack)
    scope = framework_targets["framework"].to_list()
    for goal in question.goals:
        if goal.framework not in scope:
            raise PLANNED_FRAMEWORK.refusal(goal.framework, f"a framework in scope: {', '.join(scope) or 'none is'}")
    if question.more_hours:
        raise MORE_HOURS.refusal(
            question.more_hours[0][0], "left out where a plan is accepted: the hours are a question"
        )
    plan = make_plan(frames.__getitem__, question, ask.as_of)
    away = away_by_day(days_away, owner_weeks)
    rows = pl.DataFrame(
        list(_rows(plan, away, remediations_rows, remediation_details_rows)), dict.fromkeys(COLUMNS, pl.String)
    )
    return Document(f"{rows.height:,} rows for the import.", tables=(Table("rows", "Rows to import", rows),))


def import_csv(document: Document) -> str:
    """The rows as a CSV whose first column is ``table``."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(document.tables[0].frame.iter_rows(named=True))
    return out.getvalue()


def _rows(
    plan: ReadinessPlan, away: AwayDays, remediations: pl.DataFrame, details: pl.DataFrame
) -> Iterator[Mapping[str, object]]:
    known = {row["id"]: row for row in remediations.iter_rows(named=True)}
    noted: dict[str, str] = dict(details.select("id", "details").iter_rows())
    by_action: dict[str, list[WorkStep]] = {}
    for step in sorted(plan.steps, key=lambda step: (step.action.id, step.part)):
        by_action.setdefault(step.action.id, []).append(step)
    signs = []
    for steps in by_action.values():
        duties = [step for step in steps if step.duty is not None]
        signs += [step for step in duties if step.hours or step.duty in (NEXT_DUTY, _name(step))]
        work = [step for step in steps if step.duty is None] or duties[:1]
        ids = _identifiers(plan, work)
        for number, (step, name) in enumerate(zip(work, ids, strict=True)):
            own = known.get(name, {})
            yield {
                "table": "remediations",
                **_remediation(plan, step, name, duties if not number else [], own, noted.get(name), away),
            }
    for step in signs:
        yield {"table": "attestations", **_attestation(plan, step)}


def _attestation(plan: ReadinessPlan, step: WorkStep) -> dict[str, object]:
    """The duty to sign; in place of one that follows by itself its day and its owner."""
    mine = plan.signatures.get(step.work.id, Signatures())
    owner, due_on = step.owner, step.done_on
    if step.duty == NEXT_DUTY and mine.following is not None:
        due_on, owner = mine.following[0], mine.following[1] or owner
    elif not step.hours:
        due_on, owner = next((due, mine.owners[name] or owner) for name, due in mine.open if name == step.duty)
    return {
        "id": _duty_of(step),
        "framework": step.work.framework,
        "control_id": step.work.control_id,
        "owner": owner,
        "due_on": due_on.isoformat(),
    }


def _duty_of(step: WorkStep) -> str:
    """The duty that a signature signs; one that the plan asks for is named after the plan."""
    return _name(step) if step.duty in (NEW_DUTY, NEXT_DUTY) else str(step.duty)


def _identifiers(plan: ReadinessPlan, work: list[WorkStep]) -> list[str]:
    """The remediations of the steps of an action: those that were agreed upon, then the gap's own, then new ones."""
    one = work[0].work
    known = {known.remediation_id for known in plan.agreed.get(one.id, ())}
    own = [one.remediation_id] if one.remediation_id and one.remediation_id not in known else []
    by_day = sorted(work, key=lambda step: (step.done_on, step.part))
    of_part = {step.part: mine.remediation_id for mine, step in plan.beside_agreed(one.id, work) if mine and step}
    for step in by_day:
        of_part.setdefault(step.part, own.pop() if own else _name(step))
    return [of_part[step.part] for step in work]


def _name(step: WorkStep) -> str:
    turn = f"-{step.part + 1}" if step.part else ""
    return f"{step.work.goal.id}-{step.work.framework}-{step.work.control_id}{turn}"


def _remediation(
    plan: ReadinessPlan,
    step: WorkStep,
    name: str,
    duties: list[WorkStep],
    own: Mapping[str, Any],  # of a row
    details: str | None,
    away: AwayDays,
) -> dict[str, object]:
    notes: object = msgspec.json.decode(details) if details else None
    goal = step.work.goal
    signing = sum(one.hours for one in duties)
    work_hours = 0.0 if step.duty is not None else step.hours
    kinds = dict.fromkeys([*step.kinds, *([SIGNATURE] if duties else [])])
    view = next(one for one in plan.goals if one.goal == goal)
    asked = PlannedWork(
        id=goal.id,
        framework=goal.framework,
        by=goal.by.isoformat(),
        made_on=plan.as_of.isoformat(),
        target=goal.target,
        owner=step.owner,
        due_on=step.done_on.isoformat(),
        ready_on=step.ready_on.isoformat(),
        hours=round(work_hours + signing, 6),
        kinds=list(kinds),
        closes=sorted({need.rpartition("/")[0] for need in step.action.closes}),
        strict_pct=view.with_plan.readiness([min(step.done_on, goal.by)])["strict_pct"][0],
        part=step.part,
        way=step.action.id.removeprefix(step.action.name),
        work_hours=work_hours,
        weeks=_weeks(plan, step) if work_hours else {},
        away=_away(plan, step, away.get(step.owner, {})) if work_hours else {},
        duties=[_duty_of(one) for one in duties if one.hours],
    )
    due_on = min(step.done_on, own.get("due_on") or date.max)  # what was promised for earlier stays promised
    return {
        "id": name,
        "framework": step.work.framework,
        "control_id": step.work.control_id,
        "title": own.get("title") or step.work.title,
        "owner": step.owner,
        "opened_on": (own.get("opened_on") or plan.as_of).isoformat(),
        "due_on": due_on.isoformat(),
        "details": msgspec.json.encode({**(notes if isinstance(notes, dict) else {}), PLAN: asked}).decode(),
    }


def _weeks(plan: ReadinessPlan, step: WorkStep) -> dict[str, float]:
    """The hours of a step by ISO week."""
    mine = (item for item in plan.items if (item.action, item.part) == (step.action.id, step.part))
    return {f"{plan.weeks.mondays[item.week]:%G-W%V}": item.hours for item in mine}


def _away(plan: ReadinessPlan, step: WorkStep, days: Mapping[date, float]) -> dict[str, float]:
    """The days on which who does a step is not there, of the weeks in which its hours lie."""
    mine = {item.week for item in plan.items if (item.action, item.part) == (step.action.id, step.part)}
    mondays = {plan.weeks.mondays[week] for week in mine}
    return {on.isoformat(): share for on, share in sorted(days.items()) if on - timedelta(on.weekday()) in mondays}


REPORT = Report(
    name="plan-rows",
    title="Rows of a plan",
    description="A plan as rows that the import takes: work on controls, and attestations that fall due.",
    build=build,
    formats=("csv",),
    parameters=(PLANNED_FRAMEWORK, *PLAN_PARAMETERS, *PLAN_CHOICES),
)
