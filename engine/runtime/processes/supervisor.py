"""Keeps a number of processes running until it is told to stop."""

import logging
import os
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from engine.model.errors import Problem
from engine.runtime.processes.stop_signals import GRACE_SECONDS

log = logging.getLogger("hq.processes")

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
SETTLED_SECONDS = 10.0  # one that lived for so long is started again without a pause
TRIES = 2  # of each process, after which it is given up if none ever came up
LAST_SECONDS = 3.0  # after the grace

Start = Callable[[int, Callable[[], None]], BaseProcess]
"""Starts the process of a number; the function is to be called once it is ready."""


class _Place:
    """One of the processes, the one before it, and when the next may start."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: BaseProcess | None = None
        self.began = 0.0
        self.due = 0.0
        self.failures = 0

    def note_exit(self, now: float) -> float:
        """Note that the process is gone; the pause after which it is started again."""
        settled = now - self.began >= SETTLED_SECONDS
        self.failures = 0 if settled else self.failures + 1
        pause = 0.0 if settled else min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self.failures - 1))
        self.process, self.due = None, now + pause
        return pause


class Supervisor:
    """``count`` processes; one that ends is started again, after a pause that grows where it ends soon."""

    def __init__(self, start: Start, count: int) -> None:
        self._start = start
        self._places = [_Place(number) for number in range(1, count + 1)]
        self._stops = 0
        self._ready = False
        self._near, self._far = os.pipe()

    def stop(self) -> None:
        """End them: from a signal's handler or any thread. What they do has no time left once this is said again."""
        self._stops += 1
        os.write(self._far, b"x")

    def run(self, announce: Callable[[], None], ending: Callable[[], None]) -> None:
        """Until ``stop``; ``announce`` is called when the first is ready, ``ending`` before they are told to end.

        A Problem where none ever is ready.
        """
        announced = False
        try:
            while not self._stops:
                self._fill()
                self._look()
                if self._ready and not announced:
                    announced = True
                    announce()
        finally:
            ending()
            self._end()

    def _fill(self) -> None:
        now = time.monotonic()
        for place in self._places:
            if place.process is None and now >= place.due:
                place.process, place.began = self._start(place.number, self._report_ready), now

    def _report_ready(self) -> None:
        self._ready = True
        os.write(self._far, b"x")

    def _look(self) -> None:
        """Wait for an end, a signal or the next start; note who is gone."""
        next_due = min((place.due for place in self._places if place.process is None), default=None)
        self._wait(None if next_due is None else max(0.0, next_due - time.monotonic()))
        now = time.monotonic()
        for place in self._places:
            if place.process is not None and not place.process.is_alive():
                how, pause = _ending(place.process.exitcode), place.note_exit(now)
                log.warning("serving process %d %s; it is started again in %.1f s", place.number, how, pause)
        if not self._ready and all(place.failures >= TRIES for place in self._places):
            raise Problem("No serving process came up; what is said above says why.")

    def _wait(self, seconds: float | None) -> None:
        running = [place.process.sentinel for place in self._places if place.process is not None]
        if self._near in wait([self._near, *running], seconds):
            os.read(self._near, 1024)

    def _end(self) -> None:
        """Tell all of them, once or twice; whoever is there after the grace is killed."""
        until, told = time.monotonic() + GRACE_SECONDS + LAST_SECONDS, 0
        while (running := [p.process for p in self._places if p.process is not None and p.process.is_alive()]) and (
            time.monotonic() < until
        ):
            if told < max(1, min(2, self._stops)):
                told += 1
                for process in running:
                    process.terminate()
            self._wait_for(running)
        for process in running:
            log.warning("%s does not end; it is killed", process.name)
            process.kill()
            process.join()

    def _wait_for(self, running: list[BaseProcess]) -> None:
        if self._near in wait([self._near, *(process.sentinel for process in running)], 0.5):
            os.read(self._near, 1024)


def _ending(code: int | None) -> str:
    return f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
