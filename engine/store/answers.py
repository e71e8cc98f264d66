"""What threads were told by SQLite since anybody last committed: it need not be asked again."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.model.document import Position
from engine.model.vocabulary import Role
from engine.store.sqlite_files import ThreadConnection, connect

if TYPE_CHECKING:  # the tables are not needed to ask for a session
    from engine.store.schema.records import SignedHeadRow


class SessionEnds(NamedTuple):
    """Sessions of a person that were ended before their time: these, and all that had begun until then."""

    ids: frozenset[str]
    until: datetime | None


Standing: TypeAlias = tuple[Role | None, Position | None, SessionEnds]


class Answers:
    """Heads, those of parts and signed ones too, by organization; roles and standings by organization and address."""

    __slots__ = ("heads", "parts", "roles", "signed_heads", "standings")

    def __init__(self) -> None:
        self.heads: dict[str, Position | None] = {}
        self.parts: dict[str, Mapping[str, Position]] = {}
        self.roles: dict[tuple[str, str], Role | None] = {}
        self.signed_heads: dict[str, SignedHeadRow | None] = {}
        self.standings: dict[tuple[str, str], Standing] = {}


class _Look(threading.local):
    """Where a thread stands: its connection, what that last said of commits, and the answers since then."""

    connection: sqlite3.Connection | None = None
    version: int | None = None
    number = 0
    answers = Answers()
    is_steady = False


class FreshAnswers:
    """Answers that threads share for as long as nobody commits; each asks its own connection whether anybody did.

    Whoever notices a commit begins anew. What another thread began later than that holds as well: nobody committed
    since, or one's own connection would say so. Whatever is put there was read after it was begun.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path  # None for an engine that cannot tell whether anybody committed (PostgreSQL)
        self._look = _Look()
        self._guard = threading.Lock()
        self._newest = 0, Answers()

    def look(self) -> Answers | None:
        """What is still so: empty after any commit. None where that cannot be told."""
        if self._path is None:
            return None
        own = self._look
        if own.is_steady:
            return own.answers
        version = (own.connection or self.connection()).execute("PRAGMA data_version").fetchone()[0]
        if version != own.version:
            with self._guard:
                self._newest = self._newest[0] + 1, Answers()
                own.version, (own.number, own.answers) = version, self._newest
        elif (newest := self._newest)[0] > own.number:
            own.number, own.answers = newest
        return own.answers

    @contextmanager
    def steady(self) -> Iterator[None]:
        """While the block runs, this thread has the answers of its last look, and does not ask whether anybody
        committed."""
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
