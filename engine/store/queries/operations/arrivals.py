"""Which messages came that the audit log does not name yet, and when the newest event of an action was recorded."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, update

from engine.model.vocabulary import PayloadState
from engine.store.log.part_heads import read_part_heads
from engine.store.log.parts import part_of
from engine.store.schema.audit import audit_log
from engine.store.schema.ingest import ingest_payloads
from engine.store.writing.batches import in_batches

READ: tuple[PayloadState, ...] = ("read", "ignored", "partial")


class UnnotedSender(NamedTuple):
    """Messages with one token of one monitor, or of several joined by '; ', whose coming no event has yet."""

    actor: str
    source: str
    last_at: datetime
    messages: int


class UnreadPayload(NamedTuple):
    """A dead letter whose coming no event has yet."""

    id: str
    actor: str
    workspace_id: str | None
    route: str
    received_at: datetime
    reason: str | None


def unnoted_senders(connection: Connection, org_id: str, since: datetime) -> list[UnnotedSender]:
    """Who sent what could be read since a moment and is not noted yet."""
    table = ingest_payloads.c
    columns = table.actor, table.source, func.max(table.received_at), func.count()
    query = select(*columns).where(*_without_note(org_id, since, READ), table.source.is_not(None))
    rows = connection.execute(query.group_by(table.actor, table.source).order_by(table.actor, table.source))
    return [UnnotedSender(*row) for row in rows]


def unnoted_unread(connection: Connection, org_id: str, since: datetime) -> list[UnreadPayload]:
    """The dead letters since a moment that are not noted yet, oldest first."""
    columns = [ingest_payloads.c[name] for name in UnreadPayload._fields]
    query = select(*columns).where(*_without_note(org_id, since, ("unread",)))
    rows = connection.execute(query.order_by(ingest_payloads.c.received_at, ingest_payloads.c.id))
    return [UnreadPayload(*row) for row in rows]


def note_payloads(connection: Connection, org_id: str, since: datetime, unread: Sequence[str], now: datetime) -> None:
    """Mark what is noted: all that could be read since then, and these dead letters.

    What can be read is written under the lock of the organization's head, which the caller has; dead letters are not.
    """
    connection.execute(update(ingest_payloads).where(*_without_note(org_id, since, READ)).values(noted_at=now))
    for batch in in_batches(unread, 500):
        mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.id.in_(batch))
        connection.execute(update(ingest_payloads).where(*mine).values(noted_at=now))


def _without_note(org_id: str, since: datetime, states: Sequence[PayloadState]) -> tuple[ColumnElement[bool], ...]:
    table = ingest_payloads.c
    return table.org_id == org_id, table.state.in_(states), table.received_at > since, table.noted_at.is_(None)


def newest_event(connection: Connection, org_id: str, *actions: str) -> datetime | None:
    """When the newest event of these actions was recorded: found by where their parts ended."""
    heads = read_part_heads(connection, org_id)
    ends = [heads[part].seq for action in actions if (part := part_of(action)) in heads]
    at = select(func.max(audit_log.c.recorded_at)).where(audit_log.c.org_id == org_id, audit_log.c.seq.in_(ends))
    newest: datetime | None = connection.execute(at).scalar()
    return newest
