"""When to try again: exponentially later, spread by the delivery's own identifier, never before Retry-After."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256

FIRST_SECONDS = 60.0
FACTOR = 4
MOST_SECONDS = 86_400.0


def next_attempt(delivery_id: str, attempt: int, now: datetime, retry_after: float | None) -> datetime:
    """The instant of the attempt after ``attempt``: about 1, 4, 16, 64 minutes, 4, 17, 24, 24 hours later.

    Each wait is between three and five quarters of that, by a hash of identifier and attempt: the same for whoever
    computes it, different for deliveries that failed together. What the other side asked for is the least.
    """
    digest = sha256(f"{delivery_id}:{attempt}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    usual = min(FIRST_SECONDS * FACTOR ** (attempt - 1), MOST_SECONDS) * (0.75 + share / 2)
    if retry_after is None:
        return now + timedelta(seconds=usual)
    return now + timedelta(seconds=min(retry_after, MOST_SECONDS) * (1 + share / 10))


def retry_after(value: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for (a number or a date); None when it is absent or makes no sense."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(min(int(text[:12]), MOST_SECONDS))
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max((at - now).total_seconds(), 0.0)
