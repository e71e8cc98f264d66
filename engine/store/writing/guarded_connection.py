"""What a revision hands out: its transaction for questions, so that nobody writes beside the change log."""

import re
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, TextClause
from sqlalchemy.sql.dml import Update, UpdateBase

from engine.store.schema import LOGGED

_QUERY = re.compile(r"\s*(SELECT|WITH|VALUES|EXPLAIN)\b", re.IGNORECASE)
_WRITE = re.compile(r"\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|(?<!FOR )UPDATE|DELETE\s+FROM|COPY)\s+\"?(\w+)", re.IGNORECASE)


class WriteBesideLogError(Exception):
    """A statement that would change records without the change log knowing: a fault of the program, never of input."""


class GuardedConnection(Connection):
    """The same transaction as ``connection``; a statement that is no query raises WriteBesideLogError.

    ``unlogged``: what the change log does without (``unlogged`` in the schema, tables and columns) may change, too.
    """

    _unlogged: bool

    def __init__(self, connection: Connection, *, unlogged: bool = False) -> None:
        self.__dict__ = {**connection.__dict__, "_unlogged": unlogged}

    def execute(self, statement: Executable, *args: Any, **named: Any) -> CursorResult[Any]:
        self._check(statement)
        return super().execute(statement, *args, **named)

    def scalar(self, statement: Executable, *args: Any, **named: Any) -> Any:  # of whatever type the column has
        self._check(statement)
        return super().scalar(statement, *args, **named)

    def exec_driver_sql(self, statement: str, *args: Any, **named: Any) -> CursorResult[Any]:
        self.check_text(statement)
        return super().exec_driver_sql(statement, *args, **named)

    def check_text(self, sql: str) -> None:
        """WriteBesideLogError where ``sql`` writes what this connection must not."""
        tables = _WRITE.findall(sql)
        if not tables and not _QUERY.match(sql):
            raise WriteBesideLogError(f"Expected a query, got {sql[:80]!r}.")
        for table in tables:
            self._check_table(table)

    def _check(self, statement: Executable) -> None:
        if isinstance(statement, UpdateBase):
            if not (self._unlogged and isinstance(statement, Update) and _only_unlogged(statement)):
                self._check_table(getattr(statement.table, "name", ""))
        elif isinstance(statement, TextClause):
            self.check_text(statement.text)
        elif not getattr(statement, "is_select", False):
            raise WriteBesideLogError(f"Expected a query, got {type(statement).__name__}.")

    def _check_table(self, name: str) -> None:
        if not self._unlogged or name in LOGGED:
            raise WriteBesideLogError(
                f"Rows of {name} are changed by the methods of a revision, which log them; got a statement of its own."
            )


def _only_unlogged(statement: Update) -> bool:
    changed: Iterable[Any] = statement._values or ()  # names, or columns
    return bool(changed) and all(
        statement.table.c[getattr(column, "name", column)].info.get("unlogged") for column in changed
    )
