"""Figures by their titles: a question that names a figure, and nothing else, gets its value or its meaning."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import figure_route, showing
from engine.copilot.entities import ENTITIES
from engine.copilot.entities.entity import phrases
from engine.copilot.grammar import windows
from engine.copilot.grammar.everyday import is_filler
from engine.copilot.grammar.moments import TimeWindow
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import plain, stem, stems, ways_of_file, words
from engine.model.declarations.ask import PERIOD_DAYS
from engine.model.declarations.report import Report
from engine.model.figures.figure import Figure

# what people call a figure beside its title
ALIASES: Mapping[str, str] = {pattern.pattern: figure for pattern, figure in ways_of_file("figures.txt")}
# what asks how a figure was, not what it is
_HISTORY = r"\b(?:ever|never|highest|lowest|peak|best|worst|went|gone|fell|dropped|rose|trend|history)\b"
# words that are passed over elsewhere, and that turn a title into another
_KEPT = frozenset(
    phrases(
        "without, no, plan, out, not, off, over, under, more, fewer, less, least, than, only, who, whom, whose, "
        "when, where, why, each, every, both, either, same"
    )
)
_PERIOD = ("in the period", "of the period", "before the period")


@dataclass(frozen=True)
class NamedFigure:
    """A figure that a question names, the report that shows it, and the length of the period that it asks for."""

    figure: Figure
    report: str
    period: int | None
    window: TimeWindow | None

    @property
    def query(self) -> Mapping[str, str]:
        """What its route is asked with."""
        return {} if self.period is None else {PERIOD_DAYS.name: str(self.period)}

    @property
    def words(self) -> frozenset[str]:
        """The words of its title and of what else it is called, in the singular and in the plural."""
        called = (self.figure.title, *(sentence for sentence, figure in ALIASES.items() if figure == self.figure.id))
        own = {word for text in called for word in words(plain(text))}
        return frozenset(form for word in own for form in (word, stem(word), f"{word}s"))

    @property
    def route(self) -> str:
        """The route that answers with it and with the rows that it counts."""
        return figure_route(self.report, self.figure.id, self.period)


def figure_of_title(asked: CopilotQuestion, catalogue: Mapping[str, Report], today: date) -> NamedFigure | None:
    """The figure whose title has the words of the question and no others; None where none has, or several."""
    content = _content(asked.words)
    if not content or asked.bound is not None or asked.clock is not None or asked.matches(_HISTORY):
        return None
    figures = {
        figure.id: figure
        for report in catalogue.values()
        for figure in report.figures
        if _fits_title(figure, content, asked, today) or content in _ALIASES.get(figure.id, ())
    }
    if len(figures) != 1:
        return None
    (figure,) = figures.values()
    report = showing(catalogue, figure.id)
    if report is None:
        return None
    over = "{period_start}" in figure.definition and any(
        one.name == PERIOD_DAYS.name for one in catalogue[report].parameters
    )
    window = asked.windows[0] if asked.windows else None
    if window is None or _signature(figure.title, today)[1] == (window.first, window.last):
        return NamedFigure(figure, report, None, None)
    if not over or len(asked.windows) > 1 or window.age or window.first is None or window.last is None:
        return None
    period = (today - window.first).days + 1
    if window.last < today or not 1 <= period <= (PERIOD_DAYS.maximum or 0):
        return None
    return NamedFigure(figure, report, period, window)


def _fits_title(figure: Figure, content: frozenset[str], asked: CopilotQuestion, today: date) -> bool:
    own, span = _signature(figure.title, today)
    if own != content or _lacking(words(plain(figure.title))) != _lacking(asked.words):
        return False
    spans = [(window.first, window.last) for window in asked.windows]
    if span is not None:
        return spans == [span]
    return bool(spans) or not any(text in figure.title for text in _PERIOD)


def _lacking(said: tuple[str, ...]) -> str:
    """What stands behind "without": evidence without a request is no request without evidence."""
    behind = said[said.index("without") + 1 :] if "without" in said else ()
    return stem(next((word for word in behind if not is_filler(word)), ""))


@lru_cache(4096)
def _signature(title: str, today: date) -> tuple[frozenset[str], tuple[date | None, date | None] | None]:
    """The telling words of a title, and the span of time in it."""
    for text in _PERIOD:
        title = title.replace(text, "")
    spans, rest = windows.find(plain(title), today)
    return _content(words(rest)), (spans[0].first, spans[0].last) if spans else None


def _content(said: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem(word) for word in said if not is_filler(word) or word in _KEPT)


_ALIASES: dict[str, tuple[frozenset[str], ...]] = {}
for _said, _figure in ALIASES.items():
    _ALIASES[_figure] = (*_ALIASES.get(_figure, ()), _content(words(plain(_said))))

# short forms, each with what it stands for
_SHORT = {
    "mttr": "mean time to resolve",
    "mtta": "mean time to acknowledge",
    "mttm": "mean time to mitigate",
    "slo": "service level objective",
    "poam": "plan of action and milestones",
    "baa": "business associate agreement",
    "dpa": "data processing agreement",
    "kev": "known exploited vulnerability",
    "raci": "responsible, accountable, consulted, informed",
    "phi": "protected health information",
    "epss": "exploit prediction scoring system",
    "cvss": "common vulnerability scoring system",
}
_ASKED = re.compile(
    r"^(?:so |and |ok |okay |please )?(?:"
    r"(?:what|wat) (?:does|do|did) (?:the |an? )?(?:word |term |figure )?(?P<mean>.+?) (?:actually |really )?"
    r"(?:mean|stand for)\b(?: here| exactly)?|"
    r"(?:what|wat) is (?:the (?:meaning|definition) of|meant by) (?:the |an? )?(?P<of>.+?)|"
    r"(?:define|definition of|meaning of|explain the (?:word|term)) (?:the |an? )?(?P<word>.+?)|"
    rf"(?:what|wat) is an? (?P<short>{'|'.join(_SHORT)})s?"
    r")\s*[?.!]*$"
)


def meaning(asked: CopilotQuestion, library: Library, citations: CitationList) -> AnswerPart | None:
    """The definition that is asked for; None where nobody asks for one."""
    match = _ASKED.match(asked.text)
    if match is None:
        return None
    term = next(text for text in match.groups() if text)
    lines: list[str] = []
    short = _SHORT.get(" ".join(stems(term)))
    if short is not None:
        thing = next((one.plural for one in ENTITIES if stems(term) in map(stems, one.words)), None)
        lines.append(f"{term.upper()} stands for {short}." + (f" Ask for {thing} to see them." if thing else ""))
    plain = replace(asked, text=term, words=words(term), windows=(), bound=None, clock=None)
    named = figure_of_title(plain, library.catalogue, library.today)
    report = None if named is None else showing(library.catalogue, named.figure.id)
    if named is not None and report is not None:
        figures = library.figures(report, {})
        mark = citations.cite(report, named.route, named.figure.id)
        title, before = figures.title(named.figure.id), "The figure of it here is " if short else ""
        lines.append(f"{before}{title}: {figures.definition(named.figure.id)} {mark}")
    if not lines:
        return AnswerPart(
            (f"I have no data on the meaning of '{term}': no figure of the glossary is called so.",), "none"
        )
    by_title = named is not None and term not in ALIASES
    return AnswerPart(
        tuple(lines), "high" if short or by_title else "medium", "" if short or by_title else "by its alias"
    )
