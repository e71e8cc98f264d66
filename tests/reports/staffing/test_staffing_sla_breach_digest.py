import pytest

from reports.staffing import staffing_sla_breach_digest
from tests.factories import ask
from tests.reports.staffing.actions import (
    DONE,
    SOON,
    actions,
    frame,
)


def built(*given):
    return staffing_sla_breach_digest.REPORT.build(actions(*given), ask())


@pytest.mark.parametrize(
    ("days", "severity"),
    [(1, "moderate"), (5, "moderate"), (6, "high"), (10, "high"), (11, "critical")],
)
def test_severity_grows_with_the_business_days_over(days, severity):
    assert frame(built({"breach_days": days}), "actions")["severity"].item() == severity


def test_the_longest_over_comes_first_and_both_hear_of_it():
    made = built(
        {"action_id": "a"}, {"action_id": "b", "breach_days": 12, "blocked_reason": "on leave", "owner": "dan"},
        {"action_id": "s", **SOON}, {"action_id": "d", **DONE},
    )  # fmt: skip
    assert frame(made, "actions").select("action_id", "severity", "recipients").rows() == [
        ("b", "critical", ["dan", "bob"]), ("a", "moderate", ["ann", "bob"])
    ]  # fmt: skip
    assert frame(made, "owners").select("recipient", "message").rows() == [
        ("bob", "1 critical past the SLA, 1 moderate past the SLA. Begin with reassign for dan in 2026-W45 (12 business "
         "days over)."),
        ("dan", "1 critical past the SLA. Begin with reassign for dan in 2026-W45 (12 business days over)."),
        ("ann", "1 moderate past the SLA. Begin with reassign for ann in 2026-W45 (5 business days over)."),
    ]  # fmt: skip
    assert frame(made, "by_owner").select("owner", "breaches", "breach_days", "severity").rows() == [
        ("dan", 1, 12, "critical"), ("ann", 1, 5, "moderate")
    ]  # fmt: skip
    assert made.headline == (
        "2 of 3 unfinished actions are past the SLA of 5 business days, 6 hours of relief outstanding; worst is reassign "
        "for dan in 2026-W45, 12 business days over (blocked: on leave): complete or close it. 1 more is due, the first by "
        "2026-11-20."
    )


def test_who_left_and_who_nobody_answers_for_is_said():
    assert built({"owner_left": True, "accountable": None}).warnings == [
        "1 breach has nobody accountable.", "1 breach is with an owner who has left: name another."
    ]  # fmt: skip


def test_without_breaches():
    assert built().headline == "No staffing action is recorded, so none can be past its SLA."
    assert built({"action_id": "d", **DONE}).headline == (
        "No action that was taken up is unfinished: none is past its SLA."
    )
    made = built({"action_id": "s", **SOON})
    assert made.headline == "None of the 1 unfinished action is past its SLA. 1 more is due, the first by 2026-11-20."
    assert frame(made, "actions").is_empty()
