"""Spreadsheets: every cell is what JSON has, of its type; text is never run; the first sheet says what the file is."""

import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from io import BytesIO

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model.documents.document import Document
from engine.render.html.charts.palette import variables
from engine.render.tables import xlsx, xlsx_cells
from engine.render.tables.xlsx_names import SheetNames
from tests.laws import examples
from tests.render.editions import edition, of_tables, posture, table
from tests.render.spreadsheets import check_cells, open_workbook
from tests.render.tables.test_csv import DANGEROUS
from tests.render.test_same_rows import frames


def sheet_of(frame, **changes):
    return open_workbook(xlsx.render(of_tables(table(frame, **changes))))["Rows"]


def test_an_edition_is_read_back_as_json_has_it():
    check_cells(posture())


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(frames(), min_size=1, max_size=2))
def test_whatever_people_type_is_read_back(drawn):
    check_cells(of_tables(*(table(frame, f"t{number}") for number, frame in enumerate(drawn))))


@pytest.mark.parametrize("text", DANGEROUS)
def test_text_that_looks_like_a_formula_is_text_and_stays_text_when_it_is_edited(text):
    data = xlsx.render(
        edition(
            Document(text, summary={"figure": text}, tables=(table(pl.DataFrame({"title": [text]})),), warnings=(text,))
        )
    )
    cell = open_workbook(data)["Rows"]["A2"]
    assert (cell.data_type, cell.quotePrefix) == ("s", True)
    with zipfile.ZipFile(BytesIO(data)) as file:
        assert not [
            name for name in file.namelist() if b"<f>" in file.read(name) or "vba" in name or "external" in name
        ]


def test_headings_say_the_unit_stay_in_sight_and_filter():
    instant = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
    sheet = sheet_of(pl.DataFrame({"strict_pct": [64.0], "age_days": [6], "seen_at": [instant], "title": ["x" * 200]}))
    assert [cell.value for cell in sheet[1]] == ["Strict (%)", "Age (days)", "Seen (UTC)", "Title"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:D2")
    assert sheet["C2"].value == instant.replace(tzinfo=None)
    widths = [sheet.column_dimensions[name].width for name in "ABCD"]
    assert widths[3] > 60 > max(widths[:3]) > min(widths) >= 8
    assert sheet["D2"].alignment.wrap_text


def test_rows_are_as_high_as_their_longest_text():
    sheet = sheet_of(pl.DataFrame({"title": ["word " * 40, "short", "two\nlines"], "n": [1, 2, 3]}))
    assert [sheet.row_dimensions[row].height for row in (2, 3, 4)] == [60, None, 30]


def test_people_and_things_have_their_names_states_their_colours_and_words_spaces():
    frame = pl.DataFrame(
        {
            "framework": ["soc2", "soc2"],
            "control_id": ["CC6.1", "x-1"],
            "owner": ["ann@acme.example", None],
            "evidence_id": ["EVD-1", "EVD-2"],
            "kind": ["test_window", "other"],
            "state": ["no_data", "effective"],
        }
    )
    tables = of_tables(table(frame, state=("state",), words=("kind",)))
    named = replace(tables, people={"ann@acme.example": "Ann Lee"}, titles={"EVD-1": "Report of the scan"})
    sheet = open_workbook(xlsx.render(named))["Rows"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        [
            "SOC 2",
            "CC6.1 Logical access security architecture",
            "Ann Lee",
            "EVD-1 Report of the scan",
            "test window",
            "no data",
        ],
        ["SOC 2", "x-1", None, "EVD-2", "other", "effective"],
    ]
    colours = variables("light")
    grounds = [sheet[cell].fill.start_color.rgb[2:].lower() for cell in ("F2", "F3")]
    assert grounds == [colours[f"pale-{tone}"].removeprefix("#") for tone in ("unknown", "good")]


def test_the_first_sheet_begins_with_what_the_report_says():
    said = [row[0].value for row in open_workbook(xlsx.render(posture()))["Summary"].iter_rows(max_row=8)]
    assert said[:6] == ["Posture score", "Organization", "As of", None, "What it says", "Says"]


def test_columns_for_machines_are_there_and_hidden():
    sheet = sheet_of(pl.DataFrame({"title": ["x"], "row_id": [1], "sha256": ["ab"]}), hidden=("row_id",))
    assert [sheet.column_dimensions[name].hidden for name in "ABC"] == [False, True, True]
    assert [cell.value for cell in sheet[2]] == ["x", 1, "ab"]


def test_what_a_spreadsheet_has_no_number_for_is_text():
    sheet = sheet_of(
        pl.DataFrame(
            {"n": [10**15, 10**15 - 1], "due_on": [date(1899, 12, 31), date(1900, 3, 1)], "title": ["y" * 40_000, ""]}
        )
    )
    assert [sheet["A2"].value, sheet["A3"].value] == ["1000000000000000", 10**15 - 1]
    assert [sheet["B2"].value, sheet["B3"].value] == ["1899-12-31", datetime.fromisoformat("1900-03-01")]
    assert (len(sheet["C2"].value), sheet["C2"].value[-2:]) == (32_767, "y…")


def test_the_first_sheet_says_what_the_file_is():
    book = open_workbook(xlsx.render(posture()))
    assert book.sheetnames[0] == "Summary"
    said = [tuple(cell.value for cell in row) for row in book["Summary"].iter_rows()]
    flat = {text for row in said for text in row if text is not None}
    shown = posture()
    assert {shown.title, shown.description, shown.organization.name, shown.report, shown.document.headline} <= flat
    assert datetime.fromisoformat("2026-11-20") in flat
    assert ("Records", 81234, f"position in the chain, hash {shown.revision.hash}") in said
    assert {*shown.document.warnings, *shown.document.footnotes, *shown.document.definitions.values()} <= flat
    listed = {row[0].value: (row[1].value, row[0].hyperlink.location) for row in book["Summary"] if row[0].hyperlink}
    assert listed == {
        name: (each.frame.height, f"'{name}'!A1")
        for name, each in zip(book.sheetnames[1:-1], shown.document.tables, strict=True)
    }
    (score,) = [row[1] for row in said if row[0] == (shown.document.titles.get("score") or "Score")]
    assert score == 78.3


def test_the_last_sheet_says_what_is_in_which_column():
    book = open_workbook(xlsx.render(posture()))
    rows = [tuple(cell.value for cell in row) for row in book["Columns"].iter_rows(min_row=2)]
    assert [(row[0], row[2]) for row in rows] == [
        (name, column)
        for name, each in zip(book.sheetnames[1:-1], posture().document.tables, strict=True)
        for column in (each.headings or each.frame.columns)
    ]


def test_a_report_without_tables_is_one_sheet():
    assert open_workbook(xlsx.render(edition())).sheetnames == ["Summary"]


def test_a_table_longer_than_a_sheet_goes_on_in_the_next(monkeypatch):
    monkeypatch.setattr(xlsx, "MOST_ROWS", 2)
    book = open_workbook(xlsx.render(of_tables(table(pl.DataFrame({"n": [1, 2, 3]})))))
    assert book.sheetnames == ["Summary", "Rows", "Rows 2", "Columns"]
    assert [[cell.value for cell in book[name]["A"]][1:] for name in ("Rows", "Rows 2")] == [[1, 2], [3]]


def test_names_of_sheets_are_short_plain_and_told_apart():
    names = SheetNames()
    titles = [
        "Gaps",
        "gaps",
        "a/b: [c]?*\\",
        "'quoted'",
        "Summary",
        "History",
        "",
        "x" * 40,
        "x" * 40,
        "Controls without evidence in the last period",
        "Controls without evidence in the last quarter",
    ]
    taken = [names.take(title) for title in titles]
    assert taken == [
        "Gaps",
        "gaps 2",
        "a b c",
        "quoted",
        "Summary 2",
        "History 2",
        "Table",
        "x" * 31,
        f"{'x' * 29} 2",
        "Controls without evidence in",
        "Controls without evidence in 2",
    ]


def test_a_heading_that_stands_twice_names_its_column():
    frame = pl.DataFrame({"title": ["a"], "name": ["b"]})
    assert list(xlsx_cells.columns_of(table(frame, labels={"name": "Title"})).values()) == [
        "Title [title]",
        "Title [name]",
    ]


def test_what_somebody_else_prescribes_has_those_headings_alone():
    sheet = sheet_of(pl.DataFrame({"a": [1], "b": [2], "c": [3]}), headings={"c": "POAM ID", "a": "Controls"})
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [["POAM ID", "Controls"], [3, 1]]
