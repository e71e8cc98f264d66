"""What the list of auditors' requests says."""

from datetime import date

import pytest

from reports.evidence.evidence_requests import REPORT
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

ASKED = {
    "framework": "soc2", "control_id": "CC6.1", "title": "Sample of changes", "requester": "auditor@firm.example",
    "owner": "ann@acme.example", "backup": "bob@acme.example", "priority": "P3", "opened_on": date(2026, 11, 10),
    "due_on": date(2026, 11, 24), "status": "open", "auditor_status": "open", "returns": 0, "paused_minutes": 0,
    "age_days": 10, "days_left": 4, "clock": "on_track", "evidence_ids": [],
}  # fmt: skip


def request(number, **given):
    return {**ASKED, "id": f"R{number}", **given}


def late(number, days, priority, **given):
    return request(number, clock="overdue", days_left=-days, priority=priority, **given)


def facts(*requests, people=()):
    status = rows("control_status", {"framework": "soc2", "control_id": "CC6.1", "state": "stale", "title": "Access"})
    return {"requests": rows("requests", *requests), "control_status": status, "people": rows("people", *people)}


def report(*requests, people=()):
    return document(REPORT, **facts(*requests, people=people))


def table(found, name):
    return found.table(name).frame


def test_overdue_ones_come_by_days_times_priority_and_then_what_is_next():
    found = report(
        late(1, 10, "P4"),
        late(2, 3, "P1"),
        request(3),
        request(4, clock="paused"),
        request(5, clock="at_risk"),
        request(6, due_on=date(2026, 11, 20)),
    )
    assert table(found, "requests")["id"].to_list() == ["R2", "R1", "R5", "R4", "R6", "R3"]
    assert lead(found) == (
        "2 of 6 open requests are overdue and 1 at risk.",
        "Answer R2 first (P1, due 24 Nov 2026, with ann@acme.example).",
    )


def test_what_is_to_be_done_depends_on_with_whom_it_lies():
    found = report(
        request(1, auditor_status="returned", status="submitted"),
        request(2, status="submitted"),
        request(3, clock="paused"),
        request(4),
    )
    steps = dict(table(found, "requests").select("id", "next_step").rows())
    assert steps == {
        "R1": "correct and resend",
        "R2": "get the auditor's decision",
        "R3": "ask the requester",
        "R4": "answer",
    }


def test_each_request_shows_the_state_of_its_control():
    found = report(request(1), request(2, framework="iso27001", control_id="A.9.9"), request(3, control_id=None))
    states = table(found, "requests").sort("id").select("control_state", "control_title").rows()
    assert states == [("stale", "Access"), (None, None), (None, None)]
    assert table(found, "controls").select("framework", "control_id", "requests").rows() == [
        ("iso27001", "A.9.9", 1),
        ("soc2", "CC6.1", 1),
    ]
    assert found.summary["requests_without_control"] == 1


def test_an_owner_who_has_left_and_one_who_was_never_named_are_said():
    gone = {"email": "ann@acme.example", "active": False}
    found = report(request(1), request(2, owner=None), people=[gone])
    assert found.warnings == [
        "R2 has no owner, so name one.",
        "R1 is with somebody who has left, so bob@acme.example takes over from ann@acme.example.",
    ]
    assert (found.summary["requests_owner_left"], found.summary["requests_without_owner"]) == (1, 2)


def test_a_request_of_a_stranger_is_without_owner_where_people_are_on_record():
    known = rows("approvers", {"email": "bob@acme.example"})
    for people, expected in ((known, 1), (rows("approvers"), 0)):
        found = document(REPORT, **{**facts(request(1)), "approvers": people})
        assert (found.summary["requests_without_owner"], found.summary["requests_owner_left"]) == (expected, 0)


def test_closed_requests_leave_the_queue_and_stay_listed_in_their_period():
    found = report(
        request(1, finished_on=date(2026, 11, 12), clock="closed_on_time"),
        request(2, finished_on=date(2026, 10, 21), clock="closed_late"),
    )
    assert lead(found) == ("No request is open; 2 were closed so far.", "")
    assert table(found, "closed")["id"].to_list() == ["R1"]
    assert (found.summary["requests_closed_in_period"], found.summary["requests_recorded"]) == (1, 2)


def test_no_request_is_not_a_clean_audit():
    found = report()
    assert lead(found) == (
        "No auditor's request is recorded.",
        "Import evidence_requests.csv with hq import to fill this report.",
    )
    assert all(table.frame.is_empty() for table in found.tables)
    assert (found.charts, found.warnings) == ([], [])


SEVERAL = (
    late(1, 3, "P1"),
    request(2, clock="at_risk", status="submitted", evidence_ids=["E1"]),
    request(3, clock="paused", due_on=date(2026, 11, 1)),
    request(4, owner=None, control_id=None),
    request(5, finished_on=date(2026, 11, 12), clock="closed_on_time", owner=None),
    request(6, finished_on=date(2026, 10, 1), clock="closed_late"),
)
GONE = ({"email": "ann@acme.example", "active": False},)


def test_each_figure_counts_open_requests_but_those_that_name_the_period():
    found = report(*SEVERAL, people=GONE)
    assert dict(found.summary) == {
        "requests_recorded": 6,
        "requests_open": 4,
        "requests_overdue": 1,
        "requests_at_risk": 1,
        "requests_paused": 1,
        "requests_on_track": 1,
        "requests_awaiting_auditor": 1,
        "requests_without_owner": 4,
        "requests_owner_left": 3,
        "requests_without_control": 1,
        "requests_without_evidence": 3,
        "requests_closed_in_period": 1,
    }


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(*SEVERAL, people=GONE))
    values_follow(REPORT)


def test_a_request_whose_owner_has_left_names_the_owner():
    frame = explained_rows(REPORT, "requests_owner_left", **facts(*SEVERAL, people=GONE))
    assert frame.select("id", "reason", "flag").rows()[0] == ("R1", "ann@acme.example has left", 1)


@pytest.mark.parametrize(
    ("clocks", "headline"),
    [
        (
            ["on_track"],
            "Of 1 open request none is overdue or at risk. Answer R0 first (P3, due 24 Nov 2026, with ann@acme.example).",
        ),
        (
            ["at_risk", "on_track"],
            "1 of 2 open requests is at risk and none is overdue. Answer R0 first (P3, due 24 Nov 2026, with ann@acme.example).",
        ),
        (["overdue"], "1 of 1 open request is overdue. Answer R0 first (P3, due 24 Nov 2026, with ann@acme.example)."),
    ],
)
def test_the_headline_names_only_what_there_is(clocks, headline):
    assert " ".join(lead(report(*(request(number, clock=clock) for number, clock in enumerate(clocks))))) == headline
