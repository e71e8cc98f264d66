"""Figures of the graph of controls: its size, what rests on one source alone, its loops and orphans."""

import polars as pl

from engine.model.figures.aggregates import Count
from engine.model.figures.figure import Figure
from reports.programme.graph.graph_nodes import LEAST_ALONE, node_measures, rings

RELATIONS = {
    "implements": "from a control to a requirement, or from a policy to a control",
    "evidences": "from a source of evidence to a control",
    "depends_on": "from a control, system or service to what it depends on",
    "inherits": "from a control to the vendor that carries it",
}
_CONTROL, _SOURCES = pl.col("kind") == "control", pl.col("sources")
_ORPHAN = pl.col("why").is_not_null()
_SINGLE = (pl.col("kind") == "evidence_source") & (pl.col("requirements_alone") >= LEAST_ALONE)
_SHOWN = "{node}: {sources} sources, {policies} policies"

FIGURES = (
    Figure(
        "graph_node_count",
        "Nodes of the graph",
        "count",
        "neither",
        "Applicable controls, requirements, systems, vendors, policies and sources of evidence.",
        "graph_nodes",
        Count(),
        reason="{kind} {node}",
    ),
    Figure(
        "graph_edge_count",
        "Edges of the graph",
        "count",
        "neither",
        "Pairs of nodes of which one implements, evidences, depends on or inherits from the other.",
        "graph_edges",
        Count(),
        reason="{source} {relation} {target}",
    ),
    *(
        Figure(
            f"graph_{relation}_edges",
            f"Edges: {relation.replace('_', ' ')}",
            "count",
            "neither",
            f"Edges {meaning}.",
            "graph_edges",
            Count(),
            pl.col("relation") == relation,
            "{source} {relation} {target}",
        )
        for relation, meaning in RELATIONS.items()
    ),
    Figure(
        "controls_without_source",
        "Controls that no source shows at work",
        "count",
        "less",
        "Applicable controls that no action of the audit log, system of evidence or recurring test ever showed at "
        "work; signatures and policies are no source.",
        node_measures,
        Count(),
        _CONTROL & (_SOURCES == 0),
        _SHOWN,
    ),
    Figure(
        "controls_with_one_source",
        "Controls that rest on one source",
        "count",
        "neither",
        "Applicable controls with exactly one source of evidence.",
        node_measures,
        Count(),
        _CONTROL & (_SOURCES == 1),
        _SHOWN,
    ),
    Figure(
        "controls_unsupported",
        "Controls with neither source nor policy",
        "count",
        "less",
        "Applicable controls with neither a source of evidence nor an accepted policy.",
        node_measures,
        Count(),
        _CONTROL & _ORPHAN,
        _SHOWN,
    ),
    Figure(
        "single_points_of_failure",
        "Single points of failure",
        "count",
        "neither",
        f"Sources of evidence that are the only one of the controls of at least {LEAST_ALONE} requirements.",
        node_measures,
        Count(),
        _SINGLE,
        "{node}: {requirements_alone} requirements rest on it alone",
    ),
    Figure(
        "graph_loops",
        "Circles of systems that depend on each other",
        "count",
        "less",
        "Groups of nodes that all depend on each other, and nodes that depend on themselves.",
        rings,
        Count(),
        reason="{size} nodes: {members}",
    ),
    Figure(
        "graph_orphans",
        "Controls, systems, vendors and policies without support or tie",
        "count",
        "less",
        "Controls without any source of evidence or policy, and policies, vendors or systems without any edge.",
        node_measures,
        Count(),
        _ORPHAN,
        "{node}: {why}",
    ),
)
