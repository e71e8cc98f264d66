"""Moments and days of time zones."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from engine.model.days import local_day, midnight

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
