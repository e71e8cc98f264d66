"""One state of the replica as a reader sees it."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa

from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.replica import past
from engine.replica.replica_tables import PRESENT


class ReplicaLost(Unavailable):
    """The copy that was read turned out damaged, or its disk full; another one is made from the records."""

    word = "analytics_rebuilt"


class View:
    """What a reader sees: one state of the replica, until it is closed."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        faults: Callable[[], AbstractContextManager[object]] = nullcontext,
        is_current: Callable[[], bool] = lambda: True,
    ) -> None:
        self.is_current = is_current  # whether it reads the copy that is kept up to date
        self._cursor = cursor
        self._faults = faults
        self._offered: dict[str, pl.DataFrame] = {}
        self.lock = threading.RLock()  # whoever offers tables to a query holds it until the query is done

    def frame(self, query: str, parameters: Sequence[Any] = ()) -> pl.DataFrame:  # whatever DuckDB binds
        """The rows of a query as a Polars frame. ReplicaLost where they cannot be read any more."""
        with self._faults():
            table: pa.Table = self._cursor.sql(query, params=list(parameters)).to_arrow_table()
        frame = pl.from_arrow(table)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The few rows of a query, whose plan costs more than they do: frames are planned twice. ReplicaLost."""
        with self._faults():
            return self._cursor.execute(query, list(parameters)).fetchall()

    def offer(self, name: str, frame: pl.DataFrame) -> None:
        """Make a frame readable as a table of that name, for this view only."""
        if self._offered.get(name) is not frame:
            self._cursor.register(name, frame.to_arrow())
            self._offered[name] = frame

    def position(self, org_id: str) -> Position | None:
        """Where the organization stands in this view."""
        rows = self.rows("SELECT seq, hash FROM watermarks WHERE org_id = ?", [org_id])
        return Position(*rows[0]) if rows else None

    def has_passed(self, org_id: str, position: Position) -> bool:
        """Whether the chain of the organization goes through the position."""
        query = "SELECT count(*) FROM audit_log WHERE org_id = ? AND seq = ? AND hash = ?"
        return self.rows(query, [org_id, position.seq, position.hash]) == [(1,)]

    def look_back(self, org_id: str, position: Position) -> bool:
        """See the organization, and it alone, as it was at ``position``; False where this copy cannot tell."""
        with self._faults():
            mark = self._cursor.execute("SELECT seq, hash, has_past FROM watermarks WHERE org_id = ?", [org_id])
            for seq, digest, has_past in mark.fetchall():
                if Position(seq, digest) == position:
                    return True
                if has_past and self.has_passed(org_id, position):
                    past.look_back(self._cursor, org_id, position)
                    return True
        return False

    def look_back_each(self, moments: pl.DataFrame) -> bool:
        """See organizations as they were at each of ``moments``, under the identifier that each has there.

        False where this copy cannot tell of one of them.
        """
        asked = moments.to_arrow()
        with self._faults():
            self._cursor.register("asked_moments", asked)
            known = self._cursor.execute(
                """
                SELECT count(*) FROM asked_moments m JOIN watermarks w USING (org_id)
                JOIN audit_log a ON a.org_id = m.org_id AND a.seq = m.seq AND a.hash = m.hash WHERE w.has_past
                """
            ).fetchall()
            self._cursor.unregister("asked_moments")
            if known != [(moments.height,)]:
                return False
            past.look_back_each(self._cursor, asked)
        return True


@contextmanager
def frame_view(tables: Mapping[str, pl.DataFrame]) -> Iterator[View]:
    """A view of rows that no store holds, by table; what a frame leaves out is null, other tables are empty."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for definition in PRESENT:
            connection.execute(definition)
        for name, frame in tables.items():
            connection.register("incoming", frame.to_arrow())
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM incoming")  # noqa: S608 - names of tables are ours
            connection.unregister("incoming")
        yield View(connection)
