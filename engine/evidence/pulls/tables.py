"""Tables of a check as they are held: a line of JSON for each row, in total order, with the types of the columns.

The same rows are the same bytes, whatever order a source gave them in and whatever version reads them. What a check
runs over was always read from these lines, so that who has them comes to the same.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

MEMORY = "1GB"
EMPTY = '"NULL"'  # the type of a column without a value: it compares with any other
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_AS_THEY_ARE = ("BOOLEAN", "DATE", "TIME", "VARCHAR", "JSON")
NAMED_TYPES = {
    **{"text": "VARCHAR", "number": "DOUBLE", "whole": "BIGINT", "flag": "BOOLEAN"},
    **{"date": "DATE", "timestamp": "TIMESTAMP", "json": "JSON"},
}


@dataclass(frozen=True)
class SourceTable:
    """Rows of a table: ``columns`` are names with DuckDB's types, ``lines`` the rows, each ended by a line feed."""

    columns: tuple[tuple[str, str], ...]
    lines: bytes
    rows: int

    @property
    def sha256(self) -> str:
        """The hash of the lines."""
        return hashlib.sha256(self.lines).hexdigest()


def identifier(name: str) -> str:
    """An identifier for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text for SQL."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def open_engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of its own in memory: it spills to no disk, loads no extension and knows no variable of Python."""
    options: dict[str, str | bool | int | float | list[str]] = {
        **{"memory_limit": MEMORY, "threads": "1", "temp_directory": "", "autoinstall_known_extensions": "false"},
        **{"autoload_known_extensions": "false", "python_enable_replacements": "false"},
    }
    connection = duckdb.connect(":memory:", config=options)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection
    finally:
        connection.close()


def shut(connection: duckdb.DuckDBPyConnection) -> None:
    """From now on nothing outside can be reached, and no setting changed."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def to_source_table(connection: duckdb.DuckDBPyConnection, relation: str, types: Mapping[str, str]) -> SourceTable:
    """The rows of a relation, given in SQL, as they are held. duckdb.Error where a cell is not of its type."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()  # noqa: S608 - ours
    names = [str(row[0]) for row in described]
    counts = connection.execute(
        f"SELECT {', '.join(f'count({identifier(name)})' for name in names)} FROM {relation}"  # noqa: S608 - quoted
    ).fetchone()
    columns, cells = [], []
    for (name, kind, *_), count in zip(described, counts or (), strict=True):
        held, cell = _cell(identifier(str(name)), str(kind), types.get(str(name)), empty=not count)
        columns.append((str(name), held))
        cells.append(f"{cell} AS {identifier(str(name))}")
    rows = connection.execute(
        f"SELECT to_json(r)::VARCHAR AS line FROM (SELECT {', '.join(cells)} FROM {relation}) r ORDER BY line"  # noqa: S608 - quoted
    ).fetchall()
    return SourceTable(tuple(columns), b"".join(line.encode() + b"\n" for (line,) in rows), len(rows))


def _cell(cell: str, kind: str, wanted: str | None, *, empty: bool) -> tuple[str, str]:
    """The type that a column is held in, and its cell in it."""
    if wanted is not None:
        held = NAMED_TYPES[wanted]
        cell = f"({cell} ->> '$')" if kind == "JSON" and held != "JSON" else cell
        return held, f"to_json({cell})" if held == "JSON" else f"CAST({cell} AS {held})"
    if empty and not kind.startswith(("DATE", "TIMESTAMP", "BOOLEAN", "DECIMAL", "DOUBLE", *_WHOLE)):
        return EMPTY, f"CAST(NULL AS {EMPTY})"
    if kind in _WHOLE:
        return "BIGINT", f"CAST({cell} AS BIGINT)"
    if kind == "JSON":
        return kind, f"json({cell})"
    if kind in _AS_THEY_ARE or kind.startswith("DECIMAL"):
        return kind, cell
    if kind in ("HUGEINT", "UBIGINT", "UHUGEINT"):
        return "DECIMAL(38,0)", f"CAST({cell} AS DECIMAL(38,0))"
    if kind in ("FLOAT", "DOUBLE"):
        return "DOUBLE", f"CASE WHEN isfinite({cell}) THEN CAST({cell} AS DOUBLE) END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return "TIMESTAMP", f"timezone('UTC', {cell})"
    if kind.startswith("TIMESTAMP"):
        return "TIMESTAMP", f"CAST({cell} AS TIMESTAMP)"
    if kind.startswith(("STRUCT", "MAP", "UNION")) or kind.endswith("]"):
        return "JSON", f"to_json({cell})"
    if kind == "BLOB":
        return "VARCHAR", f"hex({cell})"
    return "VARCHAR", f"CAST({cell} AS VARCHAR)"


def load(connection: duckdb.DuckDBPyConnection, name: str, table: SourceTable) -> None:
    """Make a table of rows as they are held."""
    columns = ", ".join(f"{identifier(column)} {kind}" for column, kind in table.columns)
    connection.execute(f"CREATE TABLE {identifier(name)} ({columns})")
    if not table.rows:
        return
    with TemporaryDirectory(prefix="hq-check-") as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(table.lines)
        struct = ", ".join(f"{literal(column)}: {literal(kind)}" for column, kind in table.columns)
        longest = max(map(len, table.lines.split(b"\n"))) + 1024
        connection.execute(
            f"INSERT INTO {identifier(name)} SELECT * FROM read_json({literal(str(path))}, columns = {{{struct}}},"  # noqa: S608 - quoted
            f" format = 'newline_delimited', maximum_object_size = {max(longest, 1 << 20)})"
        )
