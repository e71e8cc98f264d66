"""Which reminders are owed, to whom, and what the digest says of them."""

from datetime import date, timedelta

import pytest

from reports.evidence.sla_reminders import REPORT
from reports.evidence.steps import due_soon, duties
from tests.factories import (
    DAY,
    ask,
    moment,
    rows,
)

SNAPSHOT = {"framework": "soc2", "week": "2026-W47", "taken_on": date(2026, 11, 16)}
ADA, ANN, BOB = "ada@acme.example", "ann@acme.example", "bob@acme.example"


def duty(name, left, *, kind="vendor_review", **given):
    return {
        "obligation_id": f"{kind}:{name}", "kind": kind, "title": f"Duty {name}", "owner": ANN, "accountable": BOB,
        "due_on": DAY + timedelta(days=left), "days_left": left, "state": "overdue" if left < 0 else "open", **given,
    }  # fmt: skip


def control(name, state, **given):
    return {"framework": "soc2", "control_id": name, "state": state, "title": f"Control {name}", "owner": ANN, **given}


def change(name, observed_on, previous, state, event=None):
    return {"framework": "soc2", "control_id": name, "observed_on": observed_on, "previous": previous, "state": state,
            "trigger_event": event}  # fmt: skip


def sent(*ids, kind="sla-reminders", ago=1):
    day = DAY - timedelta(days=ago)
    return [{"kind": kind, "reminder_id": name, "delivery_id": "d", "created_on": day, "created_at": moment(f"{day} 09:00"),
             "channel": "email", "recipient": ANN, "status": "sent"} for name in ids]  # fmt: skip


def report(*obligations, remediations=(), status=(), evidence=(), changes=(), weeks=(SNAPSHOT,), reminders=(), people=(),
           destinations=()):  # fmt: skip
    return REPORT.build(
        rows("obligations", *obligations), rows("remediations", *remediations), rows("control_status", *status),
        rows("control_evidence", *evidence), rows("state_changes", *changes), rows("readiness_weeks", *weeks),
        rows("reminders", *reminders), rows("destinations", *destinations), rows("people", *people), ask(),
    )  # fmt: skip


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


@pytest.mark.parametrize(
    ("left", "kind", "step", "late"),
    [
        (7, "vendor_review", 7, False), (3, "vendor_review", 7, True), (1, "vendor_review", 1, False),
        (0, "vendor_review", 1, True), (30, "attestation", 30, False), (28, "attestation", 30, True),
        (14, "attestation", 14, False), (8, "attestation", 14, True), (7, "attestation", 7, False),
        (2, "attestation", 7, True), (1, "attestation", 1, False),
    ],
)  # fmt: skip
def test_a_step_is_owed_from_its_day_on_and_says_when_it_is_late(left, kind, step, late):
    found = table(report(duty("x", left, kind=kind)), "due_soon")
    assert found.select("step", "owed", "late").rows() == [(step, True, late)]


@pytest.mark.parametrize(("left", "kind"), [(8, "vendor_review"), (31, "attestation")])
def test_before_its_first_step_nothing_is_due_soon(left, kind):
    assert table(report(duty("x", left, kind=kind)), "due_soon").is_empty()


def test_a_job_that_was_down_on_two_days_sends_one_thirty_day_notice_late():
    """The reminder ledger of the golden examples: due in 30 days, down on days 30 and 29, run on day 28 and after."""
    due, notices, ledger = DAY + timedelta(days=30), [], []
    for left in (28, 27, 26):
        day = ask(as_of=due - timedelta(days=left))
        item = duty("x", left, kind="attestation", due_on=due)
        pending = duties(rows("obligations", item), rows("remediations"), rows("people"), day)
        owed = due_soon(pending, rows("reminders", *ledger), day).filter("owed")
        notices += owed.select("step", "late").rows()
        ledger += sent(*owed["reminder_id"])
    assert notices == [(30, True)]


@pytest.mark.parametrize(("days", "step", "also"), [(1, 1, None), (2, 1, None), (3, 3, None), (6, 3, None), (7, 7, BOB),
                                                     (90, 7, BOB)])  # fmt: skip
def test_overdue_duties_are_reminded_of_after_one_three_and_seven_days(days, step, also):
    found = table(report(duty("x", -days)), "overdue")
    assert found.select("days_late", "step", "recipient", "escalate_to").rows() == [(days, step, ANN, also)]


def test_a_reminder_is_sent_once_for_item_state_and_step():
    document = report(duty("x", -3), reminders=sent(f"vendor_review:x@{DAY - timedelta(days=3)}|overdue|3"))
    found = table(document, "overdue")
    assert found.select("owed", "last_reminded_on").rows() == [(False, date(2026, 11, 19))]
    assert document.headline == (
        "1 overdue, 0 due soon, 0 controls worse than before; everybody concerned has been reminded, nothing is to be "
        "sent now."
    )
    again = report(
        duty("x", -7, due_on=DAY - timedelta(days=7)), reminders=sent("vendor_review:x@2026-11-13|overdue|3")
    )
    assert table(again, "overdue")["owed"].to_list() == [True]


def test_a_moved_date_is_reminded_of_anew():
    document = report(duty("x", -3), reminders=sent("vendor_review:x@2026-11-01|overdue|3"))
    assert table(document, "overdue").select("owed", "last_reminded_on").rows() == [(True, date(2026, 11, 19))]


@pytest.mark.parametrize(
    ("owner", "accountable", "recipient"),
    [(ANN, BOB, ANN), (None, BOB, BOB), (ADA, BOB, BOB), (ADA, None, ADA), (None, None, None)],
)
def test_who_has_left_is_replaced_by_who_is_accountable(owner, accountable, recipient):
    gone = {"email": ADA, "active": False}
    document = report(duty("x", -1, owner=owner, accountable=accountable), people=[gone])
    assert table(document, "overdue")["recipient"].to_list() == [recipient]
    assert document.summary["to_nobody"] == (recipient is None)


def test_open_remediations_are_duties_too():
    fix = {"framework": "soc2", "control_id": "CC6.1", "title": "Fix it", "owner": ANN, "status": "open",
           "opened_on": date(2026, 10, 1)}  # fmt: skip
    document = report(remediations=[
        {**fix, "id": "1", "due_on": date(2026, 11, 19)}, {**fix, "id": "2", "due_on": None},
        {**fix, "id": "3", "due_on": date(2026, 11, 19), "closed_on": date(2026, 11, 20)},
        {**fix, "id": "4", "due_on": date(2026, 11, 25), "closed_on": date(2026, 12, 1)},
    ])  # fmt: skip
    assert table(document, "overdue").select("item", "duty").rows() == [("remediation:1", "Gap remediation")]
    assert table(document, "due_soon")["item"].to_list() == ["remediation:4"]
    assert document.summary["overdue_remediations"] == 1


def test_a_control_worse_than_the_last_snapshot_or_found_worse_by_it_has_regressed():
    document = report(
        status=[
            control("A", "ineffective", failing_test="t1", state_since=date(2026, 11, 18), position=1),
            control("B", "stale", position=2),
            control("C", "stale", position=3),
            control("D", "effective", position=4),
            control("E", "stale", applicable=False, position=5),
            control("F", "partial", position=6),
            control("G", "no_data", position=7),
        ],
        changes=[
            change("A", date(2026, 10, 5), "partial", "effective"),
            change("B", date(2026, 11, 16), "effective", "stale", "e7"),
            change("C", date(2026, 11, 9), "effective", "stale"),  # told by an earlier snapshot
            change("D", date(2026, 11, 16), "stale", "effective"),
            change("E", date(2026, 11, 16), "effective", "stale"),
            change("F", date(2026, 11, 16), "not_applicable", "partial"),
        ],
    )
    found = table(document, "regressed").select("item", "previous_state", "state", "since_on", "trigger", "owed")
    assert found.rows() == [
        ("soc2:A", "effective", "ineffective", date(2026, 11, 18), "t1", True),
        ("soc2:B", "effective", "stale", date(2026, 11, 16), "e7", True),
    ]


def test_each_recipient_has_one_section_with_the_most_urgent_first():
    document = report(duty("x", -9), duty("y", 2, owner=BOB), duty("z", 1), duty("w", -1, owner=None, accountable=None))
    assert table(document, "owners").select("recipient", "message").rows() == [
        (ANN, "1 overdue, 1 due soon. Begin with Duty x (9 days late)."),
        (BOB, "1 due soon, 1 escalated to you. Begin with Duty y (due in 2 days)."),
        (None, "1 overdue. Begin with Duty w (1 day late)."),
    ]
    assert document.headline == (
        "2 overdue, 2 due soon, 0 controls worse than before; 5 reminders to 2 people are to be sent, most urgent to "
        "ann@acme.example (2 items, 1 overdue)."
    )
    assert document.warnings == ["1 reminder without a recipient: no owner and nobody accountable is known."]


def test_done_and_cancelled_duties_are_not_reminded_of():
    document = report(duty("x", -9, state="done"), duty("y", 2, state="cancelled"), duty("z", -1, state="late"))
    assert document.headline == "Nothing is overdue or due soon."


def test_settings_say_when_and_where():
    chat = {"channel": "chat", "destination": "Team chat", "deliveries": 0}
    settings = dict(table(report(destinations=[chat]), "settings").rows())
    assert settings["Chat"] == "Team chat"
    assert settings["Quiet hours"] == "from 19:00 to 07:00, local time"
    assert settings["Overdue"] == "1, 3 and 7 days after; the last also goes to who is accountable"


def test_without_a_snapshot_a_regression_is_unknown():
    document = report(weeks=())
    assert document.headline == (
        "Nothing is overdue or due soon, and without a snapshot nobody can tell whether a control got worse."
    )
    assert document.summary["last_snapshot_on"] is None
    assert document.warnings == ["No snapshot of the controls is stored yet, so regressions cannot be told."]
