"""The key figures of a page: six at most with what changed, the others behind a disclosure, pairs as one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model.documents.document import Document
from engine.model.documents.tones import Tone
from engine.model.entities import HASHED_COLUMNS
from engine.model.vocabulary import Better
from engine.render import words

MOST = 6  # figures that a reader takes in at a glance
SHORT = 22  # characters of a figure that needs no broader field
THEN = "scenario_"  # what a figure would be, beside what it is


@dataclass(frozen=True)
class KeyFigure:
    """A figure as people read it; ``change`` is its movement since the day before that the report compares with."""

    name: str
    title: str
    content: object
    tone: Tone | None = None
    change: str = ""
    change_tone: Tone | None = None


@dataclass(frozen=True)
class FigurePair:
    """A figure as it is and as it would be."""

    title: str
    now: str
    then: str
    change: str
    tone: Tone | None


@dataclass(frozen=True)
class KeyFigures:
    """What stands at once, what stands behind a disclosure, and what is compared."""

    first: Sequence[KeyFigure]
    rest: Sequence[KeyFigure]
    pairs: Sequence[FigurePair]


def key_figures(document: Document) -> KeyFigures:
    """The figures of a document, those that judge before those that only count, each in the order of its summary."""
    shown = {name: one for name, one in words.figures(document).items() if name not in HASHED_COLUMNS}
    pairs = {name for name in shown if f"{THEN}{name}" in shown}
    compared = [_pair(document, name, shown) for name in shown if name in pairs]
    shown = {name: one for name, one in shown.items() if name.removeprefix(THEN) not in pairs}
    changes = {name: change for name in shown if (change := _change_of(name, shown))}
    figures = [
        _figure(document, name, content, changes.get(name, ""))
        for name, content in shown.items()
        if name not in changes.values()
    ]
    order = sorted(figures, key=lambda figure: (_is_last(document, figure), figures.index(figure)))
    first = [figure for figure in order if figure.content is not None and _is_short(figure)][:MOST]
    return KeyFigures(first, [figure for figure in figures if figure not in first], compared)


def _figure(document: Document, name: str, content: object, change: str) -> KeyFigure:
    better = document.better.get(name, "neither")
    moved = document.summary.get(change)
    return KeyFigure(
        name,
        _title(document, name),
        content,
        _tone(document.summary[name], better, document.units.get(name, "")),
        _with_sign(moved, document.units.get(change) or "points") if isinstance(moved, int | float) else "",
        _movement(moved, better) if isinstance(moved, int | float) else None,
    )


def _title(document: Document, name: str) -> str:
    return document.titles.get(name) or words.label(name)


def _tone(value: object, better: Better, unit: str) -> Tone | None:
    """Good where there is nothing left of what should not be, or all of what should; watch where there is some."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if better == "less":
        return "watch" if value else "good"
    return "good" if better == "more" and unit == "percent" and value >= 100 else None


def _movement(change: float, better: Better) -> Tone | None:
    if not change or better == "neither":
        return None
    return "good" if (change > 0) == (better == "more") else "bad"


def _with_sign(change: float, unit: str) -> str:
    return f"{'+' if change > 0 else ''}{words.in_unit(change, 'points' if unit == 'percent' else unit)}"


def _change_of(name: str, shown: Mapping[str, object]) -> str:
    """The figure that says how another has changed: ``posture_change`` of ``posture_score``; empty without one."""
    stem = name.removesuffix("_pct").removesuffix("_score")
    return f"{stem}_change" if f"{stem}_change" in shown else ""


def _is_last(document: Document, figure: KeyFigure) -> bool:
    """Whether a figure says nothing of how it should be, or is one of another day."""
    return document.better.get(figure.name, "neither") == "neither" or "_before" in figure.name


def _is_short(figure: KeyFigure) -> bool:
    content = figure.content
    if isinstance(content, dict | list):
        return False
    return len(words.value(figure.name, content)) <= SHORT


def _pair(document: Document, name: str, shown: Mapping[str, object]) -> FigurePair:
    now, then = document.summary[name], document.summary[f"{THEN}{name}"]
    before, after = words.value(name, shown[name]), words.value(name, shown[f"{THEN}{name}"])
    if isinstance(now, bool) or not isinstance(now, int | float) or not isinstance(then, int | float) or now == then:
        return FigurePair(_title(document, name), before, after, "", None)
    moved = round(then - now, 2)
    unit = document.units.get(name, "")
    change, tone = _with_sign(moved, unit), _movement(moved, document.better.get(name, "neither"))
    return FigurePair(_title(document, name), before, after, change, tone)
