"""Buttons of a digest's chat message: the decisions that it asks for, and the values that decide them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from engine.digests.content import Content
from engine.programme import staffing
from engine.store import Reader

NEW = "new"  # the status of a proposal that the delivery will record


@dataclass(frozen=True)
class Face:
    """What a button says, what the chat service calls it, and the word of its decision."""

    says: str
    name: str
    decision: str
    primary: bool = True


@dataclass(frozen=True)
class Button:
    """A button of one item: ``value`` is what the approvals callback is sent."""

    face: Face
    value: str


FACES: Mapping[str, Sequence[Face]] = {
    staffing.TAKE_UP: (
        Face("Take it up", "take_up_staffing_action", "approve"),
        Face("Decline", "decline_staffing_action", "reject", primary=False),
    ),
    staffing.COMPLETION: (Face("Mark as completed", "complete_staffing_action", "approve"),),
}


def actions_to_decide(content: Content) -> list[str]:
    """The actions on which the digest asks for a decision: proposals as long as they are such, reminded ones always."""
    if content.digest.asks is None:
        return []
    frame = content.table("actions").frame
    if content.digest.asks == staffing.TAKE_UP:
        frame = frame.filter(pl.col("status").is_in((NEW, "proposed")))
    return frame["action_id"].to_list()


def of(connection: Reader, content: Content) -> dict[str, list[Button]]:
    """The buttons of each action; one that was decided before has none, so that nobody is asked again."""
    org_id, kind = content.edition.organization.id, content.digest.asks
    if kind is None:
        return {}
    names = {
        action_id: staffing.approval_id(org_id, action_id, kind)
        for action_id in staffing.awaiting_decision(connection, org_id, kind, actions_to_decide(content))
    }
    return {
        action_id: [Button(face, f"{org_id}:{name}:{face.decision}") for face in FACES[kind]]
        for action_id, name in names.items()
    }
