from datetime import date

from engine.model.document import Coverage
from reports.programme.summary import REPORT, build
from tests.factories import ask, moment, rows


def control(control_id, framework="soc2", **more):
    return {"framework": framework, "control_id": control_id, "group_id": "CC6", "group_title": "Access", **more}


def evidence(control_id, events, before=0, framework="soc2", source="operation", at="2026-11-18 08:30"):
    return {
        **{"framework": framework, "control_id": control_id, "source": source, "events": events},
        **{"events_before": before, "last_at": moment(at), "last_id": "e1"},
    }


def policy(control_id, accepted_on):
    return {"framework": "soc2", "control_id": control_id, "policy_id": "p1", "accepted_on": accepted_on}


def document(controls=(), found=(), policies=(), actions=(), readiness=()):
    return build(
        rows("control_status", *controls),
        rows("control_evidence", *found),
        rows("policies", *policies),
        rows("audit_actions", *actions),
        rows("readiness", *readiness),
        ask(),
    )


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
    assert held.tables[0].frame.to_dicts() == [
        {
            **{"framework": "soc2", "framework_name": "SOC 2", "applicable": 4, "covered": 2, "covered_pct": 50.0},
            **{"covered_change": 0.0, "by_events": 1, "by_policy_only": 1},
            **{"newest_event_at": moment("2026-11-18 08:30")},
        }
    ]


def test_the_summary_has_coverage_and_the_share_of_untagged_events():
    held = document(FOUR, FOUND, POLICIES, ACTIONS, SCOPE)
    assert held.summary == {
        "covered_pct": 50.0,
        "covered_controls": 2,
        "applicable_controls": 4,
        "covered_change": 0.0,
        "uncovered_controls": 2,
        "newest_event_at": moment("2026-11-18 08:30"),
        "events": 8,
        "untagged_events": 2,
        "untagged_pct": 25.0,
    }
    assert held.coverage == Coverage(3, 4)
    assert held.headline == (
        "50.0 % of the SOC 2 and ISO 27001 controls saw activity in 30 days (2 of 4), unchanged against the 30 days "
        "before; of 2 uncovered controls look at SOC 2 CC6.10 and SOC 2 CC6.2 first."
    )
    assert held.warnings == ["ISO 27001 is not in scope: the figures are of the other framework alone."]


def test_categories_stand_least_covered_first():
    held = document(FOUR, FOUND, POLICIES)
    assert held.tables[1].frame.select("group_id", "applicable", "covered", "covered_pct", "covered_change").rows() == [
        ("CC6", 3, 1, 33.3, -33.3),
        ("CC1", 1, 1, 100.0, 100.0),
    ]


def test_the_categories_sum_to_the_framework():
    held = document(FOUR, FOUND, POLICIES)
    for name in ("applicable", "covered"):
        assert held.tables[1].frame[name].sum() == held.tables[0].frame[name].sum() == held.summary[f"{name}_controls"]


def test_uncovered_controls_stand_by_weight():
    held = document([*FOUR, control("A.5.1", "iso27001", weight=5)], FOUND, POLICIES)
    assert held.tables[2].frame["control_id"].to_list() == ["CC6.10", "A.5.1", "CC6.2"]


def test_an_attestation_or_a_document_is_not_an_event_of_the_log():
    held = document(
        [control("CC6.1")], [evidence("CC6.1", 1, source="attestation"), evidence("CC6.1", 1, source="item")]
    )
    assert held.summary["covered_controls"] == 0


def test_a_policy_that_was_accepted_before_the_period_is_still_in_force():
    held = document([control("CC1.1")], policies=[policy("CC1.1", date(2025, 1, 1))])
    assert (held.summary["covered_controls"], held.summary["covered_change"]) == (1, 0.0)


def test_a_control_that_does_not_apply_is_not_counted():
    assert document([control("CC6.1", applicable=False)]).summary["applicable_controls"] == 0


def test_other_frameworks_are_left_out():
    assert document([control("164.308", "hipaa")]).summary["applicable_controls"] == 0


def test_actions_without_a_control_are_named():
    assert document(actions=ACTIONS).tables[3].frame.rows() == [("page.viewed", "Page viewed", 2, 2, 100.0, None)]


def test_without_controls_there_is_no_coverage():
    held = document()
    assert held.headline == "Neither SOC 2 nor ISO 27001 has an applicable control, so there is no coverage to report."
    assert held.summary["covered_pct"] is None
    assert held.summary["untagged_pct"] is None
    assert held.coverage == Coverage(0, 0)
    assert [table.frame.height for table in held.tables] == [0, 0, 0, 0]


def test_the_report_answers_the_route_of_the_summary():
    assert REPORT.name == "summary"
