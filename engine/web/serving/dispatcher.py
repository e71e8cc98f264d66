"""Hands complete requests to the threads of their lane."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.web.lanes import Lane
from engine.web.serving.refusals import HttpRefusal, busy, stopping

log = logging.getLogger("hq.web")
TOGETHER = 64  # requests that one thread answers together: bounds how long the first of them waits for the last
JOINT_THREADS = 2  # of a lane that do so: one waits for the disk while the other gets ready


class Connection(Protocol):
    """A client's connection whose oldest request is complete."""

    def service(self) -> None:
        """Answer it."""

    def refuse(self, refusal: HttpRefusal) -> None:
        """Answer it with the refusal."""

    def cancel(self) -> None:
        """Hang up."""


@dataclass(frozen=True)
class _Waiting:
    connection: Connection
    caller: str
    since: float
    joins: bool


@dataclass
class _Queue:
    """What waits in a lane, and how many threads each caller has there."""

    lane: Lane
    waiting: deque[_Waiting] = field(default_factory=deque)
    at_work: dict[str, int] = field(default_factory=dict)
    joint: int = 0  # threads that answer several requests together

    def take(self) -> list[_Waiting]:
        """The oldest whose caller has not all of its share, and others that join it, for one thread.

        Each of their callers has one thread more from now on. Where enough threads answer together, more of them would
        only have fewer each.
        """
        taken: list[_Waiting] = []
        passed: list[_Waiting] = []
        callers: set[str] = set()
        while self.waiting and len(taken) < TOGETHER:
            waiting = self.waiting.popleft()
            if (
                (taken and not waiting.joins)
                or (waiting.joins and self.joint >= JOINT_THREADS)
                or (waiting.caller not in callers and self.at_work.get(waiting.caller, 0) >= self.lane.share)
            ):
                passed.append(waiting)
                continue
            taken.append(waiting)
            callers.add(waiting.caller)
            if not waiting.joins:
                break
        self.waiting.extendleft(reversed(passed))
        for caller in callers:
            self.at_work[caller] = self.at_work.get(caller, 0) + 1
        self.joint += bool(taken) and taken[0].joins
        return taken

    def give_back(self, taken: Sequence[_Waiting]) -> None:
        """The thread that had these is free again."""
        self.joint -= taken[0].joins
        for caller in {waiting.caller for waiting in taken}:
            left = self.at_work[caller] - 1
            if left:
                self.at_work[caller] = left
            else:
                del self.at_work[caller]

    def impatient(self, now: float) -> list[_Waiting]:
        """Those that have waited too long, taken out."""
        gone = []
        while self.waiting and now - self.waiting[0].since > self.lane.patience:
            gone.append(self.waiting.popleft())
        return gone


class LaneDispatcher:
    """waitress's dispatcher of tasks, with a queue and threads for each lane.

    ``whose`` says in which lane a connection's request runs, who counts as its caller, and whether it may be answered
    together with others by ``serve_together``. A connection that has to be refused is handed out by ``take_refused``:
    only the I/O loop may answer it.
    """

    def __init__(
        self,
        lanes: Iterable[Lane],
        whose: Callable[[Connection], tuple[Lane, str, bool]],
        serve_together: Callable[[Sequence[Connection]], None],
    ) -> None:
        self._whose = whose
        self._serve_together = serve_together
        self._lock = threading.Lock()
        self._queues = {lane.name: _Queue(lane) for lane in lanes}
        self._wake = {name: threading.Condition(self._lock) for name in self._queues}
        self._refused: deque[tuple[Connection, HttpRefusal]] = deque()
        self._ending = False
        self._threads = [
            threading.Thread(target=self._serve, args=(queue,), name=f"{queue.lane.name}-{number}", daemon=True)
            for queue in self._queues.values()
            for number in range(queue.lane.threads)
        ]
        for thread in self._threads:
            thread.start()

    def add_task(self, task: Connection) -> None:
        """Let a connection wait for a thread; one too many is to be refused."""
        lane, caller, joins = self._whose(task)
        with self._lock:
            queue = self._queues[lane.name]
            if self._ending:
                self._refused.append((task, stopping()))
            elif len(queue.waiting) >= lane.queue:
                self._refused.append((task, busy(lane.name, lane.retry_after)))
            else:
                queue.waiting.append(_Waiting(task, caller, time.monotonic(), joins))
                self._wake[lane.name].notify()

    def full(self, lane: Lane) -> HttpRefusal | None:
        """What to say to a request that will not find a place in its lane."""
        with self._lock:
            if len(self._queues[lane.name].waiting) < lane.queue:
                return None
        return busy(lane.name, lane.retry_after, closes=True)

    def take_refused(self, now: float) -> list[tuple[Connection, HttpRefusal]]:
        """Those that were refused or have waited too long, each once, and what to tell them."""
        with self._lock:
            found = list(self._refused)
            self._refused.clear()
            for queue in self._queues.values():
                found += [
                    (waiting.connection, busy(queue.lane.name, queue.lane.retry_after))
                    for waiting in queue.impatient(now)
                ]
        return found

    def close(self) -> None:
        """Take nothing more: what waits is to be refused, what runs comes to its end."""
        with self._lock:
            self._ending = True
            for name, queue in self._queues.items():
                self._refused.extend((waiting.connection, stopping()) for waiting in queue.waiting)
                queue.waiting.clear()
                self._wake[name].notify_all()

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End the threads, waiting at most ``timeout`` seconds for what runs. Whether all of it came to its end."""
        self.close()
        until = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        left = [thread.name for thread in self._threads if thread.is_alive()]
        if left:
            log.warning("requests still running at the end: %s", ", ".join(left))
        if cancel_pending:
            while self._refused:
                self._refused.popleft()[0].cancel()
        return not left

    def _serve(self, queue: _Queue) -> None:
        wake = self._wake[queue.lane.name]
        while True:
            with self._lock:
                taken = queue.take()
                while not taken:
                    if self._ending:
                        return
                    wake.wait()
                    taken = queue.take()
            try:
                if taken[0].joins:
                    self._serve_together([waiting.connection for waiting in taken])
                else:
                    taken[0].connection.service()
            except BaseException:
                # the last resort of a thread, which has to live on: whatever this was, the log has it
                log.exception("a connection failed")
            finally:
                with self._lock:
                    queue.give_back(taken)
                    if queue.waiting:
                        wake.notify()
