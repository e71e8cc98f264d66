"""What every control rests on and what rests on it: single points of failure, loops, and controls without support."""

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.graph import graph_picture
from reports.programme.graph.graph_figures import RELATIONS
from reports.programme.graph.graph_nodes import LEAST_ALONE, node_measures, rings
from reports.shared import setup
from reports.shared.packs import pack_name
from reports.shared.wording import count, sentence

VIEWS = ("all", "findings", "nodes", "edges")
VIEW = Parameter(
    "view",
    "all",
    "findings: without the graph itself; nodes, edges: one table alone, as CSV ready for Gephi or yEd",
    choices=VIEWS,
)
LABELS = {
    "controls": "Controls that it evidences",
    "requirements_alone": "With no other source",
    "members": "Systems",
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
}


def build(control_status: pl.DataFrame, graph_edges: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    nodes, loops = figures.rows(node_measures), figures.rows(rings)
    sources = nodes.filter(pl.col("kind") == "evidence_source").sort(
        "requirements_alone", "requirements_at_risk", "node", descending=[True, True, False]
    )
    points = sources.filter(pl.col("requirements_alone") >= LEAST_ALONE)
    controls = nodes.filter(pl.col("kind") == "control").sort("requirements_at_risk", "node", descending=[True, False])
    graph = (_nodes(nodes), _edges(graph_edges))
    points = points.join(_owners(graph_edges, control_status), on="node", how="left", maintain_order="left")
    findings = _findings(points, controls, sources, nodes, loops, ask)
    tables = {"all": (*findings, *graph), "findings": findings, "nodes": graph[:1], "edges": graph[1:]}
    return Document(
        *_opening(points, controls, figures),
        tables=tables[str(ask.options.get("view") or "all")],
        coverage=Coverage(controls.height - figures["controls_without_source"], controls.height, "with a source"),
        charts=_charts(points) if ask.word(VIEW) in VIEWS[:2] else (),
        pictures=graph_picture.picture(points, controls, graph_edges) if ask.word(VIEW) in VIEWS[:2] else (),
        definitions=DEFINITIONS,
        footnotes=("For Gephi or yEd take the CSV of view=nodes and that of view=edges.",),
    )


def _findings(
    points: pl.DataFrame,
    controls: pl.DataFrame,
    sources: pl.DataFrame,
    nodes: pl.DataFrame,
    loops: pl.DataFrame,
    ask: Ask,
) -> tuple[Table, ...]:
    fed = ("label", "requirements_alone", "controls", "requirements_at_risk", "node")
    orphans = nodes.filter(pl.col("why").is_not_null()).sort("kind", "node")
    others = nodes.filter(pl.col("kind").is_in(["system", "vendor", "policy"]), pl.col("requirements_at_risk") > 0)
    return (
        Table(
            "single_points_of_failure",
            "Single points of failure",
            points.select(
                "label", "requirements_alone", "owner", "controls", "frameworks", "requirements_at_risk", "node"
            ),
            note="Give what rests on each a second, independent source of evidence. Owner: who owns most of it.",
            labels=LABELS,
            hidden=("node",),
            part_of=("sources",),
        ),
        Table("cycles", "Systems that depend on each other in a circle", loops, labels=LABELS, hidden=("size",)),
        Table(
            "orphans",
            "Without support or tie: controls, systems, vendors and policies",
            orphans.select("label", "kind", "why", "state", "node"),
            labels=LABELS,
            state=("state",),
            words=("kind",),
            hidden=("node",),
        ),
        Table(
            "supports",
            "Systems, vendors and policies by what fails with them",
            others.sort("requirements_at_risk", "node", descending=[True, False]).select(
                "label", "kind", "controls_at_risk", "requirements_at_risk", "node"
            ),
            words=("kind",),
            hidden=("node",),
        ),
        Table("sources", "Sources of evidence", sources.select(*fed), labels=LABELS, hidden=("node",)),
        Table(
            "controls",
            "Every control, those with most at risk first",
            controls.select(
                *(pack_name(ask).alias("framework_name"), "label", "state", "sources", "policies"),
                *("requirements_at_risk", "vendors", "systems", "node", "framework"),
            ),
            state=("state",),
            hidden=("node", "framework", "vendors", "systems"),
        ),
    )


def _nodes(nodes: pl.DataFrame) -> Table:
    frame = nodes.select("kind", "label", "framework", "state", "requirements_at_risk", id="node").sort("id")
    return Table("nodes", "Nodes", frame.select("id", pl.exclude("id")), words=("kind", "state"))


def _edges(edges: pl.DataFrame) -> Table:
    frame = edges.select("source", "target", "relation", type=pl.lit("Directed")).sort("source", "relation", "target")
    return Table("edges", "Edges", frame, words=("relation",), hidden=("type",))


def _owners(edges: pl.DataFrame, control_status: pl.DataFrame) -> pl.DataFrame:
    """Of each source who owns most of the controls that rest on it alone, and how many."""
    alone = edges.filter(pl.col("relation") == "evidences").filter(pl.len().over("target") == 1)
    node = pl.format("control:{}:{}", "framework", "control_id")
    owned = control_status.select("owner", target=node).drop_nulls("owner")
    return (
        alone.join(owned, on="target")
        .group_by(pl.col("source").alias("node"), "owner")
        .agg(owned=pl.len().cast(pl.Int64))
        .sort("node", "owned", "owner", descending=[False, True, False])
        .unique("node", keep="first", maintain_order=True)
    )


def _charts(points: pl.DataFrame) -> list[Chart]:
    """What rests on each single point, the most first."""
    if points.is_empty():
        return []
    alt = "Requirements that rest on each single point of failure alone."
    bars = points.select("label", "requirements_alone")
    return [Chart("bars", "Requirements with no other source", bars, "label", "requirements_alone", alt)]


def _opening(points: pl.DataFrame, controls: pl.DataFrame, figures: Figures) -> Opening:
    if controls.is_empty():
        return Opening("No control applies, so there is nothing to draw.", setup.IN_SCOPE)
    number, bare, loops = (
        figures[name] for name in ("single_points_of_failure", "controls_unsupported", "graph_loops")
    )
    without = figures["controls_without_source"]
    parts, steps = [], []
    if number:
        first = points.row(0, named=True)
        alone = count(first["requirements_alone"], "requirement")
        are = "is a single point of failure" if number == 1 else "are single points of failure"
        parts.append(f"{count(number, 'source')} of evidence {are}")
        rest = "rests" if first["requirements_alone"] == 1 else "rest"
        owner = f" (with {first['owner']}, who owns {first['owned']:,} of them)" if first["owner"] else ""
        steps.append(
            f"Find a second source of evidence beside “{first['label']}”, on which {alone} {rest} alone{owner}."
        )
    if bare:
        parts.append(f"{count(bare, 'control has', 'controls have')} neither a source of evidence nor a policy")
        steps.append(f"Give {'it' if bare == 1 else 'them'} a source of evidence first.")
    elif without:
        parts.append(f"{count(without, 'control rests', 'controls rest')} on policies alone, without any source")
        steps.append(f"Find a source of evidence for {'it' if without == 1 else 'them'}.")
    if loops:
        there = "there is" if loops == 1 else "there are"
        parts.append(f"{there} {count(loops, 'circle')} of systems that depend on each other")
        steps.append("Break the circles, so that no outage comes back to where it began.")
    if not parts:
        return Opening(f"No single point of failure, circle or bare control among {count(controls.height, 'control')}.")
    return Opening(sentence(f"{'; '.join(parts[:2])}."), steps[0])


REPORT = Report(
    name="control-graph",
    title="Control graph",
    description="Controls, requirements, systems, vendors, policies and sources of evidence, and what fails with what.",
    build=build,
    figures=select(
        *("single_points_of_failure", "controls_unsupported", "controls_without_source", "controls_with_one_source"),
        *("graph_orphans", "graph_loops", "controls_applicable", "graph_node_count", "graph_edge_count"),
        *(f"graph_{relation}_edges" for relation in RELATIONS),
    ),
    parameters=(VIEW,),
    schema_version=2,
    evidence_dates=False,
)
