"""A disposable copy of the operational store, in the shape in which reports scan it.

Each sync replaces the changed rows of an organization and its watermark in one transaction. The file is rebuilt when
it is missing, damaged or of another schema; a process that cannot have the file, or finds it damaged while it runs,
works in memory.
"""

import errno
import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import duckdb
import polars as pl
from sqlalchemy import Table

from engine.model.document import Position
from engine.model.file_errors import NO_MEMORY, fault_problem
from engine.reporting import past, replica_files
from engine.reporting.catching_up import catch_up, marks, open_cursor
from engine.reporting.view import ReplicaLost, View
from engine.store.changes import changes, sql_type
from engine.store.schema import REPLICATED

log = logging.getLogger(__name__)

_META = (
    "CREATE TABLE replica (fingerprint VARCHAR)",
    "CREATE TABLE watermarks (org_id VARCHAR, seq BIGINT, hash VARCHAR, has_past BOOLEAN)",
)


def _definition(table: Table) -> str:
    columns = ", ".join(f"{column.name} {sql_type(column)}" for column in table.columns)
    return f"CREATE TABLE {table.name} ({columns})"


_PRESENT = (*_META, *(_definition(table) for table in REPLICATED.values()))
_DEFINITIONS = (*_PRESENT, *past.DEFINITIONS)
FINGERPRINT = sha256("\n".join(_DEFINITIONS).encode()).hexdigest()


# what says that the file or its disk is not sound; DuckDB has no codes, but classes, and for a damaged block none
_UNSOUND = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)


@contextmanager
def frame_view(tables: Mapping[str, pl.DataFrame]) -> Iterator[View]:
    """A view of rows that no store holds, by table; what a frame leaves out is null, other tables are empty."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for definition in _PRESENT:
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

    # -- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> duckdb.DuckDBPyConnection:
        if self.path is not None:
            try:
                return self._open_file(self.path)
            except (duckdb.Error, OSError) as error:
                log.warning("The analytics store %s cannot be kept, this process works in memory: %s", self.path, error)
        self.path = None
        return self._fresh(":memory:")

    def _open_file(self, path: Path) -> duckdb.DuckDBPyConnection:
        """The file as it is, or made anew; OSError or a DuckDB error where it cannot be had."""
        path.parent.mkdir(parents=True, exist_ok=True)
        replica_files.remove_successors(path)
        if not path.exists():
            return self._fresh(str(path))
        if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)):
            raise PermissionError(errno.EACCES, "it can only be read")
        try:
            connection = duckdb.connect(str(path), config=self._config)
            if self._fingerprint(connection) == FINGERPRINT:
                return connection
            connection.close()
            log.info("The analytics store %s is of another schema and is rebuilt.", path)
        except duckdb.Error as error:
            if "set lock" in str(error):  # "lock" alone is in every sentence about a damaged block
                log.info("Another process holds %s; working in a private in-memory replica.", path)
                self.path = None
                return self._fresh(":memory:")
            log.warning("The analytics store %s does not open and is rebuilt: %s", path, error)
        self._set_aside(path)
        return self._fresh(str(path))

    @contextmanager
    def _faults(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """ReplicaLost where the copy is not sound, Unavailable for want of memory."""
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise fault_problem("There was too much to compute", NO_MEMORY) from error
        except duckdb.Error as error:
            if type(error) is duckdb.Error or isinstance(error, _UNSOUND):
                raise self._lose(connection, error) from error
            raise

    def _lose(self, connection: duckdb.DuckDBPyConnection, error: duckdb.Error) -> ReplicaLost:
        """Give up a copy that is not sound. This process goes on in memory: views of others may still hold the file."""
        with self._opening:
            if self._opened is connection:
                log.warning("The analytics store %s is given up, this process works in memory: %s", self.path, error)
                with suppress(duckdb.Error):
                    connection.close()
                if self.path is not None:
                    with suppress(OSError):
                        self._set_aside(self.path)
                self.path, self._opened = None, None
        return ReplicaLost(
            "The copy of the records that reports are computed from was damaged, or its disk is full; another one is "
            "made: try again.",
            headers={"Retry-After": "2"},
        )

    @staticmethod
    def _fingerprint(connection: duckdb.DuckDBPyConnection) -> str | None:
        known = connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'replica'").fetchall()
        rows = connection.execute("SELECT fingerprint FROM replica").fetchall() if known else []
        return rows[0][0] if rows else None

    def _fresh(self, target: str) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(target, config=self._config)
        try:
            connection.begin()
            for definition in _DEFINITIONS:
                connection.execute(definition)
            connection.execute("INSERT INTO replica VALUES (?)", [FINGERPRINT])
            connection.commit()
        except BaseException:
            with suppress(duckdb.Error):
                connection.close()
            raise
        return connection

    @staticmethod
    def _set_aside(path: Path) -> None:
        for suffix in ("", ".wal"):
            old = Path(f"{path}{suffix}")
            if old.exists():
                old.replace(f"{path}{suffix}.aside")

    # -- bringing it up to date ------------------------------------------------------------------------------------

    def sync(self, org_ids: Iterable[str], *, with_past: bool = False) -> dict[str, Position]:
        """Bring organizations to their heads; cost follows what changed. Returns where each stands now.

        ``with_past``: their past is there afterwards, and kept from then on. The first time that reads all of the
        change log.
        """
        wanted = sorted(set(org_ids))
        with self._writer:
            try:
                return self._sync(wanted, with_past)
            except ReplicaLost:  # the copy was not sound: a new one, in memory
                return self._sync(wanted, with_past)

    def _sync(self, wanted: Sequence[str], with_past: bool) -> dict[str, Position]:
        connection = self._connection
        with self._faults(connection):
            known = marks(connection, wanted)
            positions = {}
            with changes(self.url, [(org_id, known[org_id].seq) for org_id in wanted]) as found:
                for change in found:
                    if self.path is not None and known[change.org_id].seq and change.erased_since():
                        self._renew(connection)
                        break
                    position = catch_up(connection, change, known[change.org_id], with_past)
                    if position is not None:
                        positions[change.org_id] = position
                else:
                    return positions
        return self._sync(wanted, with_past)

    def _renew(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Go on in another file: this one has a person who was erased, and rows that go leave their bytes in it.

        Views of others hold it, without its name, until they are closed.
        """
        with self._opening:
            if self._opened is connection and self.path is not None:
                log.info("A person was erased: the analytics store %s is made anew.", self.path)
                connection.close()
                replica_files.remove(self.path)
                self.path, self._opened = replica_files.successor(self.path), None

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def view(self) -> Iterator[View]:
        """One consistent state, whatever is synced meanwhile."""
        connection = self._connection
        with self._faults(connection):
            cursor = open_cursor(connection)
            cursor.begin()
        try:
            yield View(cursor, partial(self._faults, connection))
        finally:
            with suppress(duckdb.Error):
                cursor.rollback()
            cursor.close()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, where this process has it open. ReplicaLost where that fails."""
        connection = self._opened
        if connection is None:
            return
        with self._writer, self._faults(connection):
            connection.cursor().execute("CHECKPOINT")
