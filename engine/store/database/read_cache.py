"""A cache of reads that is valid while SQLite's ``PRAGMA data_version`` stands, that is until anybody commits."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.model.documents.document import Position
from engine.model.vocabulary import Role
from engine.store.database.patience import NotInMemory
from engine.store.database.sqlite_files import ThreadConnection, connect

if TYPE_CHECKING:  # neither SQLAlchemy nor the tables are needed to ask for a session
    from sqlalchemy import Connection

    from engine.model.records import SignedHeadRow

_BEGINS = "SELECT 1 FROM heads LIMIT 1"  # what is read after it is of the same state


class SessionEnds(NamedTuple):
    """Sessions of a person that were ended before their time: these, and all that had begun until then."""

    ids: frozenset[str]
    until: datetime | None


Standing: TypeAlias = tuple[Role | None, Position | None, SessionEnds]


class CachedReads:
    """Heads, those of parts and signed ones too, by organization; roles and standings by organization and address."""

    __slots__ = ("heads", "parts", "roles", "signed_heads", "standings")

    def __init__(self) -> None:
        self.heads: dict[str, Position | None] = {}
        self.parts: dict[str, Mapping[str, Position]] = {}
        self.roles: dict[tuple[str, str], Role | None] = {}
        self.signed_heads: dict[str, SignedHeadRow | None] = {}
        self.standings: dict[tuple[str, str], Standing] = {}


class _ThreadReads(threading.local):
    """A thread's connection, the data version that it last read there, and the values cached under it."""

    connection: sqlite3.Connection | None = None
    reader: "Connection | None" = None  # the same, for statements of SQLAlchemy
    version: int | None = None
    number = 0
    answers = CachedReads()
    is_steady = False


class ReadCache:
    """Values that threads share until anybody commits; each thread reads the data version on its own connection.

    A thread that notices a commit starts an empty cache. A cache that another thread started later is valid too: with
    a commit in between, this thread's data version would have changed. Values are read after their cache was started.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path  # None for an engine that cannot tell whether anybody committed (PostgreSQL)
        self._look = _ThreadReads()
        self._guard = threading.Lock()
        self._newest = 0, CachedReads()

    def close(self) -> None:
        """Close the connection of this thread; that of any other ends with it."""
        connection, self._look = self._look.connection, _ThreadReads()
        if connection is not None:
            connection.close()

    def current(self) -> CachedReads | None:
        """The valid cache, empty after any commit. None where the engine has no data version."""
        if self._path is None:
            return None
        own = self._look
        if own.is_steady:
            return own.answers
        version = (own.connection or self.connection()).execute("PRAGMA data_version").fetchone()[0]
        if version != own.version:
            with self._guard:
                self._newest = self._newest[0] + 1, CachedReads()
                own.version, (own.number, own.answers) = version, self._newest
        elif (newest := self._newest)[0] > own.number:
            own.number, own.answers = newest
        return own.answers

    @contextmanager
    def steady(self) -> Iterator[None]:
        """While the block runs, this thread uses the cache it has and does not read the data version again."""
        own = self._look
        own.is_steady = True
        try:
            yield
        finally:
            own.is_steady = False
            if own.connection is not None and own.connection.in_transaction:
                own.connection.execute("ROLLBACK")

    @contextmanager
    def few_rows(self) -> "Iterator[Connection]":
        """Within a steady block: a connection for rows by their keys, as of its beginning, for which nothing waits.

        NotInMemory where somebody committed since, where another process holds the file, and where the engine has no
        data version: a server would have to be waited for.
        """
        from sqlalchemy.exc import OperationalError

        from engine.store.database.database import connection_over

        own = self._look
        if self._path is None or not own.is_steady:
            raise NotInMemory
        connection = self.connection()
        if own.reader is None:
            own.reader = connection_over(self.connection)
        try:
            if not connection.in_transaction:
                connection.execute("BEGIN")
                connection.execute(_BEGINS).fetchone()
                if connection.execute("PRAGMA data_version").fetchone()[0] != own.version:
                    raise NotInMemory
            yield own.reader
        except (sqlite3.OperationalError, OperationalError) as error:
            raise NotInMemory from error

    def connection(self) -> sqlite3.Connection:
        """The thread's connection to SQLite, opened when it is first needed."""
        if self._look.connection is None:
            self._look.connection = connect(self._path or "", factory=ThreadConnection)
        return self._look.connection
