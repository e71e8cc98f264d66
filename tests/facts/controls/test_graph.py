from tests.facts.conftest import control, naming, on

DONE, NAMED = "backup.completed", naming("X1")
AT = "2026-11-01 09:00"
SERVICES = [{"id": "db", "name": "Database", "criticality": 3}, {"id": "web", "name": "Web", "criticality": 3}]
ITEM = {"id": "i1", "title": "Export", "source": "wiki", "captured_at": AT}


def edges(known, *relations, **tables):
    frame = known(controls=[control()], **tables)["graph_edges"]
    return [
        (source, target)
        for source, relation, target in frame.select("source", "relation", "target").rows()
        if not relations or relation in relations
    ]


def test_a_control_implements_its_own_requirement(facts_with):
    assert edges(facts_with) == [("control:soc2:X1", "requirement:soc2:X1")]


def test_an_action_evidences_the_control_that_its_events_name(facts_with):
    events = [(DONE, AT, NAMED), (DONE, AT, NAMED), ("control.test.passed", AT, NAMED)]
    assert edges(facts_with, "evidences", events=events) == [
        ("source:action:backup.completed", "control:soc2:X1"),
        ("source:action:control.test.passed", "control:soc2:X1"),
    ]


def test_failures_contradictions_and_paperwork_are_no_source(facts_with):
    events = [
        (DONE, AT, NAMED | {"outcome": "failure"}),
        ("backup.failed", AT, NAMED),
        ("attestation.signed", AT, NAMED),
        (DONE, "2026-11-21 00:00", NAMED),
    ]
    assert edges(facts_with, "evidences", events=events) == []


def test_the_system_that_evidence_items_come_from_is_one_source(facts_with):
    items = [ITEM, {**ITEM, "id": "i2"}, {**ITEM, "id": "later", "source": "mail", "captured_at": "2026-11-21 00:00"}]
    links = [{"evidence_id": item["id"], **on()} for item in items]
    facts = {"evidence_items": items, "evidence_links": links}
    assert edges(facts_with, "evidences", **facts) == [("source:store:wiki", "control:soc2:X1")]


def test_a_policy_implements_the_controls_that_it_supports(facts_with):
    policy = {
        "id": "P1-v1",
        "policy": "P1",
        "version": 1,
        "title": "Policy",
        "state": "active",
        "accepted_at": AT,
        "accepted_by": "ann",
    }
    facts = {"policies": [policy], "policy_controls": [{"policy_id": "P1-v1", **on()}]}
    assert ("policy:P1-v1", "control:soc2:X1") in edges(facts_with, "implements", **facts)


def test_controls_systems_and_services_depend_on_each_other(facts_with):
    tables = {
        "services": SERVICES,
        "service_dependencies": [{"service_id": "web", "depends_on_id": "db"}],
        "systems": [{"id": "sys-web", "name": "Web production", "service_id": "web"}],
        "control_profiles": [{**on(), "applicable": True, "systems": "web PRODUCTION; unknown"}],
    }
    assert edges(facts_with, "depends_on", **tables) == [
        ("control:soc2:X1", "system:sys-web"),
        ("service:web", "service:db"),
        ("system:sys-web", "service:web"),
    ]


def test_a_control_that_does_not_apply_has_no_edges(facts_with):
    profile = {**on(), "applicable": False, "justification": "none", "approved_by": "ann", "approved_on": "2026-01-01"}
    facts = facts_with(controls=[control()], control_profiles=[profile], events=[(DONE, AT, NAMED)])
    assert facts["graph_edges"].is_empty()
    assert facts["graph_nodes"].is_empty()


def test_nodes_have_names_and_things_without_edges_are_there(facts_with):
    links = {"evidence_items": [ITEM], "evidence_links": [{"evidence_id": "i1", **on()}]}
    facts = facts_with(controls=[control()], services=SERVICES[:1], events=[(DONE, AT, NAMED)], **links)
    assert facts["graph_nodes"].select("node", "kind", "label").rows() == [
        ("control:soc2:X1", "control", "X1 Control X1"),
        ("requirement:soc2:X1", "requirement", "soc2:X1"),
        ("service:db", "system", "Database"),
        ("source:action:backup.completed", "evidence_source", "Backup finished"),
        ("source:store:wiki", "evidence_source", "Evidence items from wiki"),
    ]


def test_the_guardrail_of_a_playbook_is_no_orphan_of_the_graph(facts_with):
    guard = {
        "id": "G1",
        "policy": "G",
        "version": 1,
        "title": "Guardrail",
        "state": "active",
        "accepted_at": AT,
        "accepted_by": "ann",
        "kind": "automation",
        "playbook": "apply-patch",
    }
    assert facts_with(controls=[control()], policies=[guard])["graph_nodes"].filter(kind="policy").is_empty()
