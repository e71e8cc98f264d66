"""A CSV with rows of several tables, told apart by its first column."""

import pytest

from engine.intake.imports import import_paths
from engine.model.errors import InvalidData, Usage
from tests.conftest import NOW

MIXED = """table,id,name,tier,title,category,likelihood,impact,owner
vendors,v1,Cloud One,high,,saas,,,ann@acme.example
risks,r1,,,Flood,operational,2,3,ann@acme.example
,,,,,,,,
Vendors,v2,Cloud Two,low,,saas,,,
"""


def import_text(store, path, text, **more):
    path.write_text(text, encoding="utf-8")
    return import_paths(store, [path], org_id="acme", actor="ann", now=NOW, **more)


def test_each_row_goes_to_its_table_and_the_same_again_changes_nothing(store, tmp_path):
    result = import_text(store, tmp_path / "anything.csv", MIXED)
    assert {name: counts.created for name, counts in result.tables.items()} == {"vendors": 2, "risks": 1}
    again = import_text(store, tmp_path / "anything.csv", MIXED)
    assert not again.has_changes


@pytest.mark.parametrize("change", [("\ufeff", "", ","), ("", "", ";"), ("", "", "\t")])
def test_it_may_be_written_as_spreadsheets_do(store, tmp_path, change):
    mark, _, delimiter = change
    result = import_text(store, tmp_path / "x.csv", mark + MIXED.replace(",", delimiter))
    assert {name: counts.created for name, counts in result.tables.items()} == {"vendors": 2, "risks": 1}


def test_a_bad_cell_is_named_by_its_row_of_the_file(store, tmp_path):
    with pytest.raises(InvalidData) as refused:
        import_text(store, tmp_path / "x.csv", MIXED.replace("operational,2,3", "operational,many,3"))
    assert [(one["file"], one["row"], one["column"]) for one in refused.value.details] == [
        ("x.csv, risks", 3, "likelihood")
    ]


def test_a_name_that_is_no_table_is_refused(store, tmp_path):
    with pytest.raises(Usage, match="x.csv, row 2: 'vendor list' is not a table"):
        import_text(store, tmp_path / "x.csv", MIXED.replace("vendors,", "vendor list,"))


@pytest.mark.parametrize("text", [""])
def test_a_file_without_rows_is_nothing_to_import(store, tmp_path, text):
    with pytest.raises(Usage):
        import_text(store, tmp_path / "x.csv", text)


def test_a_file_with_its_header_alone_brings_nothing(store, tmp_path):
    assert not import_text(store, tmp_path / "x.csv", "table,id\n").has_changes


def test_a_quote_that_is_never_closed_is_named(store, tmp_path):
    with pytest.raises(InvalidData) as refused:
        import_text(store, tmp_path / "x.csv", 'table,id\nvendors,"R4\n')
    assert [one["row"] for one in refused.value.details] == [2]


def test_an_empty_key_is_a_bad_cell_of_its_row_and_an_id_is_made_where_it_can_be(store, tmp_path):
    spans = "table,id,name,person,starts_at,ends_at\non_call_shifts,,,ann@acme.example,2026-11-01T00:00:00Z,"
    with pytest.raises(InvalidData) as refused:
        import_text(store, tmp_path / "x.csv", spans + "2026-11-02T00:00:00Z\n")
    assert [(one["row"], one["column"], one["found"]) for one in refused.value.details] == [(2, "id", "nothing")]
    made = "table,id,name,tier,category\nvendors,,Cloud One,high,saas\n"
    assert import_text(store, tmp_path / "x.csv", made).tables["vendors"].created == 1
