"""Inbound events that were applied already: at-least-once senders repeat themselves."""

from datetime import datetime

from sqlalchemy import Connection, text

from engine.store.types import instant_text

_INSERT = text(
    "INSERT INTO seen_events (source, event_id, seen_at) VALUES (:source, :event_id, :seen_at) ON CONFLICT DO NOTHING"
)


def first_time(connection: Connection, source: str, event_id: str, now: datetime) -> bool:
    """Remember an event within the transaction of its effect; False when it was seen before."""
    seen_at = now if connection.dialect.name == "postgresql" else instant_text(now)
    rows = connection.execute(_INSERT, {"source": source, "event_id": event_id[:200], "seen_at": seen_at})
    return rows.rowcount > 0
