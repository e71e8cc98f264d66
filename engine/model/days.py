"""The calendar day of a moment: organizations live in time zones, and their business dates follow them."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def local_day(moment: datetime, time_zone: str | ZoneInfo) -> date:
    """The day on which a moment falls in a time zone, given by its IANA name or as such."""
    return moment.astimezone(_zone(time_zone)).date()


def midnight(day: date, time_zone: str | ZoneInfo) -> datetime:
    """The first moment of a day in a time zone, in UTC."""
    return datetime.combine(day, time(), _zone(time_zone)).astimezone(UTC)


def _zone(time_zone: str | ZoneInfo) -> ZoneInfo:
    return ZoneInfo(time_zone) if isinstance(time_zone, str) else time_zone


def spelled_day(on: date) -> str:
    """20 November 2026, whatever the locale."""
    return f"{on.day} {MONTHS[on.month - 1]} {on.year}"
