from datetime import date

import pytest

from reports.staffing.staffing_sla_breach_digest import REPORT
from tests.factories import ask, document, lead
from tests.reports.explanations import values_follow
from tests.reports.staffing.actions import DONE, SOON, actions, frame


def build_document(*given):
    return document(REPORT, ask(), staffing_actions=actions(*given))


@pytest.mark.parametrize(
    ("days", "severity"), [(1, "moderate"), (5, "moderate"), (6, "high"), (10, "high"), (11, "critical")]
)
def test_severity_grows_with_the_business_days_over(days, severity):
    assert frame(build_document({"breach_days": days}), "actions")["severity"].item() == severity


def test_what_came_past_the_sla_in_a_week_less_what_was_done_of_before():
    late = {**DONE, "standing": "done_late"}
    made = build_document(
        *({"action_id": f"b{days}", "breach_days": days} for days in (1, 5, 6)),
        {"action_id": "settled", **late, "sla_due_on": date(2026, 11, 12), "completed_on": date(2026, 11, 14)},
        {"action_id": "before", **late, "sla_due_on": date(2026, 11, 6), "completed_on": date(2026, 11, 13)},
        {"action_id": "within", **late, "sla_due_on": date(2026, 11, 13), "completed_on": date(2026, 11, 18)},
    ).summary
    assert (made["staffing_actions_breached"], made["staffing_actions_breached_week_change"]) == (3, 1)


def test_the_longest_over_comes_first_and_both_hear_of_it():
    made = build_document(
        {"action_id": "a"},
        {"action_id": "b", "breach_days": 12, "blocked_reason": "on leave", "owner": "dan"},
        {"action_id": "s", **SOON},
        {"action_id": "d", **DONE},
    )
    assert frame(made, "actions").select("action_id", "severity", "recipients").rows() == [
        ("b", "critical", ["dan", "bob"]),
        ("a", "moderate", ["ann", "bob"]),
    ]
    assert frame(made, "owners").select("recipient", "message").rows() == [
        (
            "bob",
            "1 critical past the SLA, 1 moderate past the SLA. Begin with the handover of dan's duties in 2026-W45 (12 business "
            "days over).",
        ),
        (
            "dan",
            "1 critical past the SLA. Begin with the handover of dan's duties in 2026-W45 (12 business days over).",
        ),
        ("ann", "1 moderate past the SLA. Begin with the handover of ann's duties in 2026-W45 (5 business days over)."),
    ]
    assert frame(made, "by_owner").select("owner", "breaches", "breach_days", "severity").rows() == [
        ("dan", 1, 12, "critical"),
        ("ann", 1, 5, "moderate"),
    ]
    assert lead(made) == (
        "2 of 3 unfinished actions are past the SLA of 5 business days, 6 hours of relief outstanding.",
        "Finish or drop the handover of dan's duties (peak in 2026-W45, 12 business days late; with bob, due 13 Nov 2026); "
        "it is blocked: on leave.",
    )


def test_who_left_and_who_nobody_answers_for_is_said():
    assert build_document({"owner_left": True, "accountable": None}).warnings == [
        "1 breach has nobody accountable.",
        "1 breach is with an owner who has left: name another.",
    ]


def test_without_breaches():
    assert lead(build_document()) == (
        "No staffing action is recorded, so none can be past its SLA.",
        "Nothing is to be done: actions are proposed when owners lack hours and others have room, or when an "
        "administrator sends /api/governance/compliance/peak-week-staffing-digest.",
    )
    assert lead(build_document({"action_id": "d", **DONE})) == (
        "No action that was taken up is unfinished: none is past its SLA.",
        "",
    )
    made = build_document({"action_id": "s", **SOON})
    assert lead(made) == (
        "None of the 1 unfinished action is past its SLA.",
        "Finish what is due next: 1 more is due, the first by 20 Nov 2026.",
    )
    assert frame(made, "actions").is_empty()


def test_breaches_are_counted_by_severity():
    made = build_document(
        {"action_id": "a"},
        {"action_id": "b", "breach_days": 12, "blocked_reason": "on leave"},
        {"action_id": "c", "breach_days": 7, "accountable": None},
        {"action_id": "s", **SOON},
    )
    assert made.summary == {
        "staffing_actions_unfinished": 4,
        "staffing_actions_breached": 3,
        "staffing_actions_breached_week_change": 1,
        "staffing_breaches_critical": 1,
        "staffing_breaches_high": 1,
        "staffing_breaches_moderate": 1,
        "staffing_breaches_blocked": 1,
        "staffing_breaches_unanswered": 1,
        "staffing_breaches_owner_left": 0,
        "staffing_relief_outstanding_hours": 9.0,
        "staffing_actions_past_peak": 1,
    }
    assert set(build_document().summary.values()) == {0}


def test_every_figure_equals_its_explained_rows():
    given = [{"action_id": "x", "blocked_reason": "on leave"}, {"action_id": "s", **SOON}, {"action_id": "d", **DONE}]
    values_follow(REPORT, ask(), staffing_actions=actions(*given))
    values_follow(REPORT)
