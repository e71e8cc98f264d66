"""A graph of two layers: what supports on the left, what rests on it on the right, and the edges between them.

The order within a layer is that of barycentres: each node goes to the mean place of its neighbours, back and forth a
few times, so that edges cross seldom. Nothing is drawn by chance.
"""

import math
from collections.abc import Mapping, Sequence

from engine.model.documents.pictures import GraphPicture, GraphPoint
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.marks import patterns, tone_legend, tone_marks
from engine.render.html.charts.strokes import NARROW, breadth, px

ROW, SWEEPS = 20.0, 6


def draw_graph(picture: GraphPicture, width: int, key: str) -> tuple[str, float]:
    """Labels stand outside of the layers, so that they cover no edge."""
    series_marks = tone_marks([*picture.legend.values(), *(node.tone for node in picture.nodes)], key)
    legend, top = tone_legend(picture.legend, series_marks, width)
    sides = layer_order(picture.nodes, picture.edges)
    height = max(map(len, sides)) * ROW
    longest = 17 if width == NARROW else 36
    shown = [{node.id: _cut(node.label, longest, number) for node in side} for number, side in enumerate(sides)]
    rooms = [max(map(breadth, labels.values()), default=0.0) + 16 for labels in shown]
    columns = (rooms[0], width - rooms[1])
    top += 8
    places = {
        node.id: (columns[side], top + (index + 0.5) * height / len(nodes))
        for side, nodes in enumerate(sides)
        for index, node in enumerate(nodes)
    }
    most = max((node.load for node in picture.nodes), default=1) or 1
    bend = (columns[1] - columns[0]) / 2
    out = [patterns(series_marks), legend]
    for source, target in picture.edges:
        (x1, y1), (x2, y2) = places[source], places[target]
        out.append(
            f'<path d="M{px(x1)} {px(y1)}C{px(x1 + bend)} {px(y1)} {px(x2 - bend)} {px(y2)} {px(x2)} {px(y2)}" '
            f'fill="none" {palette.stroke("edge")} stroke-opacity=".32"/>'
        )
    for side, nodes in enumerate(sides):
        for node in nodes:
            x, y = places[node.id]
            radius = 3 + 5 * math.sqrt(node.load / most)
            out.append(f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(radius)}" {palette.fill(node.tone)}/>')
            label, away = shown[side][node.id], 11 if side else -11
            full = node.label if label != node.label else ""
            out.append(strokes.text(label, x + away, y, "label", "start" if side else "end", full))
    return "".join(out), top + height + 6


def layer_order(
    nodes: Sequence[GraphPoint], edges: Sequence[tuple[str, str]]
) -> tuple[list[GraphPoint], list[GraphPoint]]:
    """Both layers from top to bottom, so that edges cross seldom; the same for the same graph."""
    left = sorted((node for node in nodes if not node.layer), key=lambda node: (-node.load, node.id))
    right = sorted((node for node in nodes if node.layer), key=lambda node: (-node.load, node.id))
    near: dict[str, list[str]] = {node.id: [] for node in nodes}
    for source, target in edges:
        near[source].append(target)
        near[target].append(source)
    for _ in range(SWEEPS):
        right = _by_neighbours(right, _places(left), near)
        left = _by_neighbours(left, _places(right), near)
    return left, right


def _by_neighbours(
    layer: list[GraphPoint], places: Mapping[str, float], near: Mapping[str, Sequence[str]]
) -> list[GraphPoint]:
    own = _places(layer)

    def mean(node: GraphPoint) -> float:
        found = [places[name] for name in near[node.id] if name in places]
        return sum(found) / len(found) if found else own[node.id]

    return sorted(layer, key=lambda node: (round(mean(node), 6), node.id))


def _places(layer: Sequence[GraphPoint]) -> dict[str, float]:
    return {node.id: index / max(1, len(layer)) for index, node in enumerate(layer)}


def _cut(label: str, longest: int, layer: int) -> str:
    """Controls begin with their identifier; what supports them often differs in its last word alone."""
    if len(label) <= longest:
        return label
    if layer:
        return label[: longest - 1] + "…"
    return f"{label[: longest // 2 - 1]}…{label[-longest // 2 :]}"
