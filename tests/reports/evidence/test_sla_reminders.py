"""Which reminders are owed, to whom, and what the digest says of them."""

from datetime import date, timedelta

import pytest

from engine.model.declarations.ask import Ask
from engine.model.thresholds import Thresholds
from reports.evidence.sla_reminders import REPORT
from reports.evidence.steps import due_soon, duties
from tests.factories import DAY, ask, document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow

SNAPSHOT = {"framework": "soc2", "week": "2026-W47", "taken_on": date(2026, 11, 16)}
ADA, ANN, BOB = "ada@acme.example", "ann@acme.example", "bob@acme.example"


def duty(name, left, *, kind="vendor_review", **given):
    return {
        "obligation_id": f"{kind}:{name}",
        "kind": kind,
        "title": f"Duty {name}",
        "owner": ANN,
        "accountable": BOB,
        "due_on": DAY + timedelta(days=left),
        "days_left": left,
        "state": "overdue" if left < 0 else "open",
        **given,
    }


def control(name, state, **given):
    return {"framework": "soc2", "control_id": name, "state": state, "title": f"Control {name}", "owner": ANN, **given}


def change(name, observed_on, previous, state, event=None):
    return {
        "framework": "soc2",
        "control_id": name,
        "observed_on": observed_on,
        "previous": previous,
        "state": state,
        "trigger_event": event,
    }


def reminder_row(*ids, kind="sla-reminders", ago=1):
    day = DAY - timedelta(days=ago)
    return [
        {
            "kind": kind,
            "reminder_id": name,
            "delivery_id": "d",
            "created_on": day,
            "created_at": moment(f"{day} 09:00"),
            "channel": "email",
            "recipient": ANN,
            "status": "sent",
        }
        for name in ids
    ]


def facts(
    *obligations,
    remediations=(),
    status=(),
    evidence=(),
    changes=(),
    weeks=(SNAPSHOT,),
    reminders=(),
    people=(),
    destinations=(),
    gaps=(),
):
    return {
        "obligations": rows("obligations", *obligations),
        "remediations": rows("remediations", *remediations),
        "control_status": rows("control_status", *status),
        "control_evidence": rows("control_evidence", *evidence),
        "state_changes": rows("state_changes", *changes),
        "readiness_weeks": rows("readiness_weeks", *weeks),
        "reminders": rows("reminders", *reminders),
        "destinations": rows("destinations", *destinations),
        "people": rows("people", *people),
        "gaps": rows("gaps", *gaps),
    }


def report(*obligations, question=None, **given):
    return document(REPORT, question, **facts(*obligations, **given))


def table(found, name):
    return found.table(name).frame


@pytest.mark.parametrize(
    ("left", "kind", "step", "late"),
    [
        (7, "vendor_review", 7, False),
        (3, "vendor_review", 7, True),
        (1, "vendor_review", 1, False),
        (0, "vendor_review", 1, True),
        (30, "attestation", 30, False),
        (28, "attestation", 30, True),
        (14, "attestation", 14, False),
        (8, "attestation", 14, True),
        (7, "attestation", 7, False),
        (2, "attestation", 7, True),
        (1, "attestation", 1, False),
    ],
)
def test_a_step_is_owed_from_its_day_on_and_says_when_it_is_late(left, kind, step, late):
    steps = table(report(duty("x", left, kind=kind)), "due_soon")
    assert steps.select("step", "owed", "late").rows() == [(step, True, late)]


def test_what_a_law_makes_due_at_a_moment_is_reminded_of_with_it():
    at = moment(f"{DAY} 22:00")
    found = report(duty("x", 0, kind="incident_notice", due_at=at), duty("y", -1, kind="incident_notice", due_at=at))
    assert [table(found, name)["due_at"].to_list() for name in ("due_soon", "overdue")] == [[at], [at]]
    assert table(found, "owners")["message"][0].endswith(f"Begin with Duty y (1 day late, {DAY} 22:00 UTC).")


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
        ledger += reminder_row(*owed["reminder_id"])
    assert notices == [(30, True)]


@pytest.mark.parametrize(
    ("days", "step", "also"), [(1, 1, None), (2, 1, None), (3, 3, None), (6, 3, None), (7, 7, BOB), (90, 7, BOB)]
)
def test_overdue_duties_are_reminded_of_after_one_three_and_seven_days(days, step, also):
    found = table(report(duty("x", -days)), "overdue")
    assert found.select("days_late", "step", "recipient", "escalate_to").rows() == [(days, step, ANN, also)]


def test_a_reminder_is_sent_once_for_item_state_and_step():
    found = report(duty("x", -3), reminders=reminder_row(f"vendor_review:x@{DAY - timedelta(days=3)}|overdue|3"))
    late = table(found, "overdue").select("owed", "last_reminded_on")
    assert late.rows() == [(False, date(2026, 11, 19))]
    assert lead(found) == (
        "1 duty or remediation is overdue; nothing is to be sent now.",
        "Wait: everybody concerned has been reminded.",
    )
    again = report(
        duty("x", -7, due_on=DAY - timedelta(days=7)), reminders=reminder_row("vendor_review:x@2026-11-13|overdue|3")
    )
    assert table(again, "overdue")["owed"].to_list() == [True]


def test_a_moved_date_is_reminded_of_anew():
    found = report(duty("x", -3), reminders=reminder_row("vendor_review:x@2026-11-01|overdue|3"))
    assert table(found, "overdue").select("owed", "last_reminded_on").rows() == [(True, date(2026, 11, 19))]


@pytest.mark.parametrize(
    ("owner", "accountable", "recipient"),
    [(ANN, BOB, ANN), (None, BOB, BOB), (ADA, BOB, BOB), (ADA, None, None), (ADA, ADA, None), (None, None, None)],
)
def test_who_has_left_is_replaced_by_who_is_accountable(owner, accountable, recipient):
    gone = {"email": ADA, "active": False}
    found = report(duty("x", -1, owner=owner, accountable=accountable), people=[gone])
    assert table(found, "overdue")["recipient"].to_list() == [recipient]
    assert found.summary["reminders_without_recipient"] == (recipient is None)


def test_open_remediations_are_duties_too():
    fix = {
        "framework": "soc2",
        "control_id": "CC6.1",
        "title": "Fix it",
        "owner": ANN,
        "status": "open",
        "opened_on": date(2026, 10, 1),
    }
    found = report(
        remediations=[
            {**fix, "id": "1", "due_on": date(2026, 11, 19)},
            {**fix, "id": "2", "due_on": None},
            {**fix, "id": "3", "due_on": date(2026, 11, 19), "closed_on": date(2026, 11, 20)},
            {**fix, "id": "4", "due_on": date(2026, 11, 25), "closed_on": date(2026, 12, 1)},
        ]
    )
    assert table(found, "overdue").select("item", "duty").rows() == [("remediation:1", "Gap remediation")]
    assert table(found, "due_soon")["item"].to_list() == ["remediation:4"]
    assert (found.summary["reminder_items_overdue"], found.summary["reminder_items_due_soon"]) == (1, 1)


def test_a_control_worse_than_the_last_snapshot_or_found_worse_by_it_has_regressed():
    found = report(
        status=[
            control("A", "ineffective", failing_test="t1", state_since=date(2026, 11, 18), position=1),
            control("B", "stale", state_since=date(2026, 11, 11), position=2),  # noted later
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
    worse = table(found, "regressed").select("item", "previous_state", "state", "since_on", "trigger", "owed")
    assert worse.rows() == [
        ("soc2:A", "effective", "ineffective", date(2026, 11, 18), "t1", True),
        ("soc2:B", "effective", "stale", date(2026, 11, 11), "e7", True),
    ]


def test_a_change_of_state_is_told_in_words():
    found = report(
        status=[control("A", "ineffective", failing_test="t1", state_since=date(2026, 11, 18))],
        changes=[change("A", date(2026, 11, 16), "effective", "no_data")],
    )
    assert "(was no data, is ineffective)" in table(found, "owners")["message"][0]


def test_each_recipient_has_one_section_with_the_most_urgent_first():
    found = report(duty("x", -9), duty("y", 2, owner=BOB), duty("z", 1), duty("w", -1, owner=None, accountable=None))
    assert table(found, "owners").select("recipient", "message").rows() == [
        (ANN, "1 overdue, 1 due soon. Begin with Duty x (9 days late)."),
        (BOB, "1 due soon, 1 escalated to you. Begin with Duty y (due in 2 days)."),
        (None, "1 overdue. Begin with Duty w (1 day late)."),
    ]
    assert lead(found) == (
        "2 duties and remediations are overdue and 2 due soon; 5 reminders are to be sent to 2 people.",
        "Begin with ann@acme.example (2 items, 1 overdue): Duty x (9 days late).",
    )
    assert found.warnings == [
        "1 reminder reaches nobody who is there: an administrator names an owner. Duty w (1 day late)."
    ]


MANY = {
    "remediations": [
        {
            "id": "1",
            "framework": "soc2",
            "control_id": "A",
            "title": "Fix it",
            "owner": BOB,
            "status": "open",
            "opened_on": date(2026, 10, 1),
            "due_on": date(2026, 11, 18),
        }
    ],
    "gaps": [{"framework": "soc2", "control_id": "A", "gap_id": "soc2:A", "due_on": date(2026, 11, 18)}],
    "status": [control("A", "stale")],
    "changes": [change("A", date(2026, 11, 16), "effective", "stale", "e7")],
}
DUTIES = (duty("x", -9), duty("y", 2, owner=BOB), duty("z", 1), duty("w", -1, owner=None, accountable=None))


def test_items_and_the_reminders_of_them_are_different_figures():
    found = report(*DUTIES, **MANY, reminders=reminder_row(f"vendor_review:z@{DAY + timedelta(days=1)}|due_soon|1"))
    assert dict(found.summary) == {
        "reminder_items_due_soon": 2,
        "reminder_items_overdue": 3,
        "controls_regressed": 1,
        "remediations_overdue": 1,
        "reminder_items_to_send": 5,
        "reminders_to_send": 6,
        "reminder_recipients": 2,
        "reminders_escalated": 1,
        "reminders_without_recipient": 1,
        "last_snapshot_on": date(2026, 11, 16),
    }


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(*DUTIES, **MANY))
    values_follow(REPORT)


def test_a_reminder_is_explained_by_its_list_and_line():
    frame = explained_rows(REPORT, "reminders_escalated", **facts(*DUTIES, **MANY))
    assert frame["reason"].to_list() == ["escalated: Duty x (9 days late)"]


@pytest.mark.parametrize(("days", "items"), [(7, 0), (10, 1)])
def test_due_soon_is_within_the_days_that_the_organization_set(days, items):
    found = report(duty("x", 10), question=Ask(DAY, 30, Thresholds(1, {"due_soon_days": days})))
    assert found.summary["reminder_items_due_soon"] == items
    assert f"due within {days} days" in found.definitions["Duties and remediations to remind of, due soon"]


def test_where_nobody_can_be_reminded_the_headline_asks_for_owners():
    assert lead(report(duty("w", -1, owner=None, accountable=None))) == (
        "1 duty or remediation is overdue; 1 reminder is to be sent.",
        "Name owners: nobody is known to send it to.",
    )


def test_done_and_cancelled_duties_are_not_reminded_of():
    found = report(duty("x", -9, state="done"), duty("y", 2, state="cancelled"), duty("z", -1, state="late"))
    assert lead(found) == ("Nothing is overdue or due soon.", "")


def test_settings_say_when_and_where():
    chat = {"channel": "chat", "destination": "Team chat", "deliveries": 0}
    settings = dict(table(report(destinations=[chat]), "settings").rows())
    assert settings["Chat"] == "Team chat"
    assert settings["Quiet hours"] == "from 19:00 to 07:00, local time"
    assert settings["Overdue"] == "1, 3 and 7 days after; the last also goes to who is accountable"


def test_without_a_snapshot_a_regression_is_unknown():
    found = report(weeks=())
    assert lead(found) == (
        "Nothing is overdue or due soon, and without a snapshot nobody can tell whether a control got worse.",
        "Import attestations.csv, evidence_requests.csv or remediations.csv with hq import to fill this report.",
    )
    assert found.summary["last_snapshot_on"] is None
    assert found.warnings == ["No snapshot of the controls is stored yet, so regressions cannot be told."]


def test_nobody_is_reminded_that_a_paused_request_is_overdue():
    waiting = duty("q", -10, kind="evidence_request", state="open", paused=True)
    names = ("reminder_items_overdue", "reminder_items_due_soon", "reminders_to_send")
    assert [report(waiting).summary[name] for name in names] == [0, 0, 0]
    assert report({**waiting, "state": "overdue", "paused": False}).summary["reminder_items_overdue"] == 1
