"""A lock that serves threads in the order in which they came."""

import threading
from collections import deque
from types import TracebackType

from engine.store.faults import BUSY
from engine.store.patience import turn_patience


class FairLock:
    """First come, first served. ``threading.Lock`` lets a fast thread starve the others behind a slow commit.

    A request that waits longer than its patience is told that the store is busy: Unavailable.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._held = False

    def __enter__(self) -> None:
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
