"""The audit chain: what is hashed, and how a chain is checked.

``hash[n] = SHA-256(hash[n-1] as 64 hex digits || canonical row n)``; before the first event the hash is 64 zeros.
The canonical row is a JSON object in UTF-8 with the members below in alphabetical order, no white space, absent
values as ``null``, instants as ``2026-11-20T08:30:00.000000Z``, ``details`` as a string holding canonical JSON. The
last event of a write that changed rows has one member more, ``changes``: the root over them (``row_log``).
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from engine.model.vocabulary import Outcome

GENESIS = "0" * 64


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


class _CommittingEvent(msgspec.Struct, frozen=True):
    """The same with the root over the rows that its write changed."""

    action: str
    actor: str
    changes: str
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


_encode = msgspec.json.Encoder().encode


def event_json(event: ChainedEvent, changes: str | None) -> bytes:
    """What is hashed of an event that commits to ``changes``."""
    if changes is None:
        return _encode(event)
    action, actor, *others = msgspec.structs.astuple(event)
    return _encode(_CommittingEvent(action, actor, changes, *others))


def link(previous: str, event: ChainedEvent, changes: str | None) -> str:
    """The hash of ``event``, which commits to ``changes``, after one whose hash is ``previous``."""
    return hashlib.sha256(previous.encode() + event_json(event, changes)).hexdigest()


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


def check_chain(
    org_id: str,
    events: Iterable[tuple[ChainedEvent, str | None, str]],
    *,
    start: tuple[int, str] = (0, GENESIS),
    head: tuple[int, str],
) -> ChainCheck:
    """Recompute every link from ``start`` (position and hash before it) to ``head``; name the first break.

    ``events``: each with its root over changed rows, if any, and its hash.
    """
    seq, previous, count = start[0], start[1], 0
    first = start[0] + 1

    def broken(problem: str, at: int) -> ChainCheck:
        return ChainCheck(org_id, count, first, head[0], head[1], problem, at)

    for event, changes, stored in events:
        if event.seq != seq + 1:
            return broken(f"event {seq + 1} is missing: after {seq} comes {event.seq}", seq + 1)
        expected = link(previous, event, changes)
        if stored != expected:
            return broken(
                f"event {event.seq} ({event.event_id}) does not match its hash: expected {expected}, found {stored}",
                event.seq,
            )
        seq, previous, count = event.seq, stored, count + 1
    if (seq, previous) != head:
        return broken(f"the head says {head[0]} {head[1]}, the chain ends at {seq} {previous}", seq)
    return ChainCheck(org_id, count, first, seq, previous, None)
