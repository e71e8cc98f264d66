"""Guarded execution and remediation: recorded when every guard lets it through, recorded as refused when not.

The console does not act on foreign systems: an execution says who carried a plan out, on what grounds, and how to
go back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from engine.automation import approvals, guard, policies, separation
from engine.automation.context import AutomationRequest
from engine.automation.dry_run import DryRunResult, rehearse
from engine.automation.guard import Refusal
from engine.automation.inputs import complete, inputs_hash
from engine.automation.playbooks import Playbook
from engine.automation.state import State
from engine.model.errors import BadRequest
from engine.model.records import ApprovalRow, DryRunRow, PolicyRow
from engine.model.thresholds import DEFAULTS
from engine.model.vocabulary import ExecutionMode
from engine.store import Revision, rows
from engine.store.ids import new_id
from engine.store.queries.operations import automation as queries
from engine.store.schema.automation import dry_runs, executions
from engine.store.schema.services import incident_timeline


@dataclass(frozen=True)
class ExecutionRequest:
    """What a caller asks for. ``inputs`` None means those of the dry-run that is named."""

    book: Playbook
    mode: ExecutionMode
    role: str | None
    inputs: Mapping[str, object] | None
    dry_run_id: str | None
    incident_id: str | None
    approval_note: str
    rollback_plan: str
    approval_lifetime: timedelta = approvals.LIFETIME


@dataclass(frozen=True)
class ExecutionRefusal:
    """The execution was not let through; the refusal is on record as ``block_id``."""

    block_id: str
    refusals: tuple[Refusal, ...]


def carry_out(revision: Revision, request: ExecutionRequest) -> dict[str, object] | ExecutionRefusal:
    """Record an execution, or its refusal: both are writes. BadRequest and NotFound for what cannot be understood."""
    connection, org_id, book = revision.connection, revision.org_id, request.book
    rehearsed = _dry_run(revision, request)
    inputs = complete(book, _inputs(request, rehearsed))
    approval = queries.approval_of(connection, org_id, "execution", rehearsed["id"]) if rehearsed else None
    status = approvals.status_of(approval, revision.now, request.approval_lifetime)
    asked = AutomationRequest(
        request.mode,
        revision.actor,
        request.role,
        rehearsed["actor"] if rehearsed else "",
        rehearsed["ran_at"] if rehearsed else revision.now,
        status,
    )
    incident_id = request.incident_id or (rehearsed["incident_id"] if rehearsed else None)
    now = rehearse(State(connection, org_id, revision.now), book, inputs, incident_id, asked)
    refusals = guard.of_dry_run(
        rehearsed, book.id, inputs_hash(inputs), now=revision.now, fresh_minutes=_fresh_minutes(revision, request.mode)
    )
    refusals += guard.of_approval(approval, status, request.approval_lifetime)
    documents = policies.active(connection, org_id, book.id)
    people = separation.DutyHolders(
        rehearsed["actor"] if rehearsed else None, _approver(approval, status), revision.actor
    )
    refusals += [Refusal("separation", *one) for one in separation.breaches(documents, people)]
    accepted = [one for one in documents if one["accepted_by"] and one["accepted_at"] is not None]
    note, rollback = request.approval_note, request.rollback_plan
    if request.mode == "remediate":
        refusals += _of_acceptance(book, documents, accepted)
        note = note or "; ".join(f"Accepted policy {one['id']} of {one['accepted_by']}" for one in accepted)
        rollback = rollback or " ".join(book.rollback)
    if request.mode == "execute" or note:
        refusals += guard.of_words(note, rollback)
    refusals += [guard.of_ruling(one) for one in now.refusals]
    refusals += guard.of_checks(now.failed_checks)
    if refusals or rehearsed is None:
        block = guard.block(
            revision, book.id, request.mode, refusals, dry_run_id=rehearsed["id"] if rehearsed else None
        )
        return ExecutionRefusal(block, tuple(refusals))
    identifier = new_id("exe")
    grounds = {
        "approval_id": approval["id"] if approval else None,
        "requester": people.requester,
        "approver": people.approver,
        "separation": separation.separate_duties(documents) or None,
    }
    done = _record(revision, request, now, identifier, rehearsed["id"], note, rollback, grounds)
    if approval is not None and status == "approved":
        approvals.spend(revision, approval, identifier)
    return done


def _approver(approval: ApprovalRow | None, status: str) -> str | None:
    return approval["decided_by"] if approval is not None and status == "approved" else None


def _dry_run(revision: Revision, request: ExecutionRequest) -> DryRunRow | None:
    """The dry-run that is named, else the newest with these inputs, else the newest of the playbook."""
    connection, org_id = revision.connection, revision.org_id
    if request.dry_run_id is not None:
        return rows.one(connection, dry_runs, org_id, id=request.dry_run_id)
    wanted = inputs_hash(complete(request.book, request.inputs or {}))
    for where in ({"inputs_hash": wanted}, {}):
        dry_run_rows = rows.many(
            connection, dry_runs, org_id, playbook=request.book.id, order=("-ran_at",), limit=1, **where
        )
        if dry_run_rows:
            return dry_run_rows[0]
    return None


def _inputs(request: ExecutionRequest, rehearsed: DryRunRow | None) -> Mapping[str, object]:
    if request.inputs is not None:
        return request.inputs
    if rehearsed is None or rehearsed["playbook"] != request.book.id:
        if not any(given.required for given in request.book.inputs.values()):
            return {}
        raise BadRequest(
            "inputs must be given, or dry_run_id must name a dry-run of the same playbook.",
            word="invalid_body",
            details=[{"field": "inputs", "expected": "an object", "got": "nothing"}],
        )
    return rehearsed["inputs"] if isinstance(rehearsed["inputs"], dict) else {}


def _fresh_minutes(revision: Revision, mode: ExecutionMode) -> float:
    name = "dry_run_fresh_hours" if mode == "execute" else "dry_run_remediate_minutes"
    own = queries.setting(revision.connection, revision.org_id, name)
    limit = float(own if isinstance(own, int | float | str) else DEFAULTS[name][0])
    return limit * 60 if mode == "execute" else limit


def _of_acceptance(book: Playbook, documents: list[PolicyRow], accepted: list[PolicyRow]) -> list[Refusal]:
    if not documents:
        return [Refusal("policy_missing", f"Remediation needs an active policy for {book.id}; there is none.")]
    if not accepted:
        name = documents[0]["id"]
        return [Refusal("policy_not_accepted", f"The policy {name} is active and nobody has accepted it.", name)]
    return []


def _record(
    revision: Revision,
    request: ExecutionRequest,
    now: DryRunResult,
    identifier: str,
    dry_run_id: str,
    note: str,
    rollback: str,
    grounds: Mapping[str, object],
) -> dict[str, object]:
    row = {
        "id": identifier,
        "playbook": request.book.id,
        "dry_run_id": dry_run_id,
        "incident_id": now.incident_id,
        "mode": request.mode,
        "status": "recorded",
        "approval_note": note.strip(),
        "rollback_plan": rollback.strip(),
        "actor": revision.actor,
        "executed_at": revision.now,
        **grounds,
    }
    revision.insert(executions, [row])
    if now.incident_id is not None:
        line = f"{request.book.title} was carried out ({identifier}, dry-run {dry_run_id})."
        revision.insert(
            incident_timeline,
            [
                {
                    "id": new_id("tl"),
                    "incident_id": now.incident_id,
                    "happened_at": revision.now,
                    "heard_at": revision.now,
                    "kind": "execution",
                    "actor": revision.actor,
                    "body": line,
                }
            ],
        )
    revision.record(
        "automation.executed",
        object_type="execution",
        object_id=identifier,
        details={
            "playbook": request.book.id,
            "mode": request.mode,
            "dry_run_id": dry_run_id,
            "incident_id": now.incident_id,
            "policy_id": now.policy_id,
            "inputs_hash": inputs_hash(now.inputs),
            "approval_id": grounds["approval_id"],
        },
    )
    return {**row, "inputs": now.inputs, "plan": now.plan}
