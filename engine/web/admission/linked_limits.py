"""Rate limits of several processes that serve: the main process counts for all of them."""

from collections.abc import Callable
from typing import Protocol, cast

from engine.runtime.processes.broker import Line
from engine.web.admission.limits import Limit, Limiter

NAME = "limits"


class RateLimits(Protocol):
    """Where requests are counted."""

    def check(self, limit: Limit, caller: str, count: int | None = None) -> None:
        """Count one request; TooManyRequests with ``Retry-After`` when the caller's are used up."""


class LinkedLimits:
    """Counts in the main process, about 0.1 ms away: as many requests are let in as if there were one process."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def check(self, limit: Limit, caller: str, count: int | None = None) -> None:
        """Count one request; TooManyRequests with ``Retry-After`` when the caller's are used up."""
        self._line.ask(NAME, limit.name, limit.seconds, limit.count if count is None else count, caller)


def counting(limiter: Limiter) -> Callable[..., None]:
    """What the main process offers under ``NAME``."""

    def check(gone: Callable[[], bool], *asked: object) -> None:
        name, seconds, count, caller = cast(tuple[str, int, int, str], asked)
        limiter.check(Limit(name, count, seconds), caller)

    return check
