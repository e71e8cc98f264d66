"""Automations: dry-runs, guarded execution and remediation, and the policies that they are held against."""

from datetime import date
from typing import Annotated

import msgspec

from engine.automation import policies
from engine.automation.context import AutomationRequest
from engine.automation.dry_run import keep, rehearse
from engine.automation.execute import ExecutionRefusal, ExecutionRequest, carry_out
from engine.automation.playbooks import playbook, playbook_names
from engine.automation.state import State
from engine.model.declarations.ask import Parameter
from engine.model.errors import Conflict
from engine.model.vocabulary import POLICY_STATES, ExecutionMode, NewPolicyState, SeparableDuty
from engine.store import Reader, rows
from engine.store.schema.organizations import memberships
from engine.web.http import Request, Response, answer

HONESTLY = "The console records guarded executions; it does not act on foreign systems itself."
Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Text = Annotated[str, msgspec.Meta(max_length=4000)]
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Controls = Annotated[tuple[Identifier, ...], msgspec.Meta(max_length=100)]
POLICY_FILTERS = (
    Parameter("playbook", None, "only this playbook", choices=playbook_names()),
    Parameter("state", None, "only this state", choices=POLICY_STATES),
    Parameter("workspace", "active", "all: those of other workspaces too", choices=("active", "all")),
)


class DryRun(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/automations/dry-run."""

    playbook: Identifier
    inputs: dict[str, object] = {}
    incident_id: Identifier | None = None


class Execution(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/automations/execute and /remediate."""

    playbook: Identifier
    inputs: dict[str, object] | None = None
    dry_run_id: Identifier | None = None
    incident_id: Identifier | None = None
    approval_note: Text = ""
    rollback_plan: Text = ""


class Policy(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/automations/policies; ``rules`` are checked by the rule language."""

    playbook: Identifier
    rules: object
    title: Title | None = None
    state: NewPolicyState = "draft"
    body: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    controls: Controls = ()
    review_due_on: date | None = None
    separation: Annotated[tuple[SeparableDuty, ...], msgspec.Meta(max_length=3)] = ()


def dry_run(request: Request, given: DryRun) -> Response:
    """POST /api/automations/dry-run: rehearses a playbook on the records as they are, and keeps the plan."""
    caller = request.caller
    book = playbook(given.playbook)
    asked = AutomationRequest("dry_run", caller.actor, caller.role, caller.actor, request.now, "approved")
    store = request.services.store
    with store.reader() as connection:
        rehearsal = rehearse(
            State(connection, caller.org_id, request.now), book, given.inputs, given.incident_id, asked
        )
    kept = store.write(caller.org_id, caller.actor, lambda revision: keep(revision, rehearsal), now=request.now)
    return answer({**kept, "approval_needed": rehearsal.approval_needed, "note": HONESTLY}, status=201)


def execute(request: Request, given: Execution) -> Response:
    """POST /api/automations/execute: records a guarded execution, or answers 409 with every reason."""
    return _carried_out(request, given, "execute")


def remediate(request: Request, given: Execution) -> Response:
    """POST /api/automations/remediate: as execute, on a fresher dry-run and under an accepted policy."""
    return _carried_out(request, given, "remediate")


def _carried_out(request: Request, given: Execution, mode: ExecutionMode) -> Response:
    caller = request.caller
    order = ExecutionRequest(
        playbook(given.playbook),
        mode,
        caller.role,
        given.inputs,
        given.dry_run_id,
        given.incident_id,
        given.approval_note,
        given.rollback_plan,
        request.services.settings.approval_lifetime,
    )
    done = request.services.store.write(
        caller.org_id, caller.actor, lambda revision: carry_out(revision, order), now=request.now
    )
    if isinstance(done, ExecutionRefusal):
        first = done.refusals[0]
        raise Conflict(
            first.message,
            word=first.reason,
            details=[
                {
                    "reason": one.reason,
                    "message": one.message,
                    "policy_id": one.policy_id,
                    "rule": one.rule,
                    "policy_block_id": done.block_id,
                }
                for one in done.refusals
            ],
        )
    return answer({**done, "note": HONESTLY}, status=201)


def list_policies(request: Request) -> Response:
    """GET /api/automations/policies: policy versions of the caller's workspace and of all."""
    asked, org_id = request.options, request.caller.org_id
    with request.services.store.reader() as connection:
        workspace = _workspace(request, connection)
        listing = policies.listing(
            connection,
            org_id,
            playbook=asked["playbook"],
            state=asked["state"],
            workspace_id=workspace if asked["workspace"] == "active" else None,
        )
    return answer({"workspace_id": workspace, "policies": listing})


def create_policy(request: Request, given: Policy) -> Response:
    """POST /api/automations/policies: makes the next version of a playbook's guardrail."""
    caller = request.caller
    book = playbook(given.playbook)
    with request.services.store.reader() as connection:
        workspace = _workspace(request, connection)
    draft = policies.PolicyDraft(
        given.title or f"Guardrail: {book.title}",
        given.rules,
        given.body,
        given.controls,
        given.review_due_on,
        workspace,
        given.separation,
    )
    with request.services.store.reader() as connection:
        policies.check_draft(connection, caller.org_id, book, draft)
    made = request.services.store.write(
        caller.org_id,
        caller.actor,
        lambda revision: policies.create(revision, book, draft, state=given.state),
        now=request.now,
    )
    return answer(made, status=201)


def _workspace(request: Request, connection: Reader) -> str | None:
    """The caller's active workspace."""
    caller = request.caller
    row = rows.first(connection, memberships, caller.org_id, email=caller.actor)
    return row["workspace_id"] if row else None
