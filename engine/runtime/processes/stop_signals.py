"""SIGTERM and Ctrl-C while a process serves: they are told, and interrupt nothing."""

import faulthandler
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)
GRACE_SECONDS = 10.0  # for what runs when the first comes
LAST_SECONDS = 5.0  # for all that is to be put away after it: whatever hangs there is left
log = logging.getLogger("hq.processes")


class StopSignals:
    """Until ``on_signal`` is called, signals do what they always do; from then to the end of the block they only tell.

    The block ends at the latest ``GRACE_SECONDS`` and ``LAST_SECONDS`` after the first, or the process with it.
    """

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._over = threading.Event()
        self._count = 0
        self._asked_at = 0.0
        self._previous: list[Any] = []  # Any: what signal.signal gives back

    def __enter__(self) -> "StopSignals":
        return self

    def on_signal(self, stop: Callable[[], None]) -> None:
        """Call ``stop`` at each signal; it must not wait for anything."""

        def handler(number: int, frame: FrameType | None) -> None:
            self._count += 1
            if self._count == 1:
                self._asked_at = time.monotonic()
                self.asked.set()
            stop()

        self._previous = [signal.getsignal(number) for number in SIGNALS]
        for number in SIGNALS:
            signal.signal(number, handler)
        threading.Thread(target=self._end_at_last, name="end", daemon=True).start()

    @property
    def grace_remaining(self) -> float:
        """Seconds of the grace that are left; none once there was a second signal."""
        if self._count == 0:
            return GRACE_SECONDS
        return 0.0 if self._count > 1 else max(0.0, self._asked_at + GRACE_SECONDS - time.monotonic())

    def _end_at_last(self) -> None:
        self.asked.wait()
        if self._over.wait(GRACE_SECONDS + LAST_SECONDS):
            return
        log.warning("something did not come to its end in %.0f s; it is left", GRACE_SECONDS + LAST_SECONDS)
        faulthandler.dump_traceback()  # where it hangs: nobody else could say
        os._exit(0)  # what was acknowledged is in the store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        for number, previous in zip(SIGNALS, self._previous, strict=False):
            signal.signal(number, previous)
