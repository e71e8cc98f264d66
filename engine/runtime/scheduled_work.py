"""The scheduler beside a server, and its end: nothing more begins at once, what runs has the grace."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from engine.model.errors import Problem, Unavailable
from engine.runtime.processes.stop_signals import StopSignals

log = logging.getLogger("hq.processes")
T = TypeVar("T")
LOOK_SECONDS = 0.1
LAST_SECONDS = 1.0


class BackgroundJobs(Protocol):
    """Work that runs beside a server."""

    def start(self) -> None:
        """Begin, on threads of its own."""

    def shutdown(self, *, wait: bool) -> None:
        """Begin nothing more; let what runs come to its end."""


class ScheduledWork:
    """Runs jobs from ``start`` until a signal comes. ``interrupt`` ends the worker processes that compute for them."""

    def __init__(self, jobs: BackgroundJobs, signals: StopSignals, interrupt: Callable[[], None]) -> None:
        self._jobs = jobs
        self._signals = signals
        self._interrupt = interrupt
        self._thread = threading.Thread(target=self._shut_down, name="jobs-end", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._jobs.start()
        self._thread.start()

    def end(self) -> bool:
        """After a signal: wait for what runs, for as long as the grace lasts, then interrupt it. Whether all is over.

        A job that is not over has no end in the store: whoever leads next notes that it was interrupted, and owes it.
        """
        while self._thread.is_alive() and self._signals.grace_remaining:
            self._thread.join(LOOK_SECONDS)
        if self._thread.is_alive():
            log.warning("scheduled work did not come to its end in time; it is interrupted and owed again")
            self._interrupt()
            self._thread.join(LAST_SECONDS)
        return not self._thread.is_alive()

    def _shut_down(self) -> None:
        self._signals.asked.wait()
        try:
            self._jobs.shutdown(wait=True)
        except Problem as problem:  # the store may be gone: then the lease runs out by itself
            log.warning("scheduled work ended, and could not say so: %s", problem.message)


class Interruption:
    """What a job says whose worker was ended with the process: nothing, so that its run stays without an end."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    def begin(self) -> None:
        """From now on."""
        self._begun.set()

    def call(self, function: Callable[[], T]) -> T:
        """What the function returns or raises, unless it is interrupted: then this never returns."""
        try:
            return function()
        except Unavailable:
            if self._begun.is_set():
                threading.Event().wait()  # the process ends around this thread
            raise
