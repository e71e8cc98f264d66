"""Locks that serve threads in the order in which they came, and processes about so."""

import contextlib
import fcntl
import logging
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from engine.store.database.faults import BUSY
from engine.store.database.patience import turn_patience, wait_allowed

log = logging.getLogger("hq.store")


class FairLock:
    """First come, first served. ``threading.Lock`` lets a fast thread starve the others behind a slow commit.

    A request that waits longer than its patience is told that the store is busy: Unavailable.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._held = False

    def __enter__(self) -> None:
        wait_allowed()
        with self._guard:
            if not self._held and not self._waiting:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=turn_patience()):
            return
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                raise BUSY.problem()
        # it came between the two looks: it is held

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False

    def close(self) -> None:
        """Nothing is to be let go of."""


class FileTurn(FairLock):
    """A fair lock that processes share: whoever has its turn here waits for the lock of a file, too.

    Where the file cannot be had, SQLite's own lock alone decides.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> None:
        super().__enter__()
        try:
            if self._file is None:
                self._file = self._path.open("ab")
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:  # a folder that cannot be written, a file system without locks
            log.debug("no turn by %s: %s", self._path, error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_UN)
        super().__exit__(kind, error, trace)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
