"""Shifts of people on call out of an iCalendar file, as PagerDuty, Opsgenie, Grafana OnCall and others publish them."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, takewhile
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import icalendar
import polars as pl
from dateutil.rrule import rrulestr
from icalendar.cal.component import Component

from engine.model.errors import InvalidData

TABLE = "on_call_shifts"
HEAD = 2**20  # bytes that are looked at for what a calendar is of
LARGEST = 32 * 2**20
MOST_REPEATS = 10_000  # of an event that comes again, counted from its first
AHEAD = timedelta(days=400)  # of what comes again without an end, from the day on which it is read
_ADDRESS = re.compile(r"[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_ON_CALL = re.compile(r"\bon[ _-]?call|pagerduty|opsgenie", re.IGNORECASE)
_LENGTH = re.compile(rb"^DURATION(?:;[^:\r\n]*)?:([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_AS_WRITTEN = "X-DURATION-AS-WRITTEN"  # the parser makes 24 hours and a day the same
COLUMNS = ("id", "person", "starts_at", "ends_at", "rota")


def is_calendar(head: bytes) -> bool:
    """By how it begins."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:15].upper() == b"BEGIN:VCALENDAR"


def is_rota(path: Path) -> bool:
    """Whether a calendar is of who is on call, by its name, that of the file or the titles of its events."""
    with path.open("rb") as file:
        head = file.read(HEAD).decode(errors="replace")
    lines = (line for line in head.splitlines() if line.startswith(("X-WR-CALNAME", "SUMMARY", "PRODID")))
    return any(_ON_CALL.search(text) for text in (path.stem, *lines))


def read_shifts(path: Path, now: datetime) -> tuple[pl.DataFrame, list[str]]:
    """The events as rows of ``on_call_shifts``: the addresses of their attendees, else those that they name; and which
    events are no shifts, with the reason: without an address, an identifier, a beginning or a length.

    An event that comes again is one row for each time, until ``AHEAD`` of ``now`` where it has no end; an exception of
    it takes its place, and leaves it empty where it is cancelled or no shift. Of several events with one identifier
    each is a row. InvalidData for a file that is no calendar, and for one of whose events none is a shift.
    """
    if path.stat().st_size > LARGEST:
        raise InvalidData(f"{path.name} has more than {LARGEST:,} bytes.")
    try:
        written = _LENGTH.sub(rb"\g<0>\r\n" + _AS_WRITTEN.encode() + rb":\1", path.read_bytes())
        calendar = icalendar.Calendar.from_ical(written)
    except (ValueError, IndexError, KeyError) as error:
        raise InvalidData(f"{path.name} is no iCalendar file that can be read: {str(error)[:200]}") from error
    zone = _zone(str(calendar.get("X-WR-TIMEZONE", "UTC")))
    rota = str(calendar.get("X-WR-CALNAME", "")).strip() or path.stem
    rows: dict[str, tuple[str, str, datetime, datetime, str]] = {}
    left_out = []
    until = now + AHEAD
    for event in sorted(calendar.walk("VEVENT"), key=lambda one: "RECURRENCE-ID" in one):
        try:
            if "RECURRENCE-ID" in event:
                rows.pop(_name(str(event.get("UID", "")).strip(), _moment(event, "RECURRENCE-ID", zone)), None)
            if str(event.get("STATUS", "")).upper() == "CANCELLED":
                raise InvalidData("it is cancelled; where a shift of it is on record, set its end.")
            for name, starts, ends in _spans(event, zone, until):
                name = name if name not in rows else _name(str(event["UID"]).strip(), starts)
                if name in rows:
                    raise InvalidData("another event has its UID and its beginning.")
                rows[name] = (name, _people(event), starts, ends, rota)
        except InvalidData as error:
            left_out.append(f"{_title(event)}: {error.message}")
    if left_out and not rows:
        raise InvalidData(f"{path.name} has no shift that can be read: {left_out[0]}")
    texts = [(name, who, _text(starts), _text(ends), of) for name, who, starts, ends, of in rows.values()]
    return pl.DataFrame(texts, schema=dict.fromkeys(COLUMNS, pl.String), orient="row"), left_out


def _title(event: Component) -> str:
    """What an event is called, and when it is, where it says so."""
    summary = repr(str(event.get("SUMMARY", ""))[:80])
    if "DTSTART" not in event:
        return summary
    return f"{summary} of {_raw_text(event, 'DTSTART')[:20]}"


def _raw_text(event: Component, name: str) -> str:
    """A property as the calendar has it."""
    raw = event[name].to_ical()
    return raw if isinstance(raw, str) else bytes(raw).decode()


def _spans(event: Component, zone: tzinfo | None, until: datetime) -> Iterator[tuple[str, datetime, datetime]]:
    """(identifier, begin, end) of an event, once for each time that it comes."""
    uid = str(event.get("UID", "")).strip()
    starts, ends = _moment(event, "DTSTART", zone), _moment(event, "DTEND", zone)
    if not uid or starts is None:
        raise InvalidData("an event without UID or DTSTART.")
    # where it ends by the clocks of the zone in which it begins: of what comes again, each time
    days, exact = _length(event) if ends is None else (ends.astimezone(starts.tzinfo) - starts, timedelta(0))
    if days + exact <= timedelta(0):
        raise InvalidData("it ends where it begins, or before, so nobody is on call in it.")

    def end(begin: datetime) -> datetime:
        return (begin + days).astimezone(UTC) + exact

    if "RECURRENCE-ID" in event:
        yield _name(uid, _moment(event, "RECURRENCE-ID", zone) or starts), starts, end(starts)
        return
    if "RRULE" not in event:
        yield _name(uid, None), starts, end(starts)
        return
    left_out = set(_exceptions(event, zone))
    rule = _raw_text(event, "RRULE")
    try:
        times: Iterable[datetime] = rrulestr(re.sub(r"UNTIL=(\d{8})(?=;|$)", r"UNTIL=\1T235959Z", rule), dtstart=starts)
    except ValueError as error:
        raise InvalidData(f"an event that comes again by {rule[:80]!r}: {error}.") from error
    bounded = "COUNT=" in rule or "UNTIL=" in rule
    begins = list(islice(times if bounded else takewhile(lambda begin: begin <= until, times), MOST_REPEATS + 1))
    if len(begins) > MOST_REPEATS:
        raise InvalidData(f"it comes again more than {MOST_REPEATS:,} times.")
    for begin in begins:
        if begin.astimezone(UTC) not in left_out:
            yield _name(uid, begin), begin, end(begin)


def _length(event: Component) -> tuple[timedelta, timedelta]:
    """How long an event lasts: days by the clocks of its zone, and hours that pass exactly (RFC 5545, 3.3.6)."""
    given = event.decoded("DURATION") if "DURATION" in event else None
    if not isinstance(given, timedelta):
        return timedelta(days=1), timedelta(0)
    date_part = str(event.get(_AS_WRITTEN, "")).upper().partition("T")[0]
    days = sum(int(number) * (7 if unit == "W" else 1) for number, unit in re.findall(r"(\d+)([WD])", date_part))
    return timedelta(days=days), given - timedelta(days=days)


def _name(uid: str, begin: datetime | None) -> str:
    return uid[:170] if begin is None else f"{uid[:170]}/{begin.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _exceptions(event: Component, zone: tzinfo | None) -> Iterator[datetime]:
    given = event.get("EXDATE", [])
    for dates in given if isinstance(given, list) else [given]:
        for one in dates.dts:
            yield _aware(one.dt, zone, dates.params.get("TZID")).astimezone(UTC)


def _moment(event: Component, name: str, zone: tzinfo | None) -> datetime | None:
    return _aware(event.decoded(name), zone, event[name].params.get("TZID")) if name in event else None


def _aware(given: date | datetime, zone: tzinfo | None, named: str | None) -> datetime:
    """A moment with its zone: that of the calendar where it is said in none; InvalidData for an unknown one."""
    moment = given if isinstance(given, datetime) else datetime.combine(given, time())
    if moment.tzinfo is not None:
        return moment
    own = zone if named is None else _zone(named)
    if own is None:
        raise InvalidData(f"its time zone{f', {named[:80]!r},' if named else ''} is none that is known.")
    return moment.replace(tzinfo=own)


def _people(event: Component) -> str:
    attendees = event.get("ATTENDEE", [])
    given = attendees if isinstance(attendees, list) else [attendees]
    texts = [" ".join(map(str, given)), str(event.get("SUMMARY", "")), str(event.get("DESCRIPTION", ""))]
    for text in (*texts, str(event.get("ORGANIZER", ""))):
        if found := list(dict.fromkeys(_ADDRESS.findall(text))):
            return "; ".join(address.lower() for address in found)
    raise InvalidData("it names nobody's e-mail address, as attendee or in its summary or description.")


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
