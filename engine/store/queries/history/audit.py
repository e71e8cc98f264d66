"""Reads of the audit log that go through all of it, in pages, so that memory does not grow with its length."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Text, and_, func, select, type_coerce

from engine.model.records import IncidentRow
from engine.model.vocabulary import Outcome
from engine.store.chain.chain import GENESIS
from engine.store.rows import TableQuery, select_rows
from engine.store.schema.audit import audit_log, chain_cuts
from engine.store.schema.organizations import heads
from engine.store.schema.services import incidents
from engine.store.store import Store
from engine.store.types import instant_text
from engine.store.writing.statements import Stored

PAGE = 10_000
_INSTANTS = ("occurred_at", "recorded_at")


class AuditEntry(NamedTuple):
    """An event in its place in the chain, its values as they were hashed: instants and details are text."""

    seq: int
    event_id: str
    occurred_at: str
    recorded_at: str
    actor: str
    action: str
    object_type: str | None
    object_id: str | None
    outcome: Outcome
    workspace_id: str | None
    controls: str | None
    details: str | None
    revision: int
    changes: str | None
    previous_hash: str | None
    hash: str


COLUMNS = AuditEntry._fields
_PLAIN = COLUMNS[:-2]


def events_until(store: Store, org_id: str, last: int, since: datetime | None) -> Iterator[list[AuditEntry]]:
    """What anybody did in the organization up to a position of the chain."""
    return _pages(store, org_id, since, audit_log.c.seq <= last)


def events_between(store: Store, org_id: str, first: int, last: int) -> Iterator[list[AuditEntry]]:
    """A stretch of the chain, both ends included."""
    return _pages(store, org_id, None, audit_log.c.seq.between(first, last))


def position(connection: Connection, org_id: str) -> tuple[int, str]:
    """Where the chain stands in what ``connection`` sees: the last position and its hash."""
    row = connection.execute(select(heads.c.last_seq, heads.c.hash).where(heads.c.org_id == org_id)).one()
    return row.last_seq, row.hash


def entries(store: Store, org_id: str, after: int, last: int, condition: ColumnElement[bool]) -> list[AuditEntry]:
    """The events of a stretch that meet a condition, without the one that it comes after."""
    every = _pages(store, org_id, None, and_(audit_log.c.seq > after, audit_log.c.seq <= last, condition))
    return [entry for page in every for entry in page]


def _pages(
    store: Store, org_id: str, since: datetime | None, condition: ColumnElement[bool]
) -> Iterator[list[AuditEntry]]:
    """Each page is a transaction of its own, up to the head that stood when the first was read."""
    head = store.head(org_id)
    after, last = 0, head.seq if head else 0
    query = _query(org_id).where(condition, audit_log.c.seq <= last)
    if since is not None:
        query = query.where(audit_log.c.occurred_at >= since)
    while True:
        with store.reader() as connection:
            rows = connection.execute(query.where(audit_log.c.seq > after)).all()
            page = [_complete(connection, org_id, row) for row in rows]
        yield page
        if len(page) < PAGE:
            return
        after = page[-1].seq


def _query(org_id: str) -> TableQuery:
    before = audit_log.alias("before")
    as_text = {*_INSTANTS, "details"}
    plain = [type_coerce(audit_log.c[name], Text) if name in as_text else audit_log.c[name] for name in _PLAIN]
    linked = audit_log.outerjoin(before, and_(before.c.org_id == org_id, before.c.seq == audit_log.c.seq - 1))
    query = select(*plain, before.c.hash, audit_log.c.hash).select_from(linked)
    return query.where(audit_log.c.org_id == org_id).order_by(audit_log.c.seq).limit(PAGE)


def _complete(connection: Connection, org_id: str, row: Row[*Stored]) -> AuditEntry:
    values = row if connection.dialect.name == "sqlite" else map(_as_text, row)
    entry = AuditEntry._make(values)
    if entry.previous_hash is None:
        return entry._replace(previous_hash=_hash_before(connection, org_id, entry.seq))
    return entry


def _as_text(value: object) -> object:
    return instant_text(value) if isinstance(value, datetime) else value


def hash_before(connection: Connection, org_id: str, seq: int) -> str | None:
    """The hash of the event before a position; None where nothing is known of it."""
    stored = select(audit_log.c.hash).where(audit_log.c.org_id == org_id, audit_log.c.seq == seq - 1)
    found: str | None = connection.execute(stored).scalar()
    return found or _hash_before(connection, org_id, seq)


def _hash_before(connection: Connection, org_id: str, seq: int) -> str | None:
    """The hash before the first event that is kept: what retention noted at its cut, or that of the beginning."""
    if seq == 1:
        return GENESIS
    query = select(chain_cuts.c.hash).where(chain_cuts.c.org_id == org_id, chain_cuts.c.seq == seq - 1)
    return connection.execute(query).scalar()


def count_of(connection: Connection, org_id: str, actor: str) -> int:
    """How many events of the organization a person caused."""
    query = select(func.count()).where(audit_log.c.org_id == org_id, audit_log.c.actor == actor)
    return int(connection.execute(query).scalar_one())


def incidents_of(connection: Connection, org_id: str, email: str) -> list[IncidentRow]:
    """Incidents that a person owns or opened, in the order in which they were opened."""
    opened = select(audit_log.c.object_id).where(
        audit_log.c.org_id == org_id, audit_log.c.actor == email, audit_log.c.action == "incident.opened"
    )
    query = select(incidents).where(
        incidents.c.org_id == org_id, (incidents.c.owner == email) | incidents.c.id.in_(opened)
    )
    return select_rows(connection, incidents, query.order_by(incidents.c.opened_at, incidents.c.id))
