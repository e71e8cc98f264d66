"""Starting processes that a signal at the terminal does not reach: they are told to end by whoever started them."""

import signal
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.context import ForkProcess, SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

from engine.model.polars_threads import limit_threads

CTRL_C = (signal.SIGINT,)


def start_child(
    target: Callable[..., object],  # a function of a module
    arguments: tuple[object, ...],
    name: str,
    signals: Iterable[signal.Signals] = CTRL_C,
) -> "ChildProcess":
    """Start a function in a fresh process, which ends with this one and has these signals blocked."""
    child = ChildProcess(target=target, args=arguments, name=name, daemon=True)
    child.signals = tuple(signals)
    child.start()
    return child


def fork_child(
    target: Callable[..., object], arguments: tuple[object, ...], name: str, signals: Iterable[signal.Signals] = CTRL_C
) -> BaseProcess:
    """The same as a copy of this process, which has all that was imported here; only where ``can_fork`` says so.

    It holds every file that is open here, too: the function closes those that are not its own.
    """
    child = ForkProcess(target=target, args=arguments, name=name, daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, tuple(signals))
    try:
        child.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return child


def can_fork() -> bool:
    """Whether a copy of this process would work: on Linux, while it has one thread and no library that starts some."""
    return sys.platform == "linux" and threading.active_count() == 1 and not ({"polars", "duckdb"} & sys.modules.keys())


class ChildProcess(SpawnProcess):
    """A process with signals blocked from its first moment: one that comes while it imports is a traceback."""

    signals: tuple[signal.Signals, ...] = CTRL_C

    def start(self) -> None:
        """As of any process.

        Nothing is blocked in the thread that asks: a signal that came meanwhile would be handed to some thread of a
        library, and Python's handler would wait until this one has something to do again.
        """
        limit_threads()
        with ThreadPoolExecutor(1, thread_name_prefix="start") as thread:
            thread.submit(self._start_deaf).result()

    def _start_deaf(self) -> None:
        resource_tracker.ensure_running()  # which would let them through again while it starts
        signal.pthread_sigmask(signal.SIG_BLOCK, self.signals)
        super().start()


class ChildContext(SpawnContext):
    """What a pool makes its processes of; all of them can be killed. They are called ``name`` and a number."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._children: list[ChildProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> ChildProcess:  # type: ignore[override] # noqa: N802 - as of a context
        """As of any context."""
        child = ChildProcess(*args, **kwargs)
        child.name = f"{self._name} {len(self._children) + 1}"
        self._children.append(child)
        return child

    def kill(self) -> None:
        """End all of them at once: one that is asked to may be in the midst of what it cannot leave."""
        for child in self._children:
            if child.pid is not None:
                child.kill()
