"""Revisions: the only way to write.

A revision holds an organization's head under a lock, stamps every row that it changes with its own number, logs the
row as it became, appends at least one event to the audit chain, the last of which commits to those rows, moves the head
and commits. All of it or nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, delete, select, tuple_, update

from engine.model.errors import Problem
from engine.model.vocabulary import Outcome
from engine.store.chain.chain import EventRow, SpelledEvent, own_event_id
from engine.store.chain.event_chain import EventChain
from engine.store.chain.heads import move_head, start_chain
from engine.store.log.log_lines import Erasure
from engine.store.log.log_writer import LogWriter
from engine.store.log.parts import part_of
from engine.store.schema.organizations import organizations
from engine.store.types import canonical_json
from engine.store.writing.batches import in_batches
from engine.store.writing.guarded_connection import GuardedConnection
from engine.store.writing.row_statements import defaults, empty_row, insert_one, update_one
from engine.store.writing.statements import Values
from engine.store.writing.write_buffer import Lookup, WriteBuffer

V = TypeVar("V")


class Counts(NamedTuple):
    """What an upsert did."""

    created: int
    updated: int
    unchanged: int


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
        buffer: WriteBuffer | None = None,
    ) -> None:
        self._connection = connection
        self._buffer = buffer or WriteBuffer(connection, org_id)
        self.org_id = org_id
        self.actor = actor
        self.now = now
        self.start = head
        self.seq = head[0] + 1
        self.touched = False
        self._events = EventChain(self._buffer.events, org_id, self.seq, now, head)
        self._log = LogWriter(self._buffer, org_id, self.seq)

    @property
    def last_seq(self) -> int:
        """The sequence number of the newest event."""
        return self._events.last_seq

    @property
    def connection(self) -> Connection:
        """The transaction, for queries alone; what was written so far is in it, but for the newest event."""
        self._buffer.settle()
        self._buffer.events.store()
        return GuardedConnection(self._connection)

    @property
    def records(self) -> Connection:
        """The same for tables other than the audit log: events still wait, to be stored together."""
        return GuardedConnection(self._flush())

    @property
    def side_tables(self) -> Connection:
        """Like ``records``; it also changes tables that the change log does without."""
        return GuardedConnection(self._flush(), unlogged=True)

    @contextmanager
    def overwriting(self) -> Iterator[None]:
        """In the block, SQLite writes zeros over what changes give up: a secret does not stay behind in its file."""
        connection = self._flush()
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
        try:
            yield
            self._buffer.settle()
        finally:
            if sqlite:
                connection.exec_driver_sql("PRAGMA secure_delete=OFF")

    def _flush(self) -> Connection:
        self._buffer.settle()
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
        return self.last_seq

    def record_all(self, notes: Iterable["Note"]) -> int:
        """Append many events of our own in one go; returns how many."""
        first = self.last_seq + 1
        return self.append_events(
            EventRow(
                own_event_id(seq),
                self.now,
                self.actor,
                note.action,
                note.object_type,
                note.object_id,
                note.outcome,
                note.workspace_id,
                note.controls,
                None if note.details is None else canonical_json(note.details),
            )
            for seq, note in enumerate(notes, first)
        )

    def append_events(self, events: Iterable[EventRow | SpelledEvent]) -> int:
        """Chain ``events`` in their order and store them; returns how many. Memory: two batches of 10,000."""
        count = self._events.append(events)
        self.touched = self.touched or count > 0
        return count

    def recorded_events(self, ids: Sequence[str]) -> dict[str, EventRow]:
        """Those of ``ids`` that are recorded already, with their content."""
        return self._events.recorded_events(self.records, ids)

    # -- rows ------------------------------------------------------------------------------------------------------

    def insert(self, table: Table, rows: Sequence[Values]) -> None:
        """Add rows (without ``org_id`` and ``revision``); absent columns take their declared default, else null."""
        stamp = {**self._owner(table), "revision": self.seq}
        complete = [{**defaults(table), **row, **stamp} for row in rows]
        for names, group in groupby(complete, key=tuple):
            few = list(group)
            if len(few) == 1:
                insert_one(table, names).run(self._flush(), few[0])
            else:
                self._flush().execute(table.insert(), few)
            for row in few:
                self._log.put(table, row)
        self.touched = self.touched or bool(rows)

    def create(self, values: Values) -> None:
        """Make the organization itself, with these columns; alone it is no change."""
        self.insert(organizations, [{"name": self.org_id, "time_zone": "UTC", **values}])
        start_chain(self._connection, self.org_id, self.now)
        self.touched = False

    def update(self, table: Table, key: Values, values: Values) -> bool:
        """Change one row of the organization; False when there is none with that key."""
        given = {
            "_org": self.org_id,
            **{f"_key_{name}": value for name, value in key.items()},
            **{f"_new_{name}": value for name, value in values.items()},
            "_new_revision": self.seq,
        }
        names = table.c.keys()
        changed = update_one(table, tuple(key), (*values, "revision")).all(self._flush(), given)
        for row in changed:
            self._log.put(table, dict(zip(names, row, strict=True)))
        self.touched = self.touched or bool(changed)
        return bool(changed)

    def update_where(self, table: Table, values: Values, *where: ColumnElement[bool]) -> list[dict[str, object]]:
        """Change all rows of the organization that match; returns them as they became."""
        change = update(table).where(*self._mine(table), *where).values({**values, "revision": self.seq})
        changed = [dict(row) for row in self._flush().execute(change.returning(*table.c)).mappings()]
        for row in changed:
            self._log.put(table, row)
        self.touched = self.touched or bool(changed)
        return changed

    def delete(self, table: Table, *where: ColumnElement[bool]) -> list[tuple[object, ...]]:
        """Remove those rows of the organization that match; returns their keys. Their going is logged."""
        key = [table.c[name] for name in table.info["primary"]]
        gone = self._flush().execute(delete(table).where(*self._mine(table), *where).returning(*key)).all()
        for row in gone:
            self._log.log_delete(table, tuple(row))
        self.touched = self.touched or bool(gone)
        return [tuple(row) for row in gone]

    def replace(self, table: Table, key: Values, row: Values) -> None:
        """Put a row in the place of the one with another key. That the old one went is not logged: its versions are to
        be read under the new key. Where that key is there, the old row goes and nothing is added."""
        connection = self._flush()
        connection.execute(delete(table).where(*self._mine(table), *(table.c[name] == key[name] for name in key)))
        there = select(table.c.revision).where(*self._mine(table), *(table.c[name] == row[name] for name in key))
        if connection.execute(there).first() is None:
            self.insert(table, [{name: row[name] for name in row if name not in ("org_id", "revision")}])

    def log_as_it_is(self, table: Table, row: Values) -> None:
        """Log a row that does not change: one from before there was a log."""
        self._log.put(table, row, earlier=True)

    def log_erasure(self, erasure: Erasure) -> None:
        """Log that these lines of an earlier write are gone from the log, but for their leaves."""
        self._log.log_erasure(erasure)

    # -- rows that wait for those of other revisions ------------------------------------------------------------------

    def look_up(self, read: Lookup[V], keys: Sequence[str]) -> dict[str, V | None]:
        """What ``read`` finds under each key, None for nothing; from memory where the store did not change since."""
        return self._buffer.look_up(read, keys)

    def cache_lookup(self, read: Lookup[V], key: str, value: V | None) -> None:
        """Cache what ``read`` will find under a key after ``buffer_insert`` or ``buffer_update``."""
        self._buffer.cache_lookup(read, key, value)

    def buffer_insert(self, table: Table, row: Values) -> dict[str, object]:
        """Add a row like ``insert``, together with those of other revisions in the transaction; returns all of it.

        It is written before anybody reads through ``connection`` or ``records``. A table without revisions gets a row
        beside the chain: that alone moves no head and needs no event, and ``Store.write`` commits it all the same.
        """
        complete = {**empty_row(table), **row, "org_id": self.org_id, **self._stamp(table)}
        self._buffer.insert(table, complete)
        self._log.put(table, complete)
        return complete

    def buffer_update(self, table: Table, row: Values, values: Values) -> None:
        """Change a row that is known to be there; else like ``buffer_insert``. ``row``: as it was known until now,
        whole where its table is logged, else its primary key."""
        if table.info.get("due") in values:
            raise ValueError(f"moves of {table.info['due']} are counted by update, not by buffer_update")
        key = {name: row[name] for name in table.info["primary"]}
        self._buffer.update(table, {"org_id": self.org_id, **key}, {**values, **self._stamp(table)})
        self._log.put(table, {**row, **values})

    def _stamp(self, table: Table) -> dict[str, int]:
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

    def seal(self) -> tuple[int, str]:
        """Chain the last event, which commits to the changed rows; returns the head that this leaves.

        Every change needs an audit event; a write without one is a fault of the caller.
        """
        head = self._events.seal(self._log.finish())
        if head is None:
            raise Problem(f"A write to {self.org_id} by {self.actor} recorded no audit event; nothing was changed.")
        self._buffer.move_parts([*self._log.tables, *map(part_of, self._events.actions)], head)
        return head

    def close(self) -> None:
        """Seal, store what waits, and move the head."""
        head = self.seal()
        self._buffer.store()
        move_head(self._connection, self.org_id, self.start, head, self.now)
