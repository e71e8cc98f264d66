"""What a spreadsheet holds, as another program reads it, held against the JSON of the same edition."""

import math
import re
from datetime import date, datetime, timedelta
from io import BytesIO

import openpyxl
import polars as pl

from engine.catalogue import catalogue
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import words
from engine.render.tables.xlsx import render
from engine.render.tables.xlsx_cells import columns_of
from engine.render.text import json

ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def open_workbook(data):
    return openpyxl.load_workbook(BytesIO(data))


def read_text(text):
    """Text as spreadsheets read it: openpyxl leaves characters escaped that XML does not have."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def lines(text):
    return re.sub("\r\n|\r", "\n", text)


def has_value(cell, dtype, value):
    """Whether a cell holds a value of JSON, as what its column is."""
    found = cell.value
    if value in (None, "", []):
        return found in (None, "")
    if isinstance(value, list):
        value = "; ".join("" if part is None else str(part) for part in value if part is not None)
        return found in (None, "") if value == "" else lines(read_text(str(found))) == lines(value)
    if dtype == pl.Date:
        return (cell.is_date, cell.number_format, found.date()) == (True, "yyyy-mm-dd", date.fromisoformat(value))
    if isinstance(dtype, pl.Datetime):
        instant = datetime.fromisoformat(value.removesuffix("Z"))
        return cell.is_date and abs(found - instant) < timedelta(milliseconds=1)
    if isinstance(value, bool):
        return found is value
    if isinstance(value, int | float):
        exact = math.isclose(float(found), value, rel_tol=1e-15)  # a spreadsheet has fifteen digits
        return exact and cell.data_type == ("n" if abs(value) < 10**15 else "s")
    return cell.data_type == "s" and lines(read_text(found)) == lines(value)


def as_people_read_it(table, name, value):
    """A word of ours with spaces; of anything else what JSON has."""
    is_word = isinstance(value, str) and not table.headings and name not in table.unseen
    return words.spell(value, name) if is_word and (name in table.state or name in table.words) else value


def spelling(edition, value):
    """A framework and a person by name, a control behind the name of its framework, a week by its Monday."""
    value = re.sub(r"^(control|requirement):(?=.+:)", "", value)
    framework, _, control = value.partition(":")
    if week := re.fullmatch(r"(\d{4})-W(\d\d)", value):
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        return f"week of {monday.day} {monday:%b} {monday.year}"
    if control and framework in FRAMEWORK_NAMES:
        return f"{FRAMEWORK_NAMES[framework]} {control}"
    return {**FRAMEWORK_NAMES, **edition.people}.get(value, value)


def is_named(edition, row, cell, value):
    """Whether a cell says by name what JSON has by its identifier: the name, and a title only behind what it is of."""
    found = read_text(str(cell.value))
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, str)]
        return all(spelling(edition, part) in found or part.replace("_", " ") in found for part in parts)
    if not isinstance(value, str) or found == spelling(edition, value):
        return isinstance(value, str)
    titles = {
        *edition.titles.values(),
        *catalogue().controls["title"],
        *(text for text in row.values() if isinstance(text, str)),
    }
    titles.add(re.sub(r"[._]", " ", value.rpartition(":")[2]))  # an action as people say it
    begins = [f"{text} " for text in (value, spelling(edition, value)) if found.startswith(f"{text} ")]
    rests = [found.removeprefix(begin) for begin in begins]
    return any(rest in titles or rest.partition(": ")[2] in titles for rest in rests)  # some after the kind of record


def check_cells(edition):
    """Every cell of every sheet is what JSON has there, as people read it, and none is a formula; returns the file that
    was read."""
    book, said = open_workbook(render(edition)), json.envelope(edition)
    sheets = [sheet for sheet in book.worksheets if sheet.title not in ("Summary", "Columns")]
    assert len(sheets) == len(edition.document.tables)
    for sheet, table in zip(sheets, edition.document.tables, strict=True):
        named = columns_of(table)
        assert [lines(read_text(cell.value)) for cell in sheet[1]] == [lines(text) for text in named.values()]
        assert sheet.max_row <= len(said[table.name]) + 1
        for number, row in enumerate(said[table.name], 2):
            cells = [sheet.cell(number, column) for column in range(1, len(named) + 1)]
            wrong = [
                (cell.coordinate, cell.value, row[name])
                for name, cell in zip(named, cells, strict=True)
                if not has_value(cell, table.schema[name], as_people_read_it(table, name, row[name]))
                and not is_named(edition, row, cell, row[name])
            ]
            assert (table.name, wrong) == (table.name, [])
    assert not [cell.coordinate for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    return book
