"""Approvals: a decision that is asked of somebody else, decided once, with what follows from it.

An approval of an execution carries one execution and is spent; one that nobody decided in time, or that nobody used,
expires. Those of staffing and of policies live until somebody decides.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from engine.automation import policies
from engine.automation.playbooks import Playbook
from engine.incidents.hands.steps import PersonStep, take_step
from engine.model.errors import Conflict, Forbidden, NotFound
from engine.model.records import ApprovalRow
from engine.model.vocabulary import OPERATOR_ROLES, STEP_KINDS, ApprovalStatus
from engine.programme import staffing
from engine.store import Reader, Revision, Store, rows
from engine.store.ids import new_id
from engine.store.queries.operations import automation as queries
from engine.store.schema.automation import approvals
from engine.store.schema.automation import policies as policy_table

EXPIRING = ("execution", "incident")  # kinds that end by themselves
ACTOR = "approvals"
LIFETIME = timedelta(hours=24)  # unless a setting says otherwise
DECISIONS: Mapping[str, ApprovalStatus] = {"approve": "approved", "reject": "rejected"}
_WORDS: Mapping[str, str] = {"approved": "approve", "spent": "approve", "rejected": "reject"}


class SecondDecision(Conflict):
    """An approval is decided once; ``approval`` is the row of the one that was."""

    def __init__(self, approval: ApprovalRow) -> None:
        by = f" by {approval['decided_by']}" if approval["decided_by"] else ""
        super().__init__(f"The approval was {approval['status']}{by}; it is decided once.", word="already_decided")
        self.approval = approval

    def repeats(self, decision: str, actor: str) -> bool:
        """Whether somebody decides as they did: chat services send a click again whose answer they did not see."""
        earlier = self.approval
        return earlier["decided_by"] == actor and decision == _WORDS.get(earlier["status"])


def ask(revision: Revision, kind: str, subject: str) -> dict[str, object]:
    """A new pending approval, with the values that a chat message's buttons must carry."""
    identifier = new_id("apr")
    row = {
        "id": identifier,
        "kind": kind,
        "subject": subject,
        "status": "pending",
        "requested_by": revision.actor,
        "requested_at": revision.now,
    }
    revision.insert(approvals, [row])
    revision.record(
        "approval.requested", object_type="approval", object_id=identifier, details={"kind": kind, "subject": subject}
    )
    return {**row, "actions": {word: f"{revision.org_id}:{identifier}:{word}" for word in DECISIONS}}


def find(connection: Reader, org_id: str, approval_id: str) -> ApprovalRow:
    """The approval; NotFound alike for unknown approvals and unknown organizations."""
    approval_row = rows.first(connection, approvals, org_id, id=approval_id)
    if approval_row is None:
        raise NotFound(f"There is no such approval: {approval_id[:80]}.")
    return approval_row


def status_at(approval: ApprovalRow, now: datetime, lifetime: timedelta) -> ApprovalStatus:
    """The state of an approval as it counts at a moment, whether or not it was swept since it ran out."""
    if approval["kind"] not in EXPIRING or approval["status"] not in ("pending", "approved"):
        return approval["status"]
    since = approval["requested_at"]
    if approval["status"] == "approved":
        since = approval["decided_at"] or since
    return "expired" if now - since > lifetime else approval["status"]


def decide(
    revision: Revision,
    approval_id: str,
    decision: str,
    *,
    role: str | None,
    details: Mapping[str, object],
    lifetime: timedelta = LIFETIME,
) -> dict[str, object]:
    """Decide a pending approval by the revision's actor; one that ran out expires, and the answer says so.

    Whose staffing action it is may say that it is taken up or completed. Forbidden without the role or for one's own
    request; SecondDecision when it was.
    """
    approval = find(revision.connection, revision.org_id, approval_id)
    own_work = approval["kind"] in (staffing.TAKE_UP, staffing.COMPLETION) and staffing.concerns(
        revision.connection, revision.org_id, approval["subject"], revision.actor
    )
    if role not in OPERATOR_ROLES and not own_work:
        needed = " or ".join(OPERATOR_ROLES)
        raise Forbidden(f"To decide needs the role {needed}; yours is {role}.", word="role_required")
    if approval["requested_by"] == revision.actor:
        raise Forbidden("Whoever asks for an approval cannot decide it.", word="own_request")
    if approval["status"] != "pending":
        raise SecondDecision(approval)
    if status_at(approval, revision.now, lifetime) == "expired":
        return _expire(revision, approval)
    status = DECISIONS[decision]
    decided = {"status": status, "decided_by": revision.actor, "decided_at": revision.now}
    revision.update(approvals, {"id": approval_id}, decided)
    revision.record(
        f"approval.{status}",
        object_type="approval",
        object_id=approval_id,
        details={"kind": approval["kind"], "subject": approval["subject"], **details},
    )
    if status == "approved":
        _follow(revision, approval)
    return {**approval, **decided}


def refuse(
    revision: Revision, approval: ApprovalRow, decision: str, *, reason: str, details: Mapping[str, object]
) -> None:
    """The audit event that a decision by the revision's actor did not count; ``reason`` is the refusal's word."""
    revision.record(
        "approval.decision.refused",
        object_type="approval",
        object_id=approval["id"],
        outcome="denied",
        details={
            **{"kind": approval["kind"], "subject": approval["subject"], "decision": decision, "reason": reason},
            **details,
        },
    )


def _follow(revision: Revision, approval: ApprovalRow) -> None:
    """What an approval brings about at once; of the other kinds, whoever asked goes on."""
    match approval["kind"]:
        case "policy":
            _publish(revision, approval["subject"])
        case staffing.TAKE_UP:
            staffing.take_up(revision, approval["subject"])
        case staffing.COMPLETION:
            staffing.complete(revision, approval["subject"], f"approval {approval['id']}")
        case "incident":
            kind, _, incident_id = approval["subject"].partition(":")
            step = next((one for one in STEP_KINDS if one == kind), None)
            if step is None:
                raise Conflict(f"The approval is of {approval['subject'][:80]}, which is no step.", word="invalid_step")
            take_step(revision, incident_id, PersonStep(step, revision.now), "in the chat")


def _publish(revision: Revision, policy_id: str) -> None:
    """An approved draft becomes active, unless time has passed over it."""
    draft = rows.first(revision.connection, policy_table, revision.org_id, id=policy_id)
    if draft is None or draft["state"] != "draft" or draft["kind"] != "automation":
        state = draft["state"] if draft else "gone"
        raise Conflict(f"The policy {policy_id} is no draft any more; it is {state}.", word="policy_not_draft")
    newer = [
        one["id"]
        for one in policies.active(revision.connection, revision.org_id, draft["playbook"])
        if one["policy"] == draft["policy"] and one["version"] > draft["version"]
    ]
    if newer:
        raise Conflict(f"The newer version {newer[0]} is active; reject this one.", word="policy_superseded")
    policies.activate(revision, draft)


def promote(
    revision: Revision, book: Playbook, draft: policies.PolicyDraft, *, source: str, rationale: str
) -> dict[str, object]:
    """A suggestion becomes a draft version and a pending approval. Conflict when the same rules are in review."""
    for row in queries.guardrails(
        revision.connection, revision.org_id, playbook=book.id, state="draft", workspace_id=None
    ):
        waiting = queries.approval_of(revision.connection, revision.org_id, "policy", row["id"])
        if row["rules"] == draft.rules and waiting is not None and waiting["status"] == "pending":
            raise Conflict(f"The same rules are in review as {row['id']} ({waiting['id']}).", word="already_in_review")
    policy = policies.create(revision, book, draft, state="draft")
    policy_id = str(policy["id"])
    revision.record(
        "policy.suggestion.promoted",
        object_type="policy",
        object_id=policy_id,
        workspace_id=draft.workspace_id,
        details={"playbook": book.id, "source": source, "rationale": rationale},
    )
    return {"policy": policy, "approval": ask(revision, "policy", policy_id)}


def status_of(approval: ApprovalRow | None, now: datetime, lifetime: timedelta) -> ApprovalStatus | Literal["none"]:
    """The approval of a dry-run, as policies see it at a moment."""
    return status_at(approval, now, lifetime) if approval else "none"


def spend(revision: Revision, approval: ApprovalRow, execution_id: str) -> None:
    """An approval is used up by the execution that it carries."""
    used = {"status": "spent", "spent_by": execution_id, "spent_at": revision.now}
    revision.update(approvals, {"id": approval["id"]}, used)
    revision.record(
        "approval.spent",
        object_type="approval",
        object_id=approval["id"],
        details={"kind": approval["kind"], "subject": approval["subject"], "execution": execution_id},
    )


def _expire(revision: Revision, approval: ApprovalRow) -> dict[str, object]:
    revision.update(approvals, {"id": approval["id"]}, {"status": "expired"})
    revision.record(
        "approval.expired",
        object_type="approval",
        object_id=approval["id"],
        details={"kind": approval["kind"], "subject": approval["subject"], "was": approval["status"]},
    )
    return {**approval, "status": "expired"}


def sweep_expired(store: Store, org_id: str, *, now: datetime, lifetime: timedelta) -> int:
    """Expire what ran out in an organization, in one revision; returns how many approvals that were."""
    with store.reader() as connection:
        if not _overdue(connection, org_id, now, lifetime):
            return 0
    with store.revision(org_id, ACTOR, now=now) as revision:
        overdue = _overdue(revision.connection, org_id, now, lifetime)
        for approval in overdue:
            _expire(revision, approval)
    return len(overdue)


def _overdue(connection: Reader, org_id: str, now: datetime, lifetime: timedelta) -> list[ApprovalRow]:
    live = rows.many(connection, approvals, org_id, kind=EXPIRING, status=("pending", "approved"))
    return [row for row in live if status_at(row, now, lifetime) == "expired"]
