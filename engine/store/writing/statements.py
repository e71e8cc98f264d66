"""Statements compiled once and given to the driver: what SQLAlchemy does around each execution costs several times that
of a small statement itself. Types of bound values and result columns stay those of the schema."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import Connection, Dialect, Float, Table, and_, bindparam, update
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, ReturnsRows
from sqlalchemy.types import TypeEngine

from engine.store.writing.guarded_connection import GuardedConnection

Values = Mapping[str, object]
Stored = tuple[Any, ...]  # a row as a driver gives it: the driver does not say of what types
_Process = Callable[[object], object]


class CompiledStatement:
    """A statement whose text does not depend on its values. Threads may share one."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._compiled: dict[str, _DialectStatement] = {}

    def run(self, connection: Connection, values: Values) -> int:
        """Execute with values for the bound parameters; returns how many rows it touched."""
        count: int = self._for(connection).execute(connection, values).rowcount
        return count

    def first(self, connection: Connection, values: Values) -> Stored | None:
        """The first row of a query, in the order of its columns."""
        compiled = self._for(connection)
        cursor = compiled.execute(connection, values)
        row = cursor.fetchone()
        cursor.close()
        return None if row is None else compiled.row(row)

    def all(self, connection: Connection, values: Values) -> list[Stored]:
        """All rows of a query, in the order of its columns."""
        compiled = self._for(connection)
        return [compiled.row(row) for row in compiled.execute(connection, values).fetchall()]

    def _for(self, connection: Connection) -> "_DialectStatement":
        name = connection.dialect.name
        if name not in self._compiled:
            self._compiled[name] = _DialectStatement(self._statement, connection.dialect)
        return self._compiled[name]


class _DialectStatement:
    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled = cast("SQLCompiler", statement.compile(dialect=dialect))
        self._sql = compiled.string
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        self._order = compiled.positiontup
        self._dialect = dialect
        processors = {name: _processor(bind.type, dialect) for name, bind in compiled.binds.items()}
        self._binds = {name: process for name, process in processors.items() if process is not None}
        columns = list(statement.exported_columns) if isinstance(statement, ReturnsRows) else []
        self._results = [_reader(column.type, dialect) for column in columns]

    def execute(self, connection: Connection, values: Values) -> DBAPICursor:
        """The driver's cursor; errors as SQLAlchemy raises them."""
        given = {**self._constants, **values}
        for name, process in self._binds.items():
            given[name] = process(given[name])
        return execute_directly(
            connection, self._sql, given if self._order is None else [given[name] for name in self._order]
        )

    def row(self, row: Stored) -> Stored:
        """A row with the types of the schema."""
        return tuple(
            value if process is None else process(value) for value, process in zip(row, self._results, strict=True)
        )


def execute_directly(connection: Connection, sql: str, values: Values | Sequence[object]) -> DBAPICursor:
    """The driver's cursor; errors as SQLAlchemy raises them."""
    if isinstance(connection, GuardedConnection):
        connection.check_text(sql)
    driver: Any = connection.connection.driver_connection  # of sqlite3 or psycopg: both can execute at once
    errors = connection.dialect.loaded_dbapi.Error
    try:
        cursor: DBAPICursor = driver.execute(sql, values)
        return cursor
    except errors as error:
        raise DBAPIError.instance(sql, None, error, errors, dialect=connection.dialect) from error


# -- many rows in one statement ----------------------------------------------------------------------------------------

FEW_ROWS, MOST_ROWS = 64, 256  # between them always a power of two: every connection keeps its statements prepared


def insert_rows(connection: Connection, table: Table, names: tuple[str, ...], rows: Sequence[Values]) -> None:
    """Add rows that all have these columns."""
    if connection.dialect.name != "sqlite":
        connection.execute(table.insert(), rows)
        return
    head = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES "  # noqa: S608 - names of tables and columns are ours
    for some, values in _flat(connection.dialect, table, names, rows):
        execute_directly(connection, head + _marks(len(names), some), values)


def put_rows(connection: Connection, table: Table, names: tuple[str, ...], rows: Sequence[Values]) -> None:
    """Add rows that all have these columns; those whose primary key is there already take its place."""
    key = ("org_id", *table.info["primary"])
    new = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    head = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES "  # noqa: S608 - names of tables and columns are ours
    tail = f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {new}"
    if connection.dialect.name == "sqlite":
        for some, values in _flat(connection.dialect, table, names, rows):
            execute_directly(connection, head + _marks(len(names), some) + tail, values)
    else:
        given = [tuple(row[name] for name in names) for row in rows]
        connection.exec_driver_sql(f"{head}({', '.join(['%s'] * len(names))}){tail}", given)


def update_rows(connection: Connection, table: Table, names: tuple[str, ...], rows: Sequence[Values]) -> int:
    """Change rows, found by the primary key among these columns, to the values of the others; how many there were."""
    key = ("org_id", *table.info["primary"])
    new = [name for name in names if name not in key]
    if connection.dialect.name != "sqlite":
        own = and_(*(table.c[name] == bindparam(f"_{name}") for name in key))
        change = update(table).where(own).values({name: bindparam(f"_{name}") for name in new})
        return connection.execute(change, [{f"_{name}": row[name] for name in names} for row in rows]).rowcount
    place = {name: f"new.column{number}" for number, name in enumerate(names, 1)}
    head = f"UPDATE {table.name} SET {', '.join(f'{name} = {place[name]}' for name in new)} FROM (VALUES "  # noqa: S608 - names of tables and columns are ours
    tail = f") AS new WHERE {' AND '.join(f'{table.name}.{name} = {place[name]}' for name in key)}"
    changed = 0
    for some, values in _flat(connection.dialect, table, names, rows):
        changed += execute_directly(connection, head + _marks(len(names), some) + tail, values).rowcount
    return changed


@cache
def _processors(dialect: Dialect, table: Table, names: tuple[str, ...]) -> tuple[_Process | None, ...]:
    return tuple(_processor(table.c[name].type, dialect) for name in names)


@cache
def _marks(columns: int, rows: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


def _flat(
    dialect: Dialect, table: Table, names: tuple[str, ...], rows: Sequence[Values]
) -> Iterator[tuple[int, list[object]]]:
    processors = _processors(dialect, table, names)
    start = 0
    while left := len(rows) - start:
        some = rows[start : start + (left if left <= FEW_ROWS else min(MOST_ROWS, 1 << (left.bit_length() - 1)))]
        start += len(some)
        yield (
            len(some),
            [
                row[name] if process is None else process(row[name])
                for row in some
                for name, process in zip(names, processors, strict=True)
            ],
        )


def _processor(kind: TypeEngine[Any], dialect: Dialect) -> _Process | None:  # a column of any type
    process: _Process | None = kind.dialect_impl(dialect).bind_processor(dialect)
    return process


def _reader(kind: TypeEngine[Any], dialect: Dialect) -> _Process | None:  # a column of any type
    if isinstance(kind, Float):  # drivers give one as it is, and SQLAlchemy would want to see which kind it was
        return None
    process: _Process | None = kind.dialect_impl(dialect).result_processor(dialect, None)
    return process
