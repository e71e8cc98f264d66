"""Counters that go on in memory while the place that processes share does not answer."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from limits.storage import SlidingWindowCounterSupport, Storage

log = logging.getLogger("hq.limits")
T = TypeVar("T")
AWAY_SECONDS = 3.0  # after which it is asked whether the shared place answers again


class WindowStorage(Protocol):
    """What the sliding window asks of a storage."""

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        """What it raises where it does not answer."""

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool: ...

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]: ...

    def clear_sliding_window(self, key: str, expiry: int) -> None: ...

    def incr(self, key: str, expiry: int, amount: int = 1) -> int: ...

    def get(self, key: str) -> int: ...

    def get_expiry(self, key: str) -> float: ...

    def check(self) -> bool: ...

    def reset(self) -> int | None: ...

    def clear(self, key: str) -> None: ...


class SpareCounters(Storage, SlidingWindowCounterSupport):
    """Counts in ``shared``, and in ``spare`` from when that fails until it answers again.

    The first request that meets the failure waits as long as ``shared`` does; whether it is back, a thread asks.
    """

    def __init__(self, shared: WindowStorage, spare: WindowStorage) -> None:
        super().__init__()
        self._shared = shared
        self._spare = spare
        self._away = False
        self._guard = threading.Lock()

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        return self._spare.base_exceptions

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        return self._of(lambda storage: storage.acquire_sliding_window_entry(key, limit, expiry, amount))

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        return self._of(lambda storage: storage.get_sliding_window(key, expiry))

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        self._of(lambda storage: storage.clear_sliding_window(key, expiry))

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return self._of(lambda storage: storage.incr(key, expiry, amount))

    def get(self, key: str) -> int:
        return self._of(lambda storage: storage.get(key))

    def get_expiry(self, key: str) -> float:
        return self._of(lambda storage: storage.get_expiry(key))

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        return self._of(lambda storage: storage.reset())

    def clear(self, key: str) -> None:
        self._of(lambda storage: storage.clear(key))

    def _of(self, ask: Callable[[WindowStorage], T]) -> T:
        if not self._away:
            try:
                return ask(self._shared)
            except self._shared.base_exceptions as error:
                self._leave(error)
        return ask(self._spare)

    def _leave(self, error: Exception) -> None:
        with self._guard:
            if self._away:
                return
            self._away = True
        log.warning("SVC_RATE_LIMIT_URL does not answer (%s): limits are counted in memory until it does", error)
        threading.Thread(target=self._wait, name="limits", daemon=True).start()

    def _wait(self) -> None:
        pause = threading.Event()
        while not self._shared.check():
            pause.wait(AWAY_SECONDS)
        self._away = False
        log.info("SVC_RATE_LIMIT_URL answers again: limits are shared")
