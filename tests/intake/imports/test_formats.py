"""Workbooks, JSON Lines and Parquet carry types of their own."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest
import xlsxwriter

from engine.intake.imports.files import typed_files as typed
from engine.model.errors import InvalidData, Usage


def workbook(path, **sheets):
    """A workbook with real dates: ``sheets`` are lists of rows."""
    with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if isinstance(cell, date):
                        sheet.write_datetime(number, column, cell)
                    elif cell is not None:
                        sheet.write(number, column, cell)
    return path


def test_a_workbook_has_a_table_on_each_sheet(door):
    path = workbook(
        door.folder / "register.xlsx",
        Vendors=[
            ["Name", "Category", "Tier", "Onboarded On", "Privileged Access"],
            ["Acme Cloud", "cloud", "High", date(2026, 11, 20), True],
            [],
            ["Bolt", "saas", "low", date(2026, 1, 5), "nein"],
            [None, None, None, None, None],
        ],
        Incidents=[
            ["ID", "Title", "Severity", "Status", "Opened At", "Impact Users"],
            [7, "Down", "high", "open", datetime.fromisoformat("2026-11-20T08:30:15"), 1200.0],
        ],
        Sheet3=[],
    )
    result = door.paths(path)
    assert door.counts(result) == {"vendors": (2, 2, 0, 0), "incidents": (1, 1, 0, 0)}
    assert door.rows("vendors", "id", "tier", "onboarded_on", "privileged_access") == [
        ("acme-cloud", "high", date(2026, 11, 20), True),
        ("bolt", "low", date(2026, 1, 5), False),
    ]
    assert door.rows("incidents", "id", "opened_at", "impact_users") == [
        ("7", datetime(2026, 11, 20, 8, 30, 15, tzinfo=UTC), 1200)
    ]
    assert not door.paths(path).has_changes


def test_rows_of_a_workbook_count_as_the_spreadsheet_shows_them(door):
    path = workbook(door.folder / "register.xlsx", risks=[["id", "title", "impact"], ["R", "r", 3], [], ["S", "s", 9]])
    with pytest.raises(InvalidData) as caught:
        door.paths(path)
    assert caught.value.details == [
        {
            "file": "register.xlsx, sheet risks",
            "row": 4,
            "column": "impact",
            "expected": "a whole number from 1 to 5",
            "found": "9",
        }
    ]


def test_the_error_of_a_formula_is_a_bad_cell_and_not_an_empty_one(door):
    path = door.folder / "risks.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("risks")
        sheet.write_row(0, 0, ["id", "title", "owner", "impact"])
        sheet.write_row(1, 0, ["R", "r"])
        sheet.write_formula(1, 2, "=NA()", None, "#N/A")
        sheet.write_formula(1, 3, "=1/0", None, "#DIV/0!")
    with pytest.raises(InvalidData) as caught:
        door.paths(path)
    assert [(cell["row"], cell["column"], cell["found"]) for cell in caught.value.details] == [
        (2, "owner", "#N/A"),
        (2, "impact", "#DIV/0!"),
    ]


def test_a_workbook_with_one_sheet_goes_by_the_name_of_the_file(door):
    door.paths(workbook(door.folder / "risks.xlsx", Sheet1=[["id", "title"], ["R", "r"]]))
    assert door.rows("risks", "id") == [("R",)]


def test_a_sheet_that_is_no_table_is_wrong_usage(door):
    path = workbook(door.folder / "register.xlsx", Riks=[["id"], ["R"]], vendors=[["name"], ["V"]])
    with pytest.raises(Usage, match=r"register\.xlsx, sheet Riks: 'Riks' is not a table .* Did you mean risks\?"):
        door.paths(path)


@pytest.mark.parametrize("text", ["3.1", 3.1])
def test_a_control_that_lost_its_zero_as_a_number_is_not_guessed(door, text):
    path = workbook(
        door.folder / "control_owners.xlsx",
        Sheet1=[["framework", "control_id", "email", "raci"], ["CIS Controls", text, "ann@acme.example", "R"]],
    )
    if isinstance(text, str):
        door.paths(path)
        assert door.rows("control_owners", "framework", "control_id") == [("cis-v8", "3.1")]
        return
    with pytest.raises(InvalidData) as caught:
        door.paths(path)
    (cell,) = caught.value.details
    assert cell["expected"] == "text: as a number 3.1 and 3.10 are the same, so format the column as text"


def test_json_lines_may_have_members_in_any_order(door):
    lines = [
        {
            "id": "V-1",
            "weakness_key": "k",
            "detected_on": "2026-01-01",
            "due_on": "2026-02-01",
            "details": {"b": [1], "a": None},
        },
        {"due_on": "2026-02-02", "detected_on": "2026-01-01", "weakness_key": "k", "id": 2},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    assert door.counts(door.text("poam_items.jsonl", text)) == {"poam_items": (2, 2, 0, 0)}
    assert door.rows("poam_items", "id", "due_on", "details") == [
        ("2", date(2026, 2, 2), None),
        ("V-1", date(2026, 2, 1), {"a": None, "b": [1]}),
    ]
    assert not door.text("poam_items.ndjson", text).has_changes


def test_lists_of_text_are_joined_and_lists_for_json_stay_lists(door):
    line = {"name": "Board", "cadence": "monthly", "first_meeting_on": "2026-01-01", "members": ["A@x", "b@x"]}
    door.text("committees.jsonl", json.dumps(line))
    door.frames(organizations=pl.DataFrame({"modules": [["audit", "risk"]]}))
    assert door.rows("committees", "members") == [("a@x; b@x",)]
    assert door.rows("organizations", "modules") == [(["audit", "risk"],)]


def test_json_lines_may_bring_new_members_late(door, monkeypatch):
    monkeypatch.setattr(typed, "BATCH_ROWS", 1)
    lines = ['{"id": "R", "title": "r"}', '{"id": "S", "title": "s", "impact": 2, "identified_on": "20/11/2026"}']
    door.text("risks.jsonl", "\n".join(lines))
    assert door.rows("risks", "id", "title", "impact", "identified_on") == [
        ("R", "r", None, None),
        ("S", "s", 2, date(2026, 11, 20)),
    ]


def test_parquet_keeps_its_types(door):
    frame = pl.DataFrame(
        {
            "ID": ["R-1", "R-2"],
            "title": pl.Series(["Fire", "Flood"], dtype=pl.Categorical),
            "impact": pl.Series([3, None], dtype=pl.UInt8),
            "loss_low": [Decimal("0.25"), None],
            "loss_high": [0.1 + 0.2, 1e15],
            "identified_on": [date(2026, 11, 20), None],
        }
    )
    frame.write_parquet(door.folder / "risks.parquet")
    door.paths(door.folder)
    assert door.rows("risks", "id", "title", "impact", "loss_low", "loss_high", "identified_on") == [
        ("R-1", "Fire", 3, 0.25, 0.1 + 0.2, date(2026, 11, 20)),
        ("R-2", "Flood", None, None, 1e15, None),
    ]


def test_parquet_keeps_moments_whatever_their_zone(door):
    moments = pl.Series([datetime.fromisoformat("2026-11-20T08:30:00.000005")]).dt.replace_time_zone("Europe/Berlin")
    frame = pl.DataFrame(
        {"event_id": ["e"], "occurred_at": moments, "actor": ["a"], "action": ["b.c"], "details": [{"n": 1}]}
    )
    frame.write_parquet(door.folder / "audit_log.parquet")
    door.paths(door.folder)
    assert door.rows("audit_log", "event_id", "occurred_at", "details")[0] == (
        "e",
        datetime(2026, 11, 20, 7, 30, 0, 5, tzinfo=UTC),
        {"n": 1},
    )


def test_an_empty_parquet_file_changes_nothing(door):
    pl.DataFrame(schema={"id": pl.String, "title": pl.String}).write_parquet(door.folder / "risks.parquet")
    assert not door.paths(door.folder).has_changes
