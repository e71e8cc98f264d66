"""The past of an organization in the replica: for each table the versions of rows that were replaced or went.

Schema ``past`` has every replicated and logged table again, each row with ``until``, the revision that ended it; the
revision that began it is the row's own. It is filled from the change log when somebody first asks for the past, and
kept by each sync from then on. Columns that the log does without are null in it.
"""

from collections import defaultdict
from collections.abc import Sequence, Set
from typing import Any

import duckdb
import pyarrow as pa
from sqlalchemy import Column, Table

from engine.model.documents.document import Position
from engine.replica.replica_tables import VERSIONED, owner
from engine.replica.tallies import RowTally
from engine.store.database.bulk_read import sql_type
from engine.store.log.changes import ChangeReader
from engine.store.log.log_lines import LoggedRow
from engine.store.log.parts import EVENTS
from engine.store.schema import REPLICATED
from engine.store.types import Json, canonical_json
from engine.store.writing.batches import in_batches

# ruff: noqa: S608 -- names of tables and columns are ours; an organization's identifier is quoted

ROWS = 5_000  # that are read at a time
_TYPES = {"BIGINT": pa.int64(), "BOOLEAN": pa.bool_(), "DOUBLE": pa.float64()}
_Version = tuple[int, int, LoggedRow]  # its place in the log, its revision, the row


def advance(cursor: duckdb.DuckDBPyConnection, tally: RowTally, change: ChangeReader, *, anew: bool) -> None:
    """Keep the versions that ended after ``change.since``; ``anew``: all that ever did.

    Called before the present rows are replaced, and where ``anew`` after. Rows that went go from the present, too.
    """
    for table in _stage(cursor, tally, change, 0 if anew else change.since):
        _close(tally, change.org_id, table, anew=anew)
        _remove(tally, change.org_id, table)
        cursor.execute(f"DROP TABLE staged_{table.name}")


def forget(tally: RowTally) -> None:
    """Drop the past of an organization."""
    for name in ("parts", *VERSIONED):
        tally.clear(f"past.{name}")


def look_back(cursor: duckdb.DuckDBPyConnection, org_id: str, position: Position) -> None:
    """Let every name of a table mean, for this cursor, the rows of the organization as they were at ``position``."""
    (catalog,) = cursor.execute("SELECT current_database()").fetchall()[0]
    mine, seq = "'" + org_id.replace("'", "''") + "'", position.seq
    for name, table in REPLICATED.items():
        if name == "table_heads":
            continue
        whose = f"{owner(table)} = {mine}"
        if table.name == "audit_log":  # scans find its rows by their place, which a view has to name
            query = f'SELECT rowid, * FROM "{catalog}".main.audit_log WHERE {whose} AND seq <= {seq}'
        else:
            columns = _columns(table)
            query = f"""
                SELECT {columns} FROM "{catalog}".main.{table.name} WHERE {whose} AND revision <= {seq}
                UNION ALL SELECT {columns} FROM "{catalog}".past.{table.name}
                WHERE {whose} AND revision <= {seq} AND until > {seq}
            """
        cursor.execute(f"CREATE TEMP VIEW {table.name} AS {query}")
    cursor.execute(f"CREATE TEMP VIEW table_heads AS {_part_heads(catalog, mine, seq)}")
    cursor.execute(f"CREATE TEMP VIEW watermarks AS SELECT {mine} AS org_id, {seq} AS seq, '{position.hash}' AS hash")


def look_back_each(cursor: duckdb.DuckDBPyConnection, moments: pa.Table) -> None:
    """Let every name of a table mean, for this cursor, the rows as they were at each of ``moments``, side by side.

    ``moments`` has ``number``, ``id``, ``org_id``, ``seq`` and ``hash``. The rows of the organization as it was there
    belong to ``id``; so one pass computes all of them.
    """
    (catalog,) = cursor.execute("SELECT current_database()").fetchall()[0]
    cursor.register("incoming", moments)
    cursor.execute("CREATE TEMP TABLE moments AS SELECT * FROM incoming")
    cursor.unregister("incoming")
    for name, table in REPLICATED.items():
        columns = ", ".join(
            f"m.id AS {column.name}" if column.name == owner(table) else _column(column, "t.")
            for column in table.columns
        )
        of = f"JOIN moments m ON t.{owner(table)} = m.org_id AND"
        present = f'"{catalog}".main.{name} t {of}'
        if name == "table_heads":  # nothing that is computed for a past day is named by them
            query = f"SELECT {columns} FROM {present} FALSE"
        elif name == "audit_log":
            number = "t.rowid * (SELECT count(*) FROM moments) + m.number"
            query = f"SELECT {number} AS rowid, {columns} FROM {present} t.seq <= m.seq"
        else:
            query = f"""
                SELECT {columns} FROM {present} t.revision <= m.seq
                UNION ALL SELECT {columns} FROM "{catalog}".past.{name} t {of} t.revision <= m.seq AND t.until > m.seq
            """
        cursor.execute(f"CREATE TEMP VIEW {name} AS {query}")
    cursor.execute("CREATE TEMP VIEW watermarks AS SELECT id AS org_id, seq, hash FROM moments")


def _part_heads(catalog: str, mine: str, seq: int) -> str:
    """Where the newest write to each part ended, as ``table_heads`` had it then; nothing stood before the log began."""
    events = f'SELECT * FROM "{catalog}".main.audit_log WHERE org_id = {mine} AND seq <= {seq}'
    return f"""
        WITH events AS ({events}),
        ends AS (SELECT revision, max(seq) AS seq, arg_max(hash, seq) AS hash FROM events GROUP BY revision),
        moved AS (
            SELECT part, max(revision) AS revision FROM "{catalog}".past.parts
            WHERE org_id = {mine} AND revision <= {seq} GROUP BY part
            UNION ALL SELECT '{EVENTS}:' || action, max(revision) FROM events GROUP BY action
        )
        SELECT {mine} AS org_id, m.part, e.seq AS revision, e.hash FROM moved m JOIN ends e USING (revision)
    """


def _columns(table: Table) -> str:
    """All columns of a table; null for those that the log does without."""
    return ", ".join(_column(column) for column in table.columns)


def _column(column: Column[Any], of: str = "") -> str:
    if column.info.get("unlogged"):
        return f"CAST(NULL AS {sql_type(column)}) AS {column.name}"
    return f"{of}{column.name}"


# -- from the change log -----------------------------------------------------------------------------------------------


def _stage(cursor: duckdb.DuckDBPyConnection, tally: RowTally, change: ChangeReader, since: int) -> list[Table]:
    """Put the versions of the log after ``since`` into a table ``staged_<name>`` for each table; returns which."""
    staged: dict[str, Table] = {}
    parts: set[tuple[str, int]] = set()
    for batch in in_batches(enumerate(change.versions(since)), ROWS):
        found: dict[str, list[_Version]] = defaultdict(list)
        for place, (revision, row) in batch:
            parts.add((row.table, revision))
            if row.table in VERSIONED:
                found[row.table].append((place, revision, row))
        for name, versions in found.items():
            table = VERSIONED[name]
            if name not in staged:
                staged[name] = table
                columns = "*, CAST(0 AS BIGINT) AS place, FALSE AS gone"
                cursor.execute(f"CREATE TEMP TABLE staged_{name} AS SELECT {columns} FROM {name} LIMIT 0")
            _insert(cursor, change.org_id, table, versions)
        _insert_parts(cursor, tally, change.org_id, parts)
        parts.clear()
    return list(staged.values())


def _insert(cursor: duckdb.DuckDBPyConnection, org_id: str, table: Table, versions: Sequence[_Version]) -> None:
    places, revisions, rows = zip(*versions, strict=True)
    arrays = {"place": pa.array(places, pa.int64()), "gone": pa.array([row.values is None for row in rows])}
    keys = {name: position for position, name in enumerate(table.info["primary"])}
    there = [row.values or {} for row in rows]
    values = []
    for column in table.columns:
        if column.name == owner(table):
            values.append("?")
        elif column.info.get("unlogged"):
            values.append("NULL")
        else:
            if column.name == "revision":
                cells: list[object] = [row.written or seq for seq, row in zip(revisions, rows, strict=True)]
            elif column.name in keys:
                cells = [row.key[keys[column.name]] for row in rows]
            else:
                cells = [columns.get(column.name) for columns in there]
                if isinstance(column.type, Json):
                    cells = [None if cell is None else canonical_json(cell) for cell in cells]
            arrays[column.name] = pa.array(cells, _TYPES.get(sql_type(column), pa.string()))
            values.append(f"CAST({column.name} AS {sql_type(column)})")
    cursor.register("incoming", pa.table(arrays))
    cursor.execute(f"INSERT INTO staged_{table.name} SELECT {', '.join(values)}, place, gone FROM incoming", [org_id])
    cursor.unregister("incoming")


def _insert_parts(cursor: duckdb.DuckDBPyConnection, tally: RowTally, org_id: str, parts: Set[tuple[str, int]]) -> None:
    if parts:
        names, revisions = zip(*sorted(parts), strict=True)
        cursor.register("incoming", pa.table({"part": pa.array(names), "revision": pa.array(revisions, pa.int64())}))
        tally.insert("past.parts", "SELECT ?, part, revision FROM incoming", [org_id])
        cursor.unregister("incoming")


def _keys(table: Table) -> list[str]:
    return [owner(table), *table.info["primary"]]


def _close(tally: RowTally, org_id: str, table: Table, *, anew: bool) -> None:
    """Keep each version that another one follows; before those of the log comes the present row as it was until now."""
    name, columns, keys = table.name, _columns(table), ", ".join(_keys(table))
    versions = f"SELECT * FROM staged_{name}"
    given = []
    if not anew:
        versions += f"""
            UNION ALL SELECT {columns}, -1, FALSE FROM {name}
            WHERE {owner(table)} = ? AND ({keys}) IN (SELECT {keys} FROM staged_{name})
        """
        given.append(org_id)
    tally.insert(
        f"past.{name}",
        f"""
        SELECT * EXCLUDE (place, gone) FROM (
            SELECT *, lead(revision) OVER (PARTITION BY {keys} ORDER BY place) AS until FROM ({versions})
        ) WHERE until > revision AND NOT gone
        """,
        given,
    )


def _remove(tally: RowTally, org_id: str, table: Table) -> None:
    """Take the rows from the present that went in the end."""
    name, keys = table.name, ", ".join(_keys(table))
    went = f"SELECT {keys} FROM staged_{name} GROUP BY {keys} HAVING arg_max(gone, place)"
    tally.delete(name, f"WHERE {owner(table)} = ? AND ({keys}) IN ({went})", [org_id])
