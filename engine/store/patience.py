"""How long a thread waits for a store that others hold: commands and jobs long, a request over HTTP not so."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COMMAND_SECONDS = 30.0
REQUEST_SECONDS = 5.0

_seconds: ContextVar[float] = ContextVar("patience", default=COMMAND_SECONDS)


def patience() -> float:
    """Seconds for which this thread waits for other processes."""
    return _seconds.get()


def turn_patience() -> float:
    """Seconds for which it waits for its turn within the process; -1 for as long as it takes."""
    seconds = _seconds.get()
    return -1 if seconds >= COMMAND_SECONDS else seconds


@contextmanager
def request_patience() -> Iterator[None]:
    """While the block runs, this thread waits as long as a client that sends a request."""
    before = _seconds.set(REQUEST_SECONDS)
    try:
        yield
    finally:
        _seconds.reset(before)
