"""Staffing actions: recorded once when they are proposed, completed by whoever may say so."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from engine.errors import Conflict, NotFound
from engine.store import Note, Revision, rows
from engine.store.queries.automation import time_zone
from engine.store.schema.automation import approvals
from engine.store.schema.work import staffing_actions

APPROVAL = "staffing_action"
ASKER = "hq"
UNFINISHED = ("tracked", "open")
Row = Mapping[str, Any]


def propose(revision: Revision, actions: Sequence[Row]) -> int:
    """Record proposals that are not recorded yet, in whatever state; returns how many are new."""
    ids = [action["id"] for action in actions]
    known = {row["id"] for row in rows.many(revision.records, staffing_actions, revision.org_id, id=ids)} if ids else ()
    new = [action for action in actions if action["id"] not in known]
    revision.insert(
        staffing_actions, [{**action, "status": "proposed", "proposed_on": today(revision)} for action in new]
    )
    revision.record_all(
        Note("staffing.proposed", "staffing_action", action["id"],
             details={name: action[name] for name in ("week", "kind", "relief_hours")})
        for action in new
    )  # fmt: skip
    return len(new)


def ask_completion(revision: Revision, action_ids: Sequence[str]) -> None:
    """A pending approval for each action that has none: what the button of a chat message decides."""
    wanted = {approval_id(revision.org_id, action_id): action_id for action_id in action_ids}
    if not wanted:
        return
    known = {row["id"] for row in rows.many(revision.records, approvals, revision.org_id, id=list(wanted))}
    new = {key: action for key, action in wanted.items() if key not in known}
    made = [
        {"id": key, "kind": APPROVAL, "subject": action, "status": "pending", "requested_by": ASKER,
         "requested_at": revision.now}
        for key, action in new.items()
    ]  # fmt: skip
    revision.insert(approvals, made)
    revision.record_all(
        Note("approval.requested", "approval", key, details={"kind": APPROVAL, "subject": action})
        for key, action in new.items()
    )


def approval_id(org_id: str, action_id: str) -> str:
    """One approval for each action, however often its owner is reminded."""
    return f"apr_{sha256(f'{org_id}|{APPROVAL}|{action_id}'.encode()).hexdigest()[:16]}"


def concerns(connection: Any, org_id: str, action_id: str, email: str) -> bool:
    """Whether the action is somebody's own: its owner, or who helps."""
    action = rows.first(connection, staffing_actions, org_id, id=action_id)
    if action is None:
        return False
    return email in {part.strip().lower() for name in ("owner", "assignee") for part in (action[name] or "").split(";")}


def complete(revision: Revision, action_id: str, evidence: str) -> None:
    """An action that was taken up is done today. Conflict when it is not under way."""
    action = rows.first(revision.connection, staffing_actions, revision.org_id, id=action_id)
    if action is None:
        raise NotFound(f"There is no such staffing action: {action_id[:80]}.")
    if action["status"] not in UNFINISHED:
        raise Conflict(f"The staffing action is {action['status']}; only one under way can be completed.",
                       word="not_under_way")  # fmt: skip
    values = {"status": "completed", "completed_on": today(revision), "evidence": evidence, "blocked_reason": None}
    revision.update(staffing_actions, {"id": action_id}, values)
    revision.record("staffing.completed", object_type="staffing_action", object_id=action_id)


def today(revision: Revision) -> Any:
    """The organization's business date."""
    return revision.now.astimezone(ZoneInfo(time_zone(revision.records, revision.org_id))).date()
