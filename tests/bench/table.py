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


def printed(figures: Sequence[Figure]) -> str:
    """A Markdown table, aligned to be read as it is."""
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
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [head, tuple("-" * width for width in widths), *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
    )
