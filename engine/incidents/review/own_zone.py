"""The documents of an incident speak in one time zone: the organization's."""

from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from engine.incidents.review.records import IncidentRecord


def in_own_zone(record: IncidentRecord) -> IncidentRecord:
    """The same record with every moment of its rows in the organization's time zone."""
    zone = ZoneInfo(record.organization.time_zone)
    return replace(record, **{field.name: _to_zone(getattr(record, field.name), zone) for field in fields(record)})


def _to_zone(part: object, zone: ZoneInfo) -> Any:  # of the same form as what came
    match part:
        case datetime():
            return _local(part, zone)
        case list():
            return [_to_zone(item, zone) for item in part]
        case dict():
            return {name: _to_zone(item, zone) for name, item in part.items()}
    return part


def _local(at: datetime, zone: ZoneInfo) -> datetime:
    """The moment with a fixed offset: differences stay right where clocks are changed. ``fold`` marks a second pass."""
    there = at.astimezone(zone)
    return there.replace(tzinfo=timezone(there.utcoffset() or timedelta()))
