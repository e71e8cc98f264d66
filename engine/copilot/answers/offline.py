"""The answer without a language model: a question becomes a query over figures and rows of the organization.

The same question about the same data has the same answer. What nothing is known about is said, never guessed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from engine.copilot.answers.advice import advice
from engine.copilot.answers.answer_text import answer_text
from engine.copilot.answers.answers import AnswerPart, CitationList, OfflineAnswer, join_parts
from engine.copilot.answers.cells import cell
from engine.copilot.answers.framework_state import standing
from engine.copilot.answers.hearing import LEFT_ASIDE, aside, each_span, hearings, is_preface, written_out
from engine.copilot.answers.history import history
from engine.copilot.answers.holdings import holdings
from engine.copilot.answers.library import Library
from engine.copilot.answers.relations import RELATED, belonging, in_time_of, together
from engine.copilot.answers.routes import figure_id
from engine.copilot.answers.rows_before import of_the_one
from engine.copilot.answers.sentences import ROWS
from engine.copilot.answers.titles import NamedFigure, figure_of_title, meaning
from engine.copilot.console import ask_console
from engine.copilot.console.commands import step_command
from engine.copilot.entities import ENTITIES
from engine.copilot.grammar.constraints import is_mine
from engine.copilot.grammar.everyday import is_filler
from engine.copilot.grammar.planner import Planner
from engine.copilot.grammar.proof import PLAIN
from engine.copilot.grammar.query import Query
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import ASKING
from engine.copilot.grammar.wording import clauses
from engine.model.documents.document import Document
from engine.model.figures.aggregates import Count
from engine.model.figures.figure import PARTS, REASON
from engine.model.vocabulary import Confidence

MOST_BEFORE = 6  # questions of the conversation that a follow-up may build on
SUBJECT_WORDS = 8
_NOTHING = "I have no data"
_UNITLESS = ("count", "number", "word", "text", "texts", "date", "instant", "flag")


def general_help() -> OfflineAnswer:
    """Help that needs no organization."""
    kinds = ", ".join(entity.plural for entity in ENTITIES)
    return OfflineAnswer(
        "I answer from an organization's own reports and records, with the route and row of every figure. Ask how "
        f"many, which, who, when, why or what next, about {kinds}; about a figure of the glossary, such as the posture "
        "score; by service, vendor, framework, person, severity, state or time. Answers about an organization need a "
        "session: sign in and ask again.",
        (),
        "none",
    )


def answer(question: str, library: Library, *, asker: str, before: Sequence[str] = ()) -> OfflineAnswer:
    """What the records say; ``asker`` is who "my" stands for, ``before`` what was asked in the conversation so far.

    What is not understood is heard once more, in other words.
    """
    planner = Planner(library, asker)
    if (alone := aside(question, planner)) is not None:
        found = _answer(alone.text, library, planner, asker, before, alone.reason)
        if not found.text.startswith(_NOTHING):
            return found
    found = _answer(question, library, planner, asker, before)
    if not found.text.startswith(_NOTHING):
        return found
    for heard in hearings(question, planner):
        again = _answer(heard.text, library, planner, asker, before, heard.reason, loose=heard.loose)
        if not again.text.startswith(_NOTHING) and again.confidence != "none":
            return again
    return found


def _answer(
    question: str,
    library: Library,
    planner: Planner,
    asker: str,
    before: Sequence[str],
    presumed: str = "",
    *,
    loose: bool = False,
) -> OfflineAnswer:
    """The answer to a question in these words; never sure where something was taken for granted: ``presumed``."""
    citations = CitationList(library)
    asked = planner.question(question)
    if (not asked.words and not asked.windows) or (asked.matches(ASKING["hello"]) and len(asked.words) < 8):
        return general_help()
    if not before and asked.matches(ASKING["refers"]):
        return _unclear(question)
    context = _context(before, planner, library)
    if before:
        question = written_out(question, before[-1], context, planner, library)
        asked = planner.question(question)
    if before and context is None and planner.refers(asked):
        return _unclear(question)
    if asked.matches(ASKING["blame"]):
        return _no_data(asked)
    parts: list[AnswerPart] = []
    said = clauses(question)
    if len(said) > 1 and is_preface(said[0], said[1], planner):
        said, presumed = said[1:], "; ".join(filter(None, (LEFT_ASIDE, presumed)))
    if len(said) > 1 and not is_mine(asked):  # "dns is dead, what is affected": what it tells is part of what it asks
        whole = ask_console(asked, tuple(dict.fromkeys(planner.names(asked))), library, citations)
        parts, said = ([whole], ()) if whole is not None else (parts, said)
    for one in _with_person(tuple(each_span(said)), planner):
        answer_parts, plans = _answer_one(one, planner, library, citations, asker, context, bool(parts))
        parts += answer_parts
        context = plans[0] if len(plans) == 1 else None
    if presumed:
        parts = [_unsure(part, presumed, loose=loose) for part in parts]
    if not any(part.confidence != "none" for part in parts):
        return _no_data(asked) if not parts or len(parts) > 1 else join_parts(parts, citations.items, library)
    return join_parts(parts, citations.items, library)


def _unsure(part: AnswerPart, presumed: str, *, loose: bool) -> AnswerPart:
    """A part of an answer that takes something for granted."""
    if part.confidence == "none":
        return part
    confidence: Confidence = "medium" if part.confidence == "high" and not loose else "low"
    return replace(part, confidence=confidence, reason="; ".join(filter(None, (presumed, part.reason))))


_OWN_SHIFT = re.compile(
    r"\b(while|when|on|during|in|under) (?:(?:he|she)\b(?= (?:was|is|had))|(?:his|her)(?= (?:shift|watch|rota)))"
)


def _with_person(said: Sequence[str], planner: Planner) -> Iterator[CopilotQuestion]:
    """The questions with whoever "he" and "her" stand for: the one person that was named before. That somebody left is
    no question where one comes after it."""
    person = None
    for number, text in enumerate(said):
        named = {name.keys[0] for name in planner.names(planner.question(text)) if name.kind == "person"}
        if len(named) == 1:  # "deploys by Rashid while he was on call"
            text = _OWN_SHIFT.sub(rf"\1 {next(iter(named)).partition('@')[0]}", text)
        if named:
            (person,) = named if len(named) == 1 else (None,)
        elif person is not None:
            text = ASKING["person"].sub(person, text)
        if not (named and number < len(said) - 1 and ASKING["left"].match(text)):
            yield planner.question(text)


def _answer_one(
    asked: CopilotQuestion,
    planner: Planner,
    library: Library,
    citations: CitationList,
    asker: str,
    context: Query | None,
    follows: bool,
) -> tuple[list[AnswerPart], tuple[Query, ...]]:
    """What the records say to one question, and the queries that say it."""
    names = tuple(dict.fromkeys(planner.names(asked)))
    part = (
        step_command(asked, names, library, asker)
        or meaning(asked, library, citations)
        or (None if is_mine(asked) or follows else ask_console(asked, names, library, citations))
        or standing(asked, names, library, citations)
        or advice(asked, library, citations, asker, named=bool(names))
        or holdings(asked, names, library, citations)
        or history(asked, names, library, citations)
    )
    if part is not None:
        return [part], ()
    plans = _plans(asked, context, planner, library, follows=follows)
    if follows and context is not None and len(plans) == 1 and _is_bare(plans[0], context):
        of_it = belonging(plans[0], context, library, without=False)  # "which control failed, and which test found it"
        plans = () if of_it is None else (of_it,)
    joined = any(each.dimension.startswith(RELATED) for plan in plans for each in plan.constraints)
    of_one = context is not None and (joined or any(plan.lookup for plan in plans))
    exact = of_one or any(window.since for window in asked.windows)
    figure = None if is_mine(asked) or follows or exact else figure_of_title(asked, library.catalogue, library.today)
    tallied = any(plan.tally is not None for plan in plans)
    if figure is not None and not tallied and not (len(plans) == 1 and figure_id(plans[0]) == figure.figure.id):
        return [_figure(asked, figure, library, citations, plans)], plans
    listed = () if tallied or joined or any(plan.lookup for plan in plans) else planner.several(asked)
    if listed:
        return [answer_text(plan, library, citations) for plan in listed], ()
    plans = tuple(plan for plan in plans if not plan.unknown) or plans
    if len(plans) > 1:  # what is there comes first
        plans = tuple(sorted(plans, key=lambda one: library.rows(one.entity).filter(one.where).is_empty()))
    parts = [answer_text(plan, library, citations) for plan in plans]
    if len(plans) > 1:
        parts = [
            replace(
                part,
                confidence="medium" if part.confidence == "high" else part.confidence,
                reason=part.reason or "nothing said of which kind",
            )
            for part in parts
        ]
    if not parts and follows:
        words = " ".join(asked.words)
        parts = [AnswerPart((f"I have no data on {words}.",), "low", f"{words} not answered")]
    return parts, plans


def _is_bare(query: Query, context: Query) -> bool:
    """Whether a later part of a message asks for all things of another kind: those of what was asked before."""
    chosen = query.constraints[query.presumed :] or query.order or query.group or query.columns or query.tally
    return not (chosen or query.unknown) and query.intent == "list" and query.entity is not context.entity


def _plans(
    asked: CopilotQuestion, before: Query | None, planner: Planner, library: Library, *, follows: bool
) -> tuple[Query, ...]:
    """What is meant; where two kinds of things are, how many of one the other has, unless a state says the same."""
    for follow in (in_time_of, of_the_one) if before is not None else ():
        if before is not None and (of_it := follow(asked, before, planner, library)) is not None:
            return (of_it,)
    plans = planner.plans(asked, before, follows=follows)
    if before is None:
        plans = planner.better(asked, plans)
    return together(asked, plans, planner, library, cuts=before is None and not follows)


def _context(before: Sequence[str], planner: Planner, library: Library) -> Query | None:
    """The query that the questions so far come to; None where the last of them was not understood as one."""
    query: Query | None = None
    for text in before[-MOST_BEFORE:]:
        for number, said in enumerate(clauses(text)):
            asked = planner.question(said)
            if asked.matches(ASKING["hello"]) and len(asked.words) < SUBJECT_WORDS:
                continue
            plans = _plans(asked, query, planner, library, follows=number > 0)
            if len(plans) > 1:  # of two kinds of which one has nothing, what follows is about the other
                plans = tuple(one for one in plans if not library.rows(one.entity).filter(one.where).is_empty())
            query = plans[0] if len(plans) == 1 else None
    return query


def _unclear(question: str) -> OfflineAnswer:
    """A follow-up to what was not understood is never answered of something else."""
    return OfflineAnswer(
        f"I have no data on '{' '.join(question.split())}': it follows up on a question that I did not answer from one "
        "kind of record, or that was not asked. Say what it is about, and I look it up.",
        (),
        "none",
    )


def _no_data(asked: CopilotQuestion) -> OfflineAnswer:
    telling = [word for word in asked.words if not is_filler(word)] or list(asked.words)
    subject = " ".join(telling[:SUBJECT_WORDS])
    return OfflineAnswer(
        f"I have no data on {subject}. Nothing on record answers the question; ask about "
        f"{', '.join(entity.plural for entity in ENTITIES[:12])} or another kind of record.",
        (),
        "none",
    )


def _figure(
    asked: CopilotQuestion, named_figure: NamedFigure, library: Library, citations: CitationList, plans: Sequence[Query]
) -> AnswerPart:
    """The value of a figure with its title and definition; never sure where the same words choose other rows."""
    figures = library.figures(named_figure.report, named_figure.query)
    name = named_figure.figure.id
    value = figures[name]
    title, definition = figures.title(name), figures.definition(name)
    if value is None or (not value and figures.rows(named_figure.figure.fact).is_empty()):
        return AnswerPart(
            (f"I have no data on {title[0].lower()}{title[1:]}: nothing is on record that it counts.",), "none"
        )
    mark = citations.cite(named_figure.report, named_figure.route, name)
    unit = named_figure.figure.unit.replace("percent", "%")
    unit = "" if unit in _UNITLESS else f" {unit}"
    edition = library.edition(named_figure.report)
    confidence, reason = _coverage_confidence(edition.document) if edition is not None else ("high", "")
    fitting = [plan for plan in plans if plan.named and not plan.unknown]
    if isinstance(named_figure.figure.aggregate, Count) and confidence == "high" and not fitting:
        confidence, reason = "medium", "taken as the figure of that title"
    for plan in fitting:
        rows = library.rows(plan.entity).filter(plan.where).height
        if plan.intent in ("count", "list") and rows != value:
            confidence, reason = "medium", f"taken as the figure; {rows:,} rows of {plan.entity.plural} fit the words"
    text = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else cell(value)
    left = [word for word in asked.words if word not in PLAIN and word not in named_figure.words]
    if left and confidence == "high":
        confidence, reason = "medium", f"{', '.join(left)} taken to say nothing"
    lines = [f"{text}{unit}: {title}. {definition} {mark}"]
    if isinstance(named_figure.figure.aggregate, Count) and not asked.matches(r"\bhow many\b"):
        lines += _counted_rows(figures.explained_rows(name), citations, named_figure)
    return AnswerPart(tuple(lines), confidence, reason)


def _counted_rows(rows: pl.DataFrame, citations: CitationList, named_figure: NamedFigure) -> Iterator[str]:
    """The first rows that a figure counts, with the reason of each."""
    columns = [name for name in rows.columns if name not in (REASON, *PARTS)]
    for row in rows.head(ROWS).iter_rows(named=True):
        names = ", ".join(cell(row[name]) for name in columns if row[name] is not None)
        mark = citations.cite(named_figure.report, named_figure.route, cell(row[columns[0]]) if columns else None)
        yield f"- {names}: {row[REASON]} {mark}"
    if rows.height > ROWS:
        yield f"{rows.height - ROWS:,} more."


def _coverage_confidence(document: Document) -> tuple[Confidence, str]:
    """High for well covered data; a report on thin evidence says so."""
    coverage = document.coverage
    if coverage is None or coverage.pct is None:
        return "high", ""
    reason = f"{coverage.pct} % of {coverage.total:,} are covered by data"
    if not coverage.sufficient:
        return "low", reason
    return ("high" if coverage.pct >= 80 else "medium"), reason
