"""Whole tables out of a store and into an empty one, whichever engines the two have.

A row is a tuple of plain values that mean the same on both engines: texts, whole and real numbers, truth values and
bytes; instants as 27 characters of UTC, days as ten, JSON as its canonical text. Rows come in the order of their keys,
so that equal stores give equal rows; memory does not grow with the tables.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from sqlalchemy import BigInteger, Boolean, Column, Connection, Date, Float, LargeBinary, inspect, text
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from engine.model.errors import Conflict, InvalidData
from engine.store.database.database import open_engines, sqlite_path
from engine.store.database.dialects import canonical_column
from engine.store.database.epoch import EPOCH
from engine.store.database.faults import BUSY, MISSING, store_faults
from engine.store.database.sqlite_files import fold, is_there
from engine.store.database.store_epoch import current
from engine.store.schema import metadata
from engine.store.types import Instant

Kind: TypeAlias = Literal["text", "integer", "real", "flag", "bytes", "instant", "day"]
Row: TypeAlias = tuple[str | int | float | bool | bytes | None, ...]
BATCH, LARGE_ROWS = 2_000, 200  # rows at a time, of which those with bytes may be large
_KINDS: Sequence[tuple[type, Kind]] = (
    (Instant, "instant"),
    (Date, "day"),
    (Boolean, "flag"),
    (BigInteger, "integer"),
    (Float, "real"),
    (LargeBinary, "bytes"),
)
_FINITE = msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)
_WORD = msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)
_VALUES: Mapping[Kind, Any] = {  # a type for msgspec, which takes more than classes
    "text": str,
    "integer": Annotated[int, _WORD],
    "real": Annotated[float, _FINITE],
    "flag": bool,
    "bytes": bytes,
    "instant": Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")],
    "day": Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\d$")],
}


@dataclass(frozen=True)
class TableColumn:
    """A column, in words that both engines share."""

    name: str
    kind: Kind
    null: bool


@dataclass(frozen=True)
class TableLayout:
    """A table as it is copied: its columns, and those that its key consists of, which are all where it has none."""

    name: str
    columns: tuple[TableColumn, ...]
    key: tuple[str, ...]

    @property
    def batch(self) -> int:
        """How many rows are in memory at a time."""
        return LARGE_ROWS if any(column.kind == "bytes" for column in self.columns) else BATCH

    @property
    def row_type(self) -> Any:  # a type for msgspec, made of columns
        """What a row has to be, for ``msgspec``."""
        values = (_VALUES[column.kind] | None if column.null else _VALUES[column.kind] for column in self.columns)
        return tuple[tuple(values)]  # type: ignore[misc]


@cache
def table_shapes() -> tuple[TableLayout, ...]:
    """Every table of the schema, each behind those that its rows refer to."""
    return tuple(
        TableLayout(
            str(table.name),
            tuple(TableColumn(str(column.name), _kind(column), bool(column.nullable)) for column in table.columns),
            tuple(str(column.name) for column in table.primary_key.columns or table.columns),
        )
        for table in metadata.sorted_tables
    )


def _kind(column: Column[Any]) -> Kind:  # of any type
    return next((kind for known, kind in _KINDS if isinstance(column.type, known)), "text")


# -- out of a store ----------------------------------------------------------------------------------------------------


@contextmanager
def store_snapshot(url: str, schema: str = EPOCH) -> Iterator[Connection]:
    """One state of the store at ``url``, for as long as it is read; nobody waits for it, and nothing can be written.

    Conflict where the store is not at the migration ``schema``, Unavailable where there is none.
    """
    file = sqlite_path(url)
    if file is not None and not is_there(file):
        raise MISSING.problem()
    reader, writer = open_engines(url)
    writer.dispose()
    try:
        with store_faults(url), reader.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SET TRANSACTION READ ONLY"))
            at = current(connection)  # SQLite's snapshot begins with the first look
            if at != schema:
                raise Conflict(
                    f"The store is at migration {at or 'none'}, this version reads {schema}: run `hq migrate`, or "
                    "use the version that the store belongs to.",
                    word="schema_outdated",
                )
            yield connection
    finally:
        reader.dispose()


def read_table(connection: Connection, shape: TableLayout) -> Iterator[list[Row]]:
    """The rows of a table in the order of its key, a batch at a time. InvalidData: a value is none of its column."""
    sqlite = connection.dialect.name == "sqlite"
    quote = connection.dialect.identifier_preparer.quote
    kinds = {column.name: column.kind for column in shape.columns}
    names = ", ".join(quote(name) if sqlite else canonical_column(quote(name), kind) for name, kind in kinds.items())
    bytewise = "" if sqlite else ' COLLATE "C"'
    order = ", ".join(quote(name) + (bytewise if kinds[name] == "text" else "") for name in shape.key)
    query = f"SELECT {names} FROM {quote(shape.name)} ORDER BY {order}"  # noqa: S608 - quoted, and of our schema
    flags = [place for place, column in enumerate(shape.columns) if column.kind == "flag"] if sqlite else []
    batch_type = list[shape.row_type]  # type: ignore[name-defined]
    options = {"stream_results": True}
    with connection.exec_driver_sql(query, execution_options=options) as result:
        for partition in result.partitions(shape.batch):
            rows = [_with_flags(row, flags) for row in partition] if flags else [tuple(row) for row in partition]
            try:
                batch: list[Row] = msgspec.convert(rows, batch_type, builtin_types=(bytes,))
            except msgspec.ValidationError as error:
                raise InvalidData(f"The table {shape.name} has a value that is none of its column: {error}.") from error
            yield batch


def _with_flags(row: Sequence[Any], flags: Iterable[int]) -> tuple[Any, ...]:  # values as SQLite has them
    values = list(row)
    for place in flags:
        values[place] = bool(values[place]) if values[place] in (0, 1) else values[place]
    return tuple(values)


# -- into a store ------------------------------------------------------------------------------------------------------


@contextmanager
def new_store(url: str) -> Iterator[Connection]:
    """One transaction that fills the store at ``url``: all of it is there once the block ends, nothing if it raises.

    Nobody else is to write to it meanwhile. Of SQLite the file is made, remains, and is whole without a log beside it.
    """
    file = sqlite_path(url)
    reader, writer = open_engines(url)
    reader.dispose()
    try:
        with store_faults(url), writer.begin() as connection:
            yield connection
        with store_faults(url):
            if file is not None and not fold(str(file)):
                raise BUSY.problem()
    finally:
        writer.dispose()


def rows_in(connection: Connection) -> str | None:
    """The name of a table that has rows already; None for a store without any, migrated or not."""
    there = set(inspect(connection).get_table_names())
    quote = connection.dialect.identifier_preparer.quote
    for shape in table_shapes():
        if shape.name in there:
            query = f"SELECT 1 FROM {quote(shape.name)} LIMIT 1"  # noqa: S608 - quoted, and of our schema
            if connection.exec_driver_sql(query).first() is not None:
                return shape.name
    return None


def table_columns(connection: Connection) -> dict[str, set[str]]:
    """The tables that a store has, of whatever migration, and the names of their columns."""
    multi_columns = inspect(connection).get_multi_columns()
    names = {str(table): {column["name"] for column in columns} for (_, table), columns in multi_columns.items()}
    return {table: columns for table, columns in names.items() if table != "alembic_version"}


def write_table(connection: Connection, shape: TableLayout, batches: Iterable[Sequence[Row]]) -> int:
    """Put rows into a table of an empty store that is migrated to where they come from; returns how many.

    InvalidData: the engine does not take a row, such as a text with a zero character in PostgreSQL.
    """
    quote = connection.dialect.identifier_preparer.quote
    table = quote(shape.name)
    names = ", ".join(quote(column.name) for column in shape.columns)
    count = 0
    for batch in batches:
        try:
            if connection.dialect.name == "sqlite":
                marks = ", ".join("?" * len(shape.columns))
                connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(batch))  # noqa: S608 - quoted
            else:
                _copy_in(connection, f"COPY {table} ({names}) FROM STDIN", batch)
        except (DataError, IntegrityError) as error:
            sentence = str(error.orig).partition("\n")[0]
            raise InvalidData(f"The store does not take what {shape.name} has: {sentence}.") from error
        count += len(batch)
    return count


def _copy_in(connection: Connection, statement: str, batch: Sequence[Row]) -> None:
    driver: Any = connection.connection  # psycopg's own, behind the pool's
    failure: Any = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in batch:
                copy.write_row(row)
    except failure as error:
        raise DBAPIError.instance(statement, None, error, failure, dialect=connection.dialect) from error
