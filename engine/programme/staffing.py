"""Staffing actions: recorded once when they are proposed, then taken up, opened with their peak week, completed.

Nothing here moves an action backwards, and a completed one is the archive: nothing moves it at all.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256

from engine.model.errors import Conflict
from engine.model.figures.formulas import iso_week
from engine.model.vocabulary import OPEN_STAFFING
from engine.store import Note, Reader, Revision, rows
from engine.store.queries.accounts.organizations import today
from engine.store.schema.automation import approvals
from engine.store.schema.work import staffing_actions

# what is asked about an action: the kinds of its approvals
TAKE_UP = "staffing_take_up"
COMPLETION = "staffing_action"
ASKER = "hq"


def propose(revision: Revision, actions: Sequence[Mapping[str, object]]) -> int:
    """Record proposals that are not recorded yet, in whatever state; returns how many are new."""
    ids = [str(action["id"]) for action in actions]
    known = {row["id"] for row in rows.many(revision.records, staffing_actions, revision.org_id, id=ids)} if ids else ()
    new = [action for action in actions if action["id"] not in known]
    revision.insert(
        staffing_actions, [{**action, "status": "proposed", "proposed_on": _today(revision)} for action in new]
    )
    revision.record_all(
        Note(
            "staffing.proposed",
            "staffing_action",
            str(action["id"]),
            details={name: action[name] for name in ("week", "kind", "relief_hours")},
        )
        for action in new
    )
    return len(new)


def ask(revision: Revision, kind: str, action_ids: Sequence[str]) -> None:
    """A pending approval for each action that has none of the kind: what the buttons of a chat message decide."""
    wanted = {approval_id(revision.org_id, action_id, kind): action_id for action_id in action_ids}
    if not wanted:
        return
    known = {row["id"] for row in rows.many(revision.records, approvals, revision.org_id, id=list(wanted))}
    new = {key: action for key, action in wanted.items() if key not in known}
    made = [
        {
            "id": key,
            "kind": kind,
            "subject": action,
            "status": "pending",
            "requested_by": ASKER,
            "requested_at": revision.now,
        }
        for key, action in new.items()
    ]
    revision.insert(approvals, made)
    revision.record_all(
        Note("approval.requested", "approval", key, details={"kind": kind, "subject": action})
        for key, action in new.items()
    )


def approval_id(org_id: str, action_id: str, kind: str = COMPLETION) -> str:
    """One approval of each kind for each action, however often people are told of it."""
    return f"apr_{sha256(f'{org_id}|{kind}|{action_id}'.encode()).hexdigest()[:16]}"


def awaiting_decision(connection: Reader, org_id: str, kind: str, action_ids: Sequence[str]) -> list[str]:
    """Those of the actions that are still to be decided on, whether or not anybody was asked."""
    names = [approval_id(org_id, action_id, kind) for action_id in action_ids]
    known = rows.many(connection, approvals, org_id, id=names) if names else ()
    decided = {row["id"] for row in known if row["status"] != "pending"}
    return [action_id for action_id, name in zip(action_ids, names, strict=True) if name not in decided]


def concerns(connection: Reader, org_id: str, action_id: str, email: str) -> bool:
    """Whether the action is somebody's own: its owner, or who helps."""
    action = rows.first(connection, staffing_actions, org_id, id=action_id)
    if action is None:
        return False
    people = f"{action['owner']};{action['assignee'] or ''}"
    return email in {part.strip().lower() for part in people.split(";")}


def take_up(revision: Revision, action_id: str) -> None:
    """A proposal is taken up today. Conflict when it was before, or has lapsed: its peak week is over."""
    action = rows.one(revision.connection, staffing_actions, revision.org_id, id=action_id)
    if action["status"] != "proposed":
        raise Conflict(
            f"The staffing action is {action['status']}; only a proposal can be taken up.", word="not_proposed"
        )
    day = _today(revision)
    if action["week"] < iso_week(day):
        raise Conflict(f"The peak week {action['week']} is over; the proposal can not be taken up.", word="week_over")
    revision.update(staffing_actions, {"id": action_id}, {"status": "tracked", "tracked_on": day})
    revision.record("staffing.taken_up", object_type="staffing_action", object_id=action_id)


def open_due_actions(revision: Revision, action_ids: Sequence[str]) -> None:
    """Those of the actions that are tracked become open. Which are due the fact ``staffing_actions`` says."""
    if not action_ids:
        return
    tracked = rows.many(revision.records, staffing_actions, revision.org_id, id=list(action_ids), status="tracked")
    for action in tracked:
        revision.update(staffing_actions, {"id": action["id"]}, {"status": "open"})
    revision.record_all(
        Note("staffing.opened", "staffing_action", action["id"], details={"week": action["week"]}) for action in tracked
    )


def complete(revision: Revision, action_id: str, evidence: str) -> None:
    """An action that was taken up is done today. Conflict when it is not under way."""
    action = rows.one(revision.connection, staffing_actions, revision.org_id, id=action_id)
    if action["status"] not in OPEN_STAFFING:
        raise Conflict(
            f"The staffing action is {action['status']}; only one under way can be completed.", word="not_under_way"
        )
    values = {"status": "completed", "completed_on": _today(revision), "evidence": evidence, "blocked_reason": None}
    revision.update(staffing_actions, {"id": action_id}, values)
    revision.record("staffing.completed", object_type="staffing_action", object_id=action_id)


def _today(revision: Revision) -> date:
    return today(revision.records, revision.org_id, revision.now)
