"""Figures and how they are printed."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """What was measured, beside what; ``ratio``: how many times as fast ours is."""

    what: str
    ours: str
    baseline: str = ""
    theirs: str = ""
    ratio: float | None = None
    peak_mb: float | None = None


@dataclass(frozen=True)
class Point:
    """What something cost at one size. ``of``: what there are so many of; ``peak_mb``: the most memory meanwhile."""

    what: str
    of: str
    size: int
    seconds: float
    peak_mb: float


def table_text(figures: Sequence[Figure]) -> str:
    """A Markdown table of figures."""
    head = ("what", "measured", "baseline", "measured", "ratio", "peak memory")
    rows = [
        (
            figure.what,
            figure.ours,
            figure.baseline,
            figure.theirs,
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            "" if figure.peak_mb is None else f"{figure.peak_mb:,.0f} MB",
        )
        for figure in figures
    ]
    return align([head, *rows])


def growth_text(points: Sequence[Point]) -> str:
    """A Markdown table of points: a line for each thing, its sizes beside each other."""
    sizes = sorted({point.size for point in points})
    head = (points[0].of, *(f"{size:,}" for size in sizes), "peak memory")
    rows = []
    for what in dict.fromkeys(point.what for point in points):
        own = {point.size: point for point in points if point.what == what}
        peaks = " / ".join(f"{own[size].peak_mb:,.0f}" for size in sizes if size in own)
        rows.append((what, *(_seconds(own[size].seconds) if size in own else "" for size in sizes), f"{peaks} MB"))
    return align([head, *rows])


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def align(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table to be read as it is; the first is its head."""
    head, *body = rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = [head, tuple("-" * width for width in widths), *body]
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
    )
