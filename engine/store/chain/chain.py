"""The audit chain: what is hashed, and how a chain is checked.

``hash[n] = SHA-256(hash[n-1] as 64 hex digits || canonical row n)``; before the first event the hash is 64 zeros.
The canonical row is a JSON object in UTF-8 with the members below in alphabetical order, no white space, absent
values as ``null``, instants as ``2026-11-20T08:30:00.000000Z``, ``details`` as a string holding canonical JSON. The
last event of a write that changed rows has one member more, ``changes``: the root over them (``row_log``).
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

import msgspec

from engine.model.vocabulary import Outcome

GENESIS = "0" * 64
OWN_EVENTS = "hq:"  # identifiers that begin so are the console's: nobody else may give one


class EventRow(NamedTuple):
    """An audit event as a source reports it, before it has a place in the chain."""

    event_id: str
    occurred_at: datetime
    actor: str
    action: str
    object_type: str | None = None
    object_id: str | None = None
    outcome: Outcome = "success"
    workspace_id: str | None = None
    controls: str | None = None
    details: str | None = None


SpelledEvent: TypeAlias = tuple[str, str, str, str, str | None, str | None, Outcome, str | None, str | None, str | None]
"""An ``EventRow`` whose moment is the text that is hashed: of a million events it is spelled a column at a time."""


class ChainedEvent(msgspec.Struct, frozen=True):
    """An audit event in its place; the members are in the order in which they are hashed."""

    action: str
    actor: str
    controls: str | None
    details: str | None
    event_id: str
    object_id: str | None
    object_type: str | None
    occurred_at: str
    org_id: str
    outcome: str
    recorded_at: str
    revision: int
    seq: int
    workspace_id: str | None


def own_event_id(seq: int) -> str:
    """The identifier of an event that the console itself recorded at a position."""
    return f"{OWN_EVENTS}{seq}"


_encode = msgspec.json.Encoder().encode


def event_json(event: ChainedEvent, changes: str | None) -> bytes:
    """What is hashed of an event that commits to ``changes``."""
    content = _encode(event)
    if changes is None:
        return content
    # quotes within a value are escaped: only the member itself is found, and it is the next in the alphabet
    return content.replace(b',"controls":', b',"changes":"%b","controls":' % changes.encode(), 1)


def link(previous: str, event: ChainedEvent, changes: str | None) -> str:
    """The hash of ``event``, which commits to ``changes``, after one whose hash is ``previous``."""
    json = _encode(event) if changes is None else event_json(event, changes)
    return hashlib.sha256(previous.encode() + json).hexdigest()


@dataclass(frozen=True)
class ChainCheck:
    """What a check of a chain found. ``problem`` is None when all of it holds."""

    org_id: str
    events: int
    first_seq: int
    head_seq: int
    head_hash: str
    problem: str | None
    broken_seq: int | None = None

    @property
    def ok(self) -> bool:
        return self.problem is None
