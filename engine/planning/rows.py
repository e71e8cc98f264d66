"""A plan as rows that the import takes: work on controls, and attestations that fall due."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import msgspec
import polars as pl

from engine.facts.obligations.accepted_plans import PLAN, PlannedWork
from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import PLAN_PARAMETERS, PLANNED_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Table
from engine.planning.plan import ReadinessPlan, WorkStep, make_plan
from engine.planning.question import plan_question

# what an open remediation has besides stays as it is: a column that is left out is not touched
COLUMNS = ("table", "id", "framework", "control_id", "title", "owner", "opened_on", "due_on", "details")


def plan_id(plan: ReadinessPlan) -> str:
    """``soc2-85-2027-03-01``; with the first day of its period, where it is of one."""
    question = plan.question
    period = [question.start.isoformat()] if question.start else []
    return "-".join([question.framework, str(question.target), *period, question.by.isoformat()])


def build(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    state_changes: pl.DataFrame,
    framework_targets: pl.DataFrame,
    attestation_duties: pl.DataFrame,
    remediations_rows: pl.DataFrame,
    remediation_details_rows: pl.DataFrame,
    ask: Ask,
) -> Document:
    """A remediation for each step of the plan, the first of a gap being the gap's own where it has one, and a duty for
    each attestation that nobody has been asked for."""
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "state_changes": state_changes,
    }
    plan = make_plan(frames.__getitem__, plan_question(framework_targets, ask.options, ask.as_of), ask.as_of)
    duties = attestation_duties.filter(~pl.col("done"), ~pl.col("withdrawn"), ~pl.col("id").str.ends_with("-next"))
    rows = pl.DataFrame(
        list(_rows(plan, remediations_rows, remediation_details_rows, duties)), dict.fromkeys(COLUMNS, pl.String)
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
    plan: ReadinessPlan, remediations: pl.DataFrame, details: pl.DataFrame, duties: pl.DataFrame
) -> Iterator[Mapping[str, object]]:
    known = {row["id"]: row for row in remediations.iter_rows(named=True)}
    noted: dict[str, str] = dict(details.select("id", "details").iter_rows())
    steps = sorted(plan.steps, key=lambda step: (step.action.id, step.part))
    for step in steps:
        own = known.get(step.work.remediation_id or "", {}) if step.part == 0 else {}
        yield {"table": "remediations", **_remediation(plan, step, own, noted.get(own.get("id", "")))}
    tag = pl.format("{}:{}", "framework", "control_id")
    open_duties: dict[str, str] = dict(duties.select(tag, "id").iter_rows())
    signed_until = dict(plan.horizons.select(tag, "attestation_until").iter_rows())
    for step in steps:
        name = _name(plan, step)
        if "attestation" in step.kinds and open_duties.get(step.action.id, name) == name:
            # due no earlier than the signature lapses: one that is due for the plan alone would be overdue before
            due_on = max(step.done_on, signed_until.get(step.action.id) or date.min)
            yield {
                "table": "attestations",
                "id": name,
                "framework": step.work.framework,
                "control_id": step.work.control_id,
                "owner": step.owner,
                "due_on": due_on.isoformat(),
            }


def _name(plan: ReadinessPlan, step: WorkStep) -> str:
    turn = f"-{step.part + 1}" if step.part else ""
    return f"{plan_id(plan)}-{step.work.framework}-{step.work.control_id}{turn}"


def _remediation(plan: ReadinessPlan, step: WorkStep, own: Mapping[str, Any], details: str | None) -> dict[str, object]:
    notes: object = msgspec.json.decode(details) if details else None
    told = PlannedWork(
        id=plan_id(plan),
        framework=plan.question.framework,
        by=plan.question.by.isoformat(),
        made_on=plan.as_of.isoformat(),
        target=plan.question.target,
        owner=step.owner,
        due_on=step.done_on.isoformat(),
        ready_on=step.ready_on.isoformat(),
        hours=step.hours,
        kinds=list(step.kinds),
        closes=sorted(step.action.closes),
        strict_pct=plan.with_plan.readiness([step.done_on])["strict_pct"][0],
    )
    due_on = min(step.done_on, own.get("due_on") or date.max)  # what was promised for earlier stays promised
    return {
        "id": own.get("id") or _name(plan, step),
        "framework": step.work.framework,
        "control_id": step.work.control_id,
        "title": own.get("title") or step.work.title,
        "owner": step.owner,
        "opened_on": (own.get("opened_on") or plan.as_of).isoformat(),
        "due_on": due_on.isoformat(),
        "details": msgspec.json.encode({**(notes if isinstance(notes, dict) else {}), PLAN: told}).decode(),
    }


REPORT = Report(
    name="plan-rows",
    title="Rows of a plan",
    description="A plan as rows that the import takes: work on controls, and attestations that fall due.",
    build=build,
    formats=("csv",),
    parameters=(PLANNED_FRAMEWORK, *PLAN_PARAMETERS),
)
