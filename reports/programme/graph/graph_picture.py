"""The part of the graph that carries most, to look at: the most loaded nodes and the controls that they touch."""

import polars as pl

from engine.model.documents.pictures import GraphPicture, GraphPoint
from engine.model.documents.tones import Tone
from reports.shared.wording import count

LOADED, NEIGHBOURS = 20, 26
KINDS: dict[str, tuple[str, Tone]] = {
    "evidence_source": ("evidence source", "main"),
    "vendor": ("vendor", "second"),
    "system": ("system", "third"),
    "policy": ("policy", "neutral"),
}
STATES: dict[str, tuple[str, Tone]] = {
    "effective": ("effective control", "good"),
    "partial": ("partial", "watch"),
    "stale": ("stale", "stale"),
    "ineffective": ("ineffective", "bad"),
    "no_data": ("no data", "unknown"),
}


def picture(nodes: pl.DataFrame, edges: pl.DataFrame) -> list[GraphPicture]:
    """The nodes with which most requirements fail, beside the controls that most of them touch; none without edges."""
    supports = nodes.filter(pl.col("kind").is_in(list(KINDS)), pl.col("requirements_at_risk") > 0)
    loaded = supports.sort("requirements_at_risk", "node", descending=[True, False]).head(LOADED)
    controls = nodes.filter(pl.col("kind") == "control")
    pairs = _pairs(edges, set(loaded["node"]), set(controls["node"]))
    touched = _linked_controls(pairs, controls)
    frame = touched.head(NEIGHBOURS)
    kept = set(frame["node"])
    found = [pair for pair in pairs if pair[1] in kept]
    if not found:
        return []
    left = [
        GraphPoint(row["node"], row["label"], 0, KINDS[row["kind"]][1], row["requirements_at_risk"])
        for row in loaded.iter_rows(named=True)
        if any(source == row["node"] for source, _ in found)
    ]
    right = [
        GraphPoint(
            row["node"], row["label"], 1, STATES.get(row["state"], STATES["no_data"])[1], row["requirements_at_risk"]
        )
        for row in frame.iter_rows(named=True)
    ]
    drawn = {node.tone for node in (*left, *right)}
    legend = {name: tone for name, tone in (*KINDS.values(), *STATES.values()) if tone in drawn}
    rest = f", of {touched.height:,}" if touched.height > frame.height else ""
    return [
        GraphPicture(
            "What carries most",
            f"The {count(len(left), 'node')} with which most requirements fail, and the "
            f"{count(len(right), 'control')} that most of them support{rest}; "
            "larger where more requirements are at risk.",
            [*left, *right],
            found,
            legend,
        )
    ]


def _pairs(edges: pl.DataFrame, loaded: set[str], controls: set[str]) -> list[tuple[str, str]]:
    """Edges between both layers, whichever way they point, each once."""
    found = set()
    for source, target in edges.select("source", "target").iter_rows():
        if source in loaded and target in controls:
            found.add((source, target))
        elif target in loaded and source in controls:
            found.add((target, source))
    return sorted(found)


def _linked_controls(pairs: list[tuple[str, str]], controls: pl.DataFrame) -> pl.DataFrame:
    links = pl.DataFrame({"node": [target for _, target in pairs]}, schema={"node": pl.String})
    counts = links.group_by("node").agg(links=pl.len())
    return controls.join(counts, on="node").sort(
        "links", "requirements_at_risk", "node", descending=[True, True, False]
    )
