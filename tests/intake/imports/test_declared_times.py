"""Who is on call out of CSV and iCalendar, maintenance out of CSV and silences; recorded when they cover more."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from engine.intake.imports import import_paths
from engine.model.errors import InvalidData
from engine.store.rows import many
from engine.store.schema.services import maintenance_windows, on_call_shifts
from tests.conftest import NOW

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//PagerDuty//EN
X-WR-CALNAME:Primary
BEGIN:VEVENT
UID:Q1
DTSTART:20261120T080000Z
DTEND:20261121T080000Z
SUMMARY:On Call - Ann
ATTENDEE;CN=Ann:mailto:Ann@acme.example
END:VEVENT
BEGIN:VEVENT
UID:Q2
DTSTART;TZID=Europe/Berlin:20261023T200000
DTEND;TZID=Europe/Berlin:20261024T080000
RRULE:FREQ=WEEKLY;COUNT=3
EXDATE;TZID=Europe/Berlin:20261106T200000
SUMMARY:bob@acme.example
END:VEVENT
END:VCALENDAR
"""
SILENCE = {
    "id": "8e3f1b8e-2f5e-4b6f-9a51-0d5f1f6f7a11",
    "status": {"state": "pending"},
    "updatedAt": "2026-11-20T08:00:00.000Z",
    "comment": "Kernel update",
    "createdBy": "ann@acme.example",
    "startsAt": "2026-11-20T22:00:00.000Z",
    "endsAt": "2026-11-21T02:00:00.000Z",
    "matchers": [{"name": "instance", "value": "db.*", "isRegex": True, "isEqual": True}],
}


def bring(store, path, text, now=NOW):
    path.write_text(text)
    return import_paths(store, [path], org_id="acme", actor="import", now=now)


def windows(store):
    with store.reader() as connection:
        return many(connection, maintenance_windows, "acme", order=("id",))


@pytest.mark.parametrize(
    ("length", "ends"),
    [
        ("DURATION:PT24H", [(2, 4), (9, 5)]),
        ("DURATION:P1D", [(2, 5), (9, 5)]),
        ("DURATION:P1DT1H", [(2, 6), (9, 6)]),
        ("DURATION:P1W", [(8, 5), (15, 5)]),
    ],
)
def test_hours_of_a_shift_pass_exactly_and_its_days_by_the_clocks(store, tmp_path, length, ends):
    event = ["BEGIN:VEVENT", "UID:q", "DTSTART;TZID=America/New_York:20261101T000000", length]
    event += ["RRULE:FREQ=WEEKLY;COUNT=2", "SUMMARY:On call ann@acme.example", "END:VEVENT"]
    text = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *event, "END:VCALENDAR", ""])
    bring(store, tmp_path / "oncall.ics", text)
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    assert [row["starts_at"] for row in rows] == [
        datetime(2026, 11, day, hour, tzinfo=UTC) for day, hour in [(1, 4), (8, 5)]
    ]
    assert [row["ends_at"] for row in rows] == [datetime(2026, 11, day, hour, tzinfo=UTC) for day, hour in ends]


def test_events_of_a_calendar_become_shifts_each_time_that_they_come(store, tmp_path):
    bring(store, tmp_path / "oncall.ics", CALENDAR.replace("\n", "\r\n"))
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    assert [(row["id"], row["person"], row["starts_at"], row["ends_at"], row["rota"]) for row in rows] == [
        ("Q2/20261023T180000Z", "bob@acme.example", at("1023T18"), at("1024T06"), "Primary"),
        ("Q2/20261030T190000Z", "bob@acme.example", at("1030T19"), at("1031T07"), "Primary"),
        ("Q1", "ann@acme.example", at("1120T08"), at("1121T08"), "Primary"),
    ]
    assert {row["recorded_at"] for row in rows} == {NOW}
    assert store.verify("acme").ok


def at(text):
    return datetime.strptime(f"2026{text}", "%Y%m%dT%H").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("BEGIN:VEVENT", "is no iCalendar file that can be read"),
        (CALENDAR.replace("bob@", "Bob").replace("Ann@", "Ann"), "names nobody's e-mail address"),
        (CALENDAR.replace("UID:Q1\n", "").replace("UID:Q2\n", ""), "an event without UID or DTSTART"),
    ],
)
def test_a_calendar_without_any_shift_is_refused(text, problem, store, tmp_path):
    with pytest.raises(InvalidData, match=problem):
        bring(store, tmp_path / "oncall.ics", text)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Ann@acme.example", "Ann", "it names nobody's e-mail address, as attendee or in its summary or description."),
        ("UID:Q1\n", "", "an event without UID or DTSTART."),
        ("DTEND:20261121", "DTEND:20261120", "it ends where it begins, or before, so nobody is on call in it."),
        ("SUMMARY:On Call - Ann", "RRULE:FREQ=SOMETIMES\nSUMMARY:On Call - Ann", "an event that comes again by"),
        (
            "SUMMARY:On Call - Ann",
            "RRULE:FREQ=SECONDLY;COUNT=99999\nSUMMARY:On Call - Ann",
            "it comes again more than 10,000 times.",
        ),
        (
            "SUMMARY:On Call - Ann",
            "STATUS:CANCELLED\nSUMMARY:On Call - Ann",
            "it is cancelled; where a shift of it is on record, set its end.",
        ),
        (
            "UID:Q1\nDTSTART:20261120T080000Z",
            "UID:Q1\nDTSTART;TZID=Mars/Olympus:20261120T080000",
            "its time zone, 'Mars/Olympus', is none that is known.",
        ),
    ],
)
def test_an_event_that_is_no_shift_is_left_out_by_name_and_the_others_are_taken(old, new, why, store, tmp_path):
    result = bring(store, tmp_path / "oncall.ics", CALENDAR.replace(old, new))
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    assert [row["id"] for row in rows] == ["Q2/20261023T180000Z", "Q2/20261030T190000Z"]
    (said,) = result.left_out["oncall.ics"]
    assert said.startswith(f"'On Call - Ann' of 20261120T080000{'' if 'zone' in why else 'Z'}: {why}")
    assert list(bring(store, tmp_path / "second-oncall.ics", CALENDAR).left_out) == []


def test_a_time_that_is_cancelled_or_given_to_nobody_leaves_its_place_empty(store, tmp_path):
    again = ["BEGIN:VEVENT", "UID:Q2", "RECURRENCE-ID;TZID=Europe/Berlin:{}", "DTSTART;TZID=Europe/Berlin:{}"]
    again += ["DTEND;TZID=Europe/Berlin:20261101T080000", "{}", "END:VEVENT", ""]
    cancelled = "\n".join(again).format("20261023T200000", "20261023T200000", "STATUS:CANCELLED")
    nobody = "\n".join(again).format("20261030T200000", "20261030T200000", "SUMMARY:Nobody")
    text = CALENDAR.replace("END:VCALENDAR", f"{cancelled}{nobody}END:VCALENDAR")
    bring(store, tmp_path / "oncall.ics", text)
    with store.reader() as connection:
        assert [row["id"] for row in many(connection, on_call_shifts, "acme", order=("starts_at",))] == ["Q1"]


def test_a_rota_without_an_end_is_read_until_some_time_after_the_import_whenever_it_began(store, tmp_path):
    lasting = CALENDAR.replace("20261023T200000", "20200103T200000").replace("20261024T", "20200104T")
    bring(store, tmp_path / "oncall.ics", lasting.replace(";COUNT=3", ""))
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    weeks = [row["starts_at"] for row in rows if row["id"] != "Q1"]
    assert weeks[0] == datetime(2020, 1, 3, 19, tzinfo=UTC)
    assert NOW + timedelta(days=393) < weeks[-1] <= NOW + timedelta(days=400)
    assert len(weeks) == (weeks[-1] - weeks[0]).days // 7  # one week is left out


def test_two_events_of_one_identifier_are_two_shifts(store, tmp_path):
    second = [
        "BEGIN:VEVENT",
        "UID:Q1",
        "DTSTART:20261122T080000Z",
        "DTEND:20261123T080000Z",
        "SUMMARY:bob@acme.example",
    ]
    text = CALENDAR.replace("END:VCALENDAR", "\n".join([*second, "END:VEVENT", "END:VCALENDAR"]))
    result = bring(store, tmp_path / "oncall.ics", text)
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    assert [row["id"] for row in rows] == ["Q2/20261023T180000Z", "Q2/20261030T190000Z", "Q1", "Q1/20261122T080000Z"]
    assert result.left_out == {}
    again = bring(
        store,
        tmp_path / "oncall.ics",
        text.replace("END:VCALENDAR", "\n".join([*second, "END:VEVENT", "END:VCALENDAR"])),
    )
    assert again.left_out == {
        "oncall.ics": ["'bob@acme.example' of 20261122T080000Z: another event has its UID and its beginning."]
    }


@pytest.mark.parametrize("ends", [";TZID=America/New_York:20261102T000000", ":20261102T050000Z"])
def test_a_shift_with_an_end_ends_by_the_clocks_of_its_zone_each_time(ends, store, tmp_path):
    event = ["BEGIN:VEVENT", "UID:q", "DTSTART;TZID=America/New_York:20261101T000000", f"DTEND{ends}"]
    event += ["RRULE:FREQ=WEEKLY;COUNT=2", "SUMMARY:On call ann@acme.example", "END:VEVENT"]
    text = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *event, "END:VCALENDAR", ""])
    bring(store, tmp_path / "oncall.ics", text)
    with store.reader() as connection:
        rows = many(connection, on_call_shifts, "acme", order=("starts_at",))
    assert [row["ends_at"] for row in rows] == [datetime(2026, 11, day, 5, tzinfo=UTC) for day in (2, 9)]


def test_silences_become_windows_and_a_shorter_one_keeps_when_it_was_recorded(store, tmp_path):
    path, later = tmp_path / "silences.json", NOW + timedelta(days=1)
    bring(store, path, json.dumps([SILENCE]))
    (row,) = windows(store)
    assert (row["id"], row["reason"], row["created_by"]) == (SILENCE["id"], "Kernel update", "ann@acme.example")
    assert (row["matchers"], row["starts_at"], row["recorded_at"]) == (SILENCE["matchers"], at("1120T22"), NOW)
    bring(store, path, json.dumps([{**SILENCE, "endsAt": "2026-11-21T01:00:00Z"}]), later)
    assert windows(store)[0]["recorded_at"] == NOW, "it was ended early, which takes nothing more out"
    bring(store, path, json.dumps([{**SILENCE, "endsAt": "2026-11-21T03:00:00Z"}]), later)
    assert windows(store)[0]["recorded_at"] == later


def test_a_silence_that_was_withdrawn_before_it_began_covers_a_moment_of_no_use(store, tmp_path):
    path = tmp_path / "silences.json"
    bring(store, path, json.dumps([SILENCE]))
    withdrawn = {**SILENCE, "startsAt": "2026-11-20T21:00:00.000Z", "endsAt": "2026-11-20T21:00:00.000Z"}
    bring(store, path, json.dumps([withdrawn]))
    (row,) = windows(store)
    assert (row["starts_at"], row["ends_at"]) == (at("1120T21"), at("1120T21") + timedelta(milliseconds=1))


def test_no_silences_are_nothing(store, tmp_path):
    head = store.head("acme")
    bring(store, tmp_path / "silences.json", "[]")
    assert (windows(store), store.head("acme")) == ([], head)


HEADER = "id,reason,service_id,matchers,starts_at,ends_at\n"


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ("w1,x,,,2026-11-20T10:00:00Z,2026-11-20T10:00:00Z", "ends_at"),
        ('w1,x,,"[{""name"": ""a""}]",2026-11-20T10:00:00Z,2026-11-20T11:00:00Z', "matchers"),
        (
            'w1,x,,"[{""name"": ""a"", ""value"": ""("", ""isRegex"": true}]",2026-11-20T10:00Z,2026-11-20T11:00Z',
            "matchers",
        ),
        (
            'w1,x,,"[{""name"": ""a"", ""value"": ""(?=b)"", ""isRegex"": true}]",2026-11-20T10:00Z,2026-11-20T11:00Z',
            "matchers",
        ),
        ('w1,x,,"[{""name"": ""a"", ""value"": """"}]",2026-11-20T10:00Z,2026-11-20T11:00Z', "matchers"),
        ("w1,,,,2026-11-20T10:00:00Z,2026-11-20T11:00:00Z", "reason"),
        ("w1,x,nowhere,,2026-11-20T10:00:00Z,2026-11-20T11:00:00Z", "service_id"),
    ],
)
def test_a_window_that_cannot_be_is_a_bad_cell(cells, column, store, tmp_path):
    with pytest.raises(InvalidData) as refused:
        bring(store, tmp_path / "maintenance_windows.csv", HEADER + cells)
    assert {problem["column"] for problem in refused.value.details} == {column}
    assert windows(store) == []
