"""Meetings as iCalendar after RFC 5545: UTC times, stable names, a SEQUENCE that rises when a meeting moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from icalendar import Alarm, Event

from engine.render.calendar.ics import UNPRINTABLE, named_calendar

NOTICE = timedelta(minutes=-15)


@dataclass(frozen=True)
class Meeting:
    """``changed_at`` is when it was agreed or last moved: stamps come from there, never from the clock."""

    uid: str
    title: str
    description: str
    at: datetime
    duration: timedelta
    sequence: int
    changed_at: datetime
    cancelled: bool = False


def render(name: str, meetings: Sequence[Meeting]) -> bytes:
    """A calendar of the meetings in their order."""
    calendar = named_calendar(_line(name))
    for meeting in meetings:
        calendar.add_component(_event(meeting))
    content: bytes = calendar.to_ical()
    return content


def _event(meeting: Meeting) -> Event:
    event = Event()
    event.add("uid", meeting.uid)
    event.add("summary", _plain(meeting.title))
    event.add("description", _plain(meeting.description))
    event.add("dtstart", meeting.at)
    event.add("dtend", meeting.at + meeting.duration)
    event.add("dtstamp", meeting.changed_at)
    event.add("last-modified", meeting.changed_at)
    event.add("sequence", meeting.sequence)
    event.add("status", "CANCELLED" if meeting.cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT" if meeting.cancelled else "OPAQUE")
    if not meeting.cancelled:
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", _plain(meeting.title))
        alarm.add("trigger", NOTICE)
        event.add_component(alarm)
    return event


def _plain(text: str) -> str:
    return UNPRINTABLE.sub("", text)


def _line(text: str) -> str:
    """The library escapes line feeds in texts that it knows, and refuses them in the names of calendars."""
    return " ".join(_plain(text).split())
