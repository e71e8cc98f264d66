"""Processes that compute beside this one, and end with it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from types import FrameType
from typing import ParamSpec, TypeVar

from engine.model.errors import Unavailable
from engine.reporting.batch.child_process import ChildContext

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def process_pool(processes: int) -> Iterator[Executor]:
    """Fresh processes, as Polars' threads do not survive a fork. At the end of the block their work is done.

    Where the block is left by an exception, or this process is killed, they end at once. Unavailable where one of them
    was ended from outside. For ``submit``, not for ``map``: that cancels what is left.
    """
    signal.siginterrupt(signal.SIGINT, True)  # Polars (issue 21739) lets whoever waits for a process wait on
    context = ChildContext("building")
    watched, held = context.Pipe(duplex=False)
    with watched, held, _Pool(processes, context, _end_with, (watched,)) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            context.kill()
            raise Unavailable(
                "A process that worked for this one was ended from outside, such as for want of memory: nothing "
                "follows from what is left. Give it more memory, then try again.",
                word="process_ended",
            ) from error
        except BaseException:
            context.kill()  # the pool finds its processes gone; a future that is cancelled by then would trouble it
            held.close()  # and so does one that is only being started
            raise


class _Pool(ProcessPoolExecutor):
    """One whose threads and processes are started whole: half a start is nothing that its end could wait for."""

    def submit(self, function: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> Future[T]:
        with _no_signal():
            return super().submit(function, *args, **options)


@contextmanager
def _no_signal() -> Iterator[None]:
    """Until the end of the block Ctrl-C and SIGTERM are only heard, then they take their course."""
    if threading.current_thread() is not threading.main_thread():  # theirs alone are interrupted
        yield
        return
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    before = {int(end): signal.signal(end, hear) for end in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in heard:
            signal.raise_signal(number)


def _end_with(watched: Connection) -> None:
    """End this process when the other end of the pipe is closed, by whatever."""

    def watch() -> None:
        try:
            watched.recv()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
