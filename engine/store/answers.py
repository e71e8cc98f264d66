"""What a thread was told by SQLite since anybody last committed: it need not be asked again."""

import sqlite3
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, TypeAlias

from engine.model.document import Position
from engine.model.vocabulary import Role
from engine.store.sqlite_files import connect


class SessionEnds(NamedTuple):
    """Sessions of a person that were ended before their time: these, and all that had begun until then."""

    ids: frozenset[str]
    until: datetime | None


Standing: TypeAlias = tuple[Role | None, Position | None, SessionEnds]


class Answers:
    """Heads, those of parts too, by organization; roles and standings by organization and e-mail address."""

    __slots__ = ("heads", "parts", "roles", "standings")

    def __init__(self) -> None:
        self.heads: dict[str, Position | None] = {}
        self.parts: dict[str, Mapping[str, Position]] = {}
        self.roles: dict[tuple[str, str], Role | None] = {}
        self.standings: dict[tuple[str, str], Standing] = {}


class FreshAnswers(threading.local):
    """Each thread has its own answers and its own connection, without what SQLAlchemy does around a query."""

    def __init__(self, path: str | None) -> None:
        self._path = path  # None for an engine that cannot tell whether anybody committed (PostgreSQL)
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._answers = Answers()

    def look(self) -> Answers | None:
        """What is still so: empty after any commit. None where that cannot be told."""
        if self._path is None:
            return None
        connection = self._connection or self.connection()
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version, self._answers = version, Answers()
        return self._answers

    def connection(self) -> sqlite3.Connection:
        """The thread's connection to SQLite, opened when it is first needed."""
        if self._connection is None:
            self._connection = connect(self._path or "")
        return self._connection
