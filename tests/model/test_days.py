"""Moments and days of time zones."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from engine.model.days import duration, local_day, midnight, quarters, spelled_day, spelled_days

EVENING = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time_zone", "day"),
    [
        ("UTC", date(2026, 11, 20)),
        ("Europe/Berlin", date(2026, 11, 21)),
        ("America/New_York", date(2026, 11, 20)),
        ("Pacific/Kiritimati", date(2026, 11, 21)),
    ],
)
def test_a_moment_falls_on_the_day_of_the_time_zone(time_zone, day):
    assert local_day(EVENING, time_zone) == local_day(EVENING, ZoneInfo(time_zone)) == day


def test_a_day_begins_at_its_local_midnight():
    assert midnight(date(2026, 11, 21), "Europe/Berlin") == datetime(2026, 11, 20, 23, tzinfo=UTC)
    assert local_day(midnight(date(2026, 11, 21), "Europe/Berlin"), "Europe/Berlin") == date(2026, 11, 21)


def test_a_day_of_summer_time_begins_an_hour_earlier():
    assert midnight(date(2026, 7, 1), "Europe/Berlin") == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_a_day_whose_midnight_the_clocks_skip_begins_when_they_do():
    assert midnight(date(2026, 9, 6), "America/Santiago") == datetime(2026, 9, 6, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0, "0 min"),
        (0.4, "0 min"),
        (45, "45 min"),
        (60, "1 h"),
        (130.0, "2 h 10 min"),
        (1440, "1 day"),
        (4 * 1440 + 125, "4 days 2 h"),
        (-90, "-1 h 30 min"),
        (1440 * 1200, "1,200 days"),
    ],
)
def test_a_span_is_said_in_the_units_that_a_person_would_use(minutes, said):
    assert duration(minutes) == said


def test_a_day_is_read_in_one_form():
    assert spelled_day(date(2026, 3, 1)) == "1 Mar 2026"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", ""),
        ("Due 2026-03-01.", "Due 1 Mar 2026."),
        ("2026-03-01", "1 Mar 2026"),
        ("2026-03-01; 2026-12-31", "1 Mar 2026; 31 Dec 2026"),
        ("(2026-03-01, 2026-03-02)", "(1 Mar 2026, 2 Mar 2026)"),
        ("at 2026-03-01T14:05:06.789Z", "at 1 Mar 2026, 14:05 UTC"),
        ("2026-03-01T14:05Z: seen", "1 Mar 2026, 14:05 UTC: seen"),
        ("2026-02-30", "2026-02-30"),
        ("AUD-2026-03-01", "AUD-2026-03-01"),
        ("2026-03-01.pdf", "2026-03-01.pdf"),
        ("2026-03-01/2026-03-31", "2026-03-01/2026-03-31"),
        ("scan_2026-03-01", "scan_2026-03-01"),
        ("12026-03-01", "12026-03-01"),
        ("2026-03-01T14:05", "2026-03-01T14:05"),
    ],
)
def test_days_within_a_text_are_read_so_and_names_stay(text, read):
    assert spelled_days(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-W53", "week of 28 Dec 2026"),
        ("Start in 2026-W49: hand it over.", "Start in the week of 30 Nov 2026: hand it over."),
        ("week 2026-W48", "week of 23 Nov 2026"),
        ("2026-W54, x2026-W10, 2026-W101", "2026-W54, x2026-W10, 2026-W101"),
    ],
)
def test_a_week_is_called_by_its_monday(text, read):
    assert spelled_days(text) == read


def test_hours_are_told_to_the_quarter_an_eighth_up():
    told = {6.625: "6.75", 14.775: "14.75", 0.125: "0.25", 0.12: "0.12", -2.5: "-2.5", 0: "0", 1672.1: "1,672"}
    assert {hours: quarters(hours) for hours in told} == told
