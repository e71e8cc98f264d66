"""What was written between two positions of a chain: rows before and after, and the events that tell who did it."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection, or_, select

from engine.store.log.log_lines import LoggedRow, key_json, logged_texts, read_json, read_raw
from engine.store.queries.history.positions import write_end
from engine.store.schema.audit import audit_log, change_log

EVENTS_OF_A_WRITE = 200  # that are looked at; an import may bring a million
_AT_ONCE = 100


class RowWrite(NamedTuple):
    """A row that a write changed: whole as it became, None where it went, and as it was.

    ``before`` is None for a row that was not there, and for one whose earlier version retention removed.
    """

    revision: int
    table: str
    key: tuple[object, ...]
    before: dict[str, object] | None
    after: dict[str, object] | None


class WriteEvent(msgspec.Struct, frozen=True):
    """An audit event, as far as it tells who did what when; from the store, or from the log of an archive."""

    seq: int
    revision: int
    event_id: str
    recorded_at: datetime
    actor: str
    action: str
    object_id: str | None


_Address: TypeAlias = tuple[str, tuple[object, ...]]
_COLUMNS = [audit_log.c[name] for name in WriteEvent.__struct_fields__]


def writes_between(
    connection: Connection, org_id: str, tables: Collection[str], after: int, until: int
) -> list[RowWrite]:
    """Rows of ``tables`` that revisions beyond ``after`` changed, up to ``until``, in their order."""
    begins = tuple(b'["%s",' % name.encode() for name in sorted(tables))
    written = [(revision, read_json(text)) for revision, text in _texts(connection, org_id, begins, after + 1, until)]
    latest = _earlier(connection, org_id, begins, after, {(row.table, row.key) for _, row in written})
    row_writes = []
    for revision, row in written:
        was = latest.get((row.table, row.key))
        row_writes.append(RowWrite(revision, row.table, row.key, None if was is None else was.values, row.values))
        latest[row.table, row.key] = row
    return row_writes


def events_of(
    connection: Connection, org_id: str, revisions: Collection[int], head: int
) -> dict[int, list[WriteEvent]]:
    """The first events of each of these revisions in their order, and the last, which commits to what was written."""
    write_events: dict[int, list[WriteEvent]] = {}
    wanted = sorted(revisions)
    for start in range(0, len(wanted), _AT_ONCE):
        spans = [
            audit_log.c.seq.between(revision, revision + EVENTS_OF_A_WRITE - 1) & (audit_log.c.revision == revision)
            for revision in wanted[start : start + _AT_ONCE]
        ]
        query = select(*_COLUMNS).where(audit_log.c.org_id == org_id, or_(*spans)).order_by(audit_log.c.seq)
        for row in connection.execute(query):
            write_events.setdefault(row.revision, []).append(WriteEvent(*row))
    for revision, events in write_events.items():
        if len(events) == EVENTS_OF_A_WRITE:
            last = write_end(connection, org_id, revision, head)
            row = connection.execute(
                select(*_COLUMNS).where(audit_log.c.org_id == org_id, audit_log.c.seq == last)
            ).one()
            events.append(WriteEvent(*row))
    return write_events


def events_named(connection: Connection, org_id: str, event_ids: Collection[str]) -> dict[str, WriteEvent]:
    """Those of these events that are in the chain."""
    write_events = {}
    wanted = sorted(event_ids)
    for start in range(0, len(wanted), 500):
        some = audit_log.c.event_id.in_(wanted[start : start + 500])
        query = select(*_COLUMNS).where(audit_log.c.org_id == org_id, some)
        write_events.update({row.event_id: WriteEvent(*row) for row in connection.execute(query)})
    return write_events


def _texts(
    connection: Connection, org_id: str, begins: tuple[bytes, ...], first: int, last: int, *, newest_first: bool = False
) -> Iterator[tuple[int, bytes]]:
    """The lines of rows whose text begins so, with the revision that wrote each."""
    log = change_log.c
    query = select(log.revision, log.body).where(log.org_id == org_id, log.revision.between(first, last))
    order = (log.revision.desc(), log.part.desc()) if newest_first else (log.revision, log.part)
    with connection.execute(query.order_by(*order).execution_options(yield_per=200)) as parts:
        for revision, body in parts:
            yield from ((revision, text) for text in logged_texts(body) if text.startswith(begins))


def _earlier(
    connection: Connection, org_id: str, begins: tuple[bytes, ...], until: int, wanted: set[_Address]
) -> dict[_Address, LoggedRow]:
    """The last version of each wanted row up to a revision; it looks no further back than it must."""
    missing = {(table, key_json(key)): (table, key) for table, key in wanted}
    found: dict[_Address, LoggedRow] = {}
    if not missing:
        return found
    for _, text in _texts(connection, org_id, begins, 1, until, newest_first=True):
        raw = read_raw(text)
        address = missing.pop((raw.table, raw.key), None)
        if address is not None:
            found[address] = read_json(text)
            if not missing:
                break
    return found
