"""Databases as a source: a query is read as a subquery, in a transaction or a connection that cannot write."""

import hashlib
import shutil
import sqlite3
import stat
import time
from contextlib import closing
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.paths import must_be_below
from engine.evidence.pulls.sources.reading import (
    SECONDS,
    SourceProblem,
    SourceReaders,
    SourceRows,
    records_table,
    refuse_many,
)
from engine.model.errors import Usage

_BATCH = 2_000
_STEPS = 10_000  # of SQLite's machine between looks at the clock
_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
_POSTGRESQL_TYPES = {
    **{"bool": "BOOLEAN", "int2": "BIGINT", "int4": "BIGINT", "int8": "BIGINT", "oid": "BIGINT"},
    **{"float4": "DOUBLE", "float8": "DOUBLE", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP"},
    **{"timestamptz": "TIMESTAMP WITH TIME ZONE", "json": "JSON", "jsonb": "JSON", "numeric": "DOUBLE"},
}


def _subquery(query: str) -> str:
    """A query as the rows of another: what is no SELECT is a syntax error there."""
    return f"SELECT * FROM (\n{query.rstrip().rstrip(';')}\n) AS pulled"  # noqa: S608 - the operator's own query


def read_sqlite(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """The rows of a query on a SQLite file below the folder: on a copy, whose hash is of the bytes that were read."""
    place, name = f"[source.{source.name}]", source.text("path")
    path = base / name
    try:
        must_be_below(base, name, stat.S_ISREG, "a regular file")
    except Usage as problem:
        raise SourceProblem(f"{place} {problem.message}") from problem
    if not path.is_file():
        raise SourceProblem(f"{place} finds no file {name!r}.")
    until = time.monotonic() + source.number("timeout_seconds", SECONDS)
    copy = folder / f"{source.name}.sqlite"
    try:
        _copy_sqlite(path, copy)
        with copy.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?immutable=1", uri=True)) as database:
            database.execute("PRAGMA query_only = 1")
            database.set_authorizer(_only_reading)
            database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            cursor = database.execute(_subquery(source.text("query")))
            columns = [(str(column[0]), None) for column in cursor.description]
            rows = cursor.fetchmany(source.max_rows + 1)
    except sqlite3.Error as error:
        reason = "its query took too long" if str(error) == "interrupted" else str(error)
        raise SourceProblem(f"{place} {name} cannot be read: {reason}.") from error
    except OSError as error:
        raise SourceProblem(f"{place} {name} cannot be copied to be read: {error.strerror or error}.") from error
    copy.unlink()
    table = records_table(connection, source, folder, columns, rows)
    return SourceRows({source.name: table}, ((name, digest),), versions={"sqlite": sqlite3.sqlite_version})


def _copy_sqlite(path: Path, copy: Path) -> None:
    """A state of the file while others write: its bytes under a lock that holds writers off, of a log its pages."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as database:
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # takes the lock that BEGIN leaves for later
        if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            shutil.copyfile(path, copy)
            return
        with closing(sqlite3.connect(copy)) as target:
            database.backup(target)


def _only_reading(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def read_postgresql(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """The rows of a query on PostgreSQL: a cursor over a subquery, in a read-only transaction."""
    place, variable = f"[source.{source.name}]", source.text("url_env")
    url = readers.environment.get(variable, "")
    if not url:
        raise SourceProblem(f"{place} needs the variable {variable}, which is not set.")
    try:
        import psycopg
    except ImportError as error:
        raise SourceProblem(f"{place} needs psycopg: install hq-console[postgresql].") from error
    url = url.replace("postgresql+psycopg://", "postgresql://", 1)
    seconds = source.number("timeout_seconds", SECONDS)
    try:
        with psycopg.connect(url, connect_timeout=min(seconds, 30), options="-c TimeZone=UTC") as database:
            database.read_only = True
            with database.transaction(force_rollback=True), database.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(seconds * 1000)])
                warning = _role_warning(cursor.execute(_ROLE).fetchone(), source)
                # a value takes the protocol that carries one statement alone; an empty list of values would not
                query = _subquery(source.text("query")).replace("%", "%%")
                cursor.execute(f"DECLARE pulled_rows NO SCROLL CURSOR FOR {query} WHERE %s::boolean", [True])
                rows: list[tuple[object, ...]] = []
                while batch := cursor.execute(f"FETCH {_BATCH} FROM pulled_rows").fetchall():
                    rows += batch
                    refuse_many(source, len(rows))
                columns = [
                    (column.name, _POSTGRESQL_TYPES.get(_type_name(column))) for column in cursor.description or ()
                ]
            version = str(database.info.server_version)
    except psycopg.Error as error:
        raise SourceProblem(f"{place} cannot be read: {_first_line(str(error))}") from error
    table = records_table(connection, source, folder, columns, map(_plain_cells, rows))
    return SourceRows(
        {source.name: table}, ((f"postgresql {variable}", table.sha256),), warning, {"postgresql": version}
    )


_ROLE = """
    SELECT rolname, rolsuper, EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg_toast%' AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    ) FROM pg_roles WHERE rolname = current_user
"""


def _role_warning(row: tuple[object, ...] | None, source: PullSource) -> tuple[str, ...]:
    if row is None:
        return ()
    role, is_super, writes = row
    if is_super:
        what = "is a superuser"
    elif writes:
        what = "may write to tables"
    else:
        return ()
    return (f"[source.{source.name}] is read as the role {role!r}, which {what}: give it one that may only read.",)


def _type_name(column: object) -> str:
    import psycopg

    code = getattr(column, "type_code", 0)
    type_info = psycopg.adapters.types.get(code)
    return (
        type_info.name if type_info and type_info.oid == code else ""
    )  # an array is found under the type of its members, too


def _plain_cells(row: tuple[object, ...]) -> list[object]:
    plain = (bool, int, float, str, date, datetime, time_of_day, list, dict, type(None))
    return [
        float(cell) if isinstance(cell, Decimal) else cell if isinstance(cell, plain) else str(cell) for cell in row
    ]


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "no answer")[:300].rstrip(".") + "."
