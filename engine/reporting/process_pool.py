"""Processes that compute beside this one, and end with it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from engine.model.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


class ProcessPool(ProcessPoolExecutor):
    """A pool whose processes do not hear Ctrl-C: whoever started them does, and ends them."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As of any executor. A process that is started for it keeps what is held back here."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def process_pool(processes: int) -> Iterator[Executor]:
    """Fresh processes, as Polars' threads do not survive a fork. At the end of the block their work is done.

    Where the block is left by an exception, or this process is killed, they end at once. Unavailable where one of them
    was ended from outside. For ``submit``, not for ``map``: that cancels what is left.
    """
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    with watched, held, ProcessPool(processes, context, _end_with, (watched,)) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            held.close()
            raise Unavailable(
                "A process that worked for this one was ended from outside, such as for want of memory: nothing "
                "follows from what is left. Give it more memory, then try again.",
                word="process_ended",
            ) from error
        except BaseException:
            held.close()  # the pool finds its processes gone; a future that is cancelled by then would trouble it
            raise


def _end_with(watched: Connection) -> None:
    """End this process when the other end of the pipe is closed, by whatever."""

    def watch() -> None:
        try:
            watched.recv()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
