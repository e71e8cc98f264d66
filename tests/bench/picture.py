"""How cost grows, as a picture: both axes in powers of ten, so that what grows as its size does is a straight diagonal."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from tests.bench.table import Point

WIDTH, HEIGHT, LEFT, TOP, BETWEEN = 420, 300, 56, 34, 250
COLOURS = ("#2f5d8a", "#b3541e", "#3f7d4e", "#7a4b8c", "#8a6d1f", "#4a4a4a")


def picture(points: Sequence[Point]) -> str:
    """An SVG with a panel for each thing that there are more and more of."""
    panels = list(dict.fromkeys(point.of for point in points))
    width = max(1, len(panels)) * (WIDTH + BETWEEN) + LEFT
    drawn = [
        _panel([point for point in points if point.of == of], of, LEFT + number * (WIDTH + BETWEEN))
        for number, of in enumerate(panels)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT + 90}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="How cost grows"><rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _panel(points: Sequence[Point], of: str, left: int) -> str:
    sizes = [log10(point.size) for point in points]
    costs = [log10(point.seconds) for point in points]
    low, high = floor(min(costs)), max(ceil(max(costs)), floor(min(costs)) + 1)
    first, last = min(sizes), max(max(sizes), min(sizes) + 1)

    def at(size: float, cost: float) -> tuple[float, float]:
        return left + WIDTH * (size - first) / (last - first), TOP + HEIGHT * (high - cost) / (high - low)

    lines = [f'<text x="{left}" y="18" font-weight="bold">seconds by {escape(of)}</text>']
    for power in range(low, high + 1):
        _, y = at(first, power)
        lines.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for size in sorted({point.size for point in points}):
        x, _ = at(log10(size), low)
        lines.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{size:,}</text>')
    ends = []
    for colour, what in zip(COLOURS, dict.fromkeys(point.what for point in points), strict=False):
        own = [at(log10(point.size), log10(point.seconds)) for point in points if point.what == what]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in own]
        ends.append((own[-1][1], colour, what))
    below = 0.0
    for y, colour, what in sorted(ends):
        below = max(y + 4, below + 15)
        lines.append(f'<text x="{left + WIDTH + 10}" y="{below:.1f}" fill="{colour}">{escape(what)}</text>')
    return "\n".join(lines)
