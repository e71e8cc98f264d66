"""How long a thread waits for a store that others hold: commands and jobs long, a request over HTTP not so.

The loop that serves every connection waits for nothing: what is not in memory it leaves to a thread that may wait.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COMMAND_SECONDS = 30.0
REQUEST_SECONDS = 5.0
NO_SECONDS = 0.0

_seconds: ContextVar[float] = ContextVar("patience", default=COMMAND_SECONDS)


def patience() -> float:
    """Seconds for which this thread waits for other processes."""
    return _seconds.get()


def turn_patience() -> float:
    """Seconds for which it waits for its turn within the process; -1 for as long as it takes."""
    seconds = _seconds.get()
    return -1 if seconds >= COMMAND_SECONDS else seconds


class NotInMemory(Exception):
    """What was asked for is not in memory, and this thread must not wait for it."""


def may_wait() -> bool:
    """Whether this thread may do what can take long."""
    return _seconds.get() != NO_SECONDS


def wait_allowed() -> None:
    """NotInMemory where this thread waits for nothing: to be called before whatever may take long."""
    if not may_wait():
        raise NotInMemory


@contextmanager
def request_patience() -> Iterator[None]:
    """While the block runs, this thread waits at most as long as a client that sends a request."""
    before = _seconds.set(min(REQUEST_SECONDS, _seconds.get()))
    try:
        yield
    finally:
        _seconds.reset(before)


@contextmanager
def no_patience() -> Iterator[None]:
    """While the block runs, this thread waits for nothing: whatever would have it wait raises NotInMemory."""
    before = _seconds.set(NO_SECONDS)
    try:
        yield
    finally:
        _seconds.reset(before)
