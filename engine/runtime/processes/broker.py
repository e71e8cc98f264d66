"""What processes that serve have done in the main process, which alone has the workers and counts the limits.

They talk over pairs of sockets: a process has one from its start, and sends an end of another over it for each
connection more. So there is no address that anybody else could reach, and nothing is left where a process is killed.
"""

import logging
import socket
import threading
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Generic, Protocol, TypeVar, cast

from engine.model.errors import Problem, Unavailable
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.processes.workers import LOOK_SECONDS, NobodyWaits

log = logging.getLogger("hq.processes")
C = TypeVar("C")

_READY, _CONNECTION = b"r", b"c"


class OfferedWork(Protocol):
    """Something that the main process does for others; ``gone`` says whether whoever asked still waits."""

    def __call__(self, gone: Callable[[], bool], *arguments: object) -> object: ...


class Broker:
    """The side of the main process: does what is ``offered``, by name, for whoever asks, on a thread for each."""

    def __init__(self, offered: Mapping[str, OfferedWork]) -> None:
        self._offered = offered

    def line(self, ready: Callable[[], None]) -> socket.socket:
        """The end of a new line to hand to a process; ``ready`` is called once that process says that it is."""
        near, far = socket.socketpair()
        threading.Thread(target=self._listen, args=(near, ready), name="broker", daemon=True).start()
        return far

    def _listen(self, near: socket.socket, ready: Callable[[], None]) -> None:
        with near:
            while True:
                try:
                    content, handles, _, _ = socket.recv_fds(near, 1, 1)
                except OSError:  # it was killed with something unread
                    return
                if not content:
                    return
                if content == _READY:
                    ready()
                for handle in handles:
                    threading.Thread(target=self._serve, args=(Connection(handle),), name="broker", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with connection:
            try:
                while True:
                    name, arguments = connection.recv()
                    connection.send(self._outcome(name, arguments, lambda: connection.poll(0)))
            except (EOFError, OSError, NobodyWaits):
                return

    def _outcome(self, name: str, arguments: tuple[object, ...], gone: Callable[[], bool]) -> tuple[bool, object]:
        try:
            return True, self._offered[name](gone, *arguments)
        except NobodyWaits:
            raise
        except Problem as problem:
            return False, problem
        except Exception:
            # the last resort of a thread of the main process: the trace goes to the log, whoever waits gets no inside
            log.error("%s failed\n%s", name, traceback.format_exc())
            return False, Problem("Something went wrong on our side; the log has it.")


class Line:
    """The side of a process that serves. Threads may share one: each has a connection while it asks."""

    def __init__(self, far: socket.socket) -> None:
        self._far = far
        self._idle: list[Connection] = []

    def ready(self) -> None:
        """Say that this process answers now."""
        self._far.sendall(_READY)

    def wait_for_end(self) -> None:
        """Return once the main process is gone."""
        try:
            self._far.recv(1)
        except OSError:
            return

    def close(self) -> None:
        """Let go of the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def ask(self, name: str, *arguments: object, gone: Callable[[], bool] | None = None) -> object:
        """What the main process answers, or raises as a Problem; Unavailable where it is gone.

        ``gone`` is asked meanwhile: NobodyWaits once it says so, and nothing more is done for this.
        """
        try:
            connection = self._idle.pop() if self._idle else self._connect()
            try:
                connection.send((name, arguments))
                while gone is not None and not connection.poll(LOOK_SECONDS):
                    if gone():
                        raise NobodyWaits("The client hung up before the answer was there.")
                succeeded, value = connection.recv()
            except BaseException:
                connection.close()  # which tells the other side
                raise
        except (EOFError, OSError) as error:
            raise Unavailable("The console is stopping.", word="stopping", headers={"Retry-After": "5"}) from error
        self._idle.append(connection)
        if not succeeded:
            raise cast(Problem, value)
        return value

    def _connect(self) -> Connection:
        near, far = socket.socketpair()
        with near, far:
            socket.send_fds(self._far, [_CONNECTION], [far.fileno()])
            return Connection(near.detach())


class LinkedWorkers(Generic[C]):
    """The workers of the main process under a name, as if they were here."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self._name = name

    def run(self, work: Assignment[C], *, place: str, caller: str = "", gone: Callable[[], bool] = bool) -> object:
        """The result; a Problem that the work raised, or Unavailable. ``gone`` is asked while it waits."""
        return self._line.ask(self._name, work, place, caller, gone=gone)
