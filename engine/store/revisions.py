"""Revisions: the only way to write.

A revision holds an organization's head under a lock, stamps every row that it changes with its own number, appends
at least one event to the audit chain, moves the head and commits. All of it or nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, and_, bindparam, case, select, tuple_, update

from engine.model.errors import Problem
from engine.model.vocabulary import Outcome
from engine.store.chain import ChainedEvent, EventRow, link
from engine.store.events import BATCH
from engine.store.heads import move_head
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organizations
from engine.store.statements import CompiledStatement, Values
from engine.store.types import canonical_json, instant_text
from engine.store.write_buffer import Lookup, WriteBuffer

T = TypeVar("T")
V = TypeVar("V")


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of up to ``size`` items, in order."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


class Counts(NamedTuple):
    """What an upsert did."""

    created: int
    updated: int
    unchanged: int


# Statements are built once for each shape: building them anew costs more than running them.


@cache
def _defaults(table: Table) -> dict[str, object]:
    return {c.name: c.info["default"] for c in table.columns if c.info.get("default") is not None}


@cache
def _insert(table: Table, names: tuple[str, ...]) -> CompiledStatement:
    return CompiledStatement(table.insert().values({name: bindparam(name, type_=table.c[name].type) for name in names}))


@cache
def _update(table: Table, key: tuple[str, ...], values: tuple[str, ...]) -> CompiledStatement:
    """Change the row of an organization with that key; counts a move of the table's due date."""
    owner = table.c.id if table is organizations else table.c.org_id
    new: dict[str, ColumnElement[object]] = {
        name: bindparam(f"_new_{name}", type_=table.c[name].type) for name in values
    }
    due: str | None = table.info.get("due")
    if due and due in new:
        moved = and_(table.c[due].is_not(None), table.c[due].is_distinct_from(new[due]))
        new["moves"] = case((moved, table.c.moves + 1), else_=table.c.moves)
    own = [table.c[name] == bindparam(f"_key_{name}", type_=table.c[name].type) for name in key]
    return CompiledStatement(update(table).where(owner == bindparam("_org"), *own).values(new))


class Note(NamedTuple):
    """An audit event of our own, as ``Revision.record`` takes it."""

    action: str
    object_type: str | None = None
    object_id: str | None = None
    outcome: Outcome = "success"
    workspace_id: str | None = None
    controls: str | None = None
    details: Mapping[str, object] | None = None


class Revision:
    """One write to one organization. Made by ``Store.revision``; ``seq`` is the stamp of the rows it changes."""

    def __init__(
        self,
        connection: Connection,
        org_id: str,
        actor: str,
        now: datetime,
        head: tuple[int, str],
        held: WriteBuffer | None = None,
    ) -> None:
        self._connection = connection
        self._held = held or WriteBuffer(connection, org_id)
        self.org_id = org_id
        self.actor = actor
        self.now = now
        self.start = head
        self.head = head
        self.seq = head[0] + 1
        self.touched = False

    @property
    def connection(self) -> Connection:
        """The transaction; what was written and recorded so far is in it."""
        self._held.settle()
        self._held.events.store()
        return self._connection

    @property
    def records(self) -> Connection:
        """The same for tables other than the audit log: events still wait, to be stored together."""
        self._held.settle()
        return self._connection

    # -- the audit chain -------------------------------------------------------------------------------------------

    def record(
        self,
        action: str,
        *,
        object_type: str | None = None,
        object_id: str | None = None,
        outcome: Outcome = "success",
        workspace_id: str | None = None,
        controls: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> int:
        """Append one event of our own, now, by the revision's actor; returns its sequence number."""
        note = Note(action, object_type, object_id, outcome, workspace_id, controls, details)
        self.record_all([note])
        return self.head[0]

    def record_all(self, notes: Iterable["Note"]) -> int:
        """Append many events of our own in one go; returns how many."""
        first = self.head[0] + 1
        return self.append_events(
            EventRow(
                f"hq:{seq}", self.now, self.actor, note.action, note.object_type, note.object_id, note.outcome,
                note.workspace_id, note.controls, None if note.details is None else canonical_json(note.details),
            )
            for seq, note in enumerate(notes, first)
        )  # fmt: skip

    def append_events(self, events: Iterable[EventRow]) -> int:
        """Chain ``events`` in their order and store them; returns how many. Memory: two batches of 20,000."""
        recorded_at, org_id, stamp = instant_text(self.now), self.org_id, self.seq
        count = 0
        for batch in in_batches(events, BATCH):
            seq, previous = self.head
            rows = []
            for event in batch:
                seq += 1
                at = instant_text(event[1])
                # fmt: off
                chained = ChainedEvent(
                    event[3], event[2], event[8], event[9], event[0], event[5], event[4], at, org_id, event[6],
                    recorded_at, stamp, seq, event[7],
                )
                # fmt: on
                previous = link(previous, chained)
                rows.append((org_id, seq, event[0], stamp, at, recorded_at, *event[2:], previous))
            self._held.events.add(rows)
            self.head = (seq, previous)
            count += len(rows)
        self.touched = self.touched or count > 0
        return count

    def known_events(self, ids: Sequence[str]) -> dict[str, EventRow]:
        """Those of ``ids`` that are recorded already, with their content."""
        known = {}
        names = EventRow._fields
        self._held.events.store()
        for batch in in_batches(ids, 10_000):
            query = select(*(audit_log.c[name] for name in names)).where(
                audit_log.c.org_id == self.org_id, audit_log.c.event_id.in_(batch)
            )
            for row in self.records.execute(query):
                details = row.details
                event = EventRow(*row)
                known[event.event_id] = event._replace(details=None if details is None else canonical_json(details))
        return known

    # -- rows ------------------------------------------------------------------------------------------------------

    def insert(self, table: Table, rows: Sequence[Values]) -> None:
        """Add rows (without ``org_id`` and ``revision``); absent columns take their declared default, else null."""
        stamp = {**self._owner(table), "revision": self.seq}
        complete = [{**_defaults(table), **row, **stamp} for row in rows]
        for names, group in groupby(complete, key=tuple):
            few = list(group)
            if len(few) == 1:
                _insert(table, names).run(self.records, few[0])
            else:
                self.records.execute(table.insert(), few)
        self.touched = self.touched or bool(rows)

    def update(self, table: Table, key: Values, values: Values) -> bool:
        """Change one row of the organization; False when there is none with that key."""
        given = {
            "_org": self.org_id,
            **{f"_key_{name}": value for name, value in key.items()},
            **{f"_new_{name}": value for name, value in values.items()},
            "_new_revision": self.seq,
        }
        changed = _update(table, tuple(key), (*values, "revision")).run(self.records, given)
        self.touched = self.touched or changed > 0
        return changed > 0

    # -- rows that wait for those of other revisions ------------------------------------------------------------------

    def look_up(self, read: Lookup[V], keys: Sequence[str]) -> dict[str, V | None]:
        """What ``read`` finds under each key, None for nothing; from memory where the store did not change since."""
        return self._held.look_up(read, keys)

    def learn(self, read: Lookup[V], key: str, value: V | None) -> None:
        """What ``read`` finds under a key from now on, because of ``insert_soon`` or ``update_soon``."""
        self._held.learn(read, key, value)

    def insert_soon(self, table: Table, row: Values) -> None:
        """Add a row like ``insert``, together with those of other revisions in the transaction.

        It is written before anybody reads through ``connection`` or ``records``. A table without revisions gets a row
        beside the chain: that alone moves no head and needs no event, and ``Store.write`` commits it all the same.
        """
        self._held.insert(table, {**_defaults(table), **row, "org_id": self.org_id, **self._stamp(table)})

    def update_soon(self, table: Table, key: Values, values: Values) -> None:
        """Change a row that is known to be there, by its primary key; else like ``insert_soon``."""
        if table.info.get("due") in values:
            raise ValueError(f"moves of {table.info['due']} are counted by update, not by update_soon")
        self._held.update(table, {"org_id": self.org_id, **key}, {**values, **self._stamp(table)})

    def _stamp(self, table: Table) -> dict[str, int]:
        """The revision of a row that changes, where its table keeps that."""
        if "revision" not in table.c:
            return {}
        self.touched = True
        return {"revision": self.seq}

    # -- many rows -----------------------------------------------------------------------------------------------------

    def upsert(self, table: Table, rows: Sequence[Values]) -> Counts:
        """Insert rows with new keys, change those that differ in a given column, leave the rest untouched."""
        keys: tuple[str, ...] = table.info["primary"]
        empty = self.records.execute(select(table.c.revision).where(*self._mine(table)).limit(1)).first() is None
        created = updated = 0
        for batch in in_batches(rows, 500):
            known = {} if empty else self._existing(table, keys, batch)
            new, changes = [], []
            for row in batch:
                old = known.get(tuple(row[name] for name in keys))
                if old is None:
                    new.append(row)
                elif differing := {name: value for name, value in row.items() if old[name] != value}:
                    changes.append((row, differing))
            self.insert(table, new)
            for row, differing in changes:
                self.update(table, {name: row[name] for name in keys}, differing)
            created, updated = created + len(new), updated + len(changes)
        return Counts(created, updated, len(rows) - created - updated)

    def _existing(
        self, table: Table, keys: Sequence[str], rows: Sequence[Values]
    ) -> dict[tuple[object, ...], RowMapping]:
        query = select(table).where(*self._mine(table))
        if keys:
            wanted = [tuple(row[name] for name in keys) for row in rows]
            query = query.where(tuple_(*(table.c[name] for name in keys)).in_(wanted))
        found = self.records.execute(query).mappings()
        return {tuple(row[name] for name in keys): row for row in found}

    def _owner(self, table: Table) -> dict[str, str]:
        return {"id" if table is organizations else "org_id": self.org_id}

    def _mine(self, table: Table) -> list[ColumnElement[bool]]:
        return [table.c[name] == value for name, value in self._owner(table).items()]

    # -- the end ---------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Every change needs an audit event; a write without one is a fault of the caller."""
        if self.head == self.start:
            raise Problem(f"A write to {self.org_id} by {self.actor} recorded no audit event; nothing was changed.")

    def close(self) -> None:
        """Check, store what waits, and move the head."""
        self.check()
        self._held.store()
        move_head(self._connection, self.org_id, self.start, self.head, self.now)
