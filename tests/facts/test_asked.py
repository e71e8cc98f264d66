from datetime import date

import pytest

from engine.facts.question import BOUNDS, FactQuestion, question_frame, start_of
from engine.model.thresholds import DEFAULTS, Thresholds
from engine.replica.scans.audit import midnight
from engine.replica.view import frame_view
from tests.factories import DAY, moment


def test_the_period_ends_with_the_day_and_the_one_before_is_as_long():
    frame = question_frame([FactQuestion("acme", "UTC", DAY, 30, Thresholds())])
    assert frame.select("period_start", "before_start", "starts_at", "ends_at", "before_at").row(0) == (
        date(2026, 10, 22),
        date(2026, 9, 22),
        moment("2026-10-22"),
        moment("2026-11-21"),
        moment("2026-09-22"),
    )


def test_a_period_of_one_day_is_that_day():
    frame = question_frame([FactQuestion("acme", "UTC", DAY, 1, Thresholds())])
    assert frame.select("period_start", "before_start").row(0) == (DAY, date(2026, 11, 19))


@pytest.mark.parametrize(
    ("zone", "day", "instant"),
    [
        ("Pacific/Auckland", date(2026, 9, 27), "2026-09-26 12:00"),  # winter time still, clocks go on at two
        ("Pacific/Auckland", date(2026, 9, 28), "2026-09-27 11:00"),
        ("America/Los_Angeles", date(2026, 11, 1), "2026-11-01 07:00"),
        ("America/Los_Angeles", date(2026, 11, 2), "2026-11-02 08:00"),
        ("Africa/Cairo", date(2026, 4, 24), "2026-04-23 22:00"),  # midnight itself is skipped
        ("Asia/Kathmandu", date(2026, 11, 20), "2026-11-19 18:15"),
        ("Atlantic/Azores", date(2026, 10, 25), "2026-10-25 00:00"),  # it is midnight again an hour later
        ("America/Havana", date(2026, 11, 1), "2026-11-01 04:00"),
    ],
)
def test_a_day_begins_at_its_own_midnight_whatever_the_clocks_do(zone, day, instant):
    with frame_view({}) as view:
        in_scans = view.frame(
            f"SELECT {midnight('q.day')} FROM (SELECT ? AS time_zone, ? AS day) q", [zone, day]
        ).item()
    assert (start_of(day, zone), in_scans) == (moment(instant), moment(instant))


def test_questions_are_sorted_and_carry_every_threshold():
    frame = question_frame(
        [FactQuestion(org, "UTC", DAY, 30, Thresholds(3, {"weekly_hours": 4})) for org in ("b", "a")]
    )
    assert frame["org_id"].to_list() == ["a", "b"]
    assert frame["weekly_hours"].to_list() == [4.0, 4.0]
    assert {*BOUNDS, *DEFAULTS} <= set(frame.columns)


def test_nobody_asked_is_an_empty_frame_with_the_same_columns():
    assert question_frame([]).schema == question_frame([FactQuestion("acme", "UTC", DAY, 30, Thresholds())]).schema
