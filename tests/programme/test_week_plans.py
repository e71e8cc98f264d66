"""Weeks as planned at their start, what became of them, and what was forecast four weeks before."""

from datetime import date, timedelta

import pytest

from engine.programme.week_plans import plans
from tests.factories import rows

MONDAY = date(2026, 11, 16)
BLANK = {"planned": 0, "planned_hours": 0.0, "completed": None, "slipped": None, "forecast": None}


def duty(number, due, done=None, **more):
    return {"obligation_id": f"o{number}", "due_on": due, "done_on": done, **more}


def plans_by_week(*duties, known=(), day=MONDAY, requests=()):
    found = plans(rows("obligations", *duties), rows("requests", *requests), known, day, 26)
    return {row.pop("week"): row for row in found}


def test_a_week_holds_what_was_not_done_before_it_began():
    week = plans_by_week(
        duty(1, MONDAY),
        duty(2, MONDAY + timedelta(days=6)),
        duty(3, MONDAY, MONDAY - timedelta(days=1), state="done"),
        duty(4, MONDAY, state="cancelled"),
        duty(5, MONDAY + timedelta(days=7)),
        duty(6, MONDAY, MONDAY, state="done"),
    )
    assert week["2026-W47"] == {"planned": 3, "planned_hours": 3.0}


def test_what_is_written_stands():
    known = [{**BLANK, "week": "2026-W47", "planned": 5, "planned_hours": 9.0}, {**BLANK, "week": "2026-W51"}]
    assert plans_by_week(duty(1, MONDAY), known=known, day=MONDAY + timedelta(days=3)) == {}


def test_of_what_was_planned_the_rest_slipped():
    """Two of five were done in time; one was done on the Monday after."""
    week = MONDAY - timedelta(days=7)
    known = [{**BLANK, "week": "2026-W46", "planned": 5, "planned_hours": 5.0}]
    found = plans_by_week(
        duty(1, week, week), duty(2, week, week + timedelta(days=6)), duty(3, week, MONDAY), duty(4, week), known=known
    )
    assert found["2026-W46"] == {"completed": 2, "slipped": 3}


def test_a_week_without_duties_has_an_outcome_at_once():
    assert plans_by_week()["2026-W47"] == {"planned": 0, "planned_hours": 0.0, "completed": 0, "slipped": 0}


def test_the_forecast_is_of_four_weeks_ahead_and_knows_that_requests_come():
    """Ten weeks with two requests each."""
    asked = [{"id": f"r{number}", "opened_on": MONDAY - timedelta(days=3 + 7 * (number // 2))} for number in range(20)]
    week = plans_by_week(duty(1, MONDAY + timedelta(days=30)), requests=asked)
    assert week["2026-W51"] == {"planned": 0, "planned_hours": 0.0, "forecast": 3}


def test_too_short_a_history_expects_no_requests():
    asked = [{"id": f"r{number}", "opened_on": MONDAY - timedelta(days=1)} for number in range(20)]
    assert plans_by_week(requests=asked)["2026-W51"]["forecast"] == 0


@pytest.mark.parametrize("later", [0, 7])
def test_a_forecast_becomes_a_plan_unless_nobody_saw_the_week_begin(later):
    known = [{**BLANK, "week": "2026-W47", "forecast": 4}, {**BLANK, "week": "2026-W51"}]
    week = plans_by_week(duty(1, MONDAY), known=known, day=MONDAY + timedelta(days=later))
    assert week.get("2026-W47") == (None if later else {"planned": 1, "planned_hours": 1.0})
