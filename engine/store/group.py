"""Group commit: writes that wait for the writer share its next transaction, each still its own revision."""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from engine.errors import NotFound
from engine.store.locks import FairLock
from engine.store.revisions import TAKE_HEAD, Revision

T = TypeVar("T")
MOST = 64  # writes in one transaction: bounds how long the first of them waits for the last


class _Pending:
    """One write and what became of it."""

    def __init__(self, org_id: str, actor: str, change: Callable[[Revision], Any], now: datetime) -> None:
        self.org_id = org_id
        self.actor = actor
        self.change = change
        self.now = now
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None


class GroupCommit:
    """The queue in front of a writer engine. Whoever gets the writer's turn writes for all that wait."""

    def __init__(self, writer: Engine, turn: FairLock, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self._writer = writer
        self._turn = turn
        self._errors = errors
        self._waiting: deque[_Pending] = deque()
        self._guard = threading.Lock()

    def write(self, org_id: str, actor: str, change: Callable[[Revision], T], now: datetime) -> T:
        """Run ``change`` in a revision and return what it returned once that is committed."""
        mine = _Pending(org_id, actor, change, now)
        with self._guard:
            self._waiting.append(mine)
        with self._turn:
            while not mine.done:
                self._serve()
        if mine.error is not None:
            raise mine.error
        value: T = mine.value
        return value

    def _serve(self) -> None:
        """Write for those at the front of the queue; the caller holds the turn and is among them."""
        with self._guard:
            batch = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
        batch.sort(key=lambda pending: pending.org_id)  # one order of locks for all processes: no deadlock
        try:
            with self._errors(), self._writer.connect() as connection, connection.begin():
                for pending in batch:
                    self._apply(connection, pending, alone=len(batch) == 1)
        except BaseException as error:
            for pending in batch:
                pending.value, pending.error = None, pending.error or error
        finally:
            for pending in batch:
                pending.done = True

    @staticmethod
    def _apply(connection: Connection, pending: _Pending, *, alone: bool) -> None:
        """One revision within the transaction; its failure undoes it alone and goes to its own caller."""
        try:
            if not alone:
                connection.exec_driver_sql("SAVEPOINT revision")
            row = connection.execute(TAKE_HEAD, {"org": pending.org_id}).first()
            if row is None:
                raise NotFound(f"There is no organization {pending.org_id!r}.", word="unknown_organization")
            revision = Revision(connection, pending.org_id, pending.actor, pending.now, (row[0], row[1]))
            pending.value = pending.change(revision)
            if revision.touched:
                revision.close()
            if not alone:
                connection.exec_driver_sql("RELEASE SAVEPOINT revision")
        except Exception as error:
            pending.value, pending.error = None, error
            if alone:
                raise
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT revision")
