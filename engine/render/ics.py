"""iCalendar after RFC 5545 and 7986: every event of the document as an all-day entry to subscribe to.

    DTSTART;VALUE=DATE:20261207
    DTEND;VALUE=DATE:20261208

``DTEND`` is exclusive. Stamps come from the day on which the duty changed, never from the clock, so that a feed
that did not change has the same bytes. Dates carry no time zone: a duty is due on that day wherever one looks.
"""

import re
from datetime import UTC, datetime, time, timedelta

from icalendar import Alarm, Calendar, vDuration, vUri
from icalendar import Event as Entry

from engine.document import Edition, Event

PRODUCT = "-//hq-console//Compliance calendar//EN"
REFRESH = timedelta(hours=12)
NOTICE = timedelta(days=-7)
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def render(edition: Edition) -> bytes:
    """The calendar of an edition, events in the order of the document."""
    name = _clean(f"{edition.organization.name}: {edition.title}")
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", PRODUCT)
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("x-wr-caldesc", _clean(edition.description))
    calendar.add("refresh-interval", vDuration(REFRESH), parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT12H")
    for event in edition.document.events:
        calendar.add_component(_entry(event))
    content: bytes = calendar.to_ical()
    return content


def _entry(event: Event) -> Entry:
    changed = datetime.combine(event.changed_on, time(), UTC)
    entry = Entry()
    entry.add("uid", _clean(event.uid))
    entry.add("dtstamp", changed)
    entry.add("last-modified", changed)
    entry.add("sequence", event.sequence)
    entry.add("dtstart", event.on)
    entry.add("dtend", event.on + timedelta(days=1))
    entry.add("summary", _clean(event.title))
    if event.description:
        entry.add("description", _clean(event.description))
    if event.categories:
        entry.add("categories", [_clean(category) for category in event.categories])
    entry.add("status", event.status)
    entry.add("transp", "TRANSPARENT")
    if event.url:
        entry.add("url", vUri(_clean(event.url)))
    if event.status != "CANCELLED":
        entry.add_component(_alarm(event))
    return entry


def _alarm(event: Event) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", _clean(event.title))
    alarm.add("trigger", NOTICE)
    return alarm


def _clean(text: str) -> str:
    return UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
