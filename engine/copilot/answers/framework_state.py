"""How the organization stands with one framework: readiness, gaps, target, and the score that is its own."""

import re
from collections.abc import Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import count_of
from engine.copilot.answers.library import Library
from engine.copilot.answers.sources import route_of
from engine.copilot.entities.programme import FRAMEWORK, GAP
from engine.copilot.grammar.everyday import is_filler
from engine.copilot.grammar.names import FRAMEWORKS, OwnName, spellings_of
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import stem

# the words of such a question, beside the framework and those that say nothing
_WORDS = frozenset((
    "how", "bad", "good", "well", "far", "doing", "going", "looking", "standing", "stand", "score", "status", "state",
    "progress", "compliance", "readiness", "ready", "compliant", "with", "for", "on", "against", "towards", "summary",
    "overview", "level", "position", "fare", "faring", "along",
))  # fmt: skip
_ASKED = (
    r"\bhow (?:are|is|do|does|bad|good|well|far)\b|\bscore\b|\bstatus\b|\bwhere (?:are|do) we\b|\bsummary\b|"
    r"\boverview\b|\bprogress\b|\bstate of\b|"
    r"^(?:so |and )?(?:are|is) (?:we|our \w+|the company)\b.*\b(?:compliant|ready)\b"
)
_OWN = {"cmmc-l2": ("cmmc-l2", "sprs_score", "SPRS score")}


def standing(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The answer where a question asks how things are with one framework, and nothing else; else None."""
    found = {name.keys[0] for name in names if name.kind == "framework"}
    if len(found) != 1 or any(name.kind != "framework" for name in names):
        return None
    (framework,) = found
    if asked.windows or asked.bound is not None or not asked.matches(_ASKED):
        return None
    label = next(name.label for name in names if name.kind == "framework")
    spellings = FRAMEWORKS.get(framework) or (*spellings_of(framework, label),)
    named = {word for spelling in spellings for word in re.split(r"[\s_-]", spelling.lower())}
    if any(not (is_filler(word) or word in _WORDS or stem(word) in _WORDS or word in named) for word in asked.words):
        return None
    name = library.framework_name(framework)
    rows = library.rows(FRAMEWORK)
    row = next(iter(rows.filter(pl.col("framework") == framework).iter_rows(named=True)), None)
    if row is not None and row["weighted_pct"] is None:
        return None
    if row is None:
        followed = ", ".join(rows["called"]) or "none"
        return AnswerPart((f"I have no data on {name}: it is not among your frameworks ({followed}).",), "none")
    mark = citations.cite("baseline-comparison", route_of("baseline-comparison"), framework)
    gaps = library.rows(GAP).filter(pl.col("framework") == framework)
    critical = gaps.filter(pl.col("severity") == "critical").height
    target = f"; the target is {row['target_on']}" if row["target_on"] else ""
    first = (
        f"{name}: {row['weighted_pct']:g} % weighted readiness, {row['strict_pct']:g} % strict readiness, "
        f"{count_of(gaps.height, 'open gap', 'open gaps')}, {critical} of them critical{target}. {mark}"
    )
    if asked.matches(r"^(?:so |and )?(?:are|is) "):
        first = f"{'No' if gaps.height else 'Yes'}, by open gaps. {first}"
    lines = [*_own(framework, library, citations), first]
    if not asked.matches(r"\bscore\b"):
        lines.reverse()
    return AnswerPart(tuple(lines), "high")


def _own(framework: str, library: Library, citations: CitationList) -> list[str]:
    """The score that a framework defines itself."""
    if framework not in _OWN:
        return []
    report, figure, title = _OWN[framework]
    edition = library.edition(report)
    value = None if edition is None else edition.document.summary.get(figure)
    if value is None:
        return []
    return [f"{value}: {title}. {citations.cite(report, f'{route_of(report)}?explain={figure}', figure)}"]
