"""The answer without a language model: figures and rows of the organization's reports, each with its source.

The same question about the same data has the same answer. What nothing is known about is said, never guessed.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

import polars as pl

from engine.copilot.answers import AnswerPart, CitationList, OfflineAnswer, join_parts
from engine.copilot.library import Library
from engine.copilot.question import CopilotQuestion, read
from engine.copilot.sources import Source, route_of
from engine.copilot.topics import FRAMEWORKS, IDENTIFIED, READINESS, TOPICS, Topic
from engine.model.document import Document, Edition
from engine.model.vocabulary import Confidence

ROWS = 5
MOST_TOPICS = 3
_HELLO = ("help", "hello", "hi", "hey", "thanks", "thank")
_IDENTIFIERS = ("gap_id", "control_id", "id", "vendor_id", "obligation_id")


def general_help() -> OfflineAnswer:
    """Help that needs no organization."""
    names = ", ".join(topic.name for topic in TOPICS)
    return OfflineAnswer(
        f"I answer from an organization's own reports, with the route and row of every figure. Ask about {names}, "
        "about a framework such as SOC 2, or about a control such as CC6.1. Answers about an organization need a "
        "session: sign in and ask again.",
        (),
        "none",
    )


def answer(question: str, library: Library, *, asker: str) -> OfflineAnswer:
    """What the reports say; ``asker`` is the e-mail address that 'my' in the question stands for."""
    asked, citations = read(question), CitationList()
    parts = (
        _identified(asked, library, citations)
        or [part for topic, sure in _topics(asked) for part in _parts(topic, asked, library, asker, sure, citations)]
        or _by_title(asked, library, citations)
    )
    if parts:
        return join_parts(parts, citations.items, library)
    if not asked.subject or asked.words[0] in _HELLO or "help" in asked.words:
        return general_help()
    return OfflineAnswer(
        f"I have no data on {asked.subject}. No report of the organization matches the question; ask about "
        f"{', '.join(topic.name for topic in TOPICS)}.",
        (),
        "none",
    )


def _topics(asked: CopilotQuestion) -> list[tuple[Topic, bool]]:
    """The topics of a question and whether their own words name them; a framework alone asks for its readiness."""
    named = [(topic, True) for topic in TOPICS if asked.hits(topic.words)]
    if named:
        return named[:MOST_TOPICS]
    if asked.frameworks:
        return [(topic, True) for topic in TOPICS if READINESS in topic.sources]
    hinted = sorted((topic for topic in TOPICS if asked.hits(topic.hints)), key=lambda topic: -asked.hits(topic.hints))
    return [(topic, False) for topic in hinted[:1]]


def _identified(asked: CopilotQuestion, library: Library, citations: CitationList) -> list[AnswerPart]:
    """What is known of the controls, gaps and records that the question names by their identifier."""
    parts: list[AnswerPart] = []
    for source in IDENTIFIED if asked.codes else ():
        edition = library.edition(source.report)
        if edition is None:
            continue
        table = _table(edition.document, source)
        names = [name for name in _IDENTIFIERS if name in table.columns]
        rows = table.filter(pl.any_horizontal(pl.col(names).cast(pl.String).str.to_lowercase().is_in(asked.codes)))
        if asked.frameworks and "framework" in rows.columns:
            rows = rows.filter(pl.col("framework").is_in(asked.frameworks))
        if rows.height:
            parts.append(AnswerPart(_rows(source, edition, rows, citations), *_confidence(edition.document, sure=True)))
    return parts


def _parts(
    topic: Topic, asked: CopilotQuestion, library: Library, asker: str, sure: bool, citations: CitationList
) -> Iterator[AnswerPart]:
    for source in topic.sources:
        edition = library.edition(source.report)
        if edition is None:
            continue
        document = edition.document
        headline = document.headline
        if source.row_route is None:
            headline += f" {citations.cite(edition, source.path)}"
        if not _has_data(document, source):
            yield AnswerPart((f"I have no data on {topic.name}. {headline}",), "none")
            continue
        rows = _wanted(_table(document, source), source, asked, asker)
        lines = (headline, *_rows(source, edition, rows, citations))
        missing = _missing(rows, asked)
        lines += tuple(f"I have no data on {topic.name} of {FRAMEWORKS[framework][0]}." for framework in missing)
        if rows.is_empty() and missing:
            yield AnswerPart(lines, "none")
            continue
        if rows.is_empty() and (asked.mine or (asked.late and source.late)):
            words = ["overdue"] * (asked.late and source.late is not None) + ["yours"] * asked.mine
            lines += (f"Nothing of it is {' and '.join(words)}.",)
        yield AnswerPart(lines, *_confidence(document, sure))


def _rows(source: Source, edition: Edition, rows: pl.DataFrame, citations: CitationList) -> tuple[str, ...]:
    """The first rows as lines, each with its citation, and how many more there are."""
    lines = []
    for row in rows.head(ROWS).iter_rows(named=True):
        cells = {name: _cell(value) for name, value in row.items()}
        route = source.row_route.format_map(cells) if source.row_route else source.path
        mark = citations.cite(edition, route, source.row.format_map(cells))
        lines.append(f"- {source.line.format_map(cells)} {mark}")
    if rows.height > ROWS:
        where = "" if source.row_route else f" in {source.path}"
        lines.append(f"{rows.height - ROWS:,} more{where}.")
    return tuple(lines)


def _missing(rows: pl.DataFrame, asked: CopilotQuestion) -> list[str]:
    """The frameworks of the question that the rows say nothing about, where rows are of a framework at all."""
    present = set(rows["framework"]) if "framework" in rows.columns else set(asked.frameworks)
    return [framework for framework in asked.frameworks if framework not in present]


def _table(document: Document, source: Source) -> pl.DataFrame:
    frame = next(table.frame for table in document.tables if table.name == source.table)
    return frame.with_row_index("number", offset=1)


def _has_data(document: Document, source: Source) -> bool:
    if document.coverage is not None and document.coverage.total == 0:
        return False
    return source.known is None or bool(document.summary.get(source.known))


def _wanted(frame: pl.DataFrame, source: Source, asked: CopilotQuestion, asker: str) -> pl.DataFrame:
    kept = source.late if asked.late and source.late else source.keep
    if kept is not None:
        frame = frame.filter(pl.any_horizontal(pl.col(kept[0]) == value for value in kept[1]))
    if asked.mine and "owner" in frame.columns:
        frame = frame.filter(pl.col("owner").cast(pl.String) == asker)
    if asked.frameworks and "framework" in frame.columns:
        frame = frame.filter(pl.col("framework").is_in(asked.frameworks))
    return frame


def _confidence(document: Document, sure: bool) -> tuple[Confidence, str]:
    """High for a plain question and well covered data; a report on thin evidence says so."""
    confidence: Confidence = "high" if sure else "medium"
    coverage = document.coverage
    if coverage is None or coverage.pct is None:
        return confidence, ""
    reason = f"{coverage.pct} % of {coverage.total:,} are covered by data"
    if not coverage.sufficient:
        return "low", reason
    return (confidence if coverage.pct >= 80 else "medium"), reason


def _by_title(asked: CopilotQuestion, library: Library, citations: CitationList) -> list[AnswerPart]:
    """The headline of the report that the question's words describe best: what the table of topics leaves out."""
    telling = {word.rstrip("s") for word in asked.subject.split() if len(word) > 3}
    scored = []
    for name, report in library.catalogue.items():
        title, description = read(report.title).words, read(report.description).words
        found = [2 * _begins(word, title) + _begins(word, description) for word in telling]
        scored.append((-sum(found), name))
    best = min(scored, default=(0, ""))
    edition = library.edition(best[1]) if best[0] <= -2 else None  # one word of a description says nothing
    if edition is None:
        return []
    mark = citations.cite(edition, route_of(edition.report))
    return [AnswerPart((f"{edition.document.headline} {mark}",), "low", _confidence(edition.document, sure=False)[1])]


def _begins(word: str, words: Iterable[str]) -> bool:
    return any(part.startswith(word) for part in words)


def _cell(value: object) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case str():
            return " ".join(value.split())
        case list():
            return ", ".join(map(_cell, value))
    return str(value)
