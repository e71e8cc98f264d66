"""Bringing one organization of the replica to its head: the changed rows and the watermark in one transaction."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import duckdb
import pyarrow as pa
from sqlalchemy import Table

from engine.model.document import Position
from engine.reporting import past
from engine.reporting.tallies import RowTally
from engine.store.changes import ChangeReader, sql_type
from engine.store.schema import REPLICATED

# ruff: noqa: S608 -- names of tables and columns are ours

log = logging.getLogger(__name__)


class Mark(NamedTuple):
    """Where the copy of an organization stands, and whether its past is there."""

    seq: int
    hash: str
    has_past: bool


NOTHING = Mark(0, "", False)


class _Incoming:
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


def marks(connection: duckdb.DuckDBPyConnection, org_ids: Sequence[str]) -> dict[str, Mark]:
    """Where the copy of each organization stands."""
    with connection.cursor() as cursor:
        rows = cursor.execute("SELECT org_id, seq, hash, has_past FROM watermarks").fetchall()
    known = {org_id: Mark(*mark) for org_id, *mark in rows}
    return {org_id: known.get(org_id, NOTHING) for org_id in org_ids}


def catch_up(
    connection: duckdb.DuckDBPyConnection, change: ChangeReader, mark: Mark, with_past: bool
) -> Position | None:
    """Replace what changed in one transaction with the watermark; start over where the past is not the same."""
    head = change.head
    at_head = head is None or (head.seq, head.hash) == mark[:2]
    if head is None or (at_head and mark.has_past >= with_past):
        return head
    cursor = open_cursor(connection)
    cursor.begin()
    try:
        has_past, tally = mark.has_past, RowTally(cursor, change.org_id)
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
    return head


def _replace_changes(
    cursor: duckdb.DuckDBPyConnection, tally: RowTally, change: ChangeReader, mark: Mark, head: Position
) -> bool:
    """Whether the copy could be continued; else it is made anew, without its past."""
    fresh = mark.seq == 0
    if not fresh and (head.seq <= mark.seq or change.hash_at(mark.seq) != mark.hash):
        log.warning("The store's history of %s is not the one replicated; copying it anew.", change.org_id)
        fresh, change.since = True, 0
    tables = change.tables()
    if not fresh and any(table.name == "chain_cuts" for table in tables):
        fresh, change.since = True, 0
        tables = change.tables()
    if fresh and mark.seq:
        for name in REPLICATED:
            tally.clear(name)
        if mark.has_past:
            past.forget(tally)
    if mark.has_past and not fresh:
        past.advance(cursor, tally, change, anew=False)
    for table in tables:
        for batch in change.batches(table):
            _replace(cursor, tally, table, batch, known=not fresh)
    return not fresh


def _replace(
    cursor: duckdb.DuckDBPyConnection, tally: RowTally, table: Table, batch: pa.RecordBatch, *, known: bool
) -> None:
    if not batch.num_rows:
        return
    incoming = _Incoming(batch)
    cursor.register("incoming", incoming)
    if known and table.name != "audit_log":
        keys = ["id"] if table.name == "organizations" else ["org_id", *table.info["primary"]]
        same = " AND ".join(f"kept.{key} = CAST(incoming.{key} AS {sql_type(table.c[key])})" for key in keys)
        tally.delete(table.name, f"USING incoming WHERE {same}")
    values = ", ".join(f"CAST({column.name} AS {sql_type(column)})" for column in table.columns)
    tally.insert(table.name, f"SELECT {values} FROM incoming")
    cursor.unregister("incoming")
    incoming.batch = pa.RecordBatch.from_pylist([], batch.schema)
