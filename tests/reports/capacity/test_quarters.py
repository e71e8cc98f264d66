from datetime import date

import pytest

from reports.capacity import committee_digest, quarters
from tests.factories import ask, document, rows
from tests.reports.staffing.actions import DONE, actions, frame

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("day", "keys", "starts", "end_before"),
    [
        (date(2026, 11, 20), ("2026-Q4", "2026-Q3"), (date(2026, 10, 1), date(2026, 7, 1)), date(2026, 9, 30)),
        (date(2026, 1, 1), ("2026-Q1", "2025-Q4"), (date(2026, 1, 1), date(2025, 10, 1)), date(2025, 12, 31)),
        (date(2026, 6, 30), ("2026-Q2", "2026-Q1"), (date(2026, 4, 1), date(2026, 1, 1)), date(2026, 3, 31)),
    ],
)
def test_the_running_quarter_and_the_one_before(day, keys, starts, end_before):
    now, before = quarters.quarters(day)
    assert (now.key, before.key) == keys
    assert (now.start, before.start) == starts
    assert (now.end, before.end) == (day, end_before)


def request(opened, due, finished=None, clock="on_track", **more):
    return {
        "opened_on": date.fromisoformat(opened),
        "due_on": date.fromisoformat(due),
        "clock": clock,
        "finished_on": None if finished is None else date.fromisoformat(finished),
        "closed_on": None if finished is None else date.fromisoformat(finished),
        "paused_minutes": 0,
        **more,
    }


def figure(name, *, requests=(), weeks=(), staffing=()):
    made = document(
        committee_digest.REPORT,
        ask(DAY),
        requests=rows("requests", *requests),
        obligation_weeks=rows("obligation_weeks", *weeks),
        staffing_actions=actions(*staffing),
    )
    names = {title: figure for figure, (title, _) in quarters.COMPARED.items()}
    row = next(row for row in frame(made, "figures").iter_rows() if row[0].startswith(name))
    assert made.summary[names[row[0]]] == row[1]
    return row[1:]


def test_requests_that_were_overdue_at_the_end_count_against_the_quarter():
    given = [
        request("2026-07-01", "2026-07-10", "2026-07-09"),
        request("2026-09-01", "2026-09-10", "2026-10-05"),  # overdue when the quarter ended, late in this one
        request("2026-10-01", "2026-10-20", "2026-10-20"),
        request("2026-10-01", "2026-10-20", clock="overdue"),
        request("2026-10-01", "2026-10-20", clock="paused"),
        request("2026-11-10", "2026-11-20"),  # due today: in time until the day is over
    ]
    assert figure("Auditors", requests=given) == (33.3, "1 of 3 requests", 50.0, "1 of 2 requests", -16.7, "%", "worse")


def test_nine_in_ten_were_answered_within_so_many_days():
    given = [request("2026-10-01", "2026-12-01", f"2026-10-{day:02d}") for day in range(2, 12)]
    given.append(request("2026-07-01", "2026-07-30", "2026-07-20", paused_minutes=4 * 1440))
    assert figure("Days", requests=given) == (9.0, "10 answered", 15.0, "1 answered", -6.0, "days", "better")


def test_weeks_belong_to_the_quarter_of_their_monday():
    given = [
        {"week_start_on": date(2026, 9, 28), "planned": 10, "completed": 5, "slipped": 5},
        {"week_start_on": date(2026, 10, 5), "planned": 10, "completed": 9, "slipped": 1},
    ]
    assert figure("Duties", weeks=given) == (90.0, "9 of 10 duties", 50.0, "5 of 10 duties", 40.0, "%", "better")


def test_staffing_actions_past_the_sla_count_against_every_quarter_that_they_stay_open_in():
    old = {"sla_due_on": date(2026, 9, 18)}
    given = [
        {"action_id": "a", **old},
        {"action_id": "b", **DONE},
        {"action_id": "c", **DONE, **old, "completed_on": date(2026, 9, 18)},
    ]
    assert figure("Staffing", staffing=given) == (50.0, "1 of 2 actions", 50.0, "1 of 2 actions", 0.0, "%", "unchanged")


@pytest.mark.parametrize("name", ["Auditors", "Days", "Duties", "Staffing"])
def test_without_records_nothing_is_known(name):
    assert figure(name)[:5] == (None, None, None, None, None)
