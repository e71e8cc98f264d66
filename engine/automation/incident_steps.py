"""Steps of people that are decided in the chat: a pending approval of kind ``incident``, taken when it is approved."""

from typing import Any

from engine.automation import approvals
from engine.incidents.hands.steps import PersonStep
from engine.model.errors import BadRequest, NotFound
from engine.model.vocabulary import StepKind
from engine.store import Revision
from engine.store.rows import first
from engine.store.schema.services import incidents

KIND = "incident"
BY_BUTTON: tuple[StepKind, ...] = ("acknowledge", "close", "reopen")
"""Steps that a click can take: whoever clicks is who takes them, and they need nothing beside."""


def ask_for_step(revision: Revision, incident_id: str, step: PersonStep) -> dict[str, Any]:  # what ``ask`` answers
    """Ask for a step: the approval with the values of its buttons. BadRequest for a step that a click cannot take."""
    if step.kind not in BY_BUTTON:
        raise BadRequest(f"--ask is for {', '.join(BY_BUTTON)}; got {step.kind}.", word="invalid_step")
    if first(revision.records, incidents, revision.org_id, id=incident_id) is None:
        raise NotFound(f"There is no incident {incident_id[:80]!r} in {revision.org_id}.")
    return approvals.ask(revision, KIND, f"{step.kind}:{incident_id}")
