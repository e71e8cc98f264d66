"""Calendars of absences."""

import pytest

from engine.intake.imports.files.calendar_files import HEADER, read_calendar
from engine.intake.imports.problems import Problems
from engine.model.errors import InvalidData

WEEK = ["DTSTART;VALUE=DATE:20261207", "DTEND;VALUE=DATE:20261212", "SUMMARY:Vacation"]
ANN = "ATTENDEE;CN=Ann:mailto:ann@acme.example"


def calendar(path, *events, head=()):
    lines = [line for lines in events for line in ["BEGIN:VEVENT", *lines, "END:VEVENT"]]
    text = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", *head, *lines, "END:VCALENDAR", ""]
    path.write_text("\r\n".join(text))
    return path


def entries(path):
    problems = Problems()
    (batch,) = read_calendar(path, path.name, problems)
    problems.raise_any()
    return [dict(zip(HEADER, row, strict=True)) for row in zip(*batch.columns, strict=True)]


def test_a_day_of_an_event_is_a_day_of_its_person(tmp_path):
    path = calendar(tmp_path / "absences.ics", ["UID:a", *WEEK, ANN])
    assert entries(path) == [
        {
            "id": "a",
            "email": "ann@acme.example",
            "starts_on": "2026-12-07",
            "ends_on": "2026-12-11",
            "share_pct": None,
            "repeats": None,
            "title": "Vacation",
        }
    ]


@pytest.mark.parametrize(
    ("file", "lines", "people"),
    [
        ("a.ics", [ANN, "ATTENDEE:mailto:ben@acme.example"], ["ann@acme.example", "ben@acme.example"]),
        ("a.ics", [ANN, "ATTENDEE;PARTSTAT=DECLINED:mailto:ben@acme.example"], ["ann@acme.example"]),
        ("a.ics", ["ORGANIZER:mailto:Ben@acme.example"], ["ben@acme.example"]),
        ("cid@acme.example.ics", [], ["cid@acme.example"]),
        ("holidays.ics", ["ORGANIZER:mailto:calendar@state.example"], [None]),
        ("a.ics", ["CATEGORIES:Holiday"], [None]),
    ],
)
def test_whose_it_is(tmp_path, file, lines, people):
    assert [row["email"] for row in entries(calendar(tmp_path / file, ["UID:a", *WEEK, *lines]))] == people


def test_what_comes_again_keeps_its_rule_without_the_days_that_moved(tmp_path):
    weekly = ["UID:a", "DTSTART;VALUE=DATE:20261127", "RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20261204", ANN]
    once = ["UID:a", "RECURRENCE-ID;VALUE=DATE:20261211", "DTSTART;VALUE=DATE:20261210", ANN]
    first, moved = entries(calendar(tmp_path / "a.ics", weekly, once))
    assert first["repeats"] == "FREQ=WEEKLY EXDATE:20261204,20261211"
    assert (moved["id"], moved["starts_on"], moved["repeats"]) == ("a-2026-12-11", "2026-12-10", None)


def test_hours_are_a_share_of_a_day_and_what_was_cancelled_is_none(tmp_path):
    morning = ["UID:a", "DTSTART:20261201T080000Z", "DTEND:20261201T120000Z", ANN]
    off = ["UID:b", *WEEK, "STATUS:CANCELLED", ANN]
    assert [row["share_pct"] for row in entries(calendar(tmp_path / "a.ics", morning, off))] == ["50", "0"]


def test_an_empty_calendar_has_no_absences(tmp_path):
    assert entries(calendar(tmp_path / "a.ics")) == []


@pytest.mark.parametrize("lines", [WEEK, [ANN, "SUMMARY:x"], [ANN, "DTSTART:20261207", "DTEND:20261201"]])
def test_an_event_without_a_person_or_a_day_is_refused(tmp_path, lines):
    with pytest.raises(InvalidData):
        entries(calendar(tmp_path / "a.ics", ["UID:a", *lines]))


@pytest.mark.parametrize("text", ["", "hello", "BEGIN:VEVENT\r\nEND:VEVENT\r\n"])
def test_what_is_no_calendar_is_refused(tmp_path, text):
    (tmp_path / "a.ics").write_text(text)
    with pytest.raises(InvalidData, match="no calendar of iCalendar"):
        entries(tmp_path / "a.ics")
