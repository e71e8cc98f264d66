"""Spans of time are read as people mean them, on a Friday in November."""

from datetime import UTC, date, datetime

import pytest

from engine.copilot.grammar import windows
from engine.copilot.grammar.moments import TimeWindow, clock, in_year
from engine.copilot.grammar.reading import ask
from engine.copilot.grammar.text import plain

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("last week", "2026-11-09", "2026-11-15"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("next week", "2026-11-23", "2026-11-29"),
        ("in the last 30 days", "2026-10-22", "2026-11-20"),
        ("past month", "2026-10-21", "2026-11-20"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("the week after next", "2026-11-30", "2026-12-06"),
        ("in mid october", "2026-10-11", "2026-10-20"),
        ("early october", "2026-10-01", "2026-10-10"),
        ("late october", "2026-10-21", "2026-10-31"),
        ("in week 53", "2026-12-28", "2027-01-03"),
        ("overnight", "2026-11-19", "2026-11-20"),
        ("this quarter", "2026-10-01", "2026-12-31"),
        ("in the first half of the year", "2026-01-01", "2026-06-30"),
        ("in h2 2025", "2025-07-01", "2025-12-31"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("in Q3", "2026-07-01", "2026-09-30"),
        ("q1 2025", "2025-01-01", "2025-03-31"),
        ("since march", "2026-03-01", "2026-11-20"),
        ("in december", "2025-12-01", "2025-12-31"),
        ("in the week of 18 november", "2026-11-16", "2026-11-22"),
        ("the week beginning 9 november", "2026-11-09", "2026-11-15"),
        ("due in december", "2026-12-01", "2026-12-31"),
        ("due in march", "2027-03-01", "2027-03-31"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("within 7 days", "2026-11-20", "2026-11-27"),
        ("in the next two weeks", "2026-11-20", "2026-12-04"),
        ("yesterday", "2026-11-19", "2026-11-19"),
        ("on 2026-11-16", "2026-11-16", "2026-11-16"),
        ("on monday", "2026-11-16", "2026-11-16"),
        ("november 16", "2026-11-16", "2026-11-16"),
        ("before june", None, "2026-05-31"),
        ("by the end of the year", None, "2026-12-31"),
        ("after 1 october 2026", "2026-10-02", None),
        ("between march and may 2026", "2026-03-01", "2026-05-31"),
        ("from 2026-01-01 to 2026-02-01", "2026-01-01", "2026-02-01"),
        ("older than a week", None, "2026-11-12"),
        ("year to date", "2026-01-01", "2026-11-20"),
        ("the day before yesterday", "2026-11-18", "2026-11-18"),
        ("the day after tomorrow", "2026-11-22", "2026-11-22"),
        ("two fridays ago", "2026-11-06", "2026-11-06"),
        ("on friday last week", "2026-11-13", "2026-11-13"),
        ("last week's tuesday", "2026-11-10", "2026-11-10"),
        ("in the week before last", "2026-11-02", "2026-11-08"),
        ("the weekend before last", "2026-11-07", "2026-11-08"),
        ("in the first week of october", "2026-10-01", "2026-10-07"),
        ("the last two weeks of october", "2026-10-18", "2026-10-31"),
        ("the second week of october", "2026-10-08", "2026-10-14"),
        ("the first half of november", "2026-11-01", "2026-11-15"),
        ("in the second half of october", "2026-10-16", "2026-10-31"),
        ("the last day of september", "2026-09-30", "2026-09-30"),
        ("from october 5 through october 9", "2026-10-05", "2026-10-09"),
        ("nov 1 - nov 15", "2026-11-01", "2026-11-15"),
        ("on the 3rd", "2026-11-03", "2026-11-03"),
        ("on the 28th", "2026-10-28", "2026-10-28"),
        ("due on the 3rd", "2026-12-03", "2026-12-03"),
        ("since the 10th", "2026-11-10", "2026-11-20"),
        ("in the week of the 9th", "2026-11-09", "2026-11-15"),
    ],
)
def test_a_span_of_time(text, first, last):
    (time_window,), rest = windows.find(plain(text), TODAY)
    assert [None if day is None else day.isoformat() for day in (time_window.first, time_window.last)] == [first, last]
    assert rest.replace("due", "").strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "the last and the next meeting",
        "remediations for ISO 27001:2022",
        "INC-2026-0071",
        "CVE-2026-90999",
        "what may we do",
        "on the hook",
        "last 5 incidents",
        "right now",
        "31 february",
        "the 1st vendor",
        "the 3rd quarter",
        "",
    ],
)
def test_what_is_no_span_of_time(text):
    assert windows.find(plain(text), TODAY)[0] == ()


@pytest.mark.parametrize(
    ("text", "since", "rest"),
    [
        ("in the last 36 hours", "2026-11-18 20:30", ""),
        ("the last hour", "2026-11-20 07:30", ""),
        ("past 90 minutes", "2026-11-20 07:00", ""),
        ("last half an hour", "2026-11-20 08:00", ""),
        ("incidents of the last 2 h", "2026-11-20 06:30", "incidents"),
    ],
)
def test_hours_and_minutes_count_back_from_now_to_the_minute(text, since, rest):
    (window,), left = windows.find(text, date(2026, 11, 20), datetime(2026, 11, 20, 8, 30, tzinfo=UTC))
    assert (f"{window.since:%Y-%m-%d %H:%M}", left.strip()) == (since, rest)


def test_a_span_may_be_said_by_the_one_beside_it():
    """The week before is that before last week, where both are said."""
    spans, _ = windows.find("last week or the week before", TODAY)
    assert [f"{one.first}" for one in spans] == ["2026-11-09", "2026-11-02"]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("deploys on the 15th of october", "2026-10-15", "2026-10-15"),
        ("deploys since the 15th of september", "2026-09-15", "2026-11-20"),
        ("deploys between 1 and 15 november", "2026-11-01", "2026-11-15"),
        ("deploys between the 1st and the 15th of november", "2026-11-01", "2026-11-15"),
        ("deploys november 1-15", "2026-11-01", "2026-11-15"),
        ("deploys from november 1st to 15th", "2026-11-01", "2026-11-15"),
        ("deploys in w44", "2026-10-26", "2026-11-01"),
        ("deploys in calendar week 44", "2026-10-26", "2026-11-01"),
        ("deploys on 15.10.2026", "2026-10-15", "2026-10-15"),
        ("findings at the beginning of november", "2026-11-01", "2026-11-10"),
        ("deploys the friday before last", "2026-11-06", "2026-11-06"),
    ],
)
def test_days_are_read_however_they_are_written(text, first, last):
    asked = ask(text, TODAY)
    assert [(f"{one.first}", f"{one.last}") for one in asked.windows] == [(first, last)]


def test_a_number_of_users_is_no_year():
    assert windows.find("more than 2000 users", date(2026, 11, 20))[0] == ()


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("incidents between midnight and 6 am", (0, 6)),
        ("incidents between 22:00 and 6:00", (22, 6)),
        ("deploys after 6pm", (18, 24)),
        ("deploys before 9 a.m.", (0, 9)),
        ("deploys before noon", (0, 12)),
        ("from 12 am to 12 pm", (0, 12)),
        ("risks between 4 and 9", None),  # a bare number is no hour
        ("after 5 days", None),
        ("before 13pm", None),
        ("tomorrow at 3am", (3, 4)),
        ("on monday at noon", (12, 13)),
        ("look at 3 incidents", None),
    ],
)
def test_hours_of_the_day_are_read_where_they_are_said_as_such(text, hours):
    clock_hours, rest = clock(plain(text))
    assert (None if clock_hours is None else (clock_hours.first, clock_hours.last)) == hours
    assert (rest == plain(text)) is (hours is None)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("who is on call on monday", "2026-11-23", "2026-11-23"),
        ("who was on call on monday", "2026-11-16", "2026-11-16"),
        ("what must be signed before friday", None, "2026-11-26"),
        ("away over christmas", "2026-12-25", "2026-12-25"),
        ("what failed on monday 9 november", "2026-11-09", "2026-11-09"),
    ],
)
def test_what_is_ahead_is_asked_of_the_coming_day(text, first, last):
    (window,), _ = windows.find(plain(text), TODAY)
    assert [None if day is None else day.isoformat() for day in (window.first, window.last)] == [first, last]


@pytest.mark.parametrize(
    ("text", "named"),
    [("since july", "2026-07-31"), ("since last month", "2026-10-31"), ("since 3 july", "2026-07-03")],
)
def test_what_was_not_done_since_a_month_may_have_been_done_in_it(text, named):
    ((window,), _) = windows.find(text, TODAY)
    assert window.named == date.fromisoformat(named)


@pytest.mark.parametrize(
    ("words", "first", "last", "then"),
    [
        # 28 Dec 2025 ends its week, 28 Dec 2026 begins one
        ("in the week of 28 december", date(2025, 12, 22), date(2025, 12, 28), (date(2026, 12, 28), date(2027, 1, 3))),
        ("in december", date(2025, 12, 1), date(2025, 12, 31), (date(2026, 12, 1), date(2026, 12, 31))),
        ("on 29 february", date(2024, 2, 29), date(2024, 2, 29), (date(2025, 2, 28), date(2025, 2, 28))),
    ],
)
def test_a_span_of_another_year_keeps_the_day_that_is_named(words, first, last, then):
    found = in_year(TimeWindow(first, last, words), 1)
    assert (found.first, found.last) == then
