"""Identifiers: the one that is reserved, and those of rows that we make: opaque, unguessable, with a prefix."""

import os
import time
from collections import deque

PLATFORM = "platform"  # the reserved organization of leads, pilots and enquiries
DRAWN = 256  # at once: each call of the system lets other threads in
_waiting: deque[str] = deque()
os.register_at_fork(after_in_child=_waiting.clear)  # else both processes would hand out the same


def new_id(prefix: str) -> str:
    """Such as ``inc_0199d3f2c1a49f86d081884c7d65``: milliseconds since 1970 and 64 random bits, in hex.

    As it begins with the time, new rows lie beside each other in the store's indexes instead of everywhere.
    """
    try:
        chance = _waiting.popleft()
    except IndexError:
        drawn = os.urandom(8 * DRAWN).hex()
        chance = drawn[:16]
        _waiting.extend(drawn[start : start + 16] for start in range(16, len(drawn), 16))
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{chance}"
