from datetime import date, timedelta

import pytest

from engine.model.figures.formulas import business_days_after
from tests.factories import DAY
from tests.facts.conftest import control, on, only


def request(known, *columns, **more):
    row = {
        "id": "q",
        **on(),
        "title": "Show it",
        "requester": "aud",
        "opened_on": "2026-11-16",
        "status": "open",
        **more,
    }
    return only(known(evidence_requests=[row])["requests"], *columns)


@pytest.mark.parametrize(("priority", "days"), [("P1", 3), ("P2", 5), ("P3", 10), ("P4", 20)])
@pytest.mark.parametrize("opened", ["2026-11-13", "2026-11-14", "2026-11-15", "2026-11-16"])
def test_requests_are_due_in_business_days_by_priority(facts_with, priority, days, opened):
    due = business_days_after(date.fromisoformat(opened), days)
    assert request(facts_with, "due_on", opened_on=opened, priority=priority) == due


def test_a_date_that_was_agreed_replaces_the_priority(facts_with):
    assert request(facts_with, "due_on", "days_left", due_on="2026-12-01") == (date(2026, 12, 1), 11)


@pytest.mark.parametrize(
    ("due", "clock"),
    [
        ("2026-11-24", "on_track"),
        ("2026-11-23", "at_risk"),  # today is Friday: one business day is left until Monday
        ("2026-11-20", "at_risk"),
        ("2026-11-19", "overdue"),
    ],
)
def test_at_least_the_last_business_day_is_at_risk(facts_with, due, clock):
    assert request(facts_with, "clock", opened_on="2026-11-19", due_on=due) == clock


def test_the_last_fifth_of_a_long_clock_is_rounded_up_and_counted_in_business_days(facts_with):
    def clock(due):
        return request(facts_with, "clock", opened_on="2026-11-09", due_on=due)

    assert [clock("2026-11-25"), clock("2026-11-26")] == ["at_risk", "on_track"]  # three of 12, four of 13


def test_only_waiting_on_the_requester_stops_the_clock(facts_with):
    columns = ("clock", "paused_minutes")
    assert request(facts_with, *columns, due_on="2026-11-19", status="waiting_on_requester", paused_minutes=90) == (
        "paused",
        90,
    )
    assert request(facts_with, *columns, due_on="2026-11-19", status="submitted") == ("overdue", 0)


def test_a_closed_request_was_on_time_or_late_by_its_last_date(facts_with):
    columns = ("clock", "finished_on", "age_days")
    closed = {"due_on": "2026-11-18", "status": "closed"}
    assert request(facts_with, *columns, **closed, closed_on="2026-11-18") == ("closed_on_time", date(2026, 11, 18), 2)
    assert request(facts_with, *columns, **closed, closed_on="2026-11-19") == ("closed_late", date(2026, 11, 19), 3)
    # nobody knows when, whatever else is dated
    assert request(facts_with, *columns, **closed, accepted_on="2026-11-17") == ("closed_late", DAY, 4)
    assert request(facts_with, *columns, due_on="2026-12-18", status="closed") == ("closed_late", DAY, 4)


def test_a_request_that_is_closed_after_the_day_is_open(facts_with):
    columns = ("clock", "closed_on", "finished_on")
    found = request(facts_with, *columns, due_on="2026-12-31", status="closed", closed_on="2026-11-21")
    assert found == ("on_track", None, None)
    assert request(facts_with, "accepted_on", accepted_on="2026-11-20") == DAY
    assert request(facts_with, "accepted_on", accepted_on="2026-11-21") is None


def test_requests_of_later_days_are_not_there_and_evidence_is_listed(facts_with):
    facts = facts_with(
        evidence_requests=[{"id": "q", "opened_on": "2026-11-20"}, {"id": "r", "opened_on": "2026-11-21"}],
        evidence_items=[{"id": "i2", "request_id": "q"}, {"id": "i1", "request_id": "q"}, {"id": "i3"}],
    )
    assert facts["requests"].select("id", "evidence_ids", "returns").rows() == [("q", ["i1", "i2"], None)]


def windows(known, *runs, columns=("window_open_on", "standing"), **more):
    schedule = {
        "id": "s",
        **on(),
        "procedure": "Try it",
        "cadence": "monthly",
        "starts_on": "2026-08-31",
        "ends_on": "2026-12-31",
        "owner": "ann",
        "performer": "bob",
        **more,
    }
    facts = known(controls=[control()], testing_schedules=[schedule], test_runs=runs)
    return facts["test_windows"].select(columns).rows()


def run(opens, closes, performed=None, **more):
    return {
        "id": f"r-{opens}",
        "schedule_id": "s",
        "window_open_on": opens,
        "window_close_on": closes,
        "performed_on": performed,
        "outcome": "passed" if performed else None,
        **more,
    }


def test_months_are_counted_from_the_first_window_so_that_the_31st_comes_back(facts_with):
    found = windows(facts_with, starts_on="2026-08-31", ends_on="2027-03-31")
    assert [day for day, _ in found] == [
        date(2026, 8, 31),
        date(2026, 9, 30),
        date(2026, 10, 31),
        date(2026, 11, 30),
        date(2026, 12, 31),
        date(2027, 1, 31),
        date(2027, 2, 28),
        date(2027, 3, 31),
    ]


@pytest.mark.parametrize(
    ("starts", "standing"),
    [("2026-11-21", "upcoming"), ("2026-11-20", "open"), ("2026-11-14", "open"), ("2026-11-13", "missed")],
)
def test_a_window_without_a_run_is_upcoming_open_for_seven_days_or_missed(facts_with, starts, standing):
    assert windows(facts_with, starts_on=starts, cadence="annual") == [(date.fromisoformat(starts), standing)]


@pytest.mark.parametrize(
    ("days", "found"),
    [(30, [(date(2025, 10, 25), "missed"), (date(2026, 10, 25), "open")]), (7, [(date(2026, 10, 25), "missed")])],
)
def test_a_window_is_there_until_its_last_day_is_a_year_past(facts_with, days, found):
    known = windows(facts_with, starts_on="2025-10-25", ends_on="2026-11-20", cadence="annual", window_days=days)
    assert known == found


def test_a_run_is_done_within_its_window_and_late_after_it(facts_with):
    runs = [
        run("2026-08-31", "2026-09-06", "2026-09-06"),
        run("2026-09-30", "2026-10-06", "2026-10-07"),
        run("2026-10-31", "2026-11-06"),
        run("2026-11-30", "2026-12-06", "2026-12-01"),
    ]
    found = windows(facts_with, *runs, columns=("run_id", "standing", "performed_on", "outcome"), ends_on="2026-11-30")
    assert found == [
        ("r-2026-08-31", "done", date(2026, 9, 6), "passed"),
        ("r-2026-09-30", "late", date(2026, 10, 7), "passed"),
        ("r-2026-10-31", "missed", None, None),
        ("r-2026-11-30", "upcoming", None, None),
    ]


def test_a_run_before_its_window_opened_is_of_no_window_and_its_outcome_is_kept(facts_with):
    runs = [run("2026-08-31", "2026-09-06", "2024-09-01"), run("2026-10-31", "2026-11-06", "2026-10-30")]
    named = ("run_id", "standing", "performed_on", "done_since_on", "outcome")
    rows = [row for row in windows(facts_with, *runs, columns=named, ends_on="2026-11-01") if row[0]]
    assert [row[1:] for row in rows] == [
        ("missed", date(2024, 9, 1), date(2026, 10, 30), "passed"),
        ("missed", date(2026, 10, 30), None, "passed"),
    ]


def test_a_window_that_nobody_recorded_between_two_runs_is_missed(facts_with):
    runs = [run("2026-08-31", "2026-09-06", "2026-09-01"), run("2026-10-31", "2026-11-06", "2026-11-01")]
    found = windows(facts_with, *runs, ends_on="2026-11-01")
    assert [standing for _, standing in found] == ["done", "missed", "done"]


@pytest.mark.parametrize("opens", ["2026-10-25", "2026-11-06"])
def test_a_run_stands_for_the_window_that_it_was_moved_from(facts_with, opens):
    moved = run(opens, "2026-11-12", "2026-11-08")
    assert windows(facts_with, moved, starts_on="2026-10-31", ends_on="2026-11-01") == [
        (date.fromisoformat(opens), "done")
    ]


@pytest.mark.parametrize(("opens", "days"), [("2026-10-16", -15), ("2026-11-15", 15)])
def test_half_a_cadence_away_a_run_is_a_window_of_its_own(facts_with, opens, days):
    """Exactly half of the 30 days of a month; a day nearer it stands for the planned one."""
    planned, recorded = date(2026, 10, 31), date.fromisoformat(opens)
    assert (recorded - planned).days == days
    found = windows(facts_with, run(opens, opens, opens), starts_on="2026-10-31", ends_on="2026-11-01")
    assert found == sorted([(recorded, "done"), (planned, "missed")])
    nearer = recorded - timedelta(days=days // 15)
    found = windows(
        facts_with, run(str(nearer), str(nearer), str(nearer)), starts_on="2026-10-31", ends_on="2026-11-01"
    )
    assert found == [(nearer, "done")]


def test_who_performed_a_run_is_whom_it_names_else_whom_the_schedule_names(facts_with):
    runs = [
        run("2026-08-31", "2026-09-06", "2026-09-01", performer="cyd"),
        run("2026-09-30", "2026-10-06", "2026-10-01"),
    ]
    assert windows(facts_with, *runs, columns=("performer",), ends_on="2026-10-01") == [("cyd",), ("bob",)]


def test_continuous_tests_have_no_windows(facts_with):
    assert windows(facts_with, cadence="continuous") == []


def test_meetings_follow_the_cadence_after_the_last_recorded_one(facts_with):
    committee = {"id": "c", "name": "Board", "chair": "eve", "cadence": "quarterly", "first_meeting_on": "2026-03-31"}
    held = {"id": "m", "committee_id": "c", "held_on": "2026-10-02", "status": "held"}
    frame = facts_with(committees=[committee], committee_meetings=[held])["meetings"]
    assert frame.select("meeting_id", "held_on", "status").rows() == [
        ("m", date(2026, 10, 2), "held"),
        ("c-2026-12-31", date(2026, 12, 31), "planned"),
        ("c-2027-03-31", date(2027, 3, 31), "planned"),
        ("c-2027-06-30", date(2027, 6, 30), "planned"),
        ("c-2027-09-30", date(2027, 9, 30), "planned"),
    ]


def test_without_rows_there_are_no_duties(facts_with):
    facts = facts_with()
    assert [facts[name].height for name in ("requests", "test_windows", "meetings", "obligations", "owner_weeks")] == [
        0
    ] * 5
