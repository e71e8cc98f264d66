import pytest

from engine.model.documents.document import Coverage
from reports.programme.graph.control_graph import REPORT, VIEWS
from tests import factories
from tests.factories import ask, explained_rows, lead, rows
from tests.reports.explanations import values_follow


def control(name, framework="soc2", **more):
    return {
        "node": f"control:{framework}:{name}",
        "kind": "control",
        "label": f"{name} Control",
        **more,
        "framework": framework,
    }


def requirement_node(name, framework="soc2"):
    return {"node": f"requirement:{framework}:{name}", "kind": "requirement", "label": name, "framework": framework}


def source(name):
    return {"node": f"source:action:{name}", "kind": "evidence_source", "label": f"{name.capitalize()} done"}


def thing(kind, name):
    return {"node": f"{kind}:{name}", "kind": "system" if kind == "service" else kind, "label": name.capitalize()}


def edge(source, relation, target):
    return {"source": source, "relation": relation, "target": target}


def evidence_edges(name, *controls):
    return [edge(f"source:action:{name}", "evidences", f"control:soc2:{one}") for one in controls]


def implementation_edges(*controls):
    return [edge(f"control:soc2:{one}", "implements", f"requirement:soc2:{one}") for one in controls]


def frames(nodes=(), edges=(), statuses=()):
    return {
        "graph_nodes": rows("graph_nodes", *nodes),
        "graph_edges": rows("graph_edges", *edges),
        "control_status": rows("control_status", *statuses),
    }


def document(nodes=(), edges=(), **options):
    return factories.document(REPORT, ask(**options), **frames(nodes, edges))


def table(held, name):
    return next(one.frame for one in held.tables if one.name == name)


FIVE = [f"C{n}" for n in range(5)]


def five(*more, extra=()):
    nodes = [*(control(n) for n in FIVE), *(requirement_node(n) for n in FIVE), source("backup"), *extra]
    return document(nodes, [*evidence_edges("backup", *FIVE), *implementation_edges(*FIVE), *more])


def test_the_only_source_of_five_requirements_is_a_single_point_of_failure():
    held = five()
    assert table(held, "single_points_of_failure").to_dicts() == [
        {
            **{"node": "source:action:backup", "label": "Backup done", "controls": 5, "requirements_alone": 5},
            **{"requirements_at_risk": 5, "frameworks": ["soc2"], "owner": None},
        }
    ]
    assert lead(held) == (
        "1 source of evidence is a single point of failure.",
        "Find a second source of evidence beside “Backup done”, on which 5 requirements rest alone.",
    )
    assert held.coverage == Coverage(5, 5)


def test_a_second_source_of_one_of_them_takes_the_point_away():
    held = five(*evidence_edges("restore", "C4"), extra=[source("restore")])
    assert held.summary["single_points_of_failure"] == 0
    assert table(held, "sources").select("label", "controls", "requirements_alone", "requirements_at_risk").rows() == [
        ("Backup done", 5, 4, 5),
        ("Restore done", 1, 0, 1),
    ]


def test_a_control_puts_the_requirements_of_other_frameworks_at_risk():
    nodes = [control("C0"), requirement_node("C0"), requirement_node("A.8.13", "iso27001"), source("backup")]
    edges = [
        *implementation_edges("C0"),
        edge("control:soc2:C0", "implements", "requirement:iso27001:A.8.13"),
        *evidence_edges("backup", "C0"),
    ]
    held = document(nodes, edges)
    assert table(held, "controls")["requirements_at_risk"].to_list() == [2]
    assert table(held, "sources")["requirements_at_risk"].to_list() == [2]


def test_failure_spreads_against_dependence_and_inheritance():
    nodes = [
        control("C0"),
        requirement_node("C0"),
        thing("vendor", "cloud"),
        thing("system", "shop"),
        thing("service", "db"),
    ]
    edges = [
        *implementation_edges("C0"),
        edge("control:soc2:C0", "inherits", "vendor:cloud"),
        edge("control:soc2:C0", "depends_on", "system:shop"),
        edge("system:shop", "depends_on", "service:db"),
    ]
    assert table(document(nodes, edges), "supports").select(
        "node", "controls_at_risk", "requirements_at_risk"
    ).rows() == [("service:db", 1, 1), ("system:shop", 1, 1), ("vendor:cloud", 1, 1)]


def test_each_part_of_the_graph_is_counted_under_a_name_of_its_own():
    nodes = [
        control("C0"),
        requirement_node("C0"),
        control("C1"),
        source("backup"),
        thing("vendor", "cloud"),
        thing("service", "db"),
    ]
    edges = [
        *implementation_edges("C0"),
        *evidence_edges("backup", "C0"),
        edge("service:db", "depends_on", "service:db"),
    ]
    given = frames(nodes, edges, [{"framework": "soc2", "control_id": name} for name in ("C0", "C1")])
    held = factories.document(REPORT, **given)
    assert held.summary == {
        **{"graph_node_count": 6, "graph_edge_count": 3, "graph_implements_edges": 1, "graph_evidences_edges": 1},
        **{"graph_depends_on_edges": 1, "graph_inherits_edges": 0, "controls_applicable": 2},
        **{"controls_without_source": 1, "controls_with_one_source": 1, "controls_unsupported": 1},
        **{"single_points_of_failure": 0, "graph_loops": 1, "graph_orphans": 2},
    }
    assert lead(held) == (
        "1 control has neither a source of evidence nor a policy; there is 1 circle of systems that depend on each "
        "other.",
        "Give it a source of evidence first.",
    )
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "graph_orphans", **given)["reason"].to_list() == [
        "control:soc2:C1: neither a source of evidence nor a policy",
        "vendor:cloud: no control is inherited from it",
    ]


def test_controls_that_rest_on_policies_alone_are_no_sound_graph():
    nodes = [control("C0"), requirement_node("C0"), thing("policy", "access")]
    held = document(nodes, [*implementation_edges("C0"), edge("policy:access", "implements", "control:soc2:C0")])
    assert lead(held) == ("1 control rests on policies alone, without any source.", "Find a source of evidence for it.")


def test_services_that_need_each_other_are_a_loop():
    nodes = [thing("service", name) for name in ("a", "b", "c")]
    edges = [
        edge("service:a", "depends_on", "service:b"),
        edge("service:b", "depends_on", "service:a"),
        edge("service:c", "depends_on", "service:a"),
    ]
    assert table(document(nodes, edges), "cycles").rows() == [(2, ["A", "B"])]


def test_a_service_that_needs_itself_is_a_loop():
    held = document([thing("service", "a")], [edge("service:a", "depends_on", "service:a")])
    assert table(held, "cycles").rows() == [(1, ["A"])]


def test_orphans_are_bare_controls_and_unconnected_things():
    nodes = [
        control("C0", state="no_data"),
        requirement_node("C0"),
        control("C1"),
        requirement_node("C1"),
        thing("vendor", "cloud"),
        thing("policy", "access"),
    ]
    held = document(nodes, [*implementation_edges("C0", "C1"), edge("policy:access", "implements", "control:soc2:C1")])
    assert table(held, "orphans").select("node", "why").rows() == [
        ("control:soc2:C0", "neither a source of evidence nor a policy"),
        ("vendor:cloud", "no control is inherited from it"),
    ]
    assert lead(held) == (
        "1 control has neither a source of evidence nor a policy.",
        "Give it a source of evidence first.",
    )


def test_the_edges_alone_are_one_table_for_graph_tools():
    (one,) = document([control("C0"), requirement_node("C0")], implementation_edges("C0"), view="edges").tables
    assert one.frame.to_dicts() == [
        {
            **{"source": "control:soc2:C0", "target": "requirement:soc2:C0", "relation": "implements"},
            **{"type": "Directed"},
        }
    ]


def test_every_view_shows_its_tables():
    names = {view: [one.name for one in document(view=view).tables] for view in VIEWS}
    assert names["all"] == [*names["findings"], *names["nodes"], *names["edges"]]
    assert (names["nodes"], names["edges"]) == (["nodes"], ["edges"])


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_in_scope_is_said(view):
    held = document(view=view)
    assert lead(held) == (
        "No control applies, so there is nothing to draw.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(one.frame.is_empty() for one in held.tables)
    assert held.coverage == Coverage(0, 0)


def test_a_sound_graph_is_said():
    nodes = [control("C0"), requirement_node("C0"), source("backup")]
    held = document(nodes, [*implementation_edges("C0"), *evidence_edges("backup", "C0")])
    assert lead(held) == ("No single point of failure, circle or bare control among 1 control.", "")


def test_the_picture_has_single_points_of_failure_beside_controls_without_another_source():
    names = ("A", "B", "C", "D", "E")
    nodes = [*map(control, names), *map(requirement_node, names), source("scan"), source("idle")]
    edges = [*evidence_edges("scan", *names), *implementation_edges(*names)]
    (picture,) = document(nodes, edges).pictures
    assert {(node.label, node.layer) for node in picture.nodes} == {
        ("Scan done", 0),
        ("A Control", 1),
        ("B Control", 1),
        ("C Control", 1),
    }
    assert picture.edges == [("source:action:scan", f"control:soc2:{name}") for name in ("A", "B", "C")]
    assert set(picture.legend.values()) == {node.tone for node in picture.nodes}
    assert document(nodes, edges, view="edges").pictures == ()
    assert document().pictures == []


def test_a_single_point_has_the_owner_of_most_that_deciding_document_it_and_a_bar():
    statuses = [
        {"framework": "soc2", "control_id": name, "owner": owner}
        for name, owner in zip(FIVE, ["ann", "bo", "bo", None, "cy"], strict=True)
    ]
    nodes = [source("backup"), *map(control, FIVE), *map(requirement_node, FIVE)]
    given = frames(nodes, [*evidence_edges("backup", *FIVE), *implementation_edges(*FIVE)], statuses)
    held = factories.document(REPORT, ask(), **given)
    assert table(held, "single_points_of_failure")["owner"].to_list() == ["bo"]
    assert lead(held)[1].endswith("on which 5 requirements rest alone (with bo, who owns 2 of them).")
    assert held.charts[0].frame.rows() == [("Backup done", 5)]
    assert document().charts == []
