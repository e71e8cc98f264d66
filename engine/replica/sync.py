"""Bringing one organization of the replica to its head: the changed rows and the watermark in one transaction."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
from sqlalchemy import Column, Table

from engine.model.documents.document import Position
from engine.replica import past
from engine.replica.tallies import Cell, RowTally
from engine.replica.watermarks import Mark
from engine.store.database.bulk_read import sql_type
from engine.store.log.changes import ChangeReader
from engine.store.schema import REPLICATED

# ruff: noqa: S608 -- names of tables and columns are ours

log = logging.getLogger(__name__)

T = TypeVar("T")
DELETED_AT_ONCE = 500
FEW = 32  # rows that go to a statement as parameters: to plan a scan of them takes longer than to read it


class _Batch:
    """A batch that can be let go: DuckDB keeps what was registered until the transaction ends."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream: object = pa.Table.from_batches([self.batch]).__arrow_c_stream__(requested_schema)
        return stream

    def __arrow_c_schema__(self) -> object:
        schema: object = self.batch.schema.__arrow_c_schema__()
        return schema


def open_cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A cursor in UTC: the zone is set for one cursor alone, and others would follow the machine's."""
    cursor = connection.cursor()
    cursor.execute("SET TimeZone = 'UTC'")
    return cursor


def catch_up(connection: duckdb.DuckDBPyConnection, change: ChangeReader, mark: Mark, with_past: bool) -> Mark | None:
    """Replace what changed in one transaction with the watermark; start over where the past is not the same.

    Returns where the copy stands then; None for an organization that there is not.
    """
    head = change.head
    at_head = head is None or (head.seq, head.hash) == mark[:2]
    if head is None or (at_head and mark.has_past >= with_past):
        return None if head is None else mark
    cursor = open_cursor(connection)
    cursor.begin()
    try:
        has_past, tally = mark.has_past, RowTally(cursor, change.org_id, mark.counts)
        if not at_head:
            has_past = _replace_changes(cursor, tally, change, mark, head) and has_past
        if with_past and not has_past:
            past.advance(cursor, tally, change, anew=True)
            has_past = True
        tally.save(head.seq, head.hash, has_past)
        cursor.commit()
    except BaseException:
        with suppress(duckdb.Error):  # a copy that is given up has no transaction any more
            cursor.rollback()
        raise
    finally:
        cursor.close()
    return Mark(head.seq, head.hash, has_past, tally.counts)


def _replace_changes(
    cursor: duckdb.DuckDBPyConnection, tally: RowTally, change: ChangeReader, mark: Mark, head: Position
) -> bool:
    """Whether the copy could be continued; else it is made anew, without its past."""
    fresh = mark.seq == 0
    if not fresh and (head.seq <= mark.seq or change.hash_at(mark.seq) != mark.hash):
        log.warning("The store's history of %s is not the one replicated; copying it anew.", change.org_id)
        fresh = True
        change.start_over()
    tables = change.tables()
    if not fresh and any(table.name == "chain_cuts" for table in tables):
        fresh = True
        change.start_over()
        tables = change.tables()
    if fresh and mark.seq:
        for name in REPLICATED:
            tally.clear(name)
        if mark.has_past:
            past.forget(tally)
    if mark.has_past and not fresh:
        past.advance(cursor, tally, change, anew=False)
    if not fresh:
        for name, keys in change.deletions().items():
            _remove(tally, REPLICATED[name], change.org_id, keys)
    for table in tables:
        for batch in _prefetch(change.batches(table)):
            _replace(cursor, tally, table, batch, known=not fresh)
    return not fresh


def _prefetch(items: Iterator[T]) -> Iterator[T]:
    """The items, each read while the one before it is used: SQLite and DuckDB work at once."""
    first, second = next(items, None), next(items, None)
    if first is not None:
        yield first
    if second is None:
        return
    with ThreadPoolExecutor(1) as reader:
        while second is not None:
            later = reader.submit(next, items, None)
            yield second
            second = later.result()


def _replace(
    cursor: duckdb.DuckDBPyConnection, tally: RowTally, table: Table, batch: pa.RecordBatch, *, known: bool
) -> None:
    replaced = known and table.name != "audit_log"
    if batch.num_rows > FEW:
        _replace_many(cursor, tally, table, batch, known=replaced)
    elif batch.num_rows:
        _replace_few(tally, table, batch.to_pylist(), known=replaced)


def _replace_many(
    cursor: duckdb.DuckDBPyConnection, tally: RowTally, table: Table, batch: pa.RecordBatch, *, known: bool
) -> None:
    incoming = _Batch(batch)
    cursor.register("incoming", incoming)
    if known:
        same = " AND ".join(f"kept.{key} = {_cast(f'incoming.{key}', table.c[key])}" for key in _keys(table))
        tally.delete(table.name, f"USING incoming WHERE {same}")
    values = ", ".join(_cast(column.name, column) for column in table.columns)
    tally.insert(table.name, f"SELECT {values} FROM incoming")
    cursor.unregister("incoming")
    incoming.batch = pa.RecordBatch.from_pylist([], batch.schema)


def _replace_few(tally: RowTally, table: Table, rows: Sequence[Mapping[str, Cell]], *, known: bool) -> None:
    """The same with the rows as parameters, which takes a third of the time where they are few."""
    if known:
        keys = _keys(table)
        key = f"({', '.join(_cast('?', table.c[key]) for key in keys)})"
        same = f"({', '.join(f'kept.{key}' for key in keys)}) IN ({', '.join([key] * len(rows))})"
        tally.delete(table.name, f"WHERE {same}", [row[key] for row in rows for key in keys])
    values = f"({', '.join(_cast('?', column) for column in table.columns)})"
    cells = [row[column.name] for row in rows for column in table.columns]
    tally.insert(table.name, f"VALUES {', '.join([values] * len(rows))}", cells)


def _remove(tally: RowTally, table: Table, org_id: str, keys: Sequence[tuple[Any, ...]]) -> None:
    """Delete the rows that went; those that are there again are among the changed ones."""
    names = _keys(table)
    key = f"({', '.join(_cast('?', table.c[name]) for name in names)})"
    for start in range(0, len(keys), DELETED_AT_ONCE):
        some = keys[start : start + DELETED_AT_ONCE]
        same = f"({', '.join(f'kept.{name}' for name in names)}) IN ({', '.join([key] * len(some))})"
        tally.delete(table.name, f"WHERE {same}", [cell for one in some for cell in (org_id, *one)])


def _keys(table: Table) -> list[str]:
    return ["id"] if table.name == "organizations" else ["org_id", *table.info["primary"]]


def _cast(value: str, column: Column[object]) -> str:
    return f"CAST({value} AS {sql_type(column)})"
