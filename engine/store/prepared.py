"""Statements compiled once and given to the driver: what SQLAlchemy does around each execution costs several times that
of a small statement itself. Types of bound values and result columns stay those of the schema."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, Dialect, Select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import ClauseElement
from sqlalchemy.types import TypeEngine

Values = Mapping[str, Any]
_Process = Callable[[Any], Any]


class Prepared:
    """A statement whose text does not depend on its values. Threads may share one."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, values: Values) -> int:
        """Execute with values for the bound parameters; returns how many rows it touched."""
        count: int = self._for(connection).execute(connection, values).rowcount
        return count

    def first(self, connection: Connection, values: Values) -> tuple[Any, ...] | None:
        """The first row of a query, in the order of its columns."""
        compiled = self._for(connection)
        cursor = compiled.execute(connection, values)
        row = cursor.fetchone()
        cursor.close()
        return None if row is None else compiled.row(row)

    def _for(self, connection: Connection) -> "_Compiled":
        name = connection.dialect.name
        if name not in self._compiled:
            self._compiled[name] = _Compiled(self._statement, connection.dialect)
        return self._compiled[name]


class _Compiled:
    """A statement for one kind of database."""

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self._sql: str = compiled.string
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        self._order: list[str] | None = compiled.positiontup
        self._dialect = dialect
        processors = {name: _processor(bind.type, dialect) for name, bind in compiled.binds.items()}
        self._binds = {name: process for name, process in processors.items() if process is not None}
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self._results = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]

    def execute(self, connection: Connection, values: Values) -> Any:
        """The driver's cursor; errors as SQLAlchemy raises them."""
        given = {**self._constants, **values}
        for name, process in self._binds.items():
            given[name] = process(given[name])
        driver: Any = connection.connection.driver_connection
        try:
            return driver.execute(self._sql, given if self._order is None else [given[name] for name in self._order])
        except self._dialect.loaded_dbapi.Error as error:
            raise DBAPIError.instance(
                self._sql, None, error, self._dialect.loaded_dbapi.Error, dialect=self._dialect
            ) from error  # fmt: skip

    def row(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row with the types of the schema."""
        return tuple(
            value if process is None else process(value) for value, process in zip(row, self._results, strict=True)
        )  # fmt: skip


def _processor(kind: TypeEngine[Any], dialect: Dialect) -> _Process | None:
    process: _Process | None = kind.dialect_impl(dialect).bind_processor(dialect)
    return process
