"""Group commit: writes that wait for the writer share its next transaction, each still its own revision."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Generic, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Engine

from engine.model.errors import NotFound, Problem, Unavailable
from engine.store.chain.chain import GENESIS
from engine.store.chain.heads import move_head, take_head
from engine.store.database.patience import wait_allowed
from engine.store.writing.locks import FairLock
from engine.store.writing.revisions import Revision
from engine.store.writing.statements import Values
from engine.store.writing.write_buffer import LookupCache, Read, WriteBuffer

T = TypeVar("T")
MOST = 64  # writes in one transaction: bounds how long the first of them waits for the last
PAUSES, PAUSE_SECONDS = 10, 0.001  # at most, for others who are about to write
MOST_ORGANIZATIONS = 32  # whose look-ups are kept from one transaction to the next

TimedChange: TypeAlias = tuple[datetime, Callable[[Revision], object]]
Lookups = Sequence[tuple[Read, Sequence[str]]]
"""What a change will look up, as far as that is known before: the reading function and its keys."""


@dataclass(frozen=True)
class Write(Generic[T]):
    """A small write to one organization, as a function of its revision."""

    org_id: str
    actor: str
    change: Callable[[Revision], T]
    now: datetime
    prefetch: Lookups = ()


class WriteResult(Generic[T]):
    """One write and what became of it."""

    def __init__(self, write: Write[T]) -> None:
        self.write = write
        self.done = False
        self.value: object = None
        self.error: BaseException | None = None

    def get(self) -> T:
        """What the change returned, once that is committed; raises what it, or the commit, raised."""
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


Results: TypeAlias = Sequence[WriteResult[Any]]  # each change returns something of its own


class _Batch:
    def __init__(self, results: Results) -> None:
        self.results = results
        self.woken = threading.Lock()  # locked until the writes are done, or their thread is to lead
        self.woken.acquire()


class GroupCommit:
    """The queue in front of a writer engine: one of the waiting threads commits for all of them.

    The whole batch is woken at once: a lock hand-over per write would cost a context switch each, before the next
    batch could begin.
    """

    def __init__(self, writer: Engine, turn: FairLock, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self._writer = writer
        self._turn = turn
        self._errors = errors
        self._waiting: deque[_Batch] = deque()
        self._led = False
        self._size = 0  # of the last transaction, in threads
        self._guard = threading.Lock()
        self._known: dict[str, tuple[tuple[int, str], LookupCache]] = {}  # by organization: what held at that head

    def write_all(self, writes: Sequence[Write[T]]) -> list[WriteResult[T]]:
        """Run each change in a revision of its own; returns when all are committed, or have failed."""
        if not writes:
            return []
        wait_allowed()
        results = [WriteResult(write) for write in writes]
        mine = _Batch(results)
        with self._guard:
            self._waiting.append(mine)
            leads, self._led = not self._led, True
        if not leads:
            mine.woken.acquire()
        if not all(result.done for result in results):
            self._commit_as_leader(mine)
        return results

    def _commit_as_leader(self, mine: _Batch) -> None:
        """Commit the batches at the front of the queue, ``mine`` first, then wake them and the next leader."""
        batch: list[_Batch] = []
        try:
            self._gather()
            with self._turn:
                with self._guard:
                    batch = self._take()
                self._size = len(batch)
                self._serve([result for each in batch for result in each.results])
        except Unavailable as busy:  # the turn did not come: nobody behind waits for it all over again
            with self._guard:
                batch = list(self._waiting)
                self._waiting.clear()
            for result in (result for each in batch for result in each.results):
                result.error, result.done = busy, True
        finally:
            with self._guard:
                if mine not in batch:  # interrupted before its turn came
                    self._waiting.remove(mine)
                self._led = bool(self._waiting)
                leader = [self._waiting[0]] if self._led else []
            for each in (*leader, *batch):
                each.woken.release()

    def _take(self) -> list[_Batch]:
        batch = [self._waiting.popleft()]
        size = len(batch[0].results)
        while self._waiting and size + len(self._waiting[0].results) <= MOST:
            batch.append(self._waiting.popleft())
            size += len(batch[-1].results)
        return batch

    def _gather(self) -> None:
        """Where the last transaction had several writes, wait while more of them come: that is less than it costs to
        write them apart. A lone write waits for nobody."""
        if self._size < 2:
            return
        for _ in range(PAUSES):
            count = len(self._waiting)
            time.sleep(PAUSE_SECONDS)
            if len(self._waiting) == count or len(self._waiting) >= MOST:
                return

    def _serve(self, batch: Results) -> None:
        """One transaction; the caller holds the turn. When one of several fails, it is done again with savepoints."""
        batch = sorted(batch, key=lambda pending: pending.write.org_id)  # one order of locks for all: no deadlock
        try:
            try:
                self._transaction(batch, guarded=False)
            except _OneFailedError:
                self._transaction(batch, guarded=True)
        except BaseException as error:
            for pending in batch:
                pending.value, pending.error = None, pending.error or error
        finally:
            for pending in batch:
                pending.done = True

    def _transaction(self, batch: Results, *, guarded: bool) -> None:
        known: dict[str, tuple[tuple[int, str], LookupCache]] = {}
        with self._errors(), self._writer.connect() as connection, connection.begin():
            for org_id, group in groupby(batch, key=lambda pending: pending.write.org_id):
                memory = self._known.pop(org_id, None)
                held, head = _write_all(connection, org_id, list(group), memory, guarded=guarded, alone=len(batch) == 1)
                if head is not None:
                    known[org_id] = (head, held.known)
        for _, kept in known.values():
            kept.trim()
        self._known |= known  # committed: it holds for whoever finds the same head
        while len(self._known) > MOST_ORGANIZATIONS:
            del self._known[next(iter(self._known))]


class _OneFailedError(Exception):
    """One of several writes in a transaction failed, and nothing tells its part from that of the others."""


def _write_all(
    connection: Connection,
    org_id: str,
    group: Results,
    memory: tuple[tuple[int, str], LookupCache] | None,
    *,
    guarded: bool,
    alone: bool,
) -> tuple[WriteBuffer, tuple[int, str] | None]:
    """One revision each within the transaction; the head is read and moved once, rows and events are stored together.

    ``guarded``: a failure undoes its own part and goes to its own caller. Returns the new head, None for nobody's.
    """
    start = take_head(connection, org_id)
    held = WriteBuffer(connection, org_id, memory[1] if memory is not None and memory[0] == start else None)
    if start is None:
        for pending in group:
            pending.error = NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
        return held, None
    if not guarded:  # else a look-up that fails is one change's own
        try:
            _prefetch(held, group)
        except Exception as error:
            if alone:
                raise
            raise _OneFailedError from error
    head, moved_at = start, group[0].write.now
    for pending in group:
        revision = Revision(connection, org_id, pending.write.actor, pending.write.now, head, held)
        if guarded:
            held.store()
            connection.exec_driver_sql("SAVEPOINT revision")
        try:
            pending.value = pending.write.change(revision)
            reached = revision.seal() if revision.touched else head
            if guarded:
                held.store()
                connection.exec_driver_sql("RELEASE SAVEPOINT revision")
        except Exception as error:
            if alone:
                raise
            if not guarded:
                raise _OneFailedError from error
            pending.value, pending.error = None, error
            held.drop()
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT revision")
        else:
            if revision.touched:
                head, moved_at = reached, pending.write.now
    try:
        held.store()
    except Exception as error:
        if alone or guarded:
            raise
        raise _OneFailedError from error
    if head != start:
        move_head(connection, org_id, start, head, moved_at)
    return held, head


def write_in_order(
    connection: Connection, org_id: str, actor: str, changes: Iterable[TimedChange], create: Values | None
) -> None:
    """One revision after the other within the transaction, each at its own time; the head is read and moved once."""
    taken = take_head(connection, org_id)
    if taken is None and create is None:
        raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
    head = start = taken or (0, GENESIS)
    held, moved_at = WriteBuffer(connection, org_id), None
    for now, change in changes:
        revision = Revision(connection, org_id, actor, now, head, held)
        if taken is None and moved_at is None:
            revision.create({"created_at": now, **(create or {})})
        change(revision)
        if revision.touched:
            head, moved_at = revision.seal(), now
        elif moved_at is None and taken is None:
            raise Problem(f"The first write to {org_id} by {actor} made it and recorded nothing; nothing was changed.")
    if moved_at is not None:
        held.store()
        move_head(connection, org_id, start, head, moved_at)


def _prefetch(held: WriteBuffer, group: Results) -> None:
    wanted: dict[Read, list[str]] = {}
    for pending in group:
        for read, keys in pending.write.prefetch:
            wanted.setdefault(read, []).extend(keys)
    for read, keys in wanted.items():
        held.look_up(read, keys)
