"""Every cell is spelled in one place: each type as JSON has it, as text, and as people read it."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.render import RENDERERS, cell_texts
from tests.laws import examples
from tests.render.editions import of_tables, table

AT = datetime(2026, 7, 1, 1, 2, 3, 4000, UTC)
DAY = date(2026, 7, 1)
SHOWN_AT = "1 Jul 2026 01:02"
# type, cell, in JSON, as text, to people
SPELLED = [
    (pl.String, "no_data on 2026-07-01\r\n\x1b", None, None, "no_data on 1 Jul 2026\n\ufffd"),
    (pl.Categorical, "at_risk", None, None, "at_risk"),
    (pl.Enum(["low"]), "low", None, None, "low"),
    (pl.Boolean, True, None, "true", "yes"),
    (pl.Boolean, False, None, "false", "no"),
    (pl.Int64, -(2**63), None, "-9223372036854775808", "-9223372036854775808"),
    (pl.UInt8, 255, None, "255", "255"),
    (pl.Float64, 1e-7, None, "1e-7", "1e-7"),
    (pl.Float32, 0.1, None, "0.1", "0.1"),
    (pl.Decimal(9, 2), Decimal("1.50"), 1.5, "1.5", "1.5"),
    (pl.Date, DAY, "2026-07-01", "2026-07-01", "1 Jul 2026"),
    (pl.Time, time(8, 30), "08:30:00", "08:30:00", "08:30:00"),
    (pl.Datetime("us", "UTC"), AT, "2026-07-01T01:02:03.004Z", "2026-07-01T01:02:03.004Z", SHOWN_AT),
    (pl.Datetime("ms", "Europe/Berlin"), AT, "2026-07-01T01:02:03.004Z", "2026-07-01T01:02:03.004Z", SHOWN_AT),
    (pl.Datetime("ns"), AT.replace(tzinfo=None), "2026-07-01T01:02:03.004Z", "2026-07-01T01:02:03.004Z", SHOWN_AT),
    (pl.List(pl.String), ["a_b", None, "2026-07-01"], None, "a_b; 2026-07-01", "a_b; 1 Jul 2026"),
    (pl.List(pl.Int64), [], None, "", ""),
    (pl.List(pl.Float64), [1.0, None, 1e16], None, "1.0; 1e+16", "1.0; 1e+16"),
    (pl.List(pl.Boolean), [True, False], None, "true; false", "true; false"),
    (pl.List(pl.Date), [DAY], ["2026-07-01"], "2026-07-01", "1 Jul 2026"),
    (pl.Array(pl.Int64, 2), [1, 2], None, "1; 2", "1; 2"),
]


@pytest.mark.parametrize(("dtype", "cell", "plain", "text", "shown"), SPELLED)
def test_a_cell_is_spelled_by_its_type_and_null_is_nothing(dtype, cell, plain, text, shown):
    texts = cell_texts.cell_texts(table(pl.DataFrame({"cell": pl.Series([cell, None]).cast(dtype)})))
    columns = texts.plain["cell"], texts.texts["cell"], texts.display_columns["cell"]
    plain, text = cell if plain is None else plain, cell if text is None else text
    assert [list(column) for column in columns] == [[plain, None], [text, None], [shown, ""]]


def test_a_column_of_nothing_is_empty():
    texts = cell_texts.cell_texts(table(pl.DataFrame({"none": [None, None], "rows": [1, 2]}).clear()))
    assert [list(column) for column in texts.display_columns.values()] == [[], []]
    nothing = cell_texts.cell_texts(table(pl.DataFrame({"none": [None]})))
    assert (list(nothing.plain["none"]), list(nothing.display_columns["none"])) == ([None], [""])


def test_declared_words_have_spaces():
    frame = pl.DataFrame({"state": ["at_risk"], "reason": ["no_deploy"], "rule": ["no_deploy"], "tags": [["a_b"]]})
    declared = {"reason": ("no_deploy",), "rule": ("dry_run",)}
    texts = cell_texts.cell_texts(table(frame, state=("state",), words=declared))
    shown = {name: list(column) for name, column in texts.display_columns.items()}
    assert shown == {"state": ["at risk"], "reason": ["no deploy"], "rule": ["no_deploy"], "tags": ["a_b"]}


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=examples(300))
def test_a_number_is_written_as_by_polars(value):
    assert cell_texts.number_text(value) == pl.Series([value]).cast(pl.String).item()


@pytest.mark.parametrize("cell", [float("nan"), [1.0, float("inf")]])
def test_a_number_that_is_none_is_named_with_its_table_and_column(cell):
    frame = pl.DataFrame({"share": [cell]})
    with pytest.raises(ValueError, match="^Table rows, column share: expected finite numbers, found NaN or infinity.$"):
        RENDERERS["json"].render(of_tables(table(frame)))


def test_instants_have_as_many_digits_as_they_need():
    begin = datetime.fromisoformat("1678-01-01T08:30")
    parts = [timedelta(), timedelta(milliseconds=5), timedelta(microseconds=5)]
    texts = cell_texts.cell_texts(table(pl.DataFrame({"at": [begin + part for part in parts]})))
    assert list(texts.plain["at"]) == [
        "1678-01-01T08:30:00Z",
        "1678-01-01T08:30:00.005Z",
        "1678-01-01T08:30:00.000005Z",
    ]


def test_a_value_is_spelled_once_for_all_rows_that_have_it():
    frame = pl.DataFrame({"state": ["not_met", "met", "not_met"], "tags": [["a", "b"], None, ["a", "b"]]})
    texts = cell_texts.cell_texts(table(frame, state=("state",)))
    assert (texts.display_columns["state"].values, texts.display_columns["tags"].values) == (
        ["not met", "met"],
        ["a; b", ""],
    )
    assert list(zip(texts.display_columns["state"], texts.display_columns["tags"], strict=True)) == [
        ("not met", "a; b"),
        ("met", ""),
        ("not met", "a; b"),
    ]


def test_numbers_that_are_equal_and_written_differently_stay_apart():
    texts = cell_texts.cell_texts(table(pl.DataFrame({"change": [0.0, -0.0, 0.0]})))
    assert list(texts.texts["change"]) == ["0.0", "-0.0", "0.0"]


def test_rows_that_compare_figures_are_read_each_in_its_unit():
    frame = pl.DataFrame(
        {
            "measure": ["blocks", "rate", "median", "new"],
            "window": [18.0, 58.1, 18618.0, None],
            "change": [16.0, 48.6, -30.0, None],
        }
    )
    units = {"blocks": "count", "rate": "percent", "median": "minutes"}
    shown = cell_texts.CellTexts(table(frame, units=units)).display_columns
    assert list(shown["window"]) == ["18", "58.1\u00a0%", "12 days 22 h", ""]
    assert list(shown["change"]) == ["16", "48.6\u00a0points", "-30 min", ""]


def test_whole_numbers_under_a_heading_without_a_unit_have_no_decimals():
    frame = pl.DataFrame({"loss_low": [60000.0, 1.0], "severity_score": [1.5, 2.0]})
    shown = cell_texts.CellTexts(table(frame)).display_columns
    assert {name: list(column) for name, column in shown.items()} == {
        "loss_low": ["60,000", "1"],
        "severity_score": ["1.5", "2.0"],
    }
