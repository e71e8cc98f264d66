"""What the bench measured last, part by part: kept as JSON, shown as a page with a picture."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from tests.bench.picture import picture
from tests.bench.table import Figure, Point, growth_text, table_text
from tests.bench.targets import misses, target_of

DOCS = Path(__file__).parents[2] / "docs"
KEPT, PAGE, PICTURE = DOCS / "performance.json", DOCS / "performance.md", DOCS / "performance.svg"


@dataclass(frozen=True)
class Part:
    """What one part of the bench measured, and when, on what."""

    measured_on: date
    machine: str
    figures: tuple[Figure, ...] = ()
    points: tuple[Point, ...] = ()


Results = dict[str, Part]


def read() -> Results:
    """What is kept; nothing where nothing was ever measured."""
    return msgspec.json.decode(KEPT.read_bytes(), type=Results) if KEPT.exists() else {}


def keep(results: Results) -> None:
    """Write results, page and picture."""
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    PAGE.write_text(page(results))
    PICTURE.write_text(picture([point for part in results.values() for point in part.points]))


def page(results: Results) -> str:
    """The page in Markdown."""
    lines = [
        "# Performance",
        "",
        "`make bench` measures these figures and writes this page. A ratio says how many times as fast as its baseline in",
        "the same run on the same machine: it travels, the seconds do not. Where a target is missed by more than a tenth,",
        "`make bench` ends with 1 and names it. `python -m tests.bench --part NAME` measures one part anew.",
        "",
    ]
    for name, part in results.items():
        if part.figures:
            lines += [f"## {name.capitalize()}", "", _when(part), "", table_text(part.figures), "", *_targets(part)]
    points = [(name, part) for name, part in results.items() if part.points]
    if points:
        lines += ["## Growth", "", "![How cost grows with events and with organizations](performance.svg)", ""]
    for _, part in points:
        lines += [_when(part), "", growth_text(part.points), ""]
    return "\n".join(lines).rstrip() + "\n"


def _when(part: Part) -> str:
    return f"{part.machine}, {part.measured_on.day} {part.measured_on:%B %Y}."


def _targets(part: Part) -> list[str]:
    aimed = [(figure, target) for figure in part.figures if (target := target_of(figure)) is not None]
    if not aimed:
        return []
    worse = misses(part.figures)
    told = [f"Targets: {'; '.join(dict.fromkeys(target.words for _, target in aimed))}."]
    return [*told, *([f"Missed by more than a tenth: {'; '.join(worse)}."] if worse else []), ""]
