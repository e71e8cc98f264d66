from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import icalendar
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from engine.model.documents.document import CalendarEvent, Document
from engine.render.calendar import ics
from engine.render.calendar.ics import render
from tests.laws import examples
from tests.render.editions import edition, posture

DUE = CalendarEvent(
    "3f6a@aurora",
    date(2026, 12, 7),
    "Review",
    "By ana",
    ("SOC 2",),
    0,
    "CONFIRMED",
    date(2026, 11, 18),
    "https://x.example",
)


def lines(*events):
    return render(edition(Document("", summary={}, events=events))).decode().split("\r\n")


def test_an_event_lasts_all_day_and_ends_on_the_next():
    content = lines(DUE)
    assert "DTSTART;VALUE=DATE:20261207" in content
    assert "DTEND;VALUE=DATE:20261208" in content


def test_what_is_due_at_a_moment_is_no_whole_day():
    content = lines(replace(DUE, at=datetime(2026, 12, 7, 8, 30, tzinfo=UTC)))
    assert [line for line in content if line.startswith(("DTSTART", "DTEND", "TRIGGER"))] == [
        "DTSTART:20261207T083000Z",
        "TRIGGER:-PT1H",
    ]


def test_a_moved_date_keeps_its_uid_and_raises_its_sequence():
    moved = replace(DUE, on=date(2026, 12, 31), sequence=1, changed_on=date(2026, 11, 19))
    content = lines(moved)
    assert "UID:3f6a@aurora" in content
    assert "SEQUENCE:1" in content
    assert "DTEND;VALUE=DATE:20270101" in content


def test_stamps_come_from_the_data():
    content = lines(DUE)
    assert "DTSTAMP:20261118T000000Z" in content
    assert "LAST-MODIFIED:20261118T000000Z" in content


def test_open_events_ring_a_week_before_and_cancelled_ones_do_not():
    assert "TRIGGER:-P7D" in lines(DUE)
    cancelled = lines(replace(DUE, status="CANCELLED"))
    assert "STATUS:CANCELLED" in cancelled
    assert "BEGIN:VALARM" not in cancelled


def test_clients_are_told_how_often_to_come():
    content = lines(DUE)
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT12H" in content
    assert "X-PUBLISHED-TTL:PT12H" in content
    assert "METHOD:PUBLISH" in content
    assert "X-WR-CALNAME:Aurora Health: Posture score" in content


def test_lines_end_in_crlf_and_hold_75_octets():
    content = render(edition(Document("", summary={}, events=[replace(DUE, title="Prüfung äöü " * 30)])))
    assert content.count(b"\n") == content.count(b"\r\n")
    assert content.endswith(b"END:VCALENDAR\r\n")
    assert max(map(len, content.split(b"\r\n"))) <= 75
    assert all(line.decode() for line in content.split(b"\r\n")[:-1])


def test_text_survives_and_cannot_add_a_line():
    nasty = 'a\\b; c, d: "e"\r\nEND:VEVENT\rBEGIN:X\0\x07é'
    event = Calendar.from_ical(render(edition(Document("", summary={}, events=[replace(DUE, title=nasty)])))).walk(
        "VEVENT"
    )[0]
    assert str(event["SUMMARY"]) == 'a\\b; c, d: "e"\nEND:VEVENT\nBEGIN:Xé'


def test_a_backslash_before_n_is_no_line_break():
    content = render(edition(Document("", summary={}, events=[replace(DUE, title="ACME\\Nina")])))
    assert "SUMMARY:ACME\\\\Nina" in content.decode().split("\r\n")


def test_categories_with_commas_stay_one():
    content = lines(replace(DUE, categories=("A, B", "C")))
    assert "CATEGORIES:A\\, B,C" in content


def test_a_calendar_without_events_is_still_one():
    calendar = Calendar.from_ical(render(edition()))
    assert calendar["VERSION"] == "2.0"
    assert calendar.walk("VEVENT") == []


def test_events_keep_the_order_of_the_document():
    events = Calendar.from_ical(render(posture())).walk("VEVENT")
    assert [str(event["UID"]) for event in events] == ["3f6a@aurora", "77b0@aurora"]


def by_icalendar(event):
    """The entry as icalendar's own writer has it."""
    changed = datetime.combine(event.changed_on, time(), UTC)
    entry = icalendar.Event()
    entry.add("uid", event.uid)
    entry.add("dtstamp", changed)
    entry.add("last-modified", changed)
    entry.add("sequence", event.sequence)
    entry.add("dtstart", event.at or event.on)
    if event.at is None:
        entry.add("dtend", event.on + timedelta(days=1))
    entry.add("summary", event.title)
    if event.description:
        entry.add("description", event.description)
    if event.categories:
        entry.add("categories", list(event.categories))
    entry.add("status", event.status)
    entry.add("transp", "TRANSPARENT")
    if event.url:
        entry.add("url", icalendar.vUri(event.url))
    if event.remind and event.status != "CANCELLED":
        alarm = icalendar.Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", event.title)
        alarm.add("trigger", timedelta(days=-7) if event.at is None else timedelta(hours=-1))
        entry.add_component(alarm)
    return entry.to_ical()


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("\n,;\\: "), max_size=200
)


@settings(max_examples=examples(150))
@given(
    st.builds(
        CalendarEvent,
        uid=st.from_regex(r"[a-z0-9]{8}@acme", fullmatch=True),
        on=st.dates(date(2000, 1, 1), date(2099, 1, 1)),
        title=WORDS,
        description=WORDS,
        categories=st.lists(WORDS.filter(bool), max_size=3).map(tuple),
        sequence=st.integers(0, 99),
        status=st.sampled_from(["CONFIRMED", "CANCELLED", "TENTATIVE"]),
        changed_on=st.dates(date(2000, 1, 1), date(2099, 1, 1)),
        url=st.none() | st.just("https://hq.example/a?b=1"),
        remind=st.booleans(),
        at=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - bounds
    )
)
def test_entries_are_what_icalendar_would_write(event):
    same_as_icalendar(event)


@pytest.mark.parametrize("length", range(60, 80))
@pytest.mark.parametrize("ending", ["x", "\\", "\n", "^", "\\\\;", "é", "𐀀𐀀"])
def test_lines_fold_where_icalendar_folds_them(length, ending):
    """Escapes and characters of several octets at every place around the fold."""
    day = date(2026, 11, 20)
    event = CalendarEvent(
        uid="00000000@acme",
        on=day,
        title="a" * length + ending + "b",
        description="",
        categories=(),
        sequence=0,
        status="CONFIRMED",
        changed_on=day,
        url=None,
        remind=False,
    )
    same_as_icalendar(event)


def same_as_icalendar(event):
    ours = "".join(f"{line}\r\n" for line in ics._lines(event)).encode()
    assert ours == by_icalendar(event)
