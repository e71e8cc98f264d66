"""Where an organization's chain stood: at the end of a day, after a write, and from where on there is an answer."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from engine.model.documents.document import Position
from engine.store.schema.audit import audit_log, chain_cuts, change_log


@dataclass(frozen=True)
class HistoryStart:
    """The first write whose records are there as they were: its first event, when it was recorded, and what it is
    the first of."""

    seq: int
    recorded_at: datetime
    why: str


def history_start(connection: Connection, org_id: str) -> HistoryStart | None:
    """From where on the change log and the chain answer; None where there is neither."""
    event = select(audit_log.c.seq, audit_log.c.recorded_at).where(audit_log.c.org_id == org_id)
    first = connection.execute(event.order_by(audit_log.c.seq).limit(1)).first()
    logged = connection.execute(select(func.min(change_log.c.revision)).where(change_log.c.org_id == org_id)).scalar()
    if first is None or logged is None:
        return None
    if logged <= first.seq:
        why = "the records begin then" if first.seq == 1 else "retention removed what was before"
        return HistoryStart(first.seq, first.recorded_at, why)
    row = connection.execute(event.where(audit_log.c.seq == logged)).one()
    return HistoryStart(row.seq, row.recorded_at, "what was before is not in the change log")


def recorded_before(connection: Connection, org_id: str, end: datetime, *, after: int = 0) -> Position | None:
    """The last position that was recorded before ``end``, if there is one after ``after``."""
    query = select(audit_log.c.seq, audit_log.c.hash).where(
        audit_log.c.org_id == org_id, audit_log.c.seq > after, audit_log.c.recorded_at < end
    )
    row = connection.execute(query.order_by(audit_log.c.seq.desc()).limit(1)).first()
    return None if row is None else Position(row.seq, row.hash)


def is_part(connection: Connection, org_id: str, position: Position) -> bool:
    """Whether the chain still has that position."""
    query = select(audit_log.c.hash).where(audit_log.c.org_id == org_id, audit_log.c.seq == position.seq)
    return bool(connection.execute(query).scalar() == position.hash)


def write_at(connection: Connection, org_id: str, seq: int) -> tuple[Position, datetime] | None:
    """The last position up to ``seq`` that is the end of a write, and when it was recorded; None before all."""
    rows = connection.execute(
        select(audit_log.c.seq, audit_log.c.revision).where(
            audit_log.c.org_id == org_id, audit_log.c.seq.in_([seq, seq + 1])
        )
    ).all()
    revisions = {row.seq: row.revision for row in rows}
    if seq not in revisions:
        return None
    end = seq if revisions.get(seq + 1) != revisions[seq] else revisions[seq] - 1
    row = connection.execute(
        select(audit_log.c.hash, audit_log.c.recorded_at).where(audit_log.c.org_id == org_id, audit_log.c.seq == end)
    ).first()
    return None if row is None else (Position(end, row.hash), row.recorded_at)


def write_end(connection: Connection, org_id: str, seq: int, head: int) -> int:
    """The last position of the write that ``seq`` is in: revisions rise along the chain, so halving finds it."""
    query = select(audit_log.c.revision).where(audit_log.c.org_id == org_id)
    revision = connection.execute(query.where(audit_log.c.seq == seq)).scalar_one()
    low, high = seq, head
    while low < high:
        middle = (low + high + 1) // 2
        if connection.execute(query.where(audit_log.c.seq == middle)).scalar_one() == revision:
            low = middle
        else:
            high = middle - 1
    return low


def was_position(connection: Connection, org_id: str, position: Position) -> bool:
    """Whether the chain has that position, or had it before retention removed its events."""
    cut: int | None = connection.execute(
        select(func.max(chain_cuts.c.seq)).where(chain_cuts.c.org_id == org_id)
    ).scalar()
    return position.seq <= (cut or 0) or is_part(connection, org_id, position)
