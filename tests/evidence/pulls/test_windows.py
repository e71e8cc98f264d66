"""The days that a check asks about, and the window of a schedule that a day falls in."""

from datetime import date

import pytest

from engine.evidence.pulls.declarations import DaySpan, window_of_day, window_span

TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("cadence", "since"),
    [
        ("daily", date(2026, 3, 31)),
        ("weekly", date(2026, 3, 25)),
        ("monthly", date(2026, 3, 1)),
        ("quarterly", date(2026, 1, 1)),
        ("annual", date(2025, 4, 1)),
    ],
)
def test_a_window_ends_with_the_day_of_the_run(cadence, since):
    assert window_span(cadence, TODAY) == DaySpan(since, TODAY)


def test_windows_of_a_schedule_follow_each_other_without_a_gap():
    start = date(2026, 1, 31)
    assert window_of_day("monthly", start, date(2026, 2, 27)) == DaySpan(start, date(2026, 2, 27))
    assert window_of_day("monthly", start, date(2026, 2, 28)) == DaySpan(date(2026, 2, 28), date(2026, 3, 30))
    assert window_of_day("weekly", start, date(2026, 1, 30)) == DaySpan(date(2026, 1, 24), date(2026, 1, 30))
    assert window_of_day("daily", start, TODAY) == DaySpan(TODAY, TODAY)
