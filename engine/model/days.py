"""The calendar day of a moment: organizations live in time zones, and their business dates follow them."""

import re
from datetime import UTC, date, datetime, time
from math import copysign, floor
from zoneinfo import ZoneInfo

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# what somebody's work is told by, wherever it is listed: what is due within seven days from today on, and within thirty
SOON_DAYS, NEXT_DAYS = 7, 30

_ISO = re.compile(
    r"(?<![\w/:@-])(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z)?(?![\w/-]|[.:]\w)"
)  # alone: within a name of a file, a range or an identifier it is no day of a sentence
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_WEEK = re.compile(r"(?:(?<=\bweek )|(?<![\w/:@.-]))(\d{4})-W(\d\d)(?![\w/-])")


def local_day(moment: datetime, time_zone: str | ZoneInfo) -> date:
    """The day on which a moment falls in a time zone, given by its IANA name or as such."""
    return moment.astimezone(_zone(time_zone)).date()


def midnight(day: date, time_zone: str | ZoneInfo) -> datetime:
    """The first moment of a day in a time zone, in UTC."""
    return datetime.combine(day, time(), _zone(time_zone)).astimezone(UTC)


def _zone(time_zone: str | ZoneInfo) -> ZoneInfo:
    return ZoneInfo(time_zone) if isinstance(time_zone, str) else time_zone


def spelled_day(on: date) -> str:
    """20 Nov 2026, whatever the locale: the one form of a day that people read."""
    return f"{on.day} {MONTHS[on.month - 1][:3]} {on.year:04}"


def spelled_days(text: str) -> str:
    """A text with each day, instant and week of ISO 8601 as people read it: 20 Nov 2026; 20 Nov 2026, 14:05 UTC; week
    of 16 Nov 2026."""
    if "-" not in text:
        return text
    sentence = _ISO.sub(_spell, text)
    return _WEEK.sub(_spell_week, sentence) if "-W" in sentence else sentence


def _spell(match: re.Match[str]) -> str:
    try:
        day = spelled_day(date.fromisoformat(match[1]))
    except ValueError:
        return match[0]
    return f"{day}, {match[2]} UTC" if match[2] else day


def _spell_week(match: re.Match[str]) -> str:
    """Within a sentence with its article; behind the word week without that word."""
    try:
        monday = spelled_day(date.fromisocalendar(int(match[1]), int(match[2]), 1))
    except ValueError:
        return match[0]
    before = match.string[: match.start()]
    if before.endswith(("week ", "weeks ")):
        return f"of {monday}"
    return f"{'the ' if before[-1:] == ' ' and before[-2:-1].isalpha() else ''}week of {monday}"


def spelled_month(text: str) -> str:
    """Dec 2026 for 2026-12; what is no month as it is."""
    match = _MONTH.fullmatch(text)
    return f"{MONTHS[int(match[2]) - 1][:3]} {match[1]}" if match else text


def duration(minutes: float) -> str:
    """3 days 4 h, 2 h 10 min, 45 min: the two largest units of a span, without a part that is none."""
    whole = round(abs(minutes))
    days, hours, rest = whole // 1440, whole % 1440 // 60, whole % 60
    parts = [f"{days:,} {'day' if days == 1 else 'days'}" if days else "", f"{hours} h" if hours else ""]
    if not days:
        parts.append(f"{rest} min" if rest or not hours else "")
    return f"{'-' if minutes < 0 and whole else ''}{' '.join(filter(None, parts))}"


def quarters(hours: float) -> str:
    """Hours to the quarter, an eighth up: 187, 2.25, 1,672; what is less than an eighth to the hundredth.

    Parts of a whole that end in eighths give it together: 14.75 and 6.75 are 21.5, as 14.775 and 6.625 are 21.4.
    """
    near = copysign(floor(round(abs(hours) * 4, 6) + 0.5) / 4, hours) or round(hours, 2)
    return f"{near or 0:,.2f}".rstrip("0").rstrip(".")
