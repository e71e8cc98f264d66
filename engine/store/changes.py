"""What changed since a revision, as Arrow: the only bulk read of the operational store.

One read transaction sees the head and every row up to it, so a replica that applies the batches stands exactly at
that head.
"""

import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import BigInteger, Boolean, Column, Date, Float, Table
from sqlalchemy.engine import make_url

from engine.document import Revision as Position
from engine.store.schema import REPLICATED
from engine.store.types import Instant

BATCH_ROWS = 65_536


def sql_type(column: Column[Any]) -> str:
    """The analytics type of a column, in DuckDB's words. Instants are UTC without zone."""
    kinds = ((Instant, "TIMESTAMP"), (Date, "DATE"), (Boolean, "BOOLEAN"), (BigInteger, "BIGINT"), (Float, "DOUBLE"))
    return next((word for kind, word in kinds if isinstance(column.type, kind)), "VARCHAR")


@dataclass
class Changes:
    """One organization at one moment: where its chain stands, and the rows changed since an earlier revision."""

    org_id: str
    head: Position | None
    since: int
    _cursor: Any
    _paging: bool

    def hash_at(self, seq: int) -> str | None:
        """The hash of the chain at ``seq``, to tell whether the store is still the one that was replicated."""
        query = self._numbered("SELECT hash FROM audit_log WHERE org_id = ? AND seq = ?")
        self._cursor.execute(query, (self.org_id, seq))
        row = self._cursor.fetchone()
        return row[0] if row else None

    def tables(self) -> list[Table]:
        """Replicated tables with a row changed after ``since``; one round trip."""
        parts = [
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name} WHERE {_owner(table)} = ? AND {_stamp(table)} > ?)"  # noqa: S608
            for name, table in REPLICATED.items()
        ]
        names = []
        for start in range(0, len(parts), 40):  # SQLite joins at most 500 SELECTs, and parameters are bounded too
            some = parts[start : start + 40]
            self._cursor.execute(self._numbered(" UNION ALL ".join(some)), (self.org_id, self.since) * len(some))
            names += [row[0] for row in self._cursor.fetchall()]
        return [REPLICATED[name] for name in names]

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """The changed rows of a table, all columns, in batches of bounded size."""
        columns = [column.name for column in table.columns]
        where = f"FROM {table.name} WHERE {_owner(table)} = ? AND {_stamp(table)} > ?"
        query = f"SELECT {', '.join(columns)} {where}"
        if self._paging:
            typed = ", ".join(f"{_sample(column)} AS {column.name}" for column in table.columns)
            query = f"SELECT {typed} UNION ALL {query}"
            self._cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(BATCH_ROWS)})
        self._cursor.execute(self._numbered(query), (self.org_id, self.since))
        skip = 1 if self._paging else 0
        for batch in self._cursor.fetch_record_batch():
            yield batch.slice(skip)
            skip = 0

    def _numbered(self, query: str) -> str:
        """PostgreSQL's driver takes ``$1``, SQLite's ``?``."""
        if self._paging:
            return query
        parts = query.split("?")
        return "".join(f"{part}${i}" for i, part in enumerate(parts[:-1], 1)) + parts[-1]


def _owner(table: Table) -> str:
    return "id" if table.name == "organizations" else "org_id"


def _stamp(table: Table) -> str:
    return "seq" if table.name == "audit_log" else "revision"


def _sample(column: Column[Any]) -> str:
    """A value of the column's storage class: SQLite's driver takes a column's type from the first row it sees."""
    kind = sql_type(column)
    return "0" if kind in ("BIGINT", "BOOLEAN") else "0.0" if kind == "DOUBLE" else "''"


@contextmanager
def changes(url: str, since: Sequence[tuple[str, int]]) -> Iterator[Iterator[Changes]]:
    """Changes of each (organization, sequence number) pair, all seen in one read transaction."""
    parsed = make_url(url)
    paging = parsed.get_backend_name() == "sqlite"
    with _connect(url) as connection:
        cursor = connection.cursor()
        if not paging:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            yield (_changes_of(cursor, org_id, seq, paging) for org_id, seq in since)
        finally:
            cursor.close()
            connection.rollback()


def _changes_of(cursor: Any, org_id: str, seq: int, paging: bool) -> Changes:
    found = Changes(org_id, None, seq, cursor, paging)
    cursor.execute(found._numbered("SELECT seq, hash FROM heads WHERE org_id = ?"), (org_id,))
    row = cursor.fetchone()
    found.head = Position(row[0], row[1]) if row else None
    return found


def _connect(url: str) -> Any:
    """An ADBC connection to the same database as ``url``."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        import adbc_driver_sqlite.dbapi

        path = urllib.parse.quote(parsed.database or "")
        return adbc_driver_sqlite.dbapi.connect(f"file:{path}?mode=ro")
    import adbc_driver_postgresql.dbapi

    plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
    return adbc_driver_postgresql.dbapi.connect(plain)
