"""Chained events on their way into the audit log, stored together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from sqlalchemy import Connection

from engine.store.schema.audit import audit_log
from engine.store.writing.statements import execute_directly

if TYPE_CHECKING:  # SQLite does without the driver
    from psycopg import Connection as PostgresConnection

BATCH = 10_000  # events that are stored in one go
FEW = 128  # events that go into one statement: what a group of writes has; a connection keeps one for each number
_COLUMNS = [column.name for column in audit_log.columns]


class EventBuffer:
    """Events of one transaction that are chained but not stored yet."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: list[tuple[object, ...]] = []

    def add(self, rows: Sequence[tuple[object, ...]]) -> None:
        """Keep rows of the audit log; at most a batch of them waits."""
        self._rows += rows
        if len(self._rows) >= BATCH:
            self.store()

    def drop(self) -> None:
        """Forget what waits: the savepoint that it belonged to is undone."""
        self._rows = []

    def store(self) -> None:
        """Driver-level bulk insert: the only statement that ever runs a million times.

        Events wait on when it fails: whoever recorded them hears of it even if whoever asked swallows it.
        """
        if self._rows:
            self._insert(self._rows)
            self._rows = []

    def _insert(self, rows: list[tuple[object, ...]]) -> None:
        columns = ", ".join(_COLUMNS)
        if self._connection.dialect.name == "postgresql":
            raw = cast("PostgresConnection", self._connection.connection.driver_connection)
            with raw.cursor() as cursor, cursor.copy(f"COPY audit_log ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = f"({', '.join('?' * len(_COLUMNS))})"
        insert = f"INSERT INTO audit_log ({columns}) VALUES "  # noqa: S608 - names of tables and columns are ours
        if len(rows) > FEW:
            self._connection.exec_driver_sql(insert + marks, rows)
        else:  # one step of the database, and so one switch of threads at most
            values = tuple(value for row in rows for value in row)
            execute_directly(self._connection, insert + ", ".join([marks] * len(rows)), values)
