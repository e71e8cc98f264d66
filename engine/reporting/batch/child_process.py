"""Starting processes that a signal at the terminal does not reach: they are told to end by whoever started them."""

import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

CTRL_C = (signal.SIGINT,)


def start_deaf(process: BaseProcess, signals: Iterable[signal.Signals] = CTRL_C) -> None:
    """Start a process with these signals blocked from its first moment: one that comes while it imports is a traceback.

    Nothing is blocked in the thread that asks: a signal that came meanwhile would be handed to some thread of a
    library, and Python's handler would wait until this one has something to do again.
    """
    _in_deaf_thread(process.start, signals)


class Spawning(SpawnContext):
    """Fresh processes that do not hear Ctrl-C, and that can all be killed."""

    def __init__(self) -> None:
        super().__init__()
        self._made: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override] # noqa: N802 - as of a context
        """As of any context."""
        process = _DeafProcess(*args, **kwargs)
        self._made.append(process)
        return process

    def kill(self) -> None:
        """End all of them at once: one that is asked to may be in the midst of what it cannot leave."""
        for process in self._made:
            if process.pid is not None:
                process.kill()


class _DeafProcess(SpawnProcess):
    def start(self) -> None:
        """As of any process."""
        _in_deaf_thread(super().start, CTRL_C)


def _in_deaf_thread(start: Callable[[], None], signals: Iterable[signal.Signals]) -> None:
    def run() -> None:
        resource_tracker.ensure_running()  # which would let them through again while it starts
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        start()

    with ThreadPoolExecutor(1, thread_name_prefix="start") as thread:
        thread.submit(run).result()
