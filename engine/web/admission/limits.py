"""Rate limits: in memory, or in Redis when several processes share them and as long as it answers."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from limits import RateLimitItemPerSecond
from limits.errors import ConfigurationError
from limits.storage import SlidingWindowCounterSupport, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from engine.model.errors import TooLarge, TooManyRequests, Usage
from engine.runtime.setting_values import without_passwords
from engine.runtime.settings import Settings
from engine.web.admission.spare_counters import SpareCounters, WindowStorage
from engine.web.http import MAX_BODY


@dataclass(frozen=True)
class Limit:
    """At most ``count`` requests in ``seconds`` for each caller (``by`` user and address, or address alone).

    ``setting`` says which setting holds the count instead.
    """

    name: str
    count: int
    seconds: int
    by: str = "caller"
    setting: Callable[[Settings], int] | None = None


@dataclass(frozen=True)
class BodyLimit:
    """How many bytes the body of a request may have; ``variable`` is the setting that says so."""

    size: Callable[[Settings], int]
    variable: str | None = None

    def refusal(self, settings: Settings, length: int | None) -> TooLarge:
        """What is said of a body over the limit, whose length may be unknown."""
        by = f" ({self.variable})" if self.variable else ""
        has = "more" if length is None else f"{length:,}"
        return TooLarge(f"The body may have {self.size(settings):,} bytes{by}; it has {has}.")


SMALL = BodyLimit(lambda settings: MAX_BODY)
INGEST_SIZE = BodyLimit(lambda settings: settings.ingest_max_bytes, "SVC_INGEST_MAX_BYTES")
PROXY = Limit("proxy", 120, 60)
INGEST = Limit("ingest", 6000, 60, by="address", setting=lambda settings: settings.ingest_per_minute)
SENSITIVE = Limit("sensitive", 30, 60)
COPILOT_TURNS = Limit("copilot", 20, 60)  # without a session there is only the address to count by
CONTACT = Limit("contact", 5, 600, by="address")


REDIS_SECONDS = 0.2
MOST_COUNTERS = 10_000  # then those that are over are dropped


class Counters(Storage, SlidingWindowCounterSupport):
    """Counts in memory, for one thread at a time.

    The library's own storage starts a thread for every hundredth of a second in which something is counted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, tuple[int, float]] = {}  # by key: the count, and when it is over

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count ``amount`` unless that would exceed the limit."""
        now = time.time()
        place = int(now / expiry)
        current = self._count(f"{key}/{place}", now)
        if math.floor(self._previous_weight(key, expiry, now) + current) + amount > limit:
            return False
        if len(self._counts) > MOST_COUNTERS:
            self._counts = {name: held for name, held in self._counts.items() if held[1] > now}
        self._counts[f"{key}/{place}"] = (current + amount, (place + 2) * expiry)
        return True

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """Count and seconds to live of the window before, then of this one."""
        now = time.time()
        place, spent = int(now / expiry), now % expiry
        before = self._count(f"{key}/{place - 1}", now)
        return before, expiry - spent if before else 0.0, self._count(f"{key}/{place}", now), 2 * expiry - spent

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        place = int(time.time() / expiry)
        self.clear(f"{key}/{place - 1}")
        self.clear(f"{key}/{place}")

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = time.time()
        count = self._count(key, now) + amount
        self._counts[key] = (count, self._counts[key][1] if count > amount else now + expiry)
        return count

    def get(self, key: str) -> int:
        return self._count(key, time.time())

    def get_expiry(self, key: str) -> float:
        return self._counts.get(key, (0, time.time()))[1]

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        held, self._counts = len(self._counts), {}
        return held

    def clear(self, key: str) -> None:
        self._counts.pop(key, None)

    def _previous_weight(self, key: str, expiry: int, now: float) -> float:
        """The part of the window before that the sliding window still covers."""
        return self._count(f"{key}/{int(now / expiry) - 1}", now) * (1 - now % expiry / expiry)

    def _count(self, key: str, now: float) -> int:
        count, until = self._counts.get(key, (0, 0.0))
        return count if until > now else 0


@cache
def _item(count: int, seconds: int) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(count, seconds)


def _storage(url: str) -> WindowStorage:
    """The storage that a URL names. A Redis that hangs holds a request no longer than a glance."""
    options: dict[str, Any] = {}  # Any: as the library has them
    if url.startswith("redis"):
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        seconds = REDIS_SECONDS
        options = {"socket_timeout": seconds, "socket_connect_timeout": seconds, "retry": Retry(NoBackoff(), 0)}
    return cast(WindowStorage, storage_from_string(url, **options))


class Limiter:
    """Counts requests at the place that ``url`` names, in memory while that does not answer. Threads may share one."""

    def __init__(self, url: str) -> None:
        try:
            storage = Counters() if url == "memory://" else SpareCounters(_storage(url), Counters())
        except (ConfigurationError, ImportError, ValueError) as error:
            passwords = without_passwords(str(error))
            raise Usage(f"SVC_RATE_LIMIT_URL must be memory:// or redis://…; {passwords}.") from error
        self._window = SlidingWindowCounterRateLimiter(storage)
        self._guard = threading.Lock()

    def check(self, limit: Limit, caller: str, count: int | None = None) -> None:
        """Count one request; TooManyRequests with ``Retry-After`` when the caller's are used up.

        ``count`` takes the place of the limit's own.
        """
        most = limit.count if count is None else count
        item = _item(most, limit.seconds)
        with self._guard:
            if self._window.hit(item, limit.name, caller):
                return
            reset, _ = self._window.get_window_stats(item, limit.name, caller)
        wait = max(1, math.ceil(reset - time.time()))
        raise TooManyRequests(
            f"At most {most} requests in {limit.seconds} seconds; try again in {wait}.",
            headers={"Retry-After": str(wait)},
        )
