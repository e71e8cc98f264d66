from datetime import date

import pytest

from reports.staffing.cross_staffing_committee_escalation import REPORT
from tests.factories import ask, document, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.staffing.actions import DONE, actions, frame

TOLD = {"breach_told_on": date(2026, 11, 17)}


def build_document(*given, notices=(), as_of=date(2026, 11, 20)):
    return document(
        REPORT, ask(as_of), staffing_actions=actions(*given), staffing_notices=rows("staffing_notices", *notices)
    )


@pytest.mark.parametrize(
    ("told_on", "as_of", "escalates_on", "escalated"),
    [
        (date(2026, 11, 16), date(2026, 11, 17), date(2026, 11, 18), False),
        (date(2026, 11, 16), date(2026, 11, 18), None, True),
        (date(2026, 11, 20), date(2026, 11, 23), date(2026, 11, 24), False),  # Friday: the weekend does not count
        (date(2026, 11, 20), date(2026, 11, 24), None, True),
        (date(2026, 11, 21), date(2026, 11, 23), date(2026, 11, 24), False),  # Saturday
        (date(2026, 11, 21), date(2026, 11, 24), None, True),
        (None, date(2026, 12, 24), None, False),
    ],
)
def test_two_business_days_after_the_rollup_mail(told_on, as_of, escalates_on, escalated):
    made = build_document({"breach_told_on": told_on}, as_of=as_of)
    assert (frame(made, "actions").height == 1) == escalated
    assert frame(made, "waiting")["escalates_on"].to_list() == ([] if escalated else [escalates_on])


def test_the_chair_is_asked_with_options_and_what_was_sent_before():
    common = {"delivery_id": "1", "channel": "email", "recipient": "ann", "status": "sent", "action_id": "x"}
    made = build_document(
        {"action_id": "x", **TOLD, "blocked_reason": "on leave", "assignee": "dan"},
        {"action_id": "y"},
        notices=[
            {**common, "kind": "staffing-completion-rollup", "told_on": date(2026, 11, 17)},
            {**common, "kind": "staffing-action-reminders", "step": 1, "told_on": date(2026, 11, 9)},
            {**common, "kind": "staffing-sla-breach-digest", "told_on": date(2026, 11, 18), "status": "failed"},
            {**common, "kind": "staffing-completion-rollup", "told_on": date(2026, 11, 17), "action_id": "y"},
        ],
    )
    row = frame(made, "actions").row(0, named=True)
    assert (row["action_id"], row["recipients"]) == ("x", ["cyd", "ann", "bob"])
    assert row["options"] == [
        "Remove what blocks it: on leave",
        "Make dan free to help by a new date",
        "Borrow 3 hours from outside",
        "Defer or descope the work",
        "Close the action and accept the load",
    ]
    assert frame(made, "notices").select("told_on", "notice", "step", "status").rows() == [
        (date(2026, 11, 9), "Reminder", 1, "sent"),
        (date(2026, 11, 17), "Rollup", None, "sent"),
        (date(2026, 11, 18), "SLA digest", None, "failed"),
    ]
    assert lead(made) == (
        "1 action is still past the SLA 2 business days or more after the rollup mail.",
        "To decide is cyd (Board, meets on 1 Dec 2026), first on the handover of ann's duties in 2026-W45, 5 business days over.",
    )


def test_a_hard_deadline_is_never_offered_to_be_deferred():
    options = frame(build_document({**TOLD, "hard": True, "kind": "borrow", "accountable": None}), "actions")[
        "options"
    ][0]
    assert options.to_list() == ["Name somebody who helps", "Close the action and accept the load"]


def test_an_owner_who_left_is_replaced():
    options = frame(build_document({**TOLD, "owner_left": True}), "actions")["options"][0]
    assert options[0] == "Name another owner, because this one has left"


def test_without_a_chair_it_says_so():
    made = build_document({**TOLD, "chair": None, "committee": None, "meets_on": None})
    assert made.warnings == ["1 escalation reaches no chair."]
    assert made.next_step.startswith("Name a chair who can decide, first on ")


def test_without_breaches_there_is_nothing_to_decide():
    assert build_document({"action_id": "d", **DONE}).headline == (
        "No staffing action is past its SLA: there is nothing for a committee to decide."
    )
    assert lead(build_document({"action_id": "y"})) == (
        "1 action is past the SLA and not with the committee yet.",
        "An administrator sends the completion rollup, which has not named it yet: sent today, it could be before the "
        "committee from 24 Nov 2026. Worst is the handover of ann's duties in 2026-W45 (with bob, due 13 Nov 2026).",
    )
    assert all(table.frame.is_empty() for table in build_document().tables)


def test_escalated_and_waiting_are_all_that_is_past_the_sla():
    made = build_document(
        {"action_id": "a", **TOLD},
        {"action_id": "b", **TOLD, "breach_days": 12, "chair": None},
        {"action_id": "c"},
        {"action_id": "d", **DONE},
    )
    assert made.summary == {
        "staffing_actions_breached": 3,
        "staffing_actions_breached_week_change": 2,
        "staffing_escalations": 2,
        "staffing_escalations_critical": 1,
        "staffing_escalations_high": 0,
        "staffing_escalations_moderate": 1,
        "staffing_escalation_chairs": 1,
        "staffing_escalations_without_chair": 1,
        "staffing_breaches_not_escalated": 1,
        "staffing_breaches_never_mailed": 1,
    }


def test_of_what_waits_the_first_to_be_escalated_and_then_the_worst_stands_first():
    made = build_document(
        {"action_id": "a", "breach_days": 2},
        {"action_id": "b", "breach_days": 9},
        {"action_id": "c", "breach_days": 1, "breach_told_on": date(2026, 11, 16)},
        as_of=date(2026, 11, 17),
    )
    assert frame(made, "waiting")["action_id"].to_list() == ["c", "b", "a"]


def test_every_figure_equals_its_explained_rows():
    given = [{"action_id": "a", **TOLD}, {"action_id": "b"}, {"action_id": "d", **DONE}]
    values_follow(REPORT, ask(), staffing_actions=actions(*given))
    values_follow(REPORT)
