"""A plan as rows that the import takes: work on controls, and attestations that fall due; how it goes on from there."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import msgspec
import polars as pl

from engine.reporting.facts.accepted_plans import PLAN, PlannedWork
from engine.reporting.planning.plan import ReadinessPlan
from engine.reporting.planning.problem import PlanAction
from engine.reporting.planning.work import ControlWork

_REMEDIATION = ("id", "framework", "control_id", "title", "owner", "runbook", "severity", "opened_on", "due_on",
                "status", "blocked_by", "compensating", "details")  # fmt: skip
COLUMNS = ("table", *_REMEDIATION)


def plan_id(plan: ReadinessPlan) -> str:
    """``soc2-2027-03-01``; with the first day of its period, where it is of one."""
    question = plan.question
    return "-".join([question.framework, *([f"{question.start}"] if question.start else []), f"{question.by}"])


def import_csv(plan: ReadinessPlan, remediations: pl.DataFrame, details: pl.DataFrame, duties: pl.DataFrame) -> str:
    """The plan as a CSV whose first column is ``table``: a remediation for each action, which is the gap's own where it
    has one, and a duty for each attestation that nobody has been asked for.

    ``remediations`` and ``details`` are the rows that there are, ``duties`` the attestations that are not done.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(plan, remediations, details, duties))
    return out.getvalue()


def _rows(
    plan: ReadinessPlan, remediations: pl.DataFrame, details: pl.DataFrame, duties: pl.DataFrame
) -> Iterator[Mapping[str, object]]:
    known = {row["id"]: row for row in remediations.iter_rows(named=True)}
    noted: dict[str, str] = dict(details.select("id", "details").iter_rows())
    work = {one.id: one for one in plan.work}
    for action in plan.chosen:
        one = work[action.id]
        own = known.get(one.remediation_id or "", {})
        yield {"table": "remediations", **_remediation(plan, action, one, own, noted.get(own.get("id", "")))}
    tag = pl.format("{}:{}", "framework", "control_id")
    open_duties: dict[str, str] = dict(duties.select(tag, "id").iter_rows())
    signed_until = dict(plan.horizons.select(tag, "attestation_until").iter_rows())
    for action in plan.chosen:
        one = work[action.id]
        name = f"{plan_id(plan)}-{one.framework}-{one.control_id}"
        if "attestation" in one.kinds and open_duties.get(one.id, name) == name:
            # due no earlier than the signature lapses: one that is due for the plan alone would be overdue before
            due_on = max(plan.done_on[action.id], signed_until.get(one.id) or date.min)
            yield {
                "table": "attestations",
                "id": name,
                "framework": one.framework,
                "control_id": one.control_id,
                "owner": plan.choice.done[action.id],
                "due_on": due_on.isoformat(),
            }


def _remediation(
    plan: ReadinessPlan, action: PlanAction, one: ControlWork, own: Mapping[str, Any], details: str | None
) -> dict[str, object]:
    notes: object = msgspec.json.decode(details) if details else None
    due_on = plan.done_on[action.id]
    told = PlannedWork(
        id=plan_id(plan),
        framework=plan.question.framework,
        by=plan.question.by.isoformat(),
        made_on=plan.as_of.isoformat(),
        target=plan.question.target,
        owner=plan.choice.done[action.id],
        due_on=due_on.isoformat(),
        ready_on=plan.ready_on[action.id].isoformat(),
        hours=action.hours,
        kinds=list(one.kinds),
        closes=sorted(action.closes),
        strict_pct=plan.planned.readiness([due_on])["strict_pct"][0],
    )
    kept = {name: own.get(name) for name in ("runbook", "severity", "blocked_by", "compensating")}
    return {
        "id": own.get("id") or f"{plan_id(plan)}-{one.framework}-{one.control_id}",
        "framework": one.framework,
        "control_id": one.control_id,
        "title": own.get("title") or one.title,
        "owner": plan.choice.done[action.id],
        "opened_on": own.get("opened_on") or plan.as_of,
        "due_on": plan.done_on[action.id].isoformat(),
        "status": own.get("status") or "open",
        **kept,
        "details": msgspec.json.encode({**(notes if isinstance(notes, dict) else {}), PLAN: told}).decode(),
    }
