"""What to do next, how things stand, and what the organization is: questions that whole reports answer."""

from collections.abc import Iterator

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, cells
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import route_of_row
from engine.copilot.answers.sources import route_of
from engine.copilot.entities.governance import PERSON
from engine.copilot.entities.programme import DUTY, GAP
from engine.copilot.grammar.everyday import is_filler
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import ASKING, stem, ways_of_file, words_of_file

ROWS = 5
# the words of such a question beside those that say nothing: any other is what is asked about
_NEXT_WORDS = words_of_file("next.txt")
# what the organization is: words of the question, the fact, the column, how it is said
_PROFILE = ways_of_file("profile.txt")


def advice(
    asked: CopilotQuestion, library: Library, citations: CitationList, asker: str, *, named: bool
) -> AnswerPart | None:
    """The answer where a whole report is asked for; None for every other question.

    ``named`` where it names something of the organization: then the question is about that.
    """
    for pattern, told in _PROFILE:
        if pattern.search(asked.text) and len(asked.words) < 12:
            place, _, text = told.partition(" ")
            fact, _, column = place.partition(".")
            return _profile(library, citations, fact, column, text)
    if asked.matches(ASKING["me"]):
        return _me(library, citations, asker)
    if asked.matches(ASKING["next"]) and all(is_filler(one) or stem(one) in _NEXT_WORDS for one in asked.words):
        return _next(asked, library, citations, asker)
    if asked.matches(ASKING["standing"]) and len(asked.words) < 10 and not named:
        return _standing_part(library, citations)
    return None


def _me(library: Library, citations: CitationList, asker: str) -> AnswerPart:
    frame = library.rows(PERSON).filter(pl.col("email") == asker)
    if frame.is_empty():
        return AnswerPart((f"{asker}; no member of the organization has this address.",), "none")
    mark = citations.cite("people", None, asker)
    return AnswerPart((_line(PERSON.line, frame.row(0, named=True), mark)[2:],), "high")


def _profile(library: Library, citations: CitationList, fact: str, column: str, text: str) -> AnswerPart:
    rows = library.fact(fact)
    value = rows[column][0] if rows.height else None
    if value is None:
        return AnswerPart((f"I have no data on {column.replace('_', ' ')}: it is not declared.",), "none")
    edition = library.edition("deployment-profile")
    route = (
        route_of("deployment-profile")
        if edition is not None and edition.document.summary.get(column) == value
        else None
    )
    return AnswerPart((f"{cell(value)} {text}. {citations.cite(fact, route, column)}",), "high")


def _standing_part(library: Library, citations: CitationList) -> AnswerPart:
    posture, summary = library.edition("posture-score"), library.edition("executive-summary")
    if posture is None or summary is None:
        return AnswerPart(("I have no data on the posture.",), "none")
    first = f"{posture.document.headline} {citations.cite(posture.report, route_of(posture.report))}"
    if not posture.document.summary.get("posture_score"):
        return AnswerPart((f"I have no data on the posture. {first}",), "none")
    coverage = posture.document.coverage
    second = f"{summary.document.headline} {citations.cite(summary.report, route_of(summary.report))}"
    return AnswerPart((first, second), "high" if coverage is None or coverage.sufficient else "low")


def _next(asked: CopilotQuestion, library: Library, citations: CitationList, asker: str) -> AnswerPart:
    lines = list(_mine(library, citations, asker)) if asked.matches(r"\b(?:i|my|me)\b") else []
    lines += _decisions(library, citations)
    gaps = library.rows(GAP).sort("priority", "gap_id", descending=[True, False]).head(ROWS)
    if gaps.height:
        lines.append("The gaps that come first, by priority:")
        lines += [
            _line(
                GAP.line, row, citations.cite("gap-remediations", route_of_row(GAP, row, library), cell(row["gap_id"]))
            )
            for row in gaps.iter_rows(named=True)
        ]
    if not lines:
        return AnswerPart(("I have no data on what to do next: no decision is due and no gap is on record.",), "none")
    return AnswerPart(tuple(lines), "high")


def _mine(library: Library, citations: CitationList, asker: str) -> Iterator[str]:
    late = (
        library.rows(DUTY)
        .filter(pl.col("owner") == asker, pl.col("state") == "overdue")
        .sort("due_on", "obligation_id")
    )
    if late.height:
        yield f"{late.height:,} of your duties {'is' if late.height == 1 else 'are'} overdue; the oldest first:"
        for row in late.head(ROWS).iter_rows(named=True):
            yield _line(
                DUTY.line, row, citations.cite("calendar", route_of_row(DUTY, row, library), cell(row["obligation_id"]))
            )


def _decisions(library: Library, citations: CitationList) -> Iterator[str]:
    edition = library.edition("executive-summary")
    tables = [] if edition is None else [table.frame for table in edition.document.tables if table.name == "decisions"]
    for frame in tables:
        if frame.height:
            yield "What to decide:"
        for number, row in enumerate(frame.head(ROWS).iter_rows(named=True), 1):
            yield _line(
                "{decision} ({reason}; with {owner})",
                row,
                citations.cite("executive-summary", route_of("executive-summary"), f"decision {number}"),
            )


def _line(template: str, row: dict[str, object], mark: str) -> str:
    return f"- {template.format_map(cells(row))} {mark}"
