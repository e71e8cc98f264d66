"""Column types that mean the same on SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import DateTime, Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

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


class Instant(TypeDecorator[datetime]):
    """A moment in UTC: ``timestamptz`` on PostgreSQL, sortable ISO 8601 text on SQLite. Naive values are refused."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[datetime] | TypeEngine[str]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(DateTime(timezone=True))
        return dialect.type_descriptor(String(27))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | str | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"an instant needs a time zone; got {value!r}")
        return value if dialect.name == "postgresql" else instant_text(value)

    def process_result_value(self, value: datetime | str | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if isinstance(value, datetime) else datetime.fromisoformat(value)


class Json(TypeDecorator[vocabulary.Json]):
    """A JSON value kept as canonical text, so that it can be hashed, compared and replicated as it stands."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: vocabulary.Json, dialect: Dialect) -> str | None:
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> vocabulary.Json:
        return None if value is None else read_json_text(value)
