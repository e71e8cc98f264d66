"""Instants as monitors and scanners write them: ISO 8601, epoch in four units, and the dates of scanner exports."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from engine.intake.values import number, plain

EXPECTED_TIME = "an ISO 8601 instant or an epoch time"
FIRST, LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Largest value, and how many to the second: seconds, milliseconds, microseconds, nanoseconds.
UNITS = ((1e11, 1), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))

# Month before day: these exports are written in one way everywhere.
PATTERNS = (
    "%b %d, %Y %I:%M %p",
    "%b %d, %Y %I:%M:%S %p",
    "%b %d, %Y, %I:%M:%S %p",
    "%b %d, %Y %H:%M:%S",
    "%b %d, %Y",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y",
    "%a, %d %b %Y %H:%M:%S",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S.%f UTC %Y",
)

_NUMERIC = re.compile(r"-?\d+(\.\d+)?")
_ZONE = re.compile(r"\s*(UTC|GMT|Z)$", re.IGNORECASE)


def instant(value: object) -> datetime | None:
    """A moment in UTC; one without an offset is UTC. None for what is absent, impossible or before 1971.

    Senders write "no time" as year 1, 0 or -1.
    """
    if isinstance(value, str):
        text = plain(value[:64])
        if text is None:
            return None
        if len(text) == 8 or not _NUMERIC.fullmatch(text):
            return _within(_parse_text(text))
        value = text
    count = number(value)
    if count is None or count <= 0:
        return None
    for largest, per_second in UNITS:
        if count < largest:
            return _within(EPOCH + timedelta(seconds=count / per_second))
    return None


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> datetime | None:
    try:
        return _in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        pass
    bare = _ZONE.sub("", text)
    for pattern in PATTERNS:
        try:
            return datetime.strptime(bare, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _within(moment: datetime | None) -> datetime | None:
    return moment if moment is not None and FIRST <= moment < LAST else None
