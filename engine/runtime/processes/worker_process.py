"""One worker process: it opens what it needs once, and does one work after the other."""

import logging
import os
import queue
import signal
import socket
import threading
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe, current_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeAlias, TypeVar, cast

from engine.model.errors import Problem
from engine.model.file_errors import door_problem
from engine.reporting.batch.child_process import can_fork, fork_child, start_child
from engine.runtime.processes.garbage import rare_collections
from engine.runtime.processes.process_names import is_stopped, show_name

log = logging.getLogger("hq.workers")
C = TypeVar("C")
NICENESS = 5
CLOSE_SECONDS = 5.0
SIGNALS = signal.SIGINT, signal.SIGTERM  # which reach whoever started it, and not a worker
OBJECTS_BETWEEN_COLLECTIONS = 200_000  # what is loaded and computed makes many objects, and few of them are cycles
END = b"end"  # what a worker is sent in place of a work


@dataclass(frozen=True)
class Assignment(Generic[C]):
    """A function of a module, called in a worker with what it opened and ``arguments``; all of it can be pickled.

    ``prepare`` is called before, outside of the deadline: it brings the worker's own copies up to date. What has an
    equal ``key`` is done once for all who wait for it, where it begins after they asked, or at their ``position``.
    """

    function: Callable[..., Any]  # Any: what it returns is the caller's to know
    arguments: tuple[object, ...] = ()
    prepare: Callable[[C], object] | None = None
    key: Hashable = None
    position: int = 0


_Sent: TypeAlias = tuple[Callable[..., Any], tuple[object, ...], Callable[[C], object] | None]


class WorkerDeath(Exception):
    """The process is gone."""


class WorkerProcess(Generic[C]):
    """One worker process. ``open`` runs in it before its first work, and gives what every work is called with.

    ``copied``: it is a copy of this process, in which these are closed; without them it is a fresh one.
    """

    def __init__(
        self,
        open: Callable[[], AbstractContextManager[C]],
        name: str,
        *,
        copied: Iterable[socket.socket | Connection] | None = None,
    ) -> None:
        self.line, far = Pipe()
        self._process: BaseProcess
        if copied is None:
            self._process = start_child(_main, (open, far), name, SIGNALS)
        else:
            self._process = fork_child(_main, (open, far, (self.line, *copied)), name, SIGNALS)
        far.close()

    @property
    def is_running(self) -> bool:
        """Whether it is there still and goes on: one that was killed or stopped at rest says nothing."""
        return self._process.is_alive() and not is_stopped(self._process.pid or 0)

    def send(self, work: Assignment[C]) -> None:
        """Begin."""
        try:
            self.line.send((work.function, work.arguments, work.prepare))
        except OSError as error:
            raise WorkerDeath from error

    def answer(self, seconds: float) -> tuple[str, object] | None:
        """What the worker says within that time; None where it says nothing."""
        try:
            return cast(tuple[str, object], self.line.recv()) if self.line.poll(seconds) else None
        except (EOFError, OSError) as error:
            raise WorkerDeath from error

    def close(self) -> None:
        """Let it put away what it opened, and end."""
        try:
            self.line.send_bytes(END)
        except OSError:
            log.debug("%s is gone already", self._process.name)
        self._process.join(CLOSE_SECONDS)
        self.end()

    def end(self) -> None:
        """End it at once: it holds nothing that is not safe in the store."""
        self._process.kill()
        self._process.join()
        self.line.close()


@contextmanager
def workers_ahead(
    opens: Mapping[str, Callable[[], AbstractContextManager[C]]], sockets: Iterable[socket.socket]
) -> Iterator[Mapping[str, WorkerProcess[C]]]:
    """While the block runs, a worker for each name with all that this process has imported; none where that cannot be.

    What is imported once need not be imported again: a second of processor time less until the first page is there.
    """
    made: dict[str, WorkerProcess[C]] = {}
    try:
        if can_fork():
            for name, open in opens.items():
                others: list[socket.socket | Connection] = [*sockets, *(other.line for other in made.values())]
                made[name] = WorkerProcess(open, f"{name}-0", copied=others)
        yield made
    finally:
        for process in made.values():
            process.end()


def _main(
    open: Callable[[], AbstractContextManager[C]], far: Connection, others: Iterable[Connection | socket.socket] = ()
) -> None:
    """A worker: one work after the other, until the other side is gone. ``others`` are not its own."""
    os.nice(NICENESS)
    for other in others:
        other.close()
    show_name(f"hq {current_process().name}")
    came: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                came.put(far.recv_bytes())  # what it holds is imported by the main thread: two would trip each other
        except (EOFError, OSError):
            os._exit(0)  # whoever asked is gone, and so is the use of what is being computed

    threading.Thread(target=listen, daemon=True).start()
    sent = came.get()  # nothing is opened before: whoever started it may still be making the store
    if sent != END:
        with rare_collections(OBJECTS_BETWEEN_COLLECTIONS), open() as opened:
            while sent != END:
                far.send(_outcome(opened, sent, far))
                sent = came.get()
    os._exit(0)  # all is put away; taking the interpreter down as well takes time and tells nothing


def _outcome(opened: C, sent: bytes, far: Connection) -> tuple[str, object]:
    try:
        function, arguments, prepare = cast(_Sent[C], ForkingPickler.loads(sent))
        if prepare is not None:
            prepare(opened)
        far.send(("prepared", None))
        return "result", function(opened, *arguments)
    except Problem as problem:
        return "problem", problem
    except Exception as error:
        # The last resort of the process: the trace goes to the log, whoever waits gets no inside.
        log.error("work failed\n%s", traceback.format_exc())
        return "problem", door_problem(error) or Problem("Something went wrong on our side; the log has it.")
