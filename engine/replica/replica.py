"""A disposable copy of the operational store, in the shape in which reports scan it.

Each sync replaces the changed rows of an organization and its watermark in one transaction. The copy heals itself: a
file that is missing, damaged, of another schema, or holds other rows than syncs wrote is set aside and made anew, when
it is opened and when that is found while it runs. A process that cannot have its file works in memory, and comes back
to the file when it can.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import TypeVar

import duckdb

from engine.model.documents.document import Position
from engine.model.file_errors import NO_MEMORY, FileFault, fault_problem
from engine.replica.replica_file import (
    Copy,
    InUse,
    Options,
    Unsound,
    disk_fault,
    in_memory,
    lock,
    open_or_make,
    quarantine,
    remove,
    remove_asides,
)
from engine.replica.sync import catch_up, open_cursor
from engine.replica.tallies import stored_rows
from engine.replica.view import ReplicaLost, View
from engine.store.log.changes import ChangeReader, ChangeSource

log = logging.getLogger(__name__)
T = TypeVar("T")

RETRY_SECONDS = 60.0  # a process that works in memory tries that often to have its file
TRIES = 3  # the file that was there, another one, memory
# what says that even a copy that this process made, or its disk, is not sound; for a damaged block there is no class
_UNSOUND = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
    duckdb.TransactionException,
)
_LOST = "The copy of the records that reports are computed from was damaged; another one is made: try again."
_UNKEPT = "The copy of the records that reports are computed from cannot be made"


class Replica:
    """The replica of the store at ``url``. ``path`` None keeps it in memory. Threads may share one."""

    def __init__(self, url: str, path: Path | None, *, memory_limit: str = "2GB", threads: int = 2) -> None:
        self.path = path
        self._source = ChangeSource(url)
        self._options: Options = {"memory_limit": memory_limit, "threads": str(threads)}
        self._writer = threading.Lock()
        self._guard = threading.RLock()
        self._opened: Copy | None = None
        self._leaving: list[Copy] = []  # files that were given up and are still read
        self._lock: FileIO | None = None
        self._counted: set[str] = set()  # organizations of a file that was found that have as many rows as the store
        self._fault: FileFault | None = None  # why there is no file, if the disk is
        self._again_at = 0.0  # when to try for the file again

    def close(self) -> None:
        """Write everything to the file and let go of it and of the store."""
        with self._writer, self._guard:
            self._source.close()
            if self._opened is not None:
                copy, self._opened = self._opened, None
                try:
                    whole = copy.has_stamp()
                    copy.connection.close()
                    if whole:
                        copy.put_stamp()
                except duckdb.Error as error:  # without a stamp the next process reads it through
                    log.debug("The analytics store %s was not closed: %s", copy.path, error)
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    @property
    def is_in_memory(self) -> bool:
        """Whether this process works without a file now."""
        return self._opened is None or self._opened.path is None

    # -- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> Copy:
        """The file, or memory where it cannot be had; the guard is held."""
        if self.path is not None and time.monotonic() >= self._again_at:
            try:
                return self._open_file(self.path)
            except (duckdb.Error, OSError) as error:
                self._skip_file(self.path, error)
        try:
            return in_memory(self._options)
        except duckdb.OutOfMemoryException as error:
            raise self._too_much() from error

    def _open_file(self, path: Path) -> Copy:
        path.parent.mkdir(parents=True, exist_ok=True)
        if any(copy.users for copy in self._leaving):  # DuckDB would hand out the database that is given up
            raise InUse("it is still read as it was")
        self._leaving.clear()
        self._lock = self._lock or lock(path)
        copy = open_or_make(path, self._options, self._lock)
        self._counted.clear()
        self._fault = None
        copy.lock = self._lock
        copy.put_stamp()
        return copy

    def _skip_file(self, path: Path, error: duckdb.Error | OSError) -> None:
        if isinstance(error, InUse):
            self._fault = None
            log.debug("The analytics store %s cannot be had now (%s); working in a private one in memory.", path, error)
        else:
            self._fault = disk_fault(error, path.parent)
            log.warning("The analytics store %s cannot be kept, this process works in memory: %s", path, error)
            with suppress(OSError):  # what was set aside may be what fills the disk
                remove_asides(path)
        self._again_at = time.monotonic() + (0.0 if self._leaving else RETRY_SECONDS)

    def _retry(self) -> None:
        """Leave a file that is no longer in its place; have one again where this process did without."""
        with self._guard:
            if (copy := self._opened) is None:
                return
            if not copy.is_in_place:
                self._give_up(copy, Unsound("it is no longer in its place"))
            elif copy.path is None and self.path is not None and time.monotonic() >= self._again_at:
                found = self._open()
                if found.path is None:
                    found.connection.close()
                else:
                    log.debug("The analytics store %s can be had again.", self.path)
                    self._retire(copy)
                    self._opened = found

    @contextmanager
    def _using(self) -> Iterator[Copy]:
        """The copy that is current, which stays open meanwhile; opened when first needed: many commands never do."""
        with self._guard:
            if self._opened is None:
                self._opened = self._open()
            copy = self._opened
            copy.users += 1
        try:
            yield copy
        finally:
            with self._guard:
                copy.users -= 1
                if copy is not self._opened and not copy.users:
                    self._retire(copy)

    def _retire(self, copy: Copy) -> None:
        """Close a copy that is not current, unless somebody still reads it; the guard is held."""
        if not copy.users:
            with suppress(duckdb.Error):
                copy.connection.close()

    @contextmanager
    def _faults(self, copy: Copy) -> Iterator[None]:
        """ReplicaLost where the copy is not sound, Unavailable for want of memory.

        A copy that was found is doubted whatever DuckDB says of it; one that this process filled itself only where it,
        or its disk, is not sound: anything else is an error of the program.
        """
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise self._too_much() from error
        except (duckdb.Error, Unsound) as error:
            known = isinstance(error, _UNSOUND) or type(error) is duckdb.Error
            if not known and not copy.found and copy is self._opened:
                raise
            with self._guard:
                if copy is self._opened:
                    self._give_up(copy, error)
                raise self._replica_lost() from error

    def _give_up(self, copy: Copy, error: Exception) -> None:
        """Have no copy until the next is needed. A file that is not sound is set aside; the guard is held."""
        self._opened = None
        self._retire(copy)
        if copy.path is None:
            log.warning("The analytics store in memory is given up and made anew: %s", error)
            return
        self._leaving.append(copy)
        self._fault = disk_fault(error, copy.path.parent) if isinstance(error, duckdb.Error) else None
        if self._fault is not None:  # the file is what it was; it is opened again once there is space
            log.warning("The analytics store %s cannot be kept, this process works in memory: %s", copy.path, error)
            self._again_at = time.monotonic() + RETRY_SECONDS
            return
        log.warning("The analytics store %s is set aside and rebuilt: %s", copy.path, error)
        if copy.is_in_place:
            with suppress(OSError):
                quarantine(copy.path)
        if not copy.found and isinstance(error, duckdb.Error):  # made a moment ago: the place is not to be trusted
            self._again_at = time.monotonic() + RETRY_SECONDS

    def _replica_lost(self) -> ReplicaLost:
        if self._fault is None:
            return ReplicaLost(_LOST, headers={"Retry-After": "2"})
        problem = fault_problem(_UNKEPT, self._fault)
        return ReplicaLost(problem.message, word=problem.word, headers=problem.headers)

    def _too_much(self) -> Exception:
        """What to say where memory does not suffice; without a file it is the disk that has to be mended."""
        too_much = "There was too much to compute", NO_MEMORY
        return fault_problem(*(too_much if self._fault is None else (_UNKEPT, self._fault)))

    # -- bringing it up to date ------------------------------------------------------------------------------------

    def sync(self, org_ids: Iterable[str], *, with_past: bool = False) -> dict[str, Position]:
        """Bring organizations to their heads; cost follows what changed. Returns where each stands now.

        ``with_past``: their past is there afterwards, and kept from then on; at first all of the log is read.
        """
        wanted = sorted(set(org_ids))
        with self._writer:
            self._retry()
            for _ in range(TRIES - 1):
                with suppress(ReplicaLost):
                    return self._sync(wanted, with_past)
            return self._sync(wanted, with_past)

    def _sync(self, wanted: Sequence[str], with_past: bool) -> dict[str, Position]:
        with self._using() as copy, self._faults(copy):
            known = copy.marks.read(wanted)
            with self._source.changes([(org_id, known[org_id].seq) for org_id in wanted]) as change_readers:
                stands, moved, whole = {}, False, copy.has_stamp()
                for change in change_readers:
                    if (mark := known[change.org_id]).seq and change.erased_since():
                        self._forget(copy)
                        break
                    if (now := catch_up(copy.connection, change, mark, with_past)) is not None:
                        copy.marks.put(change.org_id, now)
                        moved = moved or now != mark
                        stands[change.org_id] = Position(now.seq, now.hash)
                        self._compare_counts(copy, change)
                else:
                    if moved and whole:
                        copy.put_stamp()
                    return stands
        return self._sync(wanted, with_past)

    def _forget(self, copy: Copy) -> None:
        """Go on with another copy: this one has a person who was erased, and in a file rows that go leave their bytes.

        Views of others hold it, without its name, until they are closed.
        """
        with self._guard:
            if copy is not self._opened:
                return
            self._opened = None
            log.info("A person was erased: the analytics store %s is made anew.", copy.path or "in memory")
            if copy.path is not None:
                self._leaving.append(copy)
                if copy.is_in_place:
                    remove(copy.path)

    def _compare_counts(self, copy: Copy, change: ChangeReader) -> None:
        """Unsound where a file that was found has not as many rows as the store; once for each organization.

        Events, of which there are most, are counted of a file that was read through alone: their chain has no gap.
        """
        if not copy.found or change.org_id in self._counted:
            return
        skipped = {"audit_log"} if copy.as_left else set()
        with copy.connection.cursor() as cursor:
            kept = {name: rows for name, rows in stored_rows(cursor, change.org_id).items() if name not in skipped}
            if kept != change.row_counts(skipped):
                raise Unsound(f"it has not as many rows of {change.org_id} as the store")
        self._counted.add(change.org_id)

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def view(self) -> Iterator[View]:
        """One consistent state, whatever is synced meanwhile."""
        with self._using() as copy:
            with self._faults(copy):
                cursor = open_cursor(copy.connection)
                cursor.begin()
            try:
                yield View(cursor, partial(self._faults, copy), lambda: copy is self._opened)
            finally:
                with suppress(duckdb.Error):
                    cursor.rollback()
                cursor.close()

    def read(self, org_ids: Sequence[str], compute: Callable[[View], T]) -> T:
        """What is computed from organizations at their heads; once more from another copy where the first was lost."""
        with suppress(ReplicaLost):
            return self._read(org_ids, compute)
        return self._read(org_ids, compute)

    def _read(self, org_ids: Sequence[str], compute: Callable[[View], T]) -> T:
        self.sync(org_ids)
        with self.view() as view:
            return compute(view)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, where this process has it open; where that fails it is given up."""
        if self.is_in_memory:
            return
        with self._writer, suppress(ReplicaLost), self._using() as copy, self._faults(copy):
            whole = copy.has_stamp()
            copy.connection.cursor().execute("CHECKPOINT")
            if whole:
                copy.put_stamp()
