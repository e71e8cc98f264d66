"""What changed since a revision, as Arrow: the only bulk read of the operational store.

One read transaction sees the head and every row up to it, so a replica that applies the batches stands exactly at
that head.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from sqlalchemy import Table
from sqlalchemy.engine import make_url

from engine.model.documents.document import Position
from engine.store.database.bulk_read import BulkRead, PostgresRead, SqliteRead, stamp
from engine.store.database.faults import fault_of, log_problem, store_faults
from engine.store.database.sqlite_files import connect
from engine.store.log.log_lines import LoggedRow, logged_rows, row_deletions
from engine.store.log.parts import PERSON_ERASED, part_of
from engine.store.schema import REPLICATED
from engine.store.writing.statements import Stored

if TYPE_CHECKING:  # SQLite does without the driver
    from adbc_driver_manager.dbapi import Connection as PostgresConnection
    from adbc_driver_manager.dbapi import Cursor as PostgresCursor

# ruff: noqa: S608 -- names of tables and columns are ours

_ALWAYS = {"audit_log", "table_heads"}  # each write adds an event, and moves the head of its part


@dataclass
class ChangeReader:
    """One organization at one moment: where its chain stands, and the rows changed since an earlier revision."""

    org_id: str
    head: Position | None
    since: int
    _source: BulkRead
    _moved: frozenset[str] | None = None

    def hash_at(self, seq: int) -> str | None:
        """The hash of the chain at ``seq``, to tell whether the store is still the one that was replicated."""
        rows = self._source.rows("SELECT hash FROM audit_log WHERE org_id = ? AND seq = ?", (self.org_id, seq))
        return rows[0][0] if rows else None

    def erased_since(self) -> bool:
        """Whether a person was erased after ``since``: who has the rows of before is to lose them."""
        return part_of(PERSON_ERASED) in self._moved_parts()

    def start_over(self) -> None:
        """Read everything: what was copied is of no use."""
        self.since, self._moved = 0, None

    def tables(self) -> list[Table]:
        """Replicated tables with a row changed after ``since``."""
        if self.since:
            moved = self._moved_parts() | _ALWAYS
            return [table for name, table in REPLICATED.items() if name in moved]
        parts = [  # the table heads know nothing of writes from before there were any
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name} WHERE {_owner(table)} = ? AND {stamp(table)} > ?)"
            for name, table in REPLICATED.items()
        ]
        return [REPLICATED[name] for (name,) in self._of_tables(parts, (self.org_id, 0))]

    def _moved_parts(self) -> frozenset[str]:
        """The parts that writes after ``since`` changed; a copy that stands there is younger than the table heads."""
        if self._moved is None:
            query = "SELECT part FROM table_heads WHERE org_id = ? AND revision > ?"
            self._moved = frozenset(part for (part,) in self._source.rows(query, (self.org_id, self.since)))
        return self._moved

    def row_counts(self, skipped: Collection[str] = ()) -> dict[str, int]:
        """How many rows the organization has in each replicated table but those ``skipped``; none are left out."""
        parts = [
            f"SELECT '{name}', count(*) FROM {name} WHERE {_owner(table)} = ?"
            for name, table in REPLICATED.items()
            if name not in skipped
        ]
        return {name: count for name, count in self._of_tables(parts, (self.org_id,)) if count}

    def _of_tables(self, parts: Sequence[str], parameters: tuple[str | int, ...]) -> list[Stored]:
        tables: list[Stored] = []
        for start in range(0, len(parts), 40):  # an engine joins and binds only so many at once
            some = parts[start : start + 40]
            tables += self._source.rows(" UNION ALL ".join(some), parameters * len(some))
        return tables

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """The changed rows of a table, all columns, in batches of bounded size."""
        where = f"WHERE {_owner(table)} = ? AND {stamp(table)} > ?"
        return self._source.batches(table, where, (self.org_id, self.since))

    def deletions(self) -> dict[str, list[tuple[object, ...]]]:
        """The keys of replicated rows that went after ``since``, by table; a later write may have brought one back."""
        keys: dict[str, list[tuple[object, ...]]] = {}
        query = "SELECT body FROM change_log WHERE org_id = ? AND revision > ? ORDER BY revision, part"
        for (body,) in self._source.stream(query, (self.org_id, self.since)):
            for row in row_deletions(body):
                if row.table in REPLICATED:
                    keys.setdefault(row.table, []).append(row.key)
        return keys

    def versions(self, since: int) -> Iterator[tuple[int, LoggedRow]]:
        """Every version that the change log has of rows after revision ``since``, in the order of the writes."""
        query = "SELECT revision, body FROM change_log WHERE org_id = ? AND revision > ? ORDER BY revision, part"
        for revision, body in self._source.stream(query, (self.org_id, since)):
            for row in logged_rows(body):
                yield revision, row


def _owner(table: Table) -> str:
    return "id" if table.name == "organizations" else "org_id"


class ChangeSource:
    """Where changes are read time and again, by one thread at a time.

    A server's connection is kept: to make one takes longer than to ask.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._kept: PostgresConnection | None = None

    def close(self) -> None:
        """Let go of the connection."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    @contextmanager
    def changes(self, since: Sequence[tuple[str, int]]) -> Iterator[Iterator[ChangeReader]]:
        """Changes of each (organization, sequence number) pair, all seen in one read transaction.

        Unavailable where the database does not answer.
        """
        with store_faults(self.url), self._open_read() as source:
            yield (_changes_of(source, org_id, seq) for org_id, seq in since)

    @contextmanager
    def _open_read(self) -> Iterator[BulkRead]:
        parsed = make_url(self.url)
        if parsed.get_backend_name() == "sqlite":
            with closing(connect(parsed.database or "", shared=True)) as connection:
                connection.execute("PRAGMA query_only=ON")
                connection.execute("BEGIN")
                yield SqliteRead(connection)
            return
        import adbc_driver_manager

        try:
            with self._cursor() as cursor:
                yield PostgresRead(cursor)
            if self._kept is not None:
                self._kept.rollback()
        except adbc_driver_manager.Error as error:
            fault = fault_of(self.url, error, lost=isinstance(error, adbc_driver_manager.OperationalError))
            if fault is None:
                raise
            raise log_problem(self.url, fault, error) from error

    @contextmanager
    def _cursor(self) -> "Iterator[PostgresCursor]":
        """A cursor in a transaction; a connection that was kept and is not there any more is made anew."""
        import adbc_driver_manager
        import adbc_driver_postgresql.dbapi

        begin = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
        try:
            if self._kept is not None:
                try:
                    with self._kept.cursor() as cursor:
                        cursor.execute(begin)
                except adbc_driver_manager.Error:  # it went with its server
                    self.close()
            if self._kept is None:
                plain = make_url(self.url).set(drivername="postgresql").render_as_string(hide_password=False)
                self._kept = adbc_driver_postgresql.dbapi.connect(plain)
                with self._kept.cursor() as cursor:
                    cursor.execute(begin)
            with self._kept.cursor() as cursor:
                yield cursor
        except BaseException:
            self.close()
            raise


@contextmanager
def changes(url: str, since: Sequence[tuple[str, int]]) -> Iterator[Iterator[ChangeReader]]:
    """The same once."""
    with closing(ChangeSource(url)) as source, source.changes(since) as change_readers:
        yield change_readers


def _changes_of(source: BulkRead, org_id: str, seq: int) -> ChangeReader:
    rows = source.rows("SELECT last_seq, hash FROM heads WHERE org_id = ?", (org_id,))
    return ChangeReader(org_id, Position(*rows[0]) if rows else None, seq, source)
