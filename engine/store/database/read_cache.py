"""A cache of reads that is valid while SQLite's ``PRAGMA data_version`` stands, that is until anybody commits."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.model.documents.document import Position
from engine.model.vocabulary import Role
from engine.store.database.sqlite_files import ThreadConnection, connect

if TYPE_CHECKING:  # the tables are not needed to ask for a session
    from engine.store.schema.records import SignedHeadRow


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
        self._look.is_steady = True
        try:
            yield
        finally:
            self._look.is_steady = False

    def connection(self) -> sqlite3.Connection:
        """The thread's connection to SQLite, opened when it is first needed."""
        if self._look.connection is None:
            self._look.connection = connect(self._path or "", factory=ThreadConnection)
        return self._look.connection
