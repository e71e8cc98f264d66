"""What every control rests on and what rests on it: single points of failure, loops, and controls without support."""

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.report import Ask, Parameter, Report
from reports.programme.graph_nodes import (
    LEAST_ALONE,
    node_measures,
    orphans,
    rings,
)
from reports.shared.packs import pack_name
from reports.shared.wording import count, inside

VIEWS = ("all", "findings", "nodes", "edges")
VIEW = Parameter(
    "view",
    "all",
    "findings: without the graph itself; nodes, edges: one table alone, as CSV ready for Gephi or yEd",
    choices=VIEWS,
)
RELATIONS = ("implements", "evidences", "depends_on", "inherits")
LABELS = {
    "framework_name": "Framework",
    "label": "Name",
    "controls": "Controls fed",
    "requirements_alone": "Rest on it alone",
    "requirements_at_risk": "Requirements at risk",
    "controls_at_risk": "Controls at risk",
    "sources": "Evidence sources",
    "members": "In the loop",
    "why": "What is missing",
}
DEFINITIONS = {
    "Edge": "Reads source, relation, target: a control or policy implements, a source evidences, a control inherits "
    "from a vendor, a system or control depends on a system.",
    "At risk": "Everything that can be reached when the node fails: failure spreads from what implements or evidences "
    "to its target, and from what is depended on or inherited from to its source.",
    "Requirements": "A control implements its own requirement and those of other frameworks in scope that full "
    "crosswalk pairs lead to.",
    "Evidence source": "An action of the audit log that shows a control at work, the system that evidence items come "
    "from, or a recurring test that passed. Signatures are not a source.",
    "Single point of failure": f"A source that is the only one of the controls of at least {LEAST_ALONE} requirements.",
    "Loop": "Nodes that all depend on each other: one that fails takes the others with it.",
    "Orphan": "A control without any source of evidence or policy, or a policy, vendor or system without any edge.",
}


def build(graph_nodes: pl.DataFrame, graph_edges: pl.DataFrame, ask: Ask) -> Document:
    nodes = node_measures(graph_nodes, graph_edges)
    loops, lone = rings(nodes, graph_edges), orphans(nodes)
    is_source, is_control = pl.col("kind") == "evidence_source", pl.col("kind") == "control"
    sources = nodes.filter(is_source).sort(
        "requirements_alone", "requirements_at_risk", "node", descending=[True, True, False]
    )
    points = sources.filter(pl.col("requirements_alone") >= LEAST_ALONE)
    controls = nodes.filter(is_control).sort("requirements_at_risk", "node", descending=[True, False])
    view = str(ask.options.get("view") or "all")
    graph = (_nodes(nodes), _edges(graph_edges))
    tables = {
        "all": (*_findings(points, controls, sources, nodes, loops, lone), *graph),
        "findings": _findings(points, controls, sources, nodes, loops, lone),
        "nodes": graph[:1],
        "edges": graph[1:],
    }[view]
    evidenced = controls.filter(pl.col("sources") > 0).height
    return Document(
        headline=_headline(points, controls, loops, lone),
        summary={
            "nodes": nodes.height,
            "edges": graph_edges.height,
            **{
                f"{relation}_edges": graph_edges.filter(pl.col("relation") == relation).height for relation in RELATIONS
            },
            "controls": controls.height,
            "controls_without_source": controls.height - evidenced,
            "controls_with_one_source": controls.filter(pl.col("sources") == 1).height,
            "single_points_of_failure": points.height,
            "cycles": loops.height,
            "orphans": lone.height,
        },
        tables=tables,
        coverage=Coverage(evidenced, controls.height),
        definitions=DEFINITIONS,
        footnotes=("For Gephi or yEd take the CSV of view=nodes and that of view=edges.",),
    )


def _findings(
    points: pl.DataFrame,
    controls: pl.DataFrame,
    sources: pl.DataFrame,
    nodes: pl.DataFrame,
    loops: pl.DataFrame,
    lone: pl.DataFrame,
) -> tuple[Table, ...]:
    fed = ("node", "label", "controls", "requirements_alone", "requirements_at_risk")
    others = nodes.filter(pl.col("kind").is_in(["system", "vendor", "policy"]), pl.col("requirements_at_risk") > 0)
    return (
        Table(
            "single_points_of_failure",
            "Single points of failure",
            points.select(*fed, "frameworks"),
            note="Give each of these controls a second, independent source of evidence.",
            labels=LABELS,
            hidden=("node",),
        ),
        Table("cycles", "Loops", loops, labels=LABELS),
        Table("orphans", "Orphans", lone, labels=LABELS, state=("state",), words=("kind",), hidden=("node",)),
        Table(
            "supports",
            "Systems, vendors and policies by what fails with them",
            others.sort("requirements_at_risk", "node", descending=[True, False]).select(
                "node", "kind", "label", "controls_at_risk", "requirements_at_risk"
            ),
            labels=LABELS,
            words=("kind",),
            hidden=("node",),
        ),
        Table("sources", "Sources of evidence", sources.select(*fed), labels=LABELS, hidden=("node",)),
        Table(
            "controls",
            "Controls by what fails with them",
            controls.select(
                *("node", "framework", pack_name().alias("framework_name"), "label", "state"),
                *("requirements_at_risk", "sources", "policies", "vendors", "systems"),
            ),
            labels=LABELS,
            state=("state",),
            hidden=("node", "framework"),
        ),
    )


def _nodes(nodes: pl.DataFrame) -> Table:
    frame = nodes.select("kind", "label", "framework", "state", "requirements_at_risk", id="node").sort("id")
    return Table("nodes", "Nodes", frame.select("id", pl.exclude("id")), labels=LABELS, words=("kind", "state"))


def _edges(edges: pl.DataFrame) -> Table:
    frame = edges.select("source", "target", "relation", type=pl.lit("Directed")).sort("source", "relation", "target")
    return Table("edges", "Edges", frame, words=("relation",), hidden=("type",))


def _headline(points: pl.DataFrame, controls: pl.DataFrame, loops: pl.DataFrame, lone: pl.DataFrame) -> str:
    if controls.is_empty():
        return "No control applies, so there is nothing to draw: put a framework in scope first."
    bare = lone.filter(pl.col("kind") == "control").height
    parts = []
    if points.height:
        first = points.row(0, named=True)
        alone = count(first["requirements_alone"], "requirement")
        parts.append(
            f"{count(points.height, 'source')} of evidence {'is' if points.height == 1 else 'are'} a single point of "
            f"failure: begin with {inside(first['label'])}, on which {alone} rest alone"
        )
    if bare:
        parts.append(f"{count(bare, 'control has', 'controls have')} neither a source of evidence nor a policy")
    if loops.height:
        parts.append(f"{count(loops.height, 'loop')} of systems that depend on each other")
    if parts:
        return f"{'; '.join(parts)}."
    return f"No single point of failure, loop or bare control among {count(controls.height, 'control')}."


REPORT = Report(
    name="control-graph",
    title="Control graph",
    description="Controls, requirements, systems, vendors, policies and sources of evidence, and what fails with what.",
    build=build,
    parameters=(VIEW,),
)
