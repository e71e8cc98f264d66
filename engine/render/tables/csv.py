"""CSV after RFC 4180: a header, CRLF, UTF-8; only here and in ``csv_cells`` are cells made safe for spreadsheets.

    control,state,due_on,owners
    CC6.1,stale,2026-12-07,ana@aurora.example; ben@aurora.example

A spreadsheet runs text that begins like a formula. Such text gets a leading apostrophe; numbers stay numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat

import polars as pl

from engine.model.documents.document import Edition, Table
from engine.render.cell_texts import cell_texts, is_inert
from engine.render.plain_values import flat, plain_value, scalar_text
from engine.render.tables.csv_cells import EMPTY, line_cell, lines, safe_cell
from engine.render.tables.csv_sections import ALSO_IN, sections

SECTION = "section"


def render(edition: Edition) -> bytes:
    """The rows of one table; of several under a first column ``section``; of none the summary as name and value.

    What is a row of several tables is one here; ``also_in`` names the others. A document with a table whose columns
    somebody else prescribes is that table alone.
    A table with ``headings`` has those columns and exactly those headings.
    """
    tables = edition.document.tables
    tables = tuple(table for table in tables if table.headings) or tables
    if not tables:
        return lines([("name", "value"), *_summary(edition)])
    if len(tables) == 1:
        columns = _columns(tables[0])
        return lines([tuple(columns)]) + _rows(tables[0], tuple(columns))
    for table in tables:
        for name in (SECTION, ALSO_IN):
            if name in table.frame.columns:
                raise ValueError(f"Table {table.name}: a column named {name} collides with one of the CSV itself.")
    tables = sections(tables)
    header = tuple(dict.fromkeys((SECTION, *(heading for table in tables for heading in _columns(table)))))
    return b"".join((lines([header]), *(_rows(table, header) for table in tables)))


def csv_chunks(frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    """Frames of scalars and lists of scalars as one CSV with a header, a chunk for each; all have the same columns."""
    columns: list[str] | None = None
    for frame in frames:
        if columns is not None and frame.columns != columns:
            raise ValueError(f"Expected the columns {columns}, found {frame.columns}.")
        table = Table("rows", "", frame)
        header = tuple(_columns(table))
        yield _rows(table, header) if columns is not None else lines([header]) + _rows(table, header)
        columns = frame.columns


def _columns(table: Table) -> Mapping[str, str]:
    """The headings of a table, and the columns under them."""
    if table.headings:
        return {heading: name for name, heading in table.headings.items()}
    return {_safe_name(name): name for name in table.frame.columns}


def _rows(table: Table, header: Sequence[str]) -> bytes:
    """The lines of a table below a header, which may have columns of others too."""
    texts, named = cell_texts(table), _columns(table)
    given = {SECTION: _safe_name(table.name)}
    columns: list[Iterable[str]] = []
    for heading in header:
        if heading not in named:
            columns.append(repeat(line_cell(given.get(heading)), texts.height))
        elif is_inert(table.schema[named[heading]]):
            columns.append(texts.texts[named[heading]].map(lambda cell: cell or ""))
        else:
            columns.append(texts.texts[named[heading]].map(lambda cell: line_cell(cell and safe_cell(cell))))
    if len(columns) == 1:
        columns = [(cell or EMPTY for cell in columns[0])]
    return "".join([f"{line}\r\n" for line in map(",".join, zip(*columns, strict=True))]).encode()


def _safe_name(name: str) -> str:
    return name if name.replace("_", "").isalnum() else safe_cell(name)


def _summary(edition: Edition) -> Iterator[tuple[str, str | None]]:
    for name, value in flat("", plain_value(edition.document.summary, "summary")):
        text = safe_cell(value) if isinstance(value, str) else None if value is None else scalar_text(value)
        yield safe_cell(name), text
