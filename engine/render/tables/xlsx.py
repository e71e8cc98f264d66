"""Spreadsheets (Office Open XML): a sheet that says what the file is, then a sheet for each table.

Numbers, days, instants and booleans are what they are, so that a spreadsheet sorts, sums and pivots them. Text is
always written as text: nothing in it is a formula, whatever it begins with. Same editions, same bytes.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time
from io import BytesIO

import xlsxwriter
from xlsxwriter.workbook import Workbook

from engine.model.documents.document import Edition, Table
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render.links import framework_of
from engine.render.tables.xlsx_about import Imprint, SheetOfTable, write_about
from engine.render.tables.xlsx_cells import MOST_ROWS, Styles, write_table
from engine.render.tables.xlsx_names import SheetNames
from engine.render.tables.xlsx_reading import CellReading


def render(edition: Edition) -> bytes:
    """The edition as one file."""
    return workbook(Imprint(edition.title, edition.description, edition), [edition])


def workbook(about: Imprint, editions: Sequence[Edition]) -> bytes:
    """All tables of the editions in one file; ``about`` is what its first sheet begins with."""
    names, alone = SheetNames(), len(editions) == 1
    sheets = [
        SheetOfTable(edition, part, names.take(part.title if alone else f"{_short(edition)} {part.title}"))
        for edition in editions
        for table in edition.document.tables
        for part in _parts(table)
    ]
    file = BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        _describe(book, about)
        styles = Styles.of(book)
        front = book.add_worksheet(names.summary)
        readings = {id(edition): CellReading.of(edition) for edition in editions}
        for held in sheets:
            write_table(book.add_worksheet(held.name), held.table, styles, readings[id(held.edition)])
        columns = book.add_worksheet(names.columns) if sheets else None
        write_about(front, columns, about, editions, sheets, styles)
    return file.getvalue()


def _parts(table: Table) -> list[Table]:
    """The table, in as many parts as a sheet's rows require."""
    frame = table.frame
    return [replace(table, frame=part) for part in frame.iter_slices(MOST_ROWS)] if frame.height else [table]


def _short(edition: Edition) -> str:
    """What tells the tables of one report from those of another."""
    return FRAMEWORK_NAMES.get(framework_of(edition.report), edition.title)


def _describe(book: Workbook, about: Imprint) -> None:
    edition = about.edition
    book.set_properties(
        {
            "title": about.title,
            "subject": about.description,
            "author": edition.organization.name,
            "created": datetime.combine(edition.as_of, time()),  # of the day that it is about, never of the clock
        }
    )
