"""Values as text that is the same wherever it is written: what is hashed, compared or names a file."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec

from engine.model import vocabulary

_UTC = (UTC, ZoneInfo("UTC"))  # Polars has the latter
_ENCODER = msgspec.json.Encoder(order="sorted")
read_json_text: Callable[[str], vocabulary.Json] = msgspec.json.Decoder().decode


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no white space: equal values give equal text."""
    return _ENCODER.encode(value).decode()


def instant_text(value: datetime) -> str:
    """An aware datetime as ``2026-11-20T08:30:00.000000Z``: 27 characters that sort as time does."""
    return _utc_text(value if value.tzinfo in _UTC else value.astimezone(UTC))


@lru_cache(maxsize=1024)  # a write stamps many rows with one moment; in other zones both 02:30 of autumn are equal
def _utc_text(value: datetime) -> str:
    return value.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
