"""LibreOffice opens every spreadsheet and every CSV: types are what they were, and nothing is executed."""

import math
import shutil
import subprocess
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from engine.render import RENDERERS
from reports import REPORTS
from tests.render.editions import of_tables, posture, table
from tests.render.tables.test_csv import DANGEROUS
from tests.reporting.snapshot.test_snapshots import documents, full_store

__all__ = ["documents", "full_store"]
OFFICE = shutil.which("soffice")
pytestmark = [pytest.mark.real, pytest.mark.skipif(OFFICE is None, reason="needs LibreOffice Calc on the path")]


def convert(folder, files):
    """The files as LibreOffice writes them after it has read them."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    command = [
        OFFICE,
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",
        "--headless",
        "--convert-to",
        "xlsx:Calc MS Excel 2007 XML",
    ]
    subprocess.run(
        [*command, "--outdir", folder / "out", *files], cwd=folder, check=True, capture_output=True, timeout=300
    )
    return {name: openpyxl.load_workbook(folder / "out" / f"{Path(name).stem}.xlsx") for name in files}


FLAGS = {"=TRUE()": True, "=FALSE()": False}  # how LibreOffice writes a cell that is true or false


def type_and_value(cell):
    """The type of a cell and its value."""
    if cell.data_type == "f" and cell.value in FLAGS:
        return "b", FLAGS[cell.value]
    return "date" if cell.is_date else cell.data_type, cell.value


def cells_of(sheet):
    """Each cell that holds something and is not empty text, by its place."""
    return {
        cell.coordinate: type_and_value(cell)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value not in (None, "")
    }


def same(found, written):
    """Whether a cell is of the same type and value; blanks and ends of lines in text are LibreOffice's."""
    if found[0] != written[0]:
        return False
    if written[0] == "n":
        return math.isclose(found[1], written[1], rel_tol=1e-12)
    return (written[0] == "s" and "\n" in written[1]) or found[1] == written[1]


def formulas(book):
    return [one for sheet in book for one in cells_of(sheet).values() if one[0] == "f"]


def test_every_spreadsheet_is_read_with_the_types_that_it_was_written_with(documents, tmp_path):
    files = {f"{report.name}.xlsx": RENDERERS["xlsx"].render(documents("brightline", report)) for report in REPORTS}
    files["posture.xlsx"] = RENDERERS["xlsx"].render(posture())
    read = convert(tmp_path, files)
    for name, book in read.items():
        written = openpyxl.load_workbook(tmp_path / name)
        assert formulas(book) == [], name
        assert book.sheetnames == written.sheetnames
        for sheet in written:
            found, there = cells_of(book[sheet.title]), cells_of(sheet)
            assert found.keys() == there.keys(), (name, sheet.title)
            wrong = [(place, found[place], one) for place, one in there.items() if not same(found[place], one)]
            assert (name, sheet.title, wrong) == (name, sheet.title, [])


def test_no_csv_is_executed(documents, tmp_path):
    files = {f"{report.name}.csv": RENDERERS["csv"].render(documents("brightline", report)) for report in REPORTS}
    for number, text in enumerate(DANGEROUS):
        files[f"dangerous-{number}.csv"] = RENDERERS["csv"].render(
            of_tables(table(pl.DataFrame({"a": ["x"], "b": [text]})))
        )
    for name, book in convert(tmp_path, files).items():
        (sheet,) = book.worksheets
        assert formulas(book) == [], name
        lines = files[name].decode().count("\r\n")
        assert 1 <= sheet.max_row <= lines, name
