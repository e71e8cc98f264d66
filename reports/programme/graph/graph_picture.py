"""The part of the graph to look at: single points of failure and controls that rest on them alone."""

import polars as pl

from engine.model.documents.pictures import GraphPicture, GraphPoint
from engine.model.documents.tones import Tone
from reports.shared.wording import count_of

POINTS, OF_EACH = 9, 3  # sources, and controls of each, that are drawn
SOURCE: tuple[str, Tone] = ("source of evidence", "main")
STATES: dict[str, tuple[str, Tone]] = {
    "effective": ("effective control", "good"),
    "partial": ("partial", "watch"),
    "stale": ("stale", "stale"),
    "ineffective": ("ineffective", "bad"),
    "no_data": ("no data", "unknown"),
}


def picture(points: pl.DataFrame, controls: pl.DataFrame, edges: pl.DataFrame) -> list[GraphPicture]:
    """The single points of failure beside the controls that have no other source; none without any."""
    held = points.head(POINTS)
    evidenced = edges.filter(pl.col("relation") == "evidences").filter(pl.len().over("target") == 1)
    alone = evidenced.filter(pl.col("source").is_in(held["node"].implode()))
    bare = controls.join(alone.select(node="target", source="source"), on="node").sort(
        "source", "requirements_at_risk", "node", descending=[False, True, False]
    )
    shown = bare.group_by("source", maintain_order=True).head(OF_EACH).sort("source", "node")
    if shown.is_empty():
        return []
    left = [
        GraphPoint(row["node"], row["label"], 0, SOURCE[1], row["requirements_at_risk"])
        for row in held.iter_rows(named=True)
    ]
    right = [
        GraphPoint(
            row["node"], row["label"], 1, STATES.get(row["state"], STATES["no_data"])[1], row["requirements_at_risk"]
        )
        for row in shown.iter_rows(named=True)
    ]
    drawn = {node.tone for node in (*left, *right)}
    legend = {name: tone for name, tone in (SOURCE, *STATES.values()) if tone in drawn}
    rest = f", the first {OF_EACH} of each" if bare.height > shown.height else ""
    return [
        GraphPicture(
            "What rests on one source alone",
            f"{count_of(len(left), 'source')} of evidence, {count_of(bare.height, 'control')} without any other{rest}.",
            [*left, *right],
            shown.select("source", "node").rows(),
            legend,
        )
    ]
