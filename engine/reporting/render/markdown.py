"""Markdown as GitHub reads it: headline, figures, tables. Text of users never becomes markup.

    | Control | State     |
    |---------|-----------|

Characters that Markdown reads are escaped: with a backslash where every reader honours it, as an entity elsewhere.
Line breaks in a cell become ``<br>``, the only tag in the file.
"""

import re
from collections.abc import Iterator, Mapping

import polars as pl

from engine.model.document import Edition, Table
from engine.reporting.render import cells, words
from engine.reporting.render.cell_texts import CellTexts, cell_texts
from engine.reporting.render.plain_values import flat, plain_value
from engine.reporting.render.prose import ESCAPES, INSIDE, TRANSLATION, heading, inline, paragraph

_SPECIAL = re.compile(r"[&<>|\\`~*_\[\]\n]")


def render(edition: Edition) -> bytes:
    """The edition as one Markdown file."""
    return ("\n\n".join(_blocks(edition)) + "\n").encode()


def escape(text: pl.Expr) -> pl.Expr:
    """Text that Markdown shows as it is; underscores inside a word need no escape and keep none."""
    escaped = text.str.replace_many(list(ESCAPES), list(ESCAPES.values()))
    inside = r"([0-9A-Za-z])\\_([0-9A-Za-z])"
    for _ in range(2):  # neighbours such as a_b_c share a letter
        escaped = escaped.str.replace_all(inside, "${1}_${2}")
    return escaped


def _blocks(edition: Edition) -> Iterator[str]:
    document, revision = edition.document, edition.revision
    yield heading(1, edition.title)
    yield f"**{inline(edition.organization.name)}** · {edition.as_of.isoformat()}"
    yield from (f"> **Warning:** {inline(warning)}" for warning in document.warnings)
    yield paragraph(document.headline)
    if document.coverage:
        yield inline(words.coverage(document.coverage))
    figures = words.figures(document)
    if figures:
        yield "\n".join(_figures(figures, document.titles))
    yield from (f"*{inline(chart.title)}:* {inline(chart.alt)}" for chart in document.charts)
    for table in document.tables:
        yield from _table(table)
    if document.definitions:
        yield "## Definitions"
        yield "\n".join(f"- **{inline(term)}**: {inline(meaning)}" for term, meaning in document.definitions.items())
    if document.footnotes:
        yield "## Notes"
        yield "\n".join(f"- {paragraph(note)}" for note in document.footnotes)
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


def _table(table: Table) -> Iterator[str]:
    yield heading(2, table.title)
    if table.note:
        yield paragraph(table.note)
    texts = cell_texts(table)
    names = list(texts.shown) if texts is not None else cells.display_cells(table).columns
    if not names or not table.frame.height:
        yield "No rows."
        return
    headings = [inline(words.heading(table, name)) for name in names]
    rules = ["---:" if table.schema[name].is_numeric() else "---" for name in names]
    rows = _small_rows(texts) if texts is not None else _large_rows(cells.display_cells(table))
    yield f"| {' | '.join(headings)} |\n| {' | '.join(rules)} |\n{rows}"


def _small_rows(texts: CellTexts) -> str:
    columns = [map(_cell, column) for column in texts.shown.values()]
    return "\n".join([f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)])


def _cell(text: str) -> str:
    if not _SPECIAL.search(text):
        return text
    return INSIDE.sub("_", text.translate(TRANSLATION)).replace("\n", "<br>")


def _large_rows(frame: pl.DataFrame) -> str:
    content = [escape(pl.col(name)).str.replace_all("\n", "<br>", literal=True) for name in frame.columns]
    row = pl.concat_str(pl.lit("| "), pl.concat_str(content, separator=" | "), pl.lit(" |"))
    joined: str = frame.select(row.str.join("\n")).item()
    return joined
