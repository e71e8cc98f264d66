from datetime import date

import pytest

from engine.model.documents.document import Coverage
from reports.programme.activity.summary import REPORT
from tests import factories
from tests.factories import lead, moment, rows
from tests.reports.explanations import values_follow


def control(control_id, framework="soc2", **more):
    return {"framework": framework, "control_id": control_id, "group_id": "CC6", "group_title": "Access", **more}


def evidence(control_id, events, before=0, framework="soc2", source="operation", at="2026-11-18 08:30"):
    return {
        **{"framework": framework, "control_id": control_id, "source": source, "audit_events": events},
        **{"audit_events_before": before, "audit_last_at": moment(at), "last_id": "e1"},
    }


def policy(control_id, accepted_on):
    return {"framework": "soc2", "control_id": control_id, "policy_id": "p1", "accepted_on": accepted_on}


def frames(controls=(), found=(), policies=(), actions=(), readiness=(), known=date(2026, 1, 1)):
    return {
        "control_status": rows("control_status", *controls),
        "control_evidence": rows("control_evidence", *found),
        "policies": rows("policies", *policies),
        "audit_actions": rows("audit_actions", *actions),
        "readiness": rows("readiness", *readiness),
        "known_since": rows(
            "known_since", *({"framework": name, "known_since": known} for name in ("soc2", "iso27001"))
        ),
    }


def document(*given):
    return factories.document(REPORT, **frames(*given))


FOUR = [
    control("CC6.1", weight=5),
    control("CC6.2"),
    control("CC6.10", weight=5),
    control("CC1.1", group_id="CC1", group_title="Environment"),
]
FOUND = [evidence("CC6.1", 3, 1), evidence("CC6.2", 0, 2)]
POLICIES = [policy("CC1.1", date(2026, 11, 2))]
ACTIONS = [
    {"action": "access.reviewed", "title": "Access reviewed", "events": 6, "tagged_events": 6, "tagged": True},
    {"action": "page.viewed", "title": "Page viewed", "events": 2, "tagged_events": 0, "tagged": False},
    {"action": "old.thing", "title": "Old", "events": 0, "events_before": 9, "tagged_events": 0, "tagged": False},
]
SCOPE = [{"framework": "soc2", "applicable": 4, "assessed": 3}, {"framework": "hipaa", "applicable": 9, "assessed": 9}]


def test_a_control_is_covered_by_an_event_or_by_an_accepted_policy():
    held = document(FOUR, FOUND, POLICIES, ACTIONS, SCOPE)
    assert held.table("frameworks").frame.to_dicts() == [
        {
            **{"framework": "soc2", "framework_name": "SOC 2", "applicable": 4, "covered": 2, "covered_pct": 50.0},
            **{"covered_change": 0.0, "by_events": 1, "by_policy_only": 1},
            **{"newest_event_at": moment("2026-11-18 08:30")},
        }
    ]


def test_the_summary_has_coverage_and_the_share_of_untagged_events():
    held = document(FOUR, FOUND, POLICIES, ACTIONS, SCOPE)
    assert held.summary == {
        "activity_pct": 50.0,
        "controls_active": 2,
        "activity_controls": 4,
        "activity_change": 0.0,
        "controls_inactive": 2,
        "activity_newest_at": moment("2026-11-18 08:30"),
        "audit_events_in_period": 8,
        "audit_events_attributable": 8,
        "audit_events_untagged": 2,
        "audit_events_untagged_pct": 25.0,
    }
    assert held.coverage == Coverage(3, 4)
    assert lead(held) == (
        "50.0 % of SOC 2 controls had activity in 30 days or have an accepted policy, unchanged.",
        "Begin with SOC 2 CC6.10 A control, one of 2 without any (with ann@acme.example).",
    )
    assert held.warnings == ["ISO 27001 is not in scope: the figures are of the other framework alone."]


def test_categories_stand_least_covered_first():
    held = document(FOUR, FOUND, POLICIES)
    assert held.table("categories").frame.select(
        "group_id", "applicable", "covered", "covered_pct", "covered_change"
    ).rows() == [("CC6", 3, 1, 33.3, -33.3), ("CC1", 1, 1, 100.0, 100.0)]


def test_the_categories_sum_to_the_framework():
    held = document(FOUR, FOUND, POLICIES)
    for name, figure in (("applicable", "activity_controls"), ("covered", "controls_active")):
        assert (
            held.table("categories").frame[name].sum()
            == held.table("frameworks").frame[name].sum()
            == held.summary[figure]
        )


def test_uncovered_controls_stand_by_weight():
    held = document([*FOUR, control("A.5.1", "iso27001", weight=5)], FOUND, POLICIES)
    assert held.tables[0].name == "uncovered"
    assert held.table("uncovered").frame["control_id"].to_list() == ["CC6.10", "A.5.1", "CC6.2"]


@pytest.mark.parametrize(("source", "active"), [("attestation", 1), ("item", 0)])
def test_a_signature_is_activity_and_a_document_is_none(source, active):
    held = document([control("CC6.1")], [{**evidence("CC6.1", 0, source=source), "events": 1}])
    assert held.summary["controls_active"] == active


def test_a_policy_that_was_accepted_before_the_period_is_still_in_force():
    held = document([control("CC1.1")], (), [policy("CC1.1", date(2025, 1, 1))])
    assert (held.summary["controls_active"], held.summary["activity_change"]) == (1, 0.0)


def test_a_control_that_does_not_apply_is_not_counted():
    assert document([control("CC6.1", applicable=False)]).summary["activity_controls"] == 0


def test_other_frameworks_are_left_out():
    assert document([control("164.308", "hipaa")]).summary["activity_controls"] == 0


def test_actions_without_a_control_are_named():
    assert document((), (), (), ACTIONS).table("untagged_actions").frame.rows() == [
        ("page.viewed", "Page viewed", 2, 2, 100.0, None)
    ]


def test_without_controls_there_is_no_coverage():
    held = document()
    assert lead(held) == (
        "Neither SOC 2 nor ISO 27001 has an applicable control, so there is no coverage to report.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.summary["activity_pct"] is None
    assert held.summary["audit_events_untagged_pct"] is None
    assert held.coverage == Coverage(0, 0)
    assert [table.frame.height for table in held.tables] == [0, 0, 0, 0]


def test_the_report_answers_the_route_of_the_summary():
    assert REPORT.name == "summary"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (date(2026, 9, 22), ", unchanged"),
        (date(2026, 9, 23), "; their records begin on 23 Sep 2026"),
        (None, "; no earlier record to compare with"),
    ],
)
def test_nothing_is_compared_with_a_period_before_the_records(known, said):
    held = document(FOUR, FOUND, POLICIES, ACTIONS, SCOPE, known)
    change = 0.0 if "unchanged" in said else None
    assert held.summary["activity_change"] == change
    assert held.table("frameworks").frame["covered_change"].to_list() == [change]
    assert held.headline.startswith(
        f"50.0 % of SOC 2 controls had activity in 30 days or have an accepted policy{said}."
    )
    sentences = [warning for warning in held.warnings if "nothing to compare with" in warning]
    assert len(sentences) == (change is None)


def test_a_control_with_a_policy_and_any_event_is_not_covered_by_policy_only():
    controls = [control("CC6.1"), control("CC6.2"), control("CC6.3")]
    signed = [policy(name, date(2026, 11, 2)) for name in ("CC6.1", "CC6.2", "CC6.3")]
    reviewed = evidence("CC6.1", 1, source="policy")
    tested = {**evidence("CC6.2", 0, source="test"), "events": 1}  # a test window is no event of the audit log
    frame = document(controls, [reviewed, tested], signed).table("frameworks").frame
    assert frame.select("covered", "by_events", "by_policy_only").rows() == [(3, 1, 2)]


def test_every_number_follows_from_its_rows():
    values_follow(REPORT, **frames(FOUR, FOUND, POLICIES, ACTIONS, SCOPE))
    values_follow(REPORT, **frames(FOUR, FOUND, POLICIES, ACTIONS, SCOPE, None))
    values_follow(REPORT)


def test_the_only_control_without_activity_is_named():
    held = document([control("CC6.1"), control("A.5.1", "iso27001")], [evidence("CC6.1", 1)])
    assert lead(held) == (
        "50.0 % of SOC 2 and ISO 27001 controls had activity in 30 days or have an accepted policy, up 50.0 points.",
        "Begin with ISO 27001 A.5.1 A control, the only one without any (with ann@acme.example).",
    )
