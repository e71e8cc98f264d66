"""The nodes of the graph of controls with what fails when they fail, its loops and its orphans."""

import polars as pl

from reports.programme.graph.graph_walk import adjacency, components, reach

LEAST_ALONE = 5  # requirements that rest on one source alone before it is a single point of failure
AGAINST = ("depends_on", "inherits")  # failure spreads against these edges
WHY = {
    "control": "neither a source of evidence nor a policy",
    "policy": "supports no control in scope",
    "vendor": "no control is inherited from it",
    "system": "no system depends on it and it depends on none",
}


def node_measures(graph_nodes: pl.DataFrame, graph_edges: pl.DataFrame) -> pl.DataFrame:
    """Nodes with counts of what they reach and of what supports them; ``why`` says what an orphan misses."""
    nodes, edges = graph_nodes, graph_edges
    keys = nodes.sort("node").with_row_index("number")
    bits = _reach_counts(keys, edges)
    frame = keys.with_columns(
        requirements_at_risk=pl.Series([bit[0] for bit in bits], dtype=pl.Int64),
        controls_at_risk=pl.Series([found[1] for found in bits], dtype=pl.Int64),
    )
    for name, parts in _degrees(nodes, edges).items():
        frame = frame.join(parts, on="node", how="left").with_columns(pl.col(name).fill_null(0))
    return (
        frame.join(_alone(nodes, edges), on="node", how="left")
        .with_columns(
            pl.col("requirements_alone").fill_null(0),
            pl.col("frameworks").fill_null([]),
            why=pl.when(_orphan()).then(pl.col("kind").replace_strict(WHY, default=None, return_dtype=pl.String)),
        )
        .drop("number")
        .sort("node")
    )


def _reach_counts(keys: pl.DataFrame, edges: pl.DataFrame) -> list[tuple[int, int]]:
    """Requirements and controls that each node reaches, a control not counting itself."""
    requirement = (keys["kind"] == "requirement").to_list()
    control = (keys["kind"] == "control").to_list()
    graph = adjacency(keys.height, _spread(keys, edges))
    marks = [1 << number if requirement[number] or control[number] else 0 for number in range(keys.height)]
    wanted = sum(mark for mark, is_one in zip(marks, requirement, strict=True) if is_one)
    others = sum(mark for mark, is_one in zip(marks, control, strict=True) if is_one)
    return [
        ((found & wanted).bit_count() - requirement[number], (found & others).bit_count() - control[number])
        for number, found in enumerate(reach(graph, marks))
    ]


def _spread(keys: pl.DataFrame, edges: pl.DataFrame) -> list[tuple[int, int]]:
    """Edges in the direction in which failure spreads, as pairs of row numbers."""
    against = pl.col("relation").is_in(AGAINST)
    numbered = edges.select(
        cause=pl.when(against).then("target").otherwise("source"),
        effect=pl.when(against).then("source").otherwise("target"),
    )
    number = keys.select("node", "number")
    pairs = numbered.join(number, left_on="cause", right_on="node").join(
        number, left_on="effect", right_on="node", suffix="_effect"
    )
    return pairs.select("number", "number_effect").sort("number", "number_effect").rows()


def _degrees(nodes: pl.DataFrame, edges: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """What supports each control by kind, what a source feeds, and all edges of a node."""
    into = edges.filter(pl.col("target").str.starts_with("control:"))
    out = edges.filter(pl.col("source").str.starts_with("control:"))
    every = edges.unpivot(["source", "target"], value_name="node")
    return {
        "sources": _number(into.filter(pl.col("relation") == "evidences"), "target", "sources"),
        "policies": _number(into.filter(pl.col("relation") == "implements"), "target", "policies"),
        "vendors": _number(out.filter(pl.col("relation") == "inherits"), "source", "vendors"),
        "systems": _number(out.filter(pl.col("relation") == "depends_on"), "source", "systems"),
        "controls": _number(edges.filter(pl.col("relation") == "evidences"), "source", "controls"),
        "edges": _number(every, "node", "edges"),
    }


def _number(edges: pl.DataFrame, node: str, name: str) -> pl.DataFrame:
    return edges.group_by(pl.col(node).alias("node")).agg(pl.len().cast(pl.Int64).alias(name))


def _alone(nodes: pl.DataFrame, edges: pl.DataFrame) -> pl.DataFrame:
    """For each source the controls, hence their own requirements, that have no other source."""
    framework = nodes.select(target="node", framework="framework")
    return (
        edges.filter(pl.col("relation") == "evidences")
        .filter(pl.len().over("target") == 1)
        .join(framework, on="target")
        .group_by(node="source")
        .agg(requirements_alone=pl.len().cast(pl.Int64), frameworks=pl.col("framework").unique().sort())
    )


def rings(graph_nodes: pl.DataFrame, graph_edges: pl.DataFrame) -> pl.DataFrame:
    """Loops: components of more than one node, and nodes that lead to themselves; the largest first."""
    keys = graph_nodes.sort("node").with_row_index("number")
    graph = adjacency(keys.height, _spread(keys, graph_edges))
    labels = keys["label"].to_list()
    found = [
        (len(group), [labels[number] for number in group])
        for group in components(graph)
        if len(group) > 1 or group[0] in graph[group[0]]
    ]
    schema: dict[str, pl.DataType] = {"size": pl.Int64(), "members": pl.List(pl.String())}
    return pl.DataFrame(found, schema=schema, orient="row").sort(
        "size", pl.col("members").list.join("; "), descending=[True, False]
    )


def _orphan() -> pl.Expr:
    """Controls that nothing shows or asks for, and other nodes that nothing connects."""
    bare = (pl.col("kind") == "control") & (pl.col("sources") == 0) & (pl.col("policies") == 0)
    return bare | (pl.col("kind").is_in(["policy", "vendor", "system"]) & (pl.col("edges") == 0))
