"""What changed since a revision, as Arrow: the only bulk read of the operational store.

One read transaction sees the head and every row up to it, so a replica that applies the batches stands exactly at
that head. PostgreSQL is read through ADBC. SQLite is read through Python's own ``sqlite3``: a driver that brings its
own copy of SQLite would drop this process's file locks whenever it closed the file (POSIX advisory locks belong to
the process), and another process could then delete the write-ahead log under us.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyarrow import csv
from sqlalchemy import BigInteger, Boolean, Column, Date, Float, Table
from sqlalchemy.engine import make_url

from engine.model.document import Position
from engine.store.faults import fault_of, log_problem, store_faults
from engine.store.log_lines import LoggedRow, logged_rows
from engine.store.part_heads import part_of
from engine.store.person_erasure import PERSON_ERASED
from engine.store.schema import REPLICATED
from engine.store.sqlite_files import connect
from engine.store.statements import Stored
from engine.store.types import Instant

if TYPE_CHECKING:  # SQLite does without the driver
    from adbc_driver_manager.dbapi import Cursor as PostgresCursor

BATCH_CHARACTERS = 4_000_000  # some 16,000 events
Parameters = Sequence[str | int]
_STORED = {"BIGINT": pa.int64(), "BOOLEAN": pa.int64(), "DOUBLE": pa.float64()}


def sql_type(column: Column[object]) -> str:
    """The analytics type of a column, in DuckDB's words. Instants are UTC without zone."""
    kinds = ((Instant, "TIMESTAMP"), (Date, "DATE"), (Boolean, "BOOLEAN"), (BigInteger, "BIGINT"), (Float, "DOUBLE"))
    return next((word for kind, word in kinds if isinstance(column.type, kind)), "VARCHAR")


class _Source(Protocol):
    """A database within one read transaction. Queries have ``?`` for parameters."""

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        """All rows of a small answer."""

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        """Rows of a table, all columns, in batches of bounded size."""

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        """The rows of a large answer, some at a time."""


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        return self._connection.execute(query, parameters).fetchall()

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        """SQLite writes each row as a line of CSV, which Arrow parses: no cell becomes an object of Python."""
        lines, size = [], 0
        with closing(self._connection.execute(f"SELECT {_line(table)} FROM {table.name} {where}", parameters)) as rows:  # noqa: S608 - names of tables and columns are ours
            for (line,) in rows:
                lines.append(line)
                size += len(line)
                if size >= BATCH_CHARACTERS:
                    yield from _parsed(lines, table)
                    lines, size = [], 0
        if lines:
            yield from _parsed(lines, table)

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        with closing(self._connection.execute(query, parameters)) as cursor:
            yield from cursor


def _line(table: Table) -> str:
    """A row as a line of CSV: each cell quoted, but for nulls and numbers in the form that reads back the same."""
    real = [sql_type(column) == "DOUBLE" for column in table.columns]
    forms = ",".join("%s" if is_real else "%Q" for is_real in real)
    cells = (f"quote({c.name})" if is_real else c.name for c, is_real in zip(table.columns, real, strict=True))
    return f"printf('{forms}', {', '.join(cells)})"


def _parsed(lines: Sequence[str], table: Table) -> list[pa.RecordBatch]:
    text = "\n".join(lines).encode()
    parsed = csv.read_csv(
        pa.py_buffer(text),
        csv.ReadOptions(column_names=table.columns.keys(), use_threads=False, block_size=len(text) + 1),
        csv.ParseOptions(quote_char="'", newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types={c.name: _STORED.get(sql_type(c), pa.string()) for c in table.columns},
            null_values=["NULL"], strings_can_be_null=True, quoted_strings_can_be_null=False,
        ),
    )  # fmt: skip
    batches: list[pa.RecordBatch] = parsed.to_batches()
    return batches


class _Postgresql:
    def __init__(self, cursor: "PostgresCursor") -> None:
        self._cursor = cursor

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        self._cursor.execute(_numbered(query), parameters)
        return self._cursor.fetchall()

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        columns = ", ".join(table.columns.keys())
        self._cursor.execute(_numbered(f"SELECT {columns} FROM {table.name} {where}"), parameters)  # noqa: S608 - names of tables and columns are ours
        yield from self._cursor.fetch_record_batch()

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        self._cursor.execute(_numbered(query), parameters)
        for batch in self._cursor.fetch_record_batch():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _numbered(query: str) -> str:
    """PostgreSQL's driver takes ``$1`` for ``?``."""
    parts = query.split("?")
    return "".join(f"{part}${i}" for i, part in enumerate(parts[:-1], 1)) + parts[-1]


@dataclass
class ChangeReader:
    """One organization at one moment: where its chain stands, and the rows changed since an earlier revision."""

    org_id: str
    head: Position | None
    since: int
    _source: _Source

    def hash_at(self, seq: int) -> str | None:
        """The hash of the chain at ``seq``, to tell whether the store is still the one that was replicated."""
        rows = self._source.rows("SELECT hash FROM audit_log WHERE org_id = ? AND seq = ?", (self.org_id, seq))
        return rows[0][0] if rows else None

    def erased_since(self) -> bool:
        """Whether a person was erased after ``since``: who has the rows of before is to lose them."""
        query = "SELECT 1 FROM table_heads WHERE org_id = ? AND part = ? AND revision > ?"
        return bool(self._source.rows(query, (self.org_id, part_of(PERSON_ERASED), self.since)))

    def tables(self) -> list[Table]:
        """Replicated tables with a row changed after ``since``."""
        parts = [
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name} WHERE {_owner(table)} = ? AND {_stamp(table)} > ?)"  # noqa: S608 - names of tables and columns are ours
            for name, table in REPLICATED.items()
        ]
        return [REPLICATED[name] for (name,) in self._of_tables(parts, (self.org_id, self.since))]

    def row_counts(self) -> dict[str, int]:
        """How many rows the organization has in each replicated table; those without any are left out."""
        parts = [
            f"SELECT '{name}', count(*) FROM {name} WHERE {_owner(table)} = ?"  # noqa: S608 - names of tables and columns are ours
            for name, table in REPLICATED.items()
        ]
        return {name: count for name, count in self._of_tables(parts, (self.org_id,)) if count}

    def _of_tables(self, parts: Sequence[str], parameters: tuple[str | int, ...]) -> list[Stored]:
        """The rows of one query after the other; few round trips."""
        found: list[Stored] = []
        for start in range(0, len(parts), 40):  # an engine joins and binds only so many at once
            some = parts[start : start + 40]
            found += self._source.rows(" UNION ALL ".join(some), parameters * len(some))
        return found

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """The changed rows of a table, all columns, in batches of bounded size."""
        where = f"WHERE {_owner(table)} = ? AND {_stamp(table)} > ?"
        return self._source.batches(table, where, (self.org_id, self.since))

    def versions(self, since: int) -> Iterator[tuple[int, LoggedRow]]:
        """Every version that the change log has of rows after revision ``since``, in the order of the writes."""
        query = "SELECT revision, body FROM change_log WHERE org_id = ? AND revision > ? ORDER BY revision, part"
        for revision, body in self._source.stream(query, (self.org_id, since)):
            for row in logged_rows(body):
                yield revision, row


def _owner(table: Table) -> str:
    return "id" if table.name == "organizations" else "org_id"


def _stamp(table: Table) -> str:
    return "seq" if table.name == "audit_log" else "revision"


@contextmanager
def changes(url: str, since: Sequence[tuple[str, int]]) -> Iterator[Iterator[ChangeReader]]:
    """Changes of each (organization, sequence number) pair, all seen in one read transaction."""
    with _source(url) as source:
        yield (_changes_of(source, org_id, seq) for org_id, seq in since)


def _changes_of(source: _Source, org_id: str, seq: int) -> ChangeReader:
    rows = source.rows("SELECT seq, hash FROM heads WHERE org_id = ?", (org_id,))
    return ChangeReader(org_id, Position(*rows[0]) if rows else None, seq, source)


@contextmanager
def _source(url: str) -> Iterator[_Source]:
    """The database of ``url`` in one read transaction. Unavailable where it does not answer."""
    with store_faults(url), _opened(url) as source:
        yield source


@contextmanager
def _opened(url: str) -> Iterator[_Source]:
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        path = parsed.database or ""
        with closing(connect(path, shared=True)) as connection:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("BEGIN")
            yield _Sqlite(connection)
        return
    import adbc_driver_manager
    import adbc_driver_postgresql.dbapi

    plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        with adbc_driver_postgresql.dbapi.connect(plain) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield _Postgresql(cursor)
            connection.rollback()
    except adbc_driver_manager.Error as error:
        fault = fault_of(url, error, lost=isinstance(error, adbc_driver_manager.OperationalError))
        if fault is None:
            raise
        raise log_problem(url, fault, error) from error
