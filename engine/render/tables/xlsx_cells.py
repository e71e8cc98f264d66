"""The cells of a sheet: each of the type that its column has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Protocol, TypeAlias

import polars as pl
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from engine.model.columns import COLUMNS
from engine.model.documents.document import Table
from engine.model.documents.tones import TONES
from engine.render import words
from engine.render.cell_texts import CellTexts, cell_texts
from engine.render.html.charts.palette import variables
from engine.render.plain_values import scalar_text
from engine.render.tables.csv_cells import safe_cell

MOST_ROWS = 1_048_575  # below the headings
LONGEST_TEXT = 32_767
EXACT = 10**15  # whole numbers from here on lose digits in a spreadsheet
FIRST_DAY = date(1900, 3, 1)  # of which all spreadsheets have the same number
NARROWEST, WIDEST, SAMPLE = 8, 60, 5000
LINE, MOST_LINES = 15, 25  # points; a row is at most 409 high
A4 = 9
Cell: TypeAlias = str | int | float | bool | date | datetime | None

# what a heading says of the unit, where its words do not
MARKS = {
    "percent": "%",
    "points": "points",
    "hours": "hours",
    "minutes": "minutes",
    "days": "days",
    "weeks": "weeks",
    "bytes": "bytes",
    "instant": "UTC",
}


class ColumnReading(Protocol):
    """What people read in the cells of a table."""

    def cells(self, texts: CellTexts, name: str) -> list[Cell]:
        """The cells of a column."""

    def tones(self, texts: CellTexts, name: str) -> list[str]:
        """The tone of each cell of a column of states; empty for any other column."""


@dataclass(frozen=True)
class Styles:
    """The formats of a file's cells. ``quoted`` text stays text when somebody edits its cell."""

    title: Format
    head: Format
    label: Format
    text: Format
    quoted: Format
    number: Format
    flag: Format
    day: Format
    instant: Format
    states: Mapping[str, Format]  # by tone

    @classmethod
    def of(cls, book: Workbook) -> "Styles":
        colours = variables("light")
        top = {"valign": "top"}
        wrapped = {**top, "text_wrap": True}
        return cls(
            title=book.add_format({"bold": True, "font_size": 16}),
            head=book.add_format(
                {**wrapped, "bold": True, "bottom": 1, "bg_color": colours["amount-1"], "font_color": colours["ink"]}
            ),
            label=book.add_format({**wrapped, "bold": True}),
            text=book.add_format(wrapped),
            quoted=book.add_format({**wrapped, "quote_prefix": True}),
            number=book.add_format({**top, "align": "right", "indent": 1}),
            flag=book.add_format(top),
            day=book.add_format({**top, "num_format": "yyyy-mm-dd", "align": "left"}),
            instant=book.add_format({**top, "num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"}),
            states={tone: book.add_format({**wrapped, "bg_color": colours[f"pale-{tone}"]}) for tone in TONES},
        )


def write_table(sheet: Worksheet, table: Table, styles: Styles, reading: ColumnReading) -> None:
    """A table under its headings, which stay in sight and filter; columns for machines are there and hidden."""
    texts = cell_texts(table)
    named = columns_of(table)
    tall: dict[int, int] = {}
    for number, (name, heading) in enumerate(named.items()):
        values = reading.cells(texts, name)
        tones = reading.tones(texts, name)
        width = _width(heading, values)
        sheet.write_string(0, number, heading, styles.head)
        tall[0] = max(tall.get(0, 1), lines_of(heading, width))
        for row, value in enumerate(values, 1):
            state = styles.states.get(tones[row - 1]) if tones else None
            write_cell(sheet, row, number, value, replace(styles, text=state) if state else styles)
            if isinstance(value, str) and (len(value) > width or "\n" in value) and name not in table.unseen:
                tall[row] = max(tall.get(row, 1), lines_of(value, width))
        unseen = {"hidden": True} if name in table.unseen and not table.headings else None
        sheet.set_column(number, number, width, None, unseen)
    for row, lines in tall.items():
        sheet.set_row(row, lines * LINE)
    for_paper(sheet)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, table.frame.height, max(len(named) - 1, 0))
    sheet.repeat_rows(0)


def for_paper(sheet: Worksheet) -> None:
    """Print all columns side by side."""
    sheet.set_landscape()
    sheet.set_paper(A4)
    sheet.fit_to_pages(1, 0)


def lines_of(text: str, width: int) -> int:
    """How many lines a text takes in a column: not every program finds that out itself."""
    found = sum(-(-max(len(part), 1) // (width - 2)) for part in text.split("\n"))
    return min(found, MOST_LINES)


def columns_of(table: Table) -> dict[str, str]:
    """The columns with their headings: what somebody else prescribes as it is, of others with the unit."""
    if table.headings:
        return dict(table.headings)
    headings = {name: _heading(table, name) for name in table.frame.columns}
    every = list(headings.values())
    return {name: text if every.count(text) == 1 else f"{text} [{name}]" for name, text in headings.items()}


def write_cell(sheet: Worksheet, row: int, column: int, value: Cell, styles: Styles) -> None:
    """One cell, of the type of its value; nothing for null."""
    match value:
        case None:
            return
        case bool():
            sheet.write_boolean(row, column, value, styles.flag)
        case int() | float() if abs(value) < EXACT:
            sheet.write_number(row, column, value, styles.number)
        case datetime() if value.date() >= FIRST_DAY:
            instant = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            sheet.write_datetime(row, column, instant, styles.instant)
        case date() if not isinstance(value, datetime) and value >= FIRST_DAY:
            sheet.write_datetime(row, column, value, styles.day)
        case _:
            _write_text(sheet, row, column, value if isinstance(value, str) else scalar_text(value), styles)


def _write_text(sheet: Worksheet, row: int, column: int, text: str, styles: Styles) -> None:
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT - 1]}…"
    sheet.write_string(row, column, text, styles.text if safe_cell(text) == text else styles.quoted)


def _heading(table: Table, name: str) -> str:
    text = words.heading(table, name)
    mark = MARKS.get(COLUMNS[name].unit, "") if name in COLUMNS else ""
    if isinstance(table.schema[name], pl.Datetime):
        mark = "UTC"
    if not mark or mark in text.lower() or f"({mark})" in text or not _is_measure(table.schema[name]):
        return text
    return f"{text} ({mark})"


def _is_measure(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype.is_temporal()


def _width(heading: str, values: Iterable[Cell]) -> int:
    """Characters that show most cells whole; long text goes on in further lines."""
    longest = max((_length(value) for value, _ in zip(values, range(SAMPLE), strict=False)), default=0)
    words_of_heading = max(map(len, heading.split()), default=0) + 3  # the arrow of the filter
    return min(max(NARROWEST, longest + 1, words_of_heading), WIDEST)


def _length(value: Cell) -> int:
    if isinstance(value, datetime):
        return 19
    return max(map(len, str(value).split("\n"))) if value is not None else 0
