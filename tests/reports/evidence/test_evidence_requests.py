"""What the list of auditors' requests says."""

from datetime import date

from reports.evidence.evidence_requests import REPORT
from tests.factories import ask, rows

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


def report(*requests, people=()):
    status = rows("control_status", {"framework": "soc2", "control_id": "CC6.1", "state": "stale", "title": "Access"})
    return REPORT.build(rows("requests", *requests), status, rows("people", *people), ask())


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def test_overdue_ones_come_by_days_times_priority_and_then_what_is_next():
    document = report(
        late(1, 10, "P4"), late(2, 3, "P1"), request(3), request(4, clock="paused"), request(5, clock="at_risk"),
        request(6, due_on=date(2026, 11, 20)),
    )  # fmt: skip
    assert table(document, "requests")["id"].to_list() == ["R2", "R1", "R5", "R4", "R6", "R3"]
    assert document.headline == (
        "2 of 6 open requests are overdue and 1 at risk: answer R2 first (P1, due 2026-11-24, with ann@acme.example)."
    )


def test_what_is_to_be_done_depends_on_with_whom_it_lies():
    document = report(
        request(1, auditor_status="returned", status="submitted"), request(2, status="submitted"),
        request(3, clock="paused"), request(4),
    )  # fmt: skip
    steps = dict(table(document, "requests").select("id", "next_step").rows())
    assert steps == {
        "R1": "correct and resend", "R2": "get the auditor's decision", "R3": "ask the requester",
        "R4": "answer",
    }  # fmt: skip


def test_each_request_shows_the_state_of_its_control():
    document = report(request(1), request(2, framework="iso27001", control_id="A.9.9"), request(3, control_id=None))
    found = table(document, "requests").sort("id").select("control_state", "control_title").rows()
    assert found == [("stale", "Access"), (None, None), (None, None)]
    assert table(document, "controls").select("framework", "control_id", "requests").rows() == [
        ("iso27001", "A.9.9", 1), ("soc2", "CC6.1", 1),
    ]  # fmt: skip
    assert document.summary["without_control"] == 1


def test_an_owner_who_has_left_and_one_who_was_never_named_are_said():
    gone = {"email": "ann@acme.example", "active": False}
    document = report(request(1), request(2, owner=None), people=[gone])
    assert document.warnings == [
        "1 open request without an owner: R2.",
        "1 open request with an owner who has left, so the backup has to take over: R1.",
    ]
    assert (document.summary["owner_has_left"], document.summary["without_owner"]) == (1, 1)


def test_closed_requests_leave_the_queue_and_stay_listed_in_their_period():
    document = report(
        request(1, finished_on=date(2026, 11, 12), clock="closed_on_time"),
        request(2, finished_on=date(2026, 10, 21), clock="closed_late"),
    )
    assert document.headline == "All 2 requests that auditors made are closed."
    assert table(document, "closed")["id"].to_list() == ["R1"]
    assert (document.summary["closed_in_period"], document.summary["ever_asked"]) == (1, 2)


def test_no_request_is_not_a_clean_audit():
    document = report()
    assert document.headline == ("No auditor's request is recorded; if an audit is running, enter what was asked for.")
    assert all(table.frame.is_empty() for table in document.tables)
    assert (document.charts, document.warnings) == ([], [])
