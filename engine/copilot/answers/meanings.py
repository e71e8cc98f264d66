"""What a word means: the definition of the figure of that title, never a value of it."""

import re
from dataclasses import replace

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import showing
from engine.copilot.answers.titles import ALIASES, figure_of_title
from engine.copilot.entities import ENTITIES
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import stems, words

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
