"""Column types that mean the same on SQLite and PostgreSQL, and the texts of their values."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from engine.model import vocabulary
from engine.store.canonical import canonical_json, instant_text, read_json_text

__all__ = ["Instant", "Json", "canonical_json", "instant_text", "read_json_text"]


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
