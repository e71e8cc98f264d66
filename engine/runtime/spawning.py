"""Starting a process that Ctrl-C at the terminal does not reach: it is told to end by whoever started it."""

import signal
from collections.abc import Iterable
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess


def start_deaf(process: BaseProcess, signals: Iterable[signal.Signals] = (signal.SIGINT,)) -> None:
    """Start it with these signals blocked from its first moment: an interrupt while it imports is a traceback."""
    resource_tracker.ensure_running()  # which would let them through again while it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
