"""Frameworks of one's own in the facts: joined where the catalogue of the program is, and empty where there are none."""

from tests.factories import ORG
from tests.facts.conftest import event

ANNEX = {"own_frameworks": [{"id": "annex", "title": "Security annex"}]}


def controls(*given):
    return [
        {
            "framework": "annex",
            "kind": "control",
            "title": f"Title of {row['id']}",
            "assessable": True,
            "weight": 3,
            "cadence": "annual",
            "evidence_kinds": "operation",
            "position": number,
            **row,
        }
        for number, row in enumerate(given)
    ]


def test_a_framework_of_ones_own_stands_behind_those_of_the_program(facts_with):
    scope = [{"framework": "annex", "in_scope": True}, {"framework": "soc2", "in_scope": True}]
    facts = facts_with(**ANNEX, framework_controls=controls({"id": "A.1"}), organization_frameworks=scope)
    assert facts["organization"]["frameworks"].to_list() == [["soc2", "annex"]]
    own = facts["readiness"].filter(framework="annex")
    assert own.select("org_id", "name", "applicable", "no_data").rows() == [(ORG, "Security annex", 1, 1)]


def test_a_long_title_stands_over_its_page_and_the_identifier_before_its_controls(facts_with):
    title = "Annex to the implementing regulation 2024/2690"
    named = facts_with(own_frameworks=[{"id": "nis2", "title": title}, {"id": "annex", "title": "A" * 32}])
    assert named["own_frameworks"].select("framework", "name", "title").rows() == [
        ("annex", "A" * 32, "A" * 32),
        ("nis2", "nis2", title),
    ]


def test_an_event_that_a_rule_names_makes_a_control_effective(facts_with):
    facts = facts_with(
        **ANNEX,
        framework_controls=controls({"id": "A.1"}, {"id": "A.2"}),
        organization_frameworks=[{"framework": "annex", "in_scope": True}],
        organization_rules=[
            {"pattern": "access.*", "outcome": "any", "framework": "annex", "control_id": "A.1", "effect": "supports"}
        ],
        audit_log=[event(1, "access.granted", "2026-11-19T10:00:00")],
    )
    states = dict(facts["control_status"].select("control_id", "state").iter_rows())
    assert states == {"A.1": "effective", "A.2": "no_data"}


def test_a_proposed_pair_counts_for_nothing(facts_with):
    pair = {"source_framework": "annex", "target_framework": "soc2", "relation": "equal", "strength": 1.0}
    facts = facts_with(
        **ANNEX,
        framework_controls=controls({"id": "A.1"}, {"id": "A.2"}),
        organization_frameworks=[{"framework": name, "in_scope": True} for name in ("annex", "soc2")],
        framework_mappings=[
            {**pair, "source_id": "A.1", "target_id": "CC6.1", "reviewer": "ann"},
            {**pair, "source_id": "A.2", "target_id": "CC6.1"},
        ],
    )
    own = facts["crosswalk"].filter(facts["crosswalk"]["org_id"].is_not_null())
    assert own.select("source_id", "target_id").rows() == [("A.1", "CC6.1")]
    reached = dict(facts["leverage"].filter(framework="annex").select("control_id", "leverage").iter_rows())
    assert reached == {"A.1": 2, "A.2": 1}


def test_a_framework_of_ones_own_counts_in_the_posture_where_it_is_said(facts_with):
    def readiness(**more):
        scope = [{"framework": "annex", "in_scope": True, **more}]
        facts = facts_with(**ANNEX, framework_controls=controls({"id": "A.1"}), organization_frameworks=scope)
        return facts["posture"].filter(component="readiness")["population"].to_list()

    assert readiness() == [0]
    assert readiness(in_posture=True) == [1]
