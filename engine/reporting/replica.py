"""A disposable copy of the operational store, in the shape in which reports scan it.

Each sync replaces the changed rows of an organization and its watermark in one transaction. The file is rebuilt when
it is missing, damaged or of another schema; a process that cannot have the file works in memory.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from sqlalchemy import Table

from engine.model.document import Position
from engine.store.changes import ChangeReader, changes, sql_type
from engine.store.schema import REPLICATED

log = logging.getLogger(__name__)

_META = (
    "CREATE TABLE replica (fingerprint VARCHAR)",
    "CREATE TABLE watermarks (org_id VARCHAR, seq BIGINT, hash VARCHAR)",
)


def _definition(table: Table) -> str:
    columns = ", ".join(f"{column.name} {sql_type(column)}" for column in table.columns)
    return f"CREATE TABLE {table.name} ({columns})"


_DEFINITIONS = (*_META, *(_definition(table) for table in REPLICATED.values()))
FINGERPRINT = sha256("\n".join(_DEFINITIONS).encode()).hexdigest()


class View:
    """What a reader sees: one state of the replica, until it is closed."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self.lock = threading.RLock()  # whoever offers tables to a query holds it until the query is done

    def frame(self, query: str, parameters: Sequence[Any] = ()) -> pl.DataFrame:  # whatever DuckDB binds
        """The rows of a query as a Polars frame."""
        table: pa.Table = self._cursor.sql(query, params=list(parameters)).to_arrow_table()
        frame = pl.from_arrow(table)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def offer(self, name: str, frame: pl.DataFrame) -> None:
        """Make a frame readable as a table of that name, for this view only."""
        self._cursor.register(name, frame.to_arrow())

    def position(self, org_id: str) -> Position | None:
        """Where the organization stands in this view."""
        rows = self._cursor.execute("SELECT seq, hash FROM watermarks WHERE org_id = ?", [org_id]).fetchall()
        return Position(*rows[0]) if rows else None


@contextmanager
def frame_view(tables: Mapping[str, pl.DataFrame]) -> Iterator[View]:
    """A view of rows that no store holds, by table; what a frame leaves out is null, other tables are empty."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for definition in _DEFINITIONS:
            connection.execute(definition)
        for name, frame in tables.items():
            connection.register("incoming", frame.to_arrow())
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM incoming")  # noqa: S608 - names of tables are ours
            connection.unregister("incoming")
        yield View(connection)


class Replica:
    """The replica of the store at ``url``. ``path`` None keeps it in memory. Threads may share one."""

    def __init__(self, url: str, path: Path | None, *, memory_limit: str = "2GB", threads: int = 2) -> None:
        self.url = url
        self.path = path
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory_limit,
            "threads": str(threads),
        }
        self._writer = threading.Lock()
        self._opening = threading.Lock()
        self._opened: duckdb.DuckDBPyConnection | None = None

    def close(self) -> None:
        """Write everything to the file and let go of it."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """The database, opened when it is first needed: many commands never do."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor in UTC: the zone is set for one cursor alone, and others would follow the machine's."""
        cursor = self._connection.cursor()
        cursor.execute("SET TimeZone = 'UTC'")
        return cursor

    # -- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> duckdb.DuckDBPyConnection:
        if self.path is None:
            return self._fresh(":memory:")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            return self._fresh(str(self.path))
        try:
            connection = duckdb.connect(str(self.path), config=self._config)
            if self._fingerprint(connection) == FINGERPRINT:
                return connection
            connection.close()
            log.info("The analytics store %s is of another schema and is rebuilt.", self.path)
        except duckdb.Error as error:
            if "lock" in str(error).lower():
                log.info("Another process holds %s; working in a private in-memory replica.", self.path)
                self.path = None
                return self._fresh(":memory:")
            log.warning("The analytics store %s does not open and is rebuilt: %s", self.path, error)
        self._set_aside(self.path)
        return self._fresh(str(self.path))

    @staticmethod
    def _fingerprint(connection: duckdb.DuckDBPyConnection) -> str | None:
        known = connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'replica'").fetchall()
        rows = connection.execute("SELECT fingerprint FROM replica").fetchall() if known else []
        return rows[0][0] if rows else None

    def _fresh(self, target: str) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(target, config=self._config)
        connection.begin()
        for definition in _DEFINITIONS:
            connection.execute(definition)
        connection.execute("INSERT INTO replica VALUES (?)", [FINGERPRINT])
        connection.commit()
        return connection

    @staticmethod
    def _set_aside(path: Path) -> None:
        for suffix in ("", ".wal"):
            old = Path(f"{path}{suffix}")
            if old.exists():
                old.replace(f"{path}{suffix}.aside")

    # -- bringing it up to date ------------------------------------------------------------------------------------

    def sync(self, org_ids: Iterable[str]) -> dict[str, Position]:
        """Bring organizations to their heads; cost follows what changed. Returns where each stands now."""
        wanted = sorted(set(org_ids))
        with self._writer:
            marks = self._marks(wanted)
            with changes(self.url, [(org_id, marks[org_id].seq) for org_id in wanted]) as found:
                return {
                    change.org_id: position
                    for change in found
                    if (position := self._apply(change, marks[change.org_id])) is not None
                }

    def _marks(self, org_ids: Sequence[str]) -> dict[str, Position]:
        rows = self._connection.cursor().execute("SELECT org_id, seq, hash FROM watermarks").fetchall()
        known = {org_id: Position(seq, digest) for org_id, seq, digest in rows}
        return {org_id: known.get(org_id, Position(0, "")) for org_id in org_ids}

    def _apply(self, change: ChangeReader, mark: Position) -> Position | None:
        """Replace what changed in one transaction with the watermark; start over where the past is not the same."""
        head = change.head
        if head is None or head == mark:
            return head
        fresh = mark.seq == 0
        if not fresh and (head.seq <= mark.seq or change.hash_at(mark.seq) != mark.hash):
            log.warning("The store's history of %s is not the one replicated; copying it anew.", change.org_id)
            fresh, change.since = True, 0
        tables = change.tables()
        if not fresh and any(table.name == "chain_cuts" for table in tables):
            fresh, change.since = True, 0
            tables = change.tables()
        cursor = self._cursor()
        cursor.begin()
        try:
            if fresh and mark.seq:
                for name, table in REPLICATED.items():
                    owner = "id" if name == "organizations" else "org_id"
                    cursor.execute(f"DELETE FROM {table.name} WHERE {owner} = ?", [change.org_id])  # noqa: S608 - names of tables and columns are ours
            for table in tables:
                for batch in change.batches(table):
                    _replace(cursor, table, batch, known=not fresh)
            cursor.execute("DELETE FROM watermarks WHERE org_id = ?", [change.org_id])
            cursor.execute("INSERT INTO watermarks VALUES (?, ?, ?)", [change.org_id, head.seq, head.hash])
            cursor.commit()
        except BaseException:
            cursor.rollback()
            raise
        finally:
            cursor.close()
        return head

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def view(self) -> Iterator[View]:
        """One consistent state, whatever is synced meanwhile."""
        cursor = self._cursor()
        cursor.begin()
        try:
            yield View(cursor)
        finally:
            cursor.rollback()
            cursor.close()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, where this process has it open."""
        if self._opened is None:
            return
        with self._writer:
            self._connection.cursor().execute("CHECKPOINT")


def _replace(cursor: duckdb.DuckDBPyConnection, table: Table, batch: pa.RecordBatch, *, known: bool) -> None:
    if not batch.num_rows:
        return
    cursor.register("incoming", pa.Table.from_batches([batch]))
    if known and table.name != "audit_log":
        keys = ["id"] if table.name == "organizations" else ["org_id", *table.info["primary"]]
        same = " AND ".join(f"kept.{key} = CAST(incoming.{key} AS {sql_type(table.c[key])})" for key in keys)
        cursor.execute(f"DELETE FROM {table.name} AS kept USING incoming WHERE {same}")  # noqa: S608 - names of tables and columns are ours
    values = ", ".join(f"CAST({column.name} AS {sql_type(column)})" for column in table.columns)
    cursor.execute(f"INSERT INTO {table.name} SELECT {values} FROM incoming")  # noqa: S608 - names of tables and columns are ours
    cursor.unregister("incoming")
