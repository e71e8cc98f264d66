import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import polars as pl
import pytest

from engine.model.documents.document import Coverage, Document
from engine.render.text.json import render
from tests.render.editions import edition, of_tables, posture, table


def read(content):
    return json.loads(render(content))


def test_the_keys_stand_in_the_order_of_the_envelope():
    expected = ["report", "title", "schema_version", "organization", "as_of", "revision", "parameters"]
    expected += [
        "settings_version",
        "coverage",
        "headline",
        "next_step",
        "summary",
        "components",
        "gaps",
        "heat",
        "exceptions",
    ]
    assert list(read(posture())) == [*expected, "definitions", "footnotes", "warnings"]


def test_an_empty_document_keeps_every_key():
    answer = read(edition(Document("Nothing.", summary={})))
    assert answer["coverage"] is None
    assert answer["summary"] == answer["definitions"] == {}
    assert answer["footnotes"] == answer["warnings"] == []


def test_a_table_without_rows_or_columns_is_an_empty_list():
    assert read(of_tables(table(pl.DataFrame())))["rows"] == []
    assert read(of_tables(table(pl.DataFrame(schema={"a": pl.Int64}))))["rows"] == []


@pytest.mark.parametrize("name", ["report", "summary", "definitions", "warnings"])
def test_a_table_named_like_a_key_of_the_envelope_is_refused(name):
    with pytest.raises(ValueError, match=f"Table {name}:"):
        render(of_tables(table(pl.DataFrame({"a": [1]}), name)))


def test_two_tables_of_one_name_are_refused():
    rows = table(pl.DataFrame({"a": [1]}))
    with pytest.raises(ValueError, match="Table rows:"):
        render(of_tables(rows, rows))


def test_days_are_iso_and_instants_are_utc():
    zone = timezone(timedelta(hours=2))
    frame = pl.DataFrame(
        {
            "on": [date(2026, 11, 20)],
            "at": [datetime(2026, 11, 20, 1, 30, tzinfo=zone)],
            "naive": [datetime.fromisoformat("2026-11-20T01:30")],
            "berlin": pl.Series([datetime.fromisoformat("2026-07-01")]).dt.replace_time_zone("Europe/Berlin"),
            "days": [[date(2026, 1, 2)]],
            "kind": pl.Series(["a"], dtype=pl.Categorical),
            "cost": [Decimal("1.50")],
        }
    )
    summary = {"at": datetime(2026, 11, 20, 1, 30, tzinfo=zone), "on": date(2026, 1, 2)}
    answer = read(edition(Document("", summary=summary, tables=[table(frame)])))
    assert answer["rows"] == [
        {
            "on": "2026-11-20",
            "at": "2026-11-19T23:30:00Z",
            "naive": "2026-11-20T01:30:00Z",
            "berlin": "2026-06-30T22:00:00Z",
            "days": ["2026-01-02"],
            "kind": "a",
            "cost": 1.5,
        }
    ]
    assert answer["summary"] == {"at": "2026-11-19T23:30:00Z", "on": "2026-01-02"}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused_wherever_it_stands(value):
    with pytest.raises(ValueError, match="Table rows, column a"):
        render(of_tables(table(pl.DataFrame({"b": [1.0], "a": [value]}))))
    with pytest.raises(ValueError, match="Table rows, column a"):
        render(of_tables(table(pl.DataFrame({"a": [[1.0], [value]]}))))
    with pytest.raises(ValueError, match=r"summary\.a\.b"):
        render(edition(Document("", summary={"a": {"b": value}})))


def test_a_column_of_structures_is_refused():
    with pytest.raises(ValueError, match="Table rows, column a: expected scalars"):
        render(of_tables(table(pl.DataFrame({"a": [{"b": 1}]}))))


def test_coverage_of_nothing_has_no_percentage():
    answer = read(edition(Document("", summary={}, coverage=Coverage(0, 0))))
    assert answer["coverage"] == {"assessed": 0, "total": 0, "pct": None}


def test_the_file_is_one_line_of_utf_8():
    content = render(edition(Document("Prüfung\n“x”", summary={})))
    assert content.endswith(b"}\n")
    assert content.count(b"\n") == 1
    assert "Prüfung" in content.decode()
