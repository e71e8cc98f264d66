from datetime import date, timedelta

import pytest

from engine.model.recurrence import occurrences
from tests.factories import DAY
from tests.facts.conftest import facts_with, memory, replica  # noqa: F401 - fixtures

__all__ = ["facts_with", "replica"]
MONDAY = DAY + timedelta(days=7 - DAY.weekday())
# of which four fifths are there for duties: ten hours
CAPACITY = [{"email": one, "week": "default", "hours": 12.5} for one in ("ann", "ben")]


def hours(facts, day=MONDAY, column="available_hours"):
    """The hours of each owner in the week of a day."""
    monday = day - timedelta(days=day.weekday())
    return dict(facts["owner_weeks"].filter(week_start_on=monday).select("owner", column).iter_rows())


def absence(name, starts_on, **more):
    return {"id": name, "starts_on": starts_on, **more}


def test_a_holiday_takes_a_day_of_everybody_and_leave_of_one(facts_with):
    leave = absence("b", MONDAY, ends_on=MONDAY + timedelta(days=6), email="ben")
    facts = facts_with(owner_capacity=CAPACITY, absences=[absence("a", MONDAY), leave])
    assert hours(facts) == {"ann": 8.0, "ben": 0.0}
    assert hours(facts, column="absence_hours") == {"ann": 2.5, "ben": 12.5}
    assert hours(facts, MONDAY + timedelta(days=7)) == {"ann": 10.0, "ben": 10.0}


def test_part_time_is_a_share_or_a_day_that_comes_again(facts_with):
    part = absence("a", MONDAY, ends_on=date(2099, 12, 31), share_pct=40.0, email="ann")
    friday = absence("b", DAY - timedelta(days=400), repeats="FREQ=WEEKLY;BYDAY=FR", email="ben")
    facts = facts_with(owner_capacity=CAPACITY, absences=[part, friday])
    assert hours(facts, MONDAY + timedelta(days=70)) == {"ann": 6.0, "ben": 8.0}


def test_of_the_present_week_only_the_days_to_come_count(facts_with):
    day = MONDAY + timedelta(days=2)
    away = absence("a", MONDAY, ends_on=day, email="ann")  # Monday to Wednesday, which is today
    facts = facts_with(as_of=day, owner_capacity=CAPACITY, absences=[away])
    assert hours(facts, day) == {"ann": 4.0, "ben": 6.0}


def test_auditors_take_hours_of_the_people_that_they_meet(facts_with):
    window = {"id": "w", "framework": "soc2", "starts_on": DAY, "ends_on": MONDAY + timedelta(days=90)}
    window |= {"fieldwork_from": MONDAY, "fieldwork_until": MONDAY + timedelta(days=4), "people": "ann; ben"}
    facts = facts_with(
        owner_capacity=CAPACITY,
        audit_windows=[window | {"weekly_hours": 5.0}],
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
    )
    assert hours(facts) == {"ann": 6.0, "ben": 6.0}
    row = facts["framework_targets"].row(0, named=True)
    assert (row["audit_from"], row["audit_until"]) == (DAY, MONDAY + timedelta(days=90))


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=WEEKLY;BYDAY=FR", [4, 11]),
        ("FREQ=WEEKLY;BYDAY=FR EXDATE:20261204", [11]),
        ("RRULE:FREQ=WEEKLY;BYDAY=FR;UNTIL=20261205T000000Z", [4]),
        ("FREQ=DAILY;COUNT=1", []),
    ],
)
def test_days_come_again_by_a_rule(rule, days):
    found = occurrences(date(2026, 11, 27), rule, date(2026, 12, 1), date(2026, 12, 13))
    assert [day.day for day in found] == days


@pytest.mark.parametrize("rule", ["", "weekly", "FREQ=SECONDLY", "FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY EXDATE:x"])
def test_what_is_no_rule_of_days_is_refused(rule):
    with pytest.raises(ValueError):
        occurrences(date(2026, 11, 27), rule, date(2026, 12, 1), date(2026, 12, 13))
