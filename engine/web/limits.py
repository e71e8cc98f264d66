"""Rate limits: in memory, or in Redis when several processes share them."""

import math
import threading
import time
from dataclasses import dataclass

from limits import RateLimitItemPerSecond
from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from engine.errors import TooManyRequests, Usage


@dataclass(frozen=True)
class Limit:
    """At most ``count`` requests in ``seconds`` for each caller (``by`` user and address, or address alone).

    ``setting`` names the setting that holds the count instead.
    """

    name: str
    count: int
    seconds: int
    by: str = "caller"
    setting: str | None = None


PROXY = Limit("proxy", 120, 60)
INGEST = Limit("ingest", 6000, 60, by="address", setting="SVC_INGEST_PER_MINUTE")
SENSITIVE = Limit("sensitive", 30, 60)
COPILOT_TURNS = Limit("copilot", 20, 60)  # without a session there is only the address to count by
CONTACT = Limit("contact", 5, 600, by="address")


class Limiter:
    """Counts requests at the place that ``url`` names. Threads may share one."""

    def __init__(self, url: str) -> None:
        try:
            storage = storage_from_string(url)
        except (ConfigurationError, ImportError, ValueError) as error:
            raise Usage(f"SVC_RATE_LIMIT_URL must be memory:// or redis://…; {error}.") from error
        self._window = SlidingWindowCounterRateLimiter(storage)
        self._guard = threading.Lock()

    def check(self, limit: Limit, caller: str) -> None:
        """Count one request; TooManyRequests with ``Retry-After`` when the caller's are used up."""
        item = RateLimitItemPerSecond(limit.count, limit.seconds)
        with self._guard:
            if self._window.hit(item, limit.name, caller):
                return
            reset, _ = self._window.get_window_stats(item, limit.name, caller)
        wait = max(1, math.ceil(reset - time.time()))
        raise TooManyRequests(
            f"At most {limit.count} requests in {limit.seconds} seconds; try again in {wait}.",
            headers={"Retry-After": str(wait)},
        )
