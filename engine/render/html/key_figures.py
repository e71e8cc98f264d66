"""The key figures of a page: six at most with what changed, the others behind a disclosure, pairs as one table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.model.documents.document import Document
from engine.model.documents.tones import Tone
from engine.model.entities import HASHED_COLUMNS
from engine.model.vocabulary import Better
from engine.render import words

MOST = 6  # figures that a reader takes in at a glance
SHORT = 22  # characters of a figure that needs no broader field
AROUND = 45  # characters of a headline that say what a number is of
_NO_FIGURE = re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4}|(?:[A-Z]{2,}|Article) \d+")  # 27 Nov 2026, SOC 2, Article 32
_NUMBER = re.compile(r"(?<![\w.,])(-?\d[\d,]*(?:\.\d+)?)(?![\w-]|[.,]\d)(\s?(?:%|hours?|days?))?")
# what waits for somebody already, by identifiers of figures
_URGENT = re.compile(
    r"overdue|_passed$|_rejected$|_flow_(?:unencrypted|without_agreement)$|expired|breached|_breaches_(?!warning)"
    r"|_critical|_items_late$|without_(?:authority|response)$"
    r"|_hash_mismatch$|_not_whole$|_failed_last$|_lapsed$"  # a window that was missed is over: the next one is due
)
ECHOED = ("horizon_weeks", "trend_weeks", "template", "sheet")  # say what was asked
WEEK = "_week_change"  # ends the name of what moved since the same day of the week before


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
    founded: bool = True  # whether anything is on record for one of them


def key_figures(document: Document) -> KeyFigures:
    """The figures of a document: those of its headline, then those that something is wrong with, then what counts.

    Each in the order of the summary; zeros, good or not, and what is of another day come last.
    """
    shown = {name: one for name, one in words.figures_to_show(document).items() if name not in HASHED_COLUMNS}
    pairs = {name for name in shown if f"{words.THEN}{name}" in shown}
    compared = [_pair(document, name, shown) for name in shown if name in pairs]
    if any(pair.now != pair.then for pair in compared):
        shown = {name: one for name, one in shown.items() if name.removeprefix(words.THEN) not in pairs}
    else:  # nothing is other than it is: what is, once
        compared, twins = [], {f"{words.THEN}{name}" for name in pairs}
        shown = {name: one for name, one in shown.items() if name not in twins}
    changes = {name: change for name in shown if (change := _change_of(name, shown))}
    figures = [
        _figure(document, name, content, changes.get(name, ""))
        for name, content in shown.items()
        if name not in changes.values()
    ]
    said = _headline_places(document, figures)
    order = sorted(figures, key=lambda figure: (said.get(figure.name, _place(document, figure)), figures.index(figure)))
    first = [figure for figure in order if figure.content is not None and _is_short(figure)]
    if document.foremost:
        first = [figure for name in document.foremost for figure in figures if figure.name == name]
    first = [figure for figure in first if figure.name not in document.unfounded][:MOST]
    founded = any(figure.name not in document.unfounded for figure in figures)
    return KeyFigures(first, [figure for figure in figures if figure not in first], compared, founded)


def _figure(document: Document, name: str, content: object, change: str) -> KeyFigure:
    better = document.better.get(name, "neither")
    tone = _tone(name, document.summary[name], better, document.units.get(name, ""))
    if tone == "good" and document.coverage is not None and not document.coverage.total:
        tone = None  # nothing was in scope, so that nothing is missing is no merit
    if name in document.unfounded:
        tone = None  # nor where nothing is on record
    moved = document.summary.get(change)
    return KeyFigure(
        name,
        _title(document, name),
        content,
        tone,
        _change_text(moved, document.units.get(change) or "points", change) if isinstance(moved, int | float) else "",
        _movement(moved, better) if isinstance(moved, int | float) else None,
    )


def _title(document: Document, name: str) -> str:
    return document.titles.get(name) or words.label(name)


def _tone(name: str, value: object, better: Better, unit: str) -> Tone | None:
    """Good where there is nothing left of what should not be, or all of what should; watch where there is some of the
    former, or nothing of the latter.

    Bad is what waits for somebody already: past its day, critical, changed, with somebody who has left.
    """
    if name in words.OF_COLUMN:
        return words.tone(value, name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if better == "less":
        return "good" if not value else "bad" if _URGENT.search(name) else "watch"
    if better == "more" and unit == "percent":
        return "good" if value >= 100 else "watch" if value <= 0 else None
    return None


def _movement(change: float, better: Better) -> Tone | None:
    if not change or better == "neither":
        return None
    return "good" if (change > 0) == (better == "more") else "bad"


def _change_text(moved: float, unit: str, change: str) -> str:
    if change.endswith(WEEK):
        return f"{_with_sign(moved, unit)} in a week" if moved else "as a week ago"
    return _with_sign(moved, unit)


def _with_sign(change: float, unit: str) -> str:
    return f"{'+' if change > 0 else ''}{words.in_unit(change, 'points' if unit == 'percent' else unit)}"


def _change_of(name: str, shown: Mapping[str, object]) -> str:
    """The figure that says how another has changed: ``posture_change`` of ``posture_score``; empty without one.

    In a week, where that is known.
    """
    stem = name.removesuffix("_pct").removesuffix("_score")
    changes = [change for change in (f"{stem}{WEEK}", f"{stem}_change") if change in shown]
    known = [change for change in changes if shown[change] is not None]
    return next(iter([*known, *changes]), "")


@dataclass(frozen=True)
class _Statement:
    """A number that a headline states: where, what of, and the words around it."""

    at: int
    number: float
    unit: str  # the word behind it where that is one
    around: frozenset[str]

    def is_of(self, value: float, unit: str) -> bool:
        """Whether a figure could be what is stated: hours are said to the quarter, points without their word too."""
        near = 0.125 if unit == "hours" else 0.005
        named = unit if unit in ("percent", "hours", "days") else ""
        return abs(self.number - value) <= near and self.unit == named


def _headline_places(document: Document, figures: Sequence[KeyFigure]) -> Mapping[str, float]:
    """The figures that the headline states, from 0 by where they stand in it; each number stands for one of them."""
    places: dict[str, float] = {}
    for statement in _statements(document.headline):
        possible = [
            figure
            for figure in figures
            if figure.name not in places and _may_be(statement, document.summary[figure.name], figure, document)
        ]
        if possible:
            figure = max(possible, key=lambda one: len(statement.around & _words(one.title)))
            places[figure.name] = statement.at / (len(document.headline) + 1)
    return places


def _statements(headline: str) -> Iterator[_Statement]:
    text = _NO_FIGURE.sub(lambda found: " " * len(found[0]), headline)
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        behind = (match[2] or "").strip()
        unit = {"%": "percent", "hour": "hours", "day": "days"}.get(behind.removesuffix("s"), "")
        around = _words(text[max(0, start - AROUND) : end + AROUND])
        yield _Statement(start, float(match[1].replace(",", "")), unit, around)


def _may_be(statement: _Statement, value: object, figure: KeyFigure, document: Document) -> bool:
    unit = document.units.get(figure.name, "")
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or figure.name in ECHOED
        or "_before" in figure.name
    ):
        return False
    return statement.is_of(value, unit)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{3,}", text.lower()))


def _place(document: Document, figure: KeyFigure) -> int:
    """1 of what judges and is not as it should be, 2 of what only counts, 3 of good zeros, 4 of the rest."""
    value, better = document.summary[figure.name], document.better.get(figure.name, "neither")
    if figure.name in ECHOED or "_before" in figure.name:
        return 4
    if better == "neither":
        return 4 if value == 0 and not isinstance(value, bool) else 2
    return 3 if figure.tone == "good" and not value else 1


def _is_short(figure: KeyFigure) -> bool:
    content = figure.content
    if isinstance(content, dict | list):
        return False
    return len(words.value(figure.name, content)) <= SHORT


def _pair(document: Document, name: str, shown: Mapping[str, object]) -> FigurePair:
    now, then = document.summary[name], document.summary[f"{words.THEN}{name}"]
    before, after = words.value(name, shown[name]), words.value(name, shown[f"{words.THEN}{name}"])
    if isinstance(now, bool) or not isinstance(now, int | float) or not isinstance(then, int | float) or now == then:
        return FigurePair(_title(document, name), before, after, "", None)
    moved = round(then - now, 2)
    unit = document.units.get(name, "")
    change, tone = _with_sign(moved, unit), _movement(moved, document.better.get(name, "neither"))
    return FigurePair(_title(document, name), before, after, change, tone)
