from datetime import date

import polars as pl
import pytest

from engine.facts.obligations.workload import load, owner_weeks
from engine.facts.question import FactQuestion, question_frame
from engine.model.thresholds import Thresholds
from tests.factories import DAY, ORG, rows
from tests.facts.conftest import only

COLUMNS = ("demand_hours", "available_hours", "utilisation_pct", "shortfall_hours")


def weeks(*duties, capacity=(), left=(), away=(), as_of=DAY, **overrides):
    schema = {
        "org_id": pl.String,
        "email": pl.String,
        "week": pl.String,
        "hours": pl.Float64,
        "absence_hours": pl.Float64,
    }
    given = pl.DataFrame(
        [{"org_id": ORG, "absence_hours": None, **row} for row in capacity], schema=schema, orient="row"
    )
    question = question_frame([FactQuestion(ORG, "UTC", as_of, 30, Thresholds(0, overrides))])
    users = pl.DataFrame(
        [{"org_id": ORG, "email": name, "active": False} for name in left],
        schema={"org_id": pl.String, "email": pl.String, "active": pl.Boolean},
    )
    shares = load(rows("obligations", *duties), rows("planned_load"), question)
    return owner_weeks(shares, given, rows("days_away", *away), users, question)


def duty(owner, due_on, hours=2.0, **more):
    return {"obligation_id": f"{owner}{due_on}", "owner": owner, "due_on": due_on, "effort_hours": hours, **more}


def week(frame, owner, name, *columns):
    return only(frame.filter(week=name, owner=owner), *columns)


def test_the_responsible_work_all_of_it_and_the_accountable_a_quarter():
    frame = weeks(duty("ann", DAY, 4.0, accountable="bob"))
    assert week(frame, "ann", "2026-W47", "demand_hours", "obligations") == (4.0, 1)
    assert week(frame, "bob", "2026-W47", "demand_hours", "obligations") == (1.0, 0)


def test_who_is_responsible_and_accountable_works_once():
    assert week(weeks(duty("ann", DAY, 4.0, accountable="ann")), "ann", "2026-W47", "demand_hours") == 4.0


def test_overdue_work_is_in_no_week_and_finished_work_is_not_due():
    frame = weeks(
        duty("ann", date(2026, 3, 1), state="overdue"),
        duty("ann", date(2026, 11, 22)),
        *(duty("ann", DAY, state=state) for state in ("done", "late", "cancelled")),
    )
    assert week(frame, "ann", "2026-W47", "demand_hours", "obligations") == (2.0, 1)
    assert frame["demand_hours"].sum() == 2.0


def test_who_has_overdue_work_alone_has_weeks_without_work():
    frame = weeks(duty("ann", date(2026, 3, 1), state="overdue", accountable="bob"))
    assert sorted(set(frame["owner"])) == ["ann", "bob"]
    assert frame["demand_hours"].sum() == 0.0


@pytest.mark.parametrize(
    ("as_of", "available"),
    [
        (date(2026, 11, 16), 8.0),
        (date(2026, 11, 18), 4.8),
        (date(2026, 11, 20), 1.6),
        (date(2026, 11, 21), 0.0),
        (date(2026, 11, 22), 0.0),
    ],
)
def test_this_week_offers_the_working_days_that_are_left(as_of, available):
    frame = weeks(capacity=[{"email": "ann", "week": "default", "hours": 10.0}], as_of=as_of)
    assert week(frame, "ann", "2026-W47", "budget_hours", "available_hours") == (10.0, available)
    assert week(frame, "ann", "2026-W48", "budget_hours", "available_hours") == (10.0, 8.0)


def test_a_week_whose_working_days_are_over_lacks_no_hours():
    usual = [{"email": "ann", "week": "default", "hours": 10.0}]
    lacks = [
        week(weeks(duty("ann", day, 9.0), capacity=usual, as_of=day), "ann", "2026-W47", "shortfall_hours")
        for day in (date(2026, 11, 20), date(2026, 11, 21), date(2026, 11, 22))
    ]
    assert lacks == [7.4, 0.0, 0.0]


def test_weeks_begin_on_monday_and_reach_a_year_ahead():
    frame = weeks(duty("ann", date(2026, 11, 23)))
    assert week(frame, "ann", "2026-W48", "week_start_on", "demand_hours") == (date(2026, 11, 23), 2.0)
    assert (frame.height, frame["week"][0], frame["week"][-1]) == (53, "2026-W47", "2027-W46")


def test_nobodys_work_is_a_row_without_capacity():
    frame = weeks(duty(None, DAY, 3.0)).filter(week="2026-W47")
    columns = ("owner", "staffed", "unowned_hours", "budget_hours", *COLUMNS)
    assert only(frame, *columns) == (None, False, 3.0, 0.0, 3.0, 0.0, None, 0.0)


def test_an_owner_without_a_record_has_the_default_hours_less_what_focus_takes():
    next_week = date(2026, 11, 24)
    plain = weeks(duty("ann", next_week, 2.4))
    assert week(plain, "ann", "2026-W48", "budget_hours", *COLUMNS) == (6.0, 2.4, 4.8, 50.0, 0.0)
    changed = weeks(duty("ann", next_week, 2.4), weekly_hours=10, focus_factor=0.5)
    assert week(changed, "ann", "2026-W48", *COLUMNS) == (2.4, 5.0, 48.0, 0.0)


def test_a_week_of_its_own_comes_before_the_usual_week_and_absence_is_taken_off():
    capacity = [
        {"email": "ann", "week": "default", "hours": 10.0},
        {"email": "ann", "week": "2026-W48", "hours": 8.0, "absence_hours": 3.0},
        {"email": "ann", "week": "2026-W49", "hours": 8.0, "absence_hours": 20.0},
    ]
    frame = weeks(duty("ann", date(2026, 11, 23), 5.0), duty("ann", date(2026, 11, 30), 5.0), capacity=capacity)
    assert week(frame, "ann", "2026-W47", *COLUMNS) == (0.0, 1.6, 0.0, 0.0)
    assert week(frame, "ann", "2026-W48", *COLUMNS) == (5.0, 4.0, 125.0, 1.0)
    assert week(frame, "ann", "2026-W49", *COLUMNS) == (5.0, 0.0, None, 5.0)


def test_what_who_has_left_should_do_is_unowned():
    capacity = [{"email": "ann", "week": "default", "hours": 10.0}]
    frame = weeks(duty("ann", DAY, 2.0), duty("bob", DAY, 1.0), capacity=capacity, left=("ann", "bob"))
    columns = ("staffed", "unowned_hours", "budget_hours", *COLUMNS)
    assert week(frame, "ann", "2026-W47", *columns) == (False, 2.0, 0.0, 2.0, 0.0, None, 0.0)
    assert week(frame, "bob", "2026-W47", *columns) == (False, 1.0, 0.0, 1.0, 0.0, None, 0.0)


def test_who_has_capacity_and_no_work_is_there_with_nothing_to_do():
    frame = weeks(capacity=[{"email": "ann", "week": "default", "hours": 10.0}])
    assert week(frame, "ann", "2026-W47", "obligations", *COLUMNS) == (0, 0.0, 1.6, 0.0, 0.0)


@pytest.mark.parametrize(
    ("as_of", "first"),
    [(date(2026, 12, 31), "2026-W53"), (date(2027, 1, 3), "2026-W53"), (date(2027, 1, 4), "2027-W01")],
)
def test_the_turn_of_the_year_follows_iso_weeks(as_of, first):
    assert weeks(duty("ann", as_of), as_of=as_of)["week"][0] == first


def test_without_work_and_capacity_there_are_no_weeks():
    assert weeks().is_empty()
