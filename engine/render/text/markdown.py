"""Markdown as GitHub reads it: headline, figures, tables. Text of users never becomes markup.

    | Control | State     |
    |---------|-----------|

Characters that Markdown reads are escaped: with a backslash where every reader honours it, as an entity elsewhere.
Line breaks in a cell become ``<br>``, the only tag in the file.
"""

import re
from collections.abc import Iterator, Mapping

from engine.model.days import spelled_day
from engine.model.documents.document import Alarm, Edition, Table
from engine.render import words
from engine.render.cell_texts import CellTexts, cell_texts, is_inert
from engine.render.links import kind_of
from engine.render.plain_values import flat, plain_value
from engine.render.text.prose import heading, inline, literal, paragraph

_IDENTIFIER = re.compile(r"\b[A-Z]{2,}-[\w-]*\d\b")


def render(edition: Edition) -> bytes:
    """The edition as one Markdown file."""
    return ("\n\n".join(_blocks(edition)) + "\n").encode()


def _blocks(edition: Edition) -> Iterator[str]:
    document, revision = edition.document, edition.revision
    yield heading(1, edition.title)
    yield f"**{inline(edition.organization.name)}** · {spelled_day(edition.as_of)}"
    yield from (f"> **{_call(warning)}:** {inline(_with_titles(warning, edition))}" for warning in document.warnings)
    yield paragraph(_with_titles(document.headline, edition))
    if document.next_step:
        yield f"**Next:** {inline(_with_titles(document.next_step, edition))}"
    if document.coverage:
        yield inline(words.coverage(document.coverage))
    figures = words.figures_to_show(document)
    if figures:
        yield "\n".join(_figures(figures, document.titles))
    yield from (f"*{inline(chart.title)}:* {inline(edition.readable(chart.alt))}" for chart in document.charts)
    yield from (block for table in document.tables if table.frame.height for block in _table(table, edition))
    if empty := [table.title for table in document.tables if not table.frame.height]:
        yield inline(f"Nothing on record for: {'; '.join(empty)}.")
    if document.definitions:
        yield "## Definitions"
        yield "\n".join(
            f"- **{inline(term)}**: {inline(edition.readable(meaning))}"
            for term, meaning in document.definitions.items()
        )
    if document.footnotes:
        yield "## Notes"
        yield "\n".join(f"- {paragraph(edition.readable(note))}" for note in document.footnotes)
    yield "## Provenance"
    yield "\n".join(
        [
            f"- Revision {revision.seq}, {inline(revision.hash)}",
            *(
                f"- Parameter {inline(name)}: {inline(words.value(name, value))}"
                for name, value in flat("", plain_value(edition.parameters, "parameters"))
            ),
            f"- Settings version {edition.settings_version}, schema version {edition.schema_version}",
        ]
    )


def _with_titles(text: str, edition: Edition) -> str:
    """A sentence as people read it, the titles of records before their identifiers where it does not say them."""
    titles = edition.titles

    def with_title(match: re.Match[str]) -> str:
        title = titles.get(match[0], "")
        return f"{title} ({match[0]})" if title and title not in text else match[0]

    return edition.readable(_IDENTIFIER.sub(with_title, text))


def _call(warning: str) -> str:
    return "Warning" if isinstance(warning, Alarm) else "Note"


def _figures(figures: dict[str, object], titles: Mapping[str, str], indent: str = "") -> Iterator[str]:
    for name, value in figures.items():
        title = f"{indent}- **{inline(titles.get(name) or words.label(name))}**"
        if isinstance(value, dict):
            yield title
            yield from _figures(value, {}, indent + "    ")
        elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
            yield title
            yield from (f"{indent}    - {_pairs(part)}" for part in value)
        else:
            yield f"{title}: {inline(words.value(name, value))}"


def _pairs(part: object) -> str:
    """An item of a list on one line: Component: Evidence freshness, Delta: 3.2."""
    pairs = flat("", part)
    return ", ".join(
        inline(": ".join(filter(None, (words.label(name), words.value(name, value))))) for name, value in pairs
    )


def _table(table: Table, edition: Edition) -> Iterator[str]:
    yield heading(2, table.title)
    if table.note:
        yield paragraph(edition.readable(table.note))
    texts = cell_texts(table)
    names = list(texts.display_columns)
    headings = [inline(words.heading(table, name)) for name in names]
    rules = ["---:" if table.schema[name].is_numeric() else "---" for name in names]
    yield f"| {' | '.join(headings)} |\n| {' | '.join(rules)} |\n{_rows(texts, edition)}"


def _rows(texts: CellTexts, edition: Edition) -> str:
    schema = texts.table.schema
    shown = {
        name: column.map(edition.readable) if kind_of(name, texts.table) == "owner" else column
        for name, column in texts.display_columns.items()
    }
    columns = [column if is_inert(schema[name]) else column.map(_cell) for name, column in shown.items()]
    return "\n".join([f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)])


def _cell(text: str) -> str:
    return literal(text).replace("\n", "<br>")
