"""iCalendar after RFC 5545 and 7986: every event of the document as an entry to subscribe to, all-day or at its moment.

    DTSTART;VALUE=DATE:20261207
    DTEND;VALUE=DATE:20261208

``DTEND`` is exclusive. What is due at a moment stands there, in UTC, and reminds an hour before. Stamps come from the
day on which the duty changed, never from the clock, so that a feed that did not change has the same bytes. Dates carry
no time zone: a duty is due on that day wherever one looks.

icalendar writes the calendar itself and folds lines. A feed has thousands of entries of one fixed shape, for which its
general writer takes 0.6 ms each; their lines are put together here, and a test compares them with its own.
"""

import re
from datetime import date, timedelta
from functools import lru_cache

from icalendar import Calendar, vDuration
from icalendar.parser import Contentline

from engine.model.documents.document import CalendarEvent, Edition

PRODUCT = "-//hq-console//Compliance calendar//EN"
REFRESH = timedelta(hours=12)
NOTICE = "-P7D"
LAST_CALL = "-PT1H"  # of what is due at a moment
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
OCTETS = 75  # of a line, without its end (RFC 5545, 3.1)


def render(edition: Edition) -> bytes:
    """The calendar of an edition, events in the order of the document."""
    calendar = named_calendar(_clean(f"{edition.organization.name}: {edition.title}"))
    calendar.add("x-wr-caldesc", _clean(edition.description))
    calendar.add("refresh-interval", vDuration(REFRESH), parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT12H")
    frame: bytes = calendar.to_ical()
    end = b"END:VCALENDAR\r\n"
    entries = "".join([f"{line}\r\n" for event in edition.document.events for line in _lines(event)])
    return frame.removesuffix(end) + entries.encode() + end


def named_calendar(name: str) -> Calendar:
    """A calendar to publish, which has nothing but its name yet."""
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", PRODUCT)
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    return calendar


def _lines(event: CalendarEvent) -> list[str]:
    """The lines of an entry, in icalendar's order; those that may be long are folded."""
    changed = f"{_day(event.changed_on)}T000000Z"
    title = _text(event.title)
    lines = [
        "BEGIN:VEVENT",
        _fold(f"SUMMARY:{title}"),
        *(
            (f"DTSTART:{event.at:%Y%m%dT%H%M%SZ}",)
            if event.at is not None
            else (f"DTSTART;VALUE=DATE:{_day(event.on)}", f"DTEND;VALUE=DATE:{_day(event.on + timedelta(days=1))}")
        ),
        f"DTSTAMP:{changed}",
        _fold(f"UID:{_text(event.uid)}"),
        f"SEQUENCE:{event.sequence}",
    ]
    if event.categories:
        lines.append(_fold("CATEGORIES:" + ",".join(map(_text, event.categories))))
    if event.description:
        lines.append(_fold(f"DESCRIPTION:{_text(event.description)}"))
    lines += [f"LAST-MODIFIED:{changed}", f"STATUS:{event.status}", "TRANSP:TRANSPARENT"]
    if event.url:
        lines.append(_fold(f"URL:{_clean(event.url)}"))
    if event.remind and event.status != "CANCELLED":
        reminder = _fold(f"DESCRIPTION:{title}")
        notice = NOTICE if event.at is None else LAST_CALL
        lines += ["BEGIN:VALARM", "ACTION:DISPLAY", reminder, f"TRIGGER:{notice}", "END:VALARM"]
    return [*lines, "END:VEVENT"]


@lru_cache(maxsize=1000)  # a feed names few days, each many times
def _day(day: date) -> str:
    return f"{day:%Y%m%d}"


def _text(value: str) -> str:
    r"""TEXT of RFC 5545, 3.3.11; icalendar's own takes a backslash before N, as in ACME\Nina, for a line break."""
    text = _clean(value).replace("\\", "\\\\")
    return text.replace(";", r"\;").replace(",", r"\,").replace("\n", r"\n")


def _fold(line: str) -> str:
    if len(line) < OCTETS and line.isascii():  # most lines
        return line
    folded: bytes = Contentline(line).to_ical()  # type: ignore[no-untyped-call]  # icalendar's lines have no types
    return folded.decode()


def _clean(text: str) -> str:
    return text if text.isprintable() else UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
