"""Absences and holidays out of a calendar (iCalendar, RFC 5545): a row for each event and each of its people.

Whose it is: who attends, else who called it, else an address in its title, the name of the file or of the calendar. A
file ``holidays.ics`` and events of the category HOLIDAY are everybody's.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
from icalendar import Calendar
from icalendar.cal import Component

from engine.intake.imports.batches import Batch
from engine.intake.imports.problems import Problems
from engine.model.errors import InvalidData

HEADER = ("id", "email", "starts_on", "ends_on", "share_pct", "repeats", "title")
MOST_BYTES = 20_000_000
DAY_HOURS = 8.0  # of a day's work: what an absence by the clock is a share of
_ADDRESS = re.compile(r"[^@\s,;:<>()\"']+@[^@\s,;:<>()\"']+\.[^@\s,;:<>()\"']+")
_EVERYBODY = re.compile(r"holidays?\b|feiertage?\b", re.IGNORECASE)
_NO_PERSON = ("ROOM", "RESOURCE")

Row = tuple[str, str | None, str, str, str | None, str | None, str | None]


def read_calendar(path: Path, file: str, problems: Problems) -> Iterator[Batch]:
    """The events of a calendar as rows of absences; rows are events, from 1. InvalidData where it is no calendar."""
    events, name = _events(path, file)
    moved = _moved_days(events)
    numbers: list[int] = []
    rows: list[Row] = []
    for number, event in enumerate(events, start=1):
        for row in _rows(event, number, path.stem, name, moved, file, problems):
            numbers.append(number)
            rows.append(row)
    columns = zip(*rows, strict=True) if rows else ((),) * len(HEADER)
    series = [pl.Series(title, list(cells), dtype=pl.String) for title, cells in zip(HEADER, columns, strict=True)]
    yield Batch(HEADER, series, 1)


def _events(path: Path, file: str) -> tuple[list[Component], str]:
    if path.stat().st_size > MOST_BYTES:
        raise InvalidData(f"{file} has more than {MOST_BYTES // 1_000_000} MB: a calendar of absences is expected.")
    try:
        calendars = Calendar.from_ical(path.read_bytes(), multiple=True)
    except (ValueError, IndexError, KeyError) as error:
        raise InvalidData(f"{file} is no calendar of iCalendar (RFC 5545): {error}") from error
    if not calendars or any(one.name != "VCALENDAR" for one in calendars):
        raise InvalidData(f"{file} is no calendar of iCalendar (RFC 5545): BEGIN:VCALENDAR is expected.")
    names = " ".join(str(one.get("X-WR-CALNAME", "")) for one in calendars)
    return [event for one in calendars for event in one.walk("VEVENT")], names


def _moved_days(events: list[Component]) -> dict[str, list[date]]:
    """Of events that come again the days that an event of their own stands for."""
    days: dict[str, list[date]] = {}
    for event in events:
        if event.get("RECURRENCE-ID") is not None:
            days.setdefault(str(event.get("UID", "")), []).append(_day(event.decoded("RECURRENCE-ID")))
    return days


def _rows(
    event: Component, number: int, stem: str, calendar: str, moved: dict[str, list[date]], file: str, problems: Problems
) -> Iterator[Row]:
    title = str(event.get("SUMMARY", "")).strip() or None
    try:
        start = event.decoded("DTSTART")
        end = _end(event, start)
        rule = _rule(event, moved)
    except (KeyError, ValueError, TypeError, AttributeError):
        problems.add(file, number, "starts_on", "an event with DTSTART, and DTEND or DURATION after it", title)
        return
    if end < start:
        problems.add(file, number, "ends_on", f"{_day(start)} or later", str(_day(end)))
        return
    people = _people(event, title or "", stem, calendar)
    if people is None:
        wanted = (
            "whose it is: ATTENDEE or ORGANIZER, or a file that is called after its person, as is "
            "ann@acme.example.ics; holidays.ics is everybody's"
        )
        problems.add(file, number, "email", wanted, title)
        return
    first, last, share = _span(start, end)
    if str(event.get("STATUS", "")).upper() == "CANCELLED":
        share = "0"
    uid = str(event.get("UID", "")) or f"{first}-{title or 'absence'}"
    if event.get("RECURRENCE-ID") is not None:
        uid = f"{uid}-{_day(event.decoded('RECURRENCE-ID'))}"
    everybody: list[str | None] = [None]
    for email in people or everybody:
        name = f"{uid}-{email}" if len(people) > 1 else uid
        yield name[:200], email, first.isoformat(), last.isoformat(), share, rule, title


def _end(event: Component, start: date) -> date:
    if event.get("DTEND") is not None:
        end = event.decoded("DTEND")
    elif event.get("DURATION") is not None:
        end = start + event.decoded("DURATION")
    else:
        end = start if isinstance(start, datetime) else start + timedelta(days=1)
    if isinstance(start, datetime) != isinstance(end, datetime):
        return _day(end)
    return end  # type: ignore[no-any-return]


def _span(start: date, end: date) -> tuple[date, date, str | None]:
    """First and last day, and the share of a day where it is one by the clock."""
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return _day(start), max(_day(end) - timedelta(days=1), _day(start)), None
    last = max((end - timedelta(microseconds=1)).date(), start.date())
    hours = (end.replace(tzinfo=None) - start.replace(tzinfo=None)).total_seconds() / 3600
    if last > start.date() or hours >= DAY_HOURS:
        return start.date(), last, None
    return start.date(), last, f"{round(100 * max(hours, 0.0) / DAY_HOURS, 2):g}"


def _rule(event: Component, moved: dict[str, list[date]]) -> str | None:
    known = event.get("RRULE")
    if known is None or event.get("RECURRENCE-ID") is not None:
        return None
    rules = known if isinstance(known, list) else [known]
    if len(rules) != 1:
        raise ValueError("several rules")
    given = event.get("EXDATE", [])
    lists = given if isinstance(given, list) else [given]
    days = {_day(one.dt) for group in lists for one in group.dts} | set(moved.get(str(event.get("UID", "")), []))
    text = str(rules[0].to_ical().decode())
    return f"{text} EXDATE:{','.join(f'{on:%Y%m%d}' for on in sorted(days))}" if days else text


def _people(event: Component, title: str, stem: str, calendar: str) -> list[str] | None:
    """Addresses; empty for everybody, None where nothing says whose it is."""
    known = event.get("ATTENDEE", [])
    attending = known if isinstance(known, list) else [known]
    here = [
        one
        for one in attending
        if one.params.get("PARTSTAT", "").upper() != "DECLINED"
        and one.params.get("CUTYPE", "").upper() not in _NO_PERSON
    ]
    categories = event.get("CATEGORIES", [])
    groups = categories if isinstance(categories, list) else [categories]
    words = [str(word) for group in groups for word in group.cats]
    if _EVERYBODY.match(stem) or any(_EVERYBODY.fullmatch(word.strip()) for word in words):
        return []
    places = [" ".join(str(one) for one in here), str(event.get("ORGANIZER", "")), title, stem, calendar]
    for place in places:
        found = [match.lower().removeprefix("mailto:") for match in _ADDRESS.findall(place.replace("mailto:", " "))]
        if found:
            return list(dict.fromkeys(found))
    return [] if _EVERYBODY.search(calendar) else None


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
