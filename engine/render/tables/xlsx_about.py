"""The sheets that say what a spreadsheet is: whose, of which day and records, which sheet and which column is what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xlsxwriter.worksheet import Worksheet

from engine.model.documents.document import Alarm, Edition, Table
from engine.render import words
from engine.render.plain_values import flat, plain_value
from engine.render.tables.xlsx_cells import LINE, Cell, Styles, columns_of, for_paper, lines_of, write_cell

WIDTHS = (36, 24, 90)  # of the first sheet's columns


class SheetOfTable(NamedTuple):
    """A table of a report, or a part of one, and the name of the sheet that it is on."""

    edition: Edition
    table: Table
    name: str


@dataclass(frozen=True)
class Imprint:
    """What the file is. ``edition`` says whose it is and of which records; ``notes`` are of the file as a whole."""

    title: str
    description: str
    edition: Edition
    notes: Sequence[str] = ()


def write_about(
    front: Worksheet,
    columns: Worksheet | None,
    about: Imprint,
    editions: Sequence[Edition],
    sheets: Sequence[SheetOfTable],
    styles: Styles,
) -> None:
    """The first sheet, and the one that says what is in which column."""
    _Front(front, styles).write(about, editions, sheets)
    if columns is not None:
        _write_columns(columns, sheets, styles)


class _Front:
    """Lines of a sheet, one below the other."""

    def __init__(self, sheet: Worksheet, styles: Styles) -> None:
        self._sheet, self._styles, self._row = sheet, styles, 0

    def write(self, about: Imprint, editions: Sequence[Edition], sheets: Sequence[SheetOfTable]) -> None:
        self._sheet.hide_gridlines(2)
        for number, width in enumerate(WIDTHS):
            self._sheet.set_column(number, number, width)
        for_paper(self._sheet)
        self._sheet.write_string(0, 0, about.title, self._styles.title)
        self._row = 1
        edition, alone = about.edition, len(editions) == 1
        self._line("Organization", edition.organization.name, edition.organization.id)
        self._line("As of", edition.as_of)
        for one in editions:
            self._report(one, alone=alone)
        self._contents(sheets, alone=alone)
        self._heading("About this file", "", "")
        self._line("", about.description)
        for note in about.notes:
            self._line("Note", note)
        for one in editions:
            self._terms(one)
        self._line("Records", edition.revision.seq, f"position in the chain, hash {edition.revision.hash}")
        self._line("Settings", edition.settings_version, "version")

    def _contents(self, sheets: Sequence[SheetOfTable], *, alone: bool) -> None:
        if not sheets:
            return
        self._heading("Sheets", "Rows", "What it shows")
        for edition, table, name in sheets:
            self._sheet.write_url(self._row, 0, f"internal:'{name.replace(chr(39), chr(39) * 2)}'!A1", string=name)
            self._cell(1, table.frame.height)
            title = table.title if alone else f"{edition.title}: {table.title}"
            about = f"{title}. {table.note}" if table.note else title
            self._cell(2, about)
            if (lines := lines_of(about, WIDTHS[2])) > 1:
                self._sheet.set_row(self._row, lines * LINE)
            self._row += 1

    def _report(self, edition: Edition, *, alone: bool) -> None:
        """What a report says: the sentence, what to do, the figures."""
        document = edition.document
        self._heading(edition.title if not alone else "What it says", "", "")
        self._line("Says", edition.readable(document.headline))
        if document.next_step:
            self._line("Next", edition.readable(document.next_step))
        if document.coverage:
            self._line("Coverage", words.coverage(document.coverage))
        for name, value in _flat(document.summary):
            read = words.spell(value) if isinstance(value, str) and name in document.words else value
            title = document.titles.get(name) or words.label(name)
            self._line(title, read, document.units.get(name) or _unit(name))
        for text in document.warnings:
            self._line("To act on" if isinstance(text, Alarm) else "Good to know", edition.readable(text))

    def _terms(self, edition: Edition) -> None:
        """Which report it is, what it was asked, and what its words mean."""
        document = edition.document
        self._line("Report", edition.report)
        for name, value in _flat(edition.parameters):
            self._line(f"Asked with {name}", value)
        for text in document.footnotes:
            self._line("Note", edition.readable(text))
        for term, meaning in document.definitions.items():
            self._line(term, meaning)

    def _heading(self, *texts: str) -> None:
        self._row += 1
        for column, text in enumerate(texts):
            self._sheet.write_string(self._row, column, text, self._styles.head)
        self._row += 1

    def _line(self, label: str, value: Cell, further: str = "") -> None:
        """A label and a value; a sentence stands in the widest column."""
        self._sheet.write_string(self._row, 0, label, self._styles.label)
        sentence = isinstance(value, str) and len(value) > WIDTHS[1]
        self._cell(2 if sentence else 1, value)
        lines = max(lines_of(label, WIDTHS[0]), lines_of(str(value), WIDTHS[2]) if sentence else 1)
        if lines > 1:
            self._sheet.set_row(self._row, lines * LINE)
        if further and not sentence:
            self._cell(2, further)
        self._row += 1

    def _cell(self, column: int, value: Cell) -> None:
        write_cell(self._sheet, self._row, column, value, self._styles)


def _flat(values: Mapping[str, object]) -> Iterable[tuple[str, Cell]]:
    """Figures and parameters, those inside others by dotted names; days stay days."""
    for name, value in values.items():
        if isinstance(value, Mapping | list | tuple):
            yield from flat(name, plain_value(value, name))
        else:
            yield name, value  # type: ignore[misc]  # plain_value refuses what is no cell, and formats show the same


def _unit(name: str) -> str:
    return "percent" if name.endswith("_pct") else ""


def _write_columns(sheet: Worksheet, sheets: Sequence[SheetOfTable], styles: Styles) -> None:
    """What each column is called here and in JSON, and what it means."""
    for number, (text, width) in enumerate(
        (("Sheet", 30), ("Column", 30), ("Name in JSON and CSV", 30), ("Meaning", 90))
    ):
        sheet.write_string(0, number, text, styles.head)
        sheet.set_column(number, number, width)
    rows = [
        (name, heading, column, _meaning(table, column))
        for _, table, name in sheets
        for column, heading in columns_of(table).items()
    ]
    for row, texts in enumerate(rows, 1):
        for number, text in enumerate(texts):
            write_cell(sheet, row, number, text, styles)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, len(rows), 3)
    for_paper(sheet)


def _meaning(table: Table, name: str) -> str:
    meaning = words.meaning(table, name)
    return f"{meaning} Hidden." if name in table.unseen and not table.headings else meaning
