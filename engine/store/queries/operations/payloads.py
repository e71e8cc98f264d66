"""What monitors and scanners sent: kept, looked up, read again, and dropped when its time is over."""

from datetime import datetime

from sqlalchemy import Connection, Select, delete, func, select, update

from engine.model.records import IngestPayloadRow
from engine.model.vocabulary import PAYLOADS_TO_READ
from engine.store.removal.retention import active_holds
from engine.store.rows import select_first, select_rows
from engine.store.schema.ingest import early_events, ingest_payloads
from engine.store.schema.services import incident_timeline
from engine.store.writing.batches import in_batches
from engine.store.writing.statements import Stored, Values

LISTED = ("id", "org_id", "received_at", "route", "state", "size_bytes", "times", "records", "applied", "reason")


def partial_payload(connection: Connection, org_id: str, route: str, sha256: str) -> str | None:
    """The identifier of the same body where only a part of it was applied."""
    mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.sha256 == sha256, ingest_payloads.c.route == route)
    found: str | None = connection.execute(
        select(ingest_payloads.c.id).where(*mine, ingest_payloads.c.state == "partial").limit(1)
    ).scalar()
    return found


def applied_of(connection: Connection, org_id: str, payload_id: str) -> int:
    """How many of its records are applied."""
    mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.id == payload_id)
    applied: int | None = connection.execute(select(ingest_payloads.c.applied).where(*mine)).scalar()
    return applied or 0


def keep_unread(connection: Connection, org_id: str, row: Values, most: int, most_bytes: int) -> list[str]:
    """Keep a dead letter; the same body again only counts. Returns the oldest ones that had to give way to it.

    Of an organization ``most`` stay, with ``most_bytes`` as they are kept; the newest stays whatever its size.
    """
    same = (
        ingest_payloads.c.org_id == org_id,
        ingest_payloads.c.sha256 == row["sha256"],
        ingest_payloads.c.route == row["route"],
        ingest_payloads.c.state == "unread",
    )
    again = {"times": ingest_payloads.c.times + 1, "reason": row["reason"]}
    if connection.execute(update(ingest_payloads).where(*same).values(again)).rowcount:
        return []
    connection.execute(ingest_payloads.insert().values({**row, "org_id": org_id}))
    mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.state == "unread")
    query = select(ingest_payloads.c.id, func.length(ingest_payloads.c.body)).where(*mine)
    newest = connection.execute(query.order_by(ingest_payloads.c.received_at.desc(), ingest_payloads.c.id.desc()))
    size, gone = 0, []
    for place, (identifier, length) in enumerate(newest):
        size += length
        if place and (place >= most or size > most_bytes):
            gone.append(identifier)
    for batch in in_batches(gone, 500):
        connection.execute(
            delete(ingest_payloads).where(ingest_payloads.c.org_id == org_id, ingest_payloads.c.id.in_(batch))
        )
    return gone


def dead_letters(connection: Connection, org_id: str | None) -> list[Stored]:
    """What is still to be read, oldest first, of one organization or of all; its columns are ``LISTED``."""
    query = _to_read(org_id, select(*(ingest_payloads.c[name] for name in LISTED)))
    return [tuple(row) for row in connection.execute(query)]


def dead_letter(connection: Connection, identifier: str, org_id: str | None) -> IngestPayloadRow | None:
    """One of them, whole."""
    query = _to_read(org_id, select(ingest_payloads)).where(ingest_payloads.c.id == identifier)
    return select_first(connection, ingest_payloads, query)


def _to_read(org_id: str | None, query: Select[Stored]) -> Select[Stored]:
    query = query.where(ingest_payloads.c.state.in_(PAYLOADS_TO_READ))
    if org_id is not None:
        query = query.where(ingest_payloads.c.org_id == org_id)
    return query.order_by(ingest_payloads.c.received_at, ingest_payloads.c.id)


def payload(connection: Connection, org_id: str, identifier: str) -> IngestPayloadRow | None:
    """What came, whatever became of it."""
    mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.id == identifier)
    payload_rows = select_rows(connection, ingest_payloads, select(ingest_payloads).where(*mine))
    return payload_rows[0] if payload_rows else None


def note_reason(connection: Connection, org_id: str, identifier: str, reason: str) -> None:
    """Why a dead letter could not be read this time."""
    mine = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.id == identifier)
    connection.execute(update(ingest_payloads).where(*mine).values(reason=reason))


def purge_payloads(connection: Connection, org_id: str, before: datetime, now: datetime) -> int:
    """Drop what came before a moment, but for what a legal hold keeps; returns how many went."""
    holds = active_holds(connection, org_id, now)
    if any(hold.everything for hold in holds):
        return 0
    named = [hold.incident_id for hold in holds if hold.incident_id]
    held = select(incident_timeline.c.payload_id).where(
        incident_timeline.c.org_id == org_id,
        incident_timeline.c.incident_id.in_(named),
        incident_timeline.c.payload_id.is_not(None),
    )
    old = (ingest_payloads.c.org_id == org_id, ingest_payloads.c.received_at < before)
    gone = connection.execute(delete(ingest_payloads).where(*old, ingest_payloads.c.id.not_in(held))).rowcount
    forgotten = (early_events.c.org_id == org_id, early_events.c.seen_at < before)
    connection.execute(delete(early_events).where(*forgotten))
    return gone
