from datetime import date

import pytest

from engine.model.documents.document import Coverage
from reports.programme.trends.policy_drift import REPORT
from tests import factories
from tests.factories import lead, rows
from tests.reports.explanations import values_follow

ACCEPTED = date(2026, 6, 1)


def rail(control_id="CC6.1", policy_id="POL-AC-v2", **more):
    return {
        **{"policy_id": policy_id, "policy": policy_id[:-3], "version": 2, "newest_version": 2, "kind": "governance"},
        **{"title": "Access Control Policy", "accepted_on": ACCEPTED, "review_due_on": date(2027, 6, 1)},
        **{"framework": "soc2" if control_id else None, "control_id": control_id, "in_scope": bool(control_id)},
        **{"requirements": [f"soc2:{control_id}"] if control_id else []},
        **more,
    }


def state(control_id="CC6.1", word="effective", **more):
    return {"framework": "soc2", "control_id": control_id, "state": word, "state_since": date(2026, 11, 1), **more}


def frames(rails=(), states=(), gaps=(), blocks=(), runs=(), evidence=()):
    return {
        "guardrails": rows("guardrails", *rails),
        "control_status": rows("control_status", *states),
        "control_evidence": rows("control_evidence", *evidence),
        "gaps": rows("gaps", *gaps),
        "policy_blocks": rows("policy_blocks", *blocks),
        "automation_runs": rows("automation_runs", *runs),
    }


def document(*given, **more):
    return factories.document(REPORT, **frames(*given, **more))


def one(held, *names):
    (row,) = held.tables[0].frame.select(names).rows()
    return row if len(names) > 1 else row[0]


FOUR = [rail("A", "P1-v2"), rail("B", "P2-v2"), rail("C", "P3-v2", newest_version=3), rail("D", "P4-v2")]
STATES = [
    state("A", "no_data", kinds_present=[], state_since=date(2026, 7, 1)),
    state("B", "ineffective"),
    state("C"),
    state("D"),
]


def test_an_active_policy_that_nobody_accepted_is_no_guardrail_and_is_listed():
    given = {"policy_id": "P9", "policy": "P", "version": 1, "title": "Draft of access"}
    held = factories.document(
        REPORT, **frames([rail()], [state()]), unaccepted_policies=rows("unaccepted_policies", given)
    )
    assert (held.summary["policies_unaccepted"], held.summary["guardrails"]) == (1, 1)
    assert held.tables[-1].frame.select("policy_id", "title").rows() == [("P9", "Draft of access")]
    assert "1 active policy was accepted by nobody: no guardrail, and no evidence." in [
        str(each) for each in held.warnings
    ]


def test_a_guardrail_whose_controls_work_has_not_drifted():
    held = document([rail()], [state()])
    assert one(held, "drift", "drifts", "days_in_drift", "blast_radius", "action") == (None, [], None, 0, None)
    assert lead(held) == (
        "The one accepted policy or guardrail is not known to have drifted; it was never observed.",
        "Record evidence of the controls that Access Control Policy is about (nobody owns it).",
    )
    assert (held.summary["guardrails_drift_free_pct"], held.summary["drift_median_days"]) == (100.0, None)
    observed = document([rail()], [state()], evidence=[observation("operation", date(2026, 11, 18))])
    assert lead(observed) == ("The one accepted policy or guardrail is not known to have drifted.", "")


def test_an_ineffective_control_contradicts_it_and_names_the_runbook():
    gap = {"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1", "runbook_title": "Enforce MFA"}
    gap["owner"] = "ann@acme.example"  # who closes it, whoever owns the policy
    requirements = ["soc2:CC6.1", "iso27001:A.8.5"]
    held = document([rail(requirements=requirements)], [state(word="ineffective")], [gap])
    assert one(held, "drift", "first_drifted_on", "days_in_drift", "controls_drifted", "blast_radius") == (
        "contradicted",
        date(2026, 11, 1),
        19,
        1,
        2,
    )
    assert lead(held) == (
        "1 of 1 accepted policy or guardrail has drifted, 1 of them contradicted by what is seen.",
        "Begin with Access Control Policy, 19 days in drift (nobody owns it). Close the gap SOC 2 CC6.1 "
        "(runbook: Enforce MFA; with ann@acme.example).",
    )


@pytest.mark.parametrize(
    ("status", "drift"),
    [
        ({"word": "no_data", "kinds_present": []}, "evidence_missing"),
        ({"word": "stale", "kinds_stale": ["operation"]}, "evidence_missing"),
        ({"word": "partial", "kinds_present": []}, "evidence_missing"),
        ({"word": "stale", "kinds_stale": ["attestation"]}, None),
        ({"word": "partial", "kinds_required": ["operation", "attestation"]}, None),
        ({"word": "not_applicable", "applicable": False}, "scope_drift"),
    ],
)
def test_what_a_control_shows_decides_the_drift(status, drift):
    assert one(document([rail()], [state(**status)]), "drift") == drift


def test_a_framework_that_is_no_longer_followed_is_scope_drift_without_a_date():
    held = document([rail(in_scope=False)])
    assert one(held, "drift", "first_drifted_on", "days_in_drift") == ("scope_drift", None, None)


def test_a_newer_version_on_file_is_version_lag():
    held = document([rail(newest_version=3, newest_state="draft")], [state()])
    assert one(held, "drift", "first_drifted_on", "blast_radius", "action") == (
        "version_lag",
        None,
        1,
        "Accept the newer version on file, or withdraw it.",
    )


def test_a_review_is_expired_the_day_after_it_was_due():
    due = date(2026, 11, 19)
    assert one(document([rail(review_due_on=due)], [state()]), "drift", "first_drifted_on", "days_in_drift") == (
        "review_expired",
        date(2026, 11, 20),
        0,
    )
    assert one(document([rail(review_due_on=date(2026, 11, 20))], [state()]), "drift") is None


def test_all_drifts_are_named_the_worst_first_and_the_first_day_counts():
    held = document(
        [rail(review_due_on=date(2026, 10, 1)), rail("CC6.2")],
        [state(word="ineffective"), state("CC6.2", "no_data", kinds_present=[], state_since=date(2026, 10, 20))],
    )
    assert one(held, "drift", "drifts", "first_drifted_on") == (
        "contradicted",
        ["contradicted", "evidence_missing", "review_expired"],
        date(2026, 10, 2),
    )


def test_nothing_drifts_before_it_is_accepted():
    held = document([rail(accepted_on=date(2026, 11, 10))], [state(word="ineffective")])
    assert one(held, "first_drifted_on", "days_in_drift") == (date(2026, 11, 10), 10)


def test_an_overridden_refusal_contradicts_the_guardrail_of_a_playbook():
    guard = rail(None, "GRD-patch-v1", kind="automation", playbook="patch", title="Guardrail of patch")
    block = {"policy_id": "GRD-patch-v1", "playbook": "patch", "blocked_on": date(2026, 11, 5)}
    held = document([guard], blocks=[{**block, "id": "1", "overridden": True}])
    assert one(held, "drift", "days_in_drift", "last_observed_on", "expectation") == (
        "contradicted",
        15,
        date(2026, 11, 5),
        "The playbook patch stays within its limits",
    )
    assert one(held, "action").startswith("Find out why a refusal was overridden")
    assert one(document([guard], blocks=[{**block, "id": "1", "overridden": False}]), "drift") is None


def test_an_override_before_the_acceptance_is_history():
    guard = rail(None, "GRD-patch-v1", kind="automation", playbook="patch")
    block = {"id": "1", "policy_id": "GRD-patch-v1", "overridden": True, "blocked_on": date(2026, 5, 1)}
    assert one(document([guard], blocks=[block]), "drift") is None


def test_contradictions_stand_first_then_the_longest_drift():
    held = document(FOUR, STATES)
    assert held.tables[0].frame["policy_id"].to_list() == ["P2-v2", "P1-v2", "P3-v2", "P4-v2"]
    assert held.summary == {
        **{"guardrails": 4, "guardrails_without_drift": 1, "guardrails_drifted": 3, "guardrails_drift_free_pct": 25.0},
        **{"drift_median_days": 19, "guardrails_contradicted": 1, "guardrails_evidence_missing": 1},
        **{"guardrails_version_lag": 1, "guardrails_scope_drift": 0, "guardrails_review_expired": 0},
        **{"controls_drifted": 2, "policies_unaccepted": 0},
    }
    assert held.tables[2].frame["guardrails"].to_list() == [1, 1, 1, 0, 0]


def test_every_number_follows_from_its_guardrails():
    values_follow(REPORT, **frames(FOUR, STATES))
    values_follow(REPORT)


def test_without_accepted_policies_nothing_is_praised():
    held = document()
    assert lead(held) == (
        "No policy is accepted and active, so there is nothing to drift from.",
        "Import policies.csv or policy_controls.csv with hq import to fill this report.",
    )
    assert (held.summary["guardrails_drift_free_pct"], held.coverage) == (None, Coverage(0, 0))


def observation(source, last_on, **more):
    return {"framework": "soc2", "control_id": "CC6.1", "source": source, "last_on": last_on, **more}


def test_the_last_observation_is_the_newest_of_its_controls_whatever_governs_them():
    governing = state(last_evidence_on=date(2026, 6, 1), last_source="policy", last_test_on=date(2026, 9, 9))
    found = [
        observation("operation", date(2026, 10, 1)),
        observation("item", date(2026, 10, 4)),
        observation("policy", date(2026, 11, 5)),
        observation("attestation", date(2026, 11, 6)),
    ]
    assert one(document([rail()], [governing], evidence=found), "last_observed_on") == date(2026, 10, 4)
    against = [*found, observation("operation", None, contradicted_on=date(2026, 11, 7))]
    assert one(document([rail()], [governing], evidence=against), "last_observed_on") == date(2026, 11, 7)
    assert one(document([rail()], [governing]), "last_observed_on") == date(2026, 9, 9)
    assert one(document([rail()], [state()], evidence=found[2:]), "last_observed_on") is None
