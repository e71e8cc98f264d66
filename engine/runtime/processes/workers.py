"""Worker processes: what computes for long is done there, so that the serving process stays free and can end it."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from engine.model.errors import Problem, Unavailable
from engine.runtime.processes.worker_process import Assignment, WorkerDeath, WorkerProcess

log = logging.getLogger("hq.workers")
C = TypeVar("C")

LOOK_SECONDS = 0.1
ABANDONED_SECONDS = 5.0  # for which work goes on that nobody waits for: its result is kept for the next who asks
PREPARATION_SECONDS = 3600.0


class NobodyWaits(Unavailable):
    """The client hung up before the work was done."""

    word = "client_gone"


class OverDeadline(Unavailable):
    """The work took longer than it may, and was ended."""

    word = "deadline_passed"


@dataclass
class _Order(Generic[C]):
    """Assignment that somebody waits for."""

    work: Assignment[C]
    caller: str
    position: int
    waiting: int = 1
    since: float = field(default_factory=time.monotonic)
    begun: float | None = None
    prepared: bool = False
    abandoned: float | None = None
    result: object = None
    problem: Problem | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def may_join(self, work: Assignment[C]) -> bool:
        """Whether what comes of this is right for whoever asks for ``work`` now."""
        return (
            self.work.key is not None
            and self.work.key == work.key
            and (self.begun is None or self.position >= work.position)
        )


class Workers(Generic[C]):
    """Workers that share out work by ``place``: equal places always meet the same process.

    A process is started at first need, ended where its work passes ``deadline`` (seconds) or nobody waits for it any
    more, and ended when it had nothing to do for ``idle`` seconds. ``ahead`` is there already, to be the first.
    """

    def __init__(
        self,
        name: str,
        opens: list[Callable[[], AbstractContextManager[C]]],
        *,
        deadline: float,
        idle: float | None = None,
        ahead: WorkerProcess[C] | None = None,
    ) -> None:
        self.deadline = deadline
        self._slots = [
            _Slot(f"{name}-{number}", open, deadline, idle, None if number else ahead)
            for number, open in enumerate(opens)
        ]

    def run(self, work: Assignment[C], *, place: str, caller: str = "", gone: Callable[[], bool] = bool) -> object:
        """The result; a Problem that the work raised, or Unavailable: the deadline passed, the process ended.

        ``gone`` is asked while it waits: NobodyWaits once it says so.
        """
        slot = self._slots[sum(place.encode()) % len(self._slots)]
        order = slot.place(work, caller)
        while not order.done.wait(LOOK_SECONDS):
            if gone():
                slot.leave(order)
                raise NobodyWaits("The client hung up before the answer was there.")
            if not order.prepared and time.monotonic() - order.since > self.deadline:
                slot.leave(order)
                raise Unavailable(
                    f"Other work, or copying records, came first for {self.deadline:.0f} s; try again in 5 s.",
                    word="busy",
                    headers={"Retry-After": "5"},
                )
        if order.problem is not None:
            raise order.problem
        return order.result

    def close(self) -> None:
        """End the processes and whatever they do."""
        for slot in self._slots:
            slot.close()


class _Slot(Generic[C]):
    """One process, what waits for it, and the thread that hands out its work."""

    def __init__(
        self,
        name: str,
        open: Callable[[], AbstractContextManager[C]],
        deadline: float,
        idle: float | None,
        ahead: WorkerProcess[C] | None,
    ) -> None:
        self._ahead = ahead
        self._name = name
        self._open = open
        self._deadline = deadline
        self._idle = idle
        self._wake = threading.Condition()
        self._waiting: deque[_Order[C]] = deque()
        self._current: _Order[C] | None = None
        self._closing = False
        self._thread: threading.Thread | None = None
        self._last_caller = ""

    def place(self, work: Assignment[C], caller: str) -> _Order[C]:
        with self._wake:
            if self._closing:
                raise Unavailable("The console is stopping.", word="stopping", headers={"Retry-After": "5"})
            for order in (*self._waiting, *([self._current] if self._current else [])):
                if order.may_join(work):
                    order.waiting += 1
                    order.abandoned = None
                    order.position = max(order.position, work.position) if order.begun is None else order.position
                    return order
            order = _Order(work, caller, work.position)
            self._waiting.append(order)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self._thread.start()
            self._wake.notify()
            return order

    def leave(self, order: _Order[C]) -> None:
        """One waits less; what nobody waits for is not begun, and ended soon where it is."""
        with self._wake:
            order.waiting -= 1
            if order.waiting:
                return
            if order.begun is None and order in self._waiting:
                self._waiting.remove(order)
            order.abandoned = time.monotonic()

    def close(self) -> None:
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        process = self._ahead
        try:
            while True:
                order = self._next(None if process is None else self._idle)
                if order is None:
                    if self._closing:
                        return
                    if process is not None:
                        process.close()
                    process = None
                    continue
                try:
                    if process is not None and not process.is_running:
                        process.end()
                        process = None
                    process = process or WorkerProcess(self._open, self._name)
                    process = self._do(process, order)
                except OSError as error:
                    order.problem = Unavailable(
                        f"No process can be started to compute this: {error.strerror or error}; try again in 5 s.",
                        word="no_worker",
                        headers={"Retry-After": "5"},
                    )
                except Exception:
                    # The last resort of the thread: whoever waits is answered, and the next finds a fresh process.
                    log.exception("%s: work could not be handed out", self._name)
                    order.problem = Problem("Something went wrong on our side; the log has it.")
                    if process is not None:
                        process.end()
                    process = None
                with self._wake:
                    self._current = None
                order.done.set()
        finally:
            if process is not None:
                process.close()
            with self._wake:
                for left in self._waiting:
                    left.problem = Unavailable("The console is stopping.", word="stopping")
                    left.done.set()

    def _next(self, idle: float | None) -> _Order[C] | None:
        """The next order, another caller's first; None after ``idle`` seconds without one, or at the end."""
        with self._wake:
            while not self._waiting:
                if self._closing or not self._wake.wait(idle):
                    return None
            if self._closing:
                return None
            other = next((order for order in self._waiting if order.caller != self._last_caller), self._waiting[0])
            self._waiting.remove(other)
            self._current, self._last_caller = other, other.caller
            other.begun = time.monotonic()
            return other

    def _do(self, process: WorkerProcess[C], order: _Order[C]) -> WorkerProcess[C] | None:
        """Have it done. The process, or None where it had to be ended."""
        limit, until = PREPARATION_SECONDS, time.monotonic() + PREPARATION_SECONDS
        try:
            process.send(order.work)
            while True:
                answer = process.answer(LOOK_SECONDS)
                now = time.monotonic()
                if answer is None:
                    if self._closing:
                        order.problem = Unavailable("The console is stopping.", word="stopping")
                    elif now > until:
                        order.problem = OverDeadline(
                            f"This took longer than {limit:.0f} s and was ended; ask for less, or try again later.",
                            headers={"Retry-After": str(round(limit))},
                        )
                    elif not (order.prepared and order.abandoned and now - order.abandoned > ABANDONED_SECONDS):
                        continue
                    log.info("%s: ended after %.1f s", self._name, now - (order.begun or now))
                    process.end()
                    return None
                kind, value = answer
                if kind == "prepared":
                    order.prepared, limit = True, self._deadline
                    until = now + limit
                elif kind == "result":
                    order.result = value
                    return process
                else:
                    order.problem = cast(Problem, value)
                    return process
        except WorkerDeath:
            process.end()
            order.problem = Unavailable(
                "The process that computed this ended; it is started again. Try again in 5 s.",
                word="worker_ended",
                headers={"Retry-After": "5"},
            )
            return None
