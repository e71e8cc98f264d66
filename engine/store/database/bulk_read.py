"""Reading many rows of the operational store as Arrow, within one read transaction.

PostgreSQL is read through ADBC. SQLite is read through Python's own ``sqlite3``: a driver that brings its own copy of
SQLite would drop this process's file locks whenever it closed the file (POSIX advisory locks belong to the process),
and another process could then delete the write-ahead log under us.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyarrow import csv
from sqlalchemy import BigInteger, Boolean, Column, Date, Float, Table

from engine.store.types import Instant
from engine.store.writing.statements import Stored

if TYPE_CHECKING:  # SQLite does without the driver
    from adbc_driver_manager.dbapi import Cursor as PostgresCursor

# ruff: noqa: S608 -- names of tables and columns are ours

BATCH_CHARACTERS = 2_000_000  # some 8,000 events
EVENTS_AT_ONCE = 250  # of which SQLite makes one text: a single one may be long
Parameters = Sequence[str | int]
_STORED = {"BIGINT": pa.int64(), "BOOLEAN": pa.int64(), "DOUBLE": pa.float64()}


def sql_type(column: Column[object]) -> str:
    """The analytics type of a column, in DuckDB's words. Instants are UTC without zone."""
    kinds = ((Instant, "TIMESTAMP"), (Date, "DATE"), (Boolean, "BOOLEAN"), (BigInteger, "BIGINT"), (Float, "DOUBLE"))
    return next((word for kind, word in kinds if isinstance(column.type, kind)), "VARCHAR")


class BulkRead(Protocol):
    """A database within one read transaction. Queries have ``?`` for parameters."""

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        """All rows of a small answer."""

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        """Rows of a table, all columns, in batches of bounded size."""

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        """The rows of a large answer, some at a time."""


class SqliteRead:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        return self._connection.execute(query, parameters).fetchall()

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        """SQLite writes each row as a line of CSV, which Arrow parses: no cell becomes an object of Python."""
        lines, size = [], 0
        for line in self._lines(table, where, parameters):
            lines.append(line)
            size += len(line)
            if size >= BATCH_CHARACTERS:
                yield from _parse(lines, table)
                lines, size = [], 0
        if lines:
            yield from _parse(lines, table)

    def _lines(self, table: Table, where: str, parameters: Parameters) -> Iterator[str]:
        """Lines of CSV; of the events, which may be millions, some together."""
        query = f"SELECT {_line(table)} AS line, {stamp(table)} AS stamp FROM {table.name} {where}"
        if table.name != "audit_log":
            with closing(self._connection.execute(query, parameters)) as rows:
                for line, _ in rows:
                    yield line
            return
        joined = f"SELECT group_concat(line, char(10)), max(stamp) FROM ({query} ORDER BY seq LIMIT {EVENTS_AT_ONCE})"
        org_id, last = parameters
        while last is not None:
            text, last = self._connection.execute(joined, (org_id, last)).fetchone()
            if text is not None:
                yield text

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        with closing(self._connection.execute(query, parameters)) as cursor:
            yield from cursor


def _line(table: Table) -> str:
    """A row as a line of CSV: each cell quoted, but for nulls and numbers in the form that reads back the same."""
    real = [sql_type(column) == "DOUBLE" for column in table.columns]
    forms = ",".join("%s" if is_real else "%Q" for is_real in real)
    cells = (f"quote({c.name})" if is_real else c.name for c, is_real in zip(table.columns, real, strict=True))
    return f"printf('{forms}', {', '.join(cells)})"


def _parse(lines: Sequence[str], table: Table) -> list[pa.RecordBatch]:
    text = "\n".join(lines).encode()
    parsed = csv.read_csv(
        pa.py_buffer(text),
        csv.ReadOptions(column_names=table.columns.keys(), use_threads=False, block_size=len(text) + 1),
        csv.ParseOptions(quote_char="'", newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types={c.name: _STORED.get(sql_type(c), pa.string()) for c in table.columns},
            null_values=["NULL"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    batches: list[pa.RecordBatch] = parsed.to_batches()
    return batches


class PostgresRead:
    def __init__(self, cursor: "PostgresCursor") -> None:
        self._cursor = cursor

    def rows(self, query: str, parameters: Parameters) -> list[Stored]:
        self._cursor.execute(_number_parameters(query), parameters)
        return self._cursor.fetchall()

    def batches(self, table: Table, where: str, parameters: Parameters) -> Iterator[pa.RecordBatch]:
        columns = ", ".join(table.columns.keys())
        self._cursor.execute(_number_parameters(f"SELECT {columns} FROM {table.name} {where}"), parameters)
        yield from self._cursor.fetch_record_batch()

    def stream(self, query: str, parameters: Parameters) -> Iterator[Stored]:
        self._cursor.execute(_number_parameters(query), parameters)
        for batch in self._cursor.fetch_record_batch():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _number_parameters(query: str) -> str:
    parts = query.split("?")
    return "".join(f"{part}${i}" for i, part in enumerate(parts[:-1], 1)) + parts[-1]


def stamp(table: Table) -> str:
    """The column that says which write a row is of."""
    return "seq" if table.name == "audit_log" else "revision"
