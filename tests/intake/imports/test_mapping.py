"""Files of other people: a mapping of their headers, columns left out, a header further down, a rehearsal."""

import pytest

from engine.intake.imports import ColumnMapping, import_paths, read_mapping
from engine.model.errors import InvalidData, Usage
from tests.intake.imports.conftest import NOW

THEIRS = "Supplier,Kind,Risk class,Remarks\nCumulus,cloud,critical,nice people\n"
TOML = """
[vendors.columns]
Supplier = "name"
Kind = "category"
"Risk class" = "Tier"
Remarks = ""

[vendors.values]
status = "not_assessed"
"""
CSV = (
    "table;header;column;value\nvendors;supplier;name;\nvendors;Kind;category;\nvendors;risk CLASS;tier;\n"
    "vendors;Remarks;;\nvendors;;status;not_assessed\n"
)


@pytest.fixture
def acme(door):
    door.paths(door.file("organizations.csv", "name,time_zone\nAcme,UTC\n"))
    return door


def import_file(door, *names, **how):
    paths = [door.folder / name for name in names]
    return import_paths(door.store, paths, org_id="acme", actor="ann@acme.example", now=NOW, **how)


@pytest.mark.parametrize(("name", "content"), [("map.toml", TOML), ("map.csv", CSV)])
def test_a_mapping_says_what_their_headers_mean_and_what_is_always_so(acme, name, content):
    acme.file("vendors.csv", THEIRS)
    import_file(acme, "vendors.csv", mapping=read_mapping(acme.file(name, content)))
    assert acme.rows("vendors", "name", "category", "tier", "status") == [
        ("Cumulus", "cloud", "critical", "not_assessed")
    ]


def test_a_row_without_cells_is_none_whatever_is_always_so(acme):
    acme.file("vendors.csv", THEIRS + ",,,\n")
    result = import_file(acme, "vendors.csv", mapping=read_mapping(acme.file("map.toml", TOML)))
    assert result.tables["vendors"].rows == 1


def test_a_value_for_a_column_that_the_file_has_is_refused(acme):
    acme.file("vendors.csv", "name,category,tier,status\nCumulus,cloud,critical,assessed\n")
    with pytest.raises(InvalidData) as caught:
        import_file(acme, "vendors.csv", mapping=read_mapping(acme.file("map.toml", TOML)))
    (detail,) = caught.value.details
    assert (detail["expected"], detail["found"]) == ("one column for status", "two")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.toml", '[vendor.columns]\nA = "name"', "'vendor' is not a table; probably vendors"),
        ("m.toml", '[vendors.columns]\nA = "nmae"', "'nmae' is not a column of vendors; probably name"),
        ("m.toml", '[vendors]\nA = "name"', "must have the parts"),
        ("m.toml", "[vendors.columns]\nA = [1]", "must be one text"),
        ("m.toml", "vendors = ", "is not TOML"),
        ("m.csv", "a,b\n1,2\n", "must have the columns table, header, column, value; got a, b"),
        ("m.csv", "", "must have the columns"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(Usage, match=message):
        read_mapping(tmp_path / name)


def test_every_unknown_column_is_named_with_the_nearest_known_one(acme):
    acme.file("vendors.csv", "name,tierr,Remarks zzz\nCumulus,critical,x\n")
    before = acme.store.head("acme")
    with pytest.raises(InvalidData) as caught:
        import_file(acme, "vendors.csv")
    unknown = [one for one in caught.value.details if one["found"] in ("tierr", "Remarks zzz")]
    assert [one["expected"] for one in unknown] == ["a column of vendors, probably tier", "a column of vendors"]
    assert "--ignore-unknown leaves unknown columns out" in caught.value.message
    assert acme.store.head("acme") == before


def test_unknown_columns_are_left_out_on_request_and_listed(acme):
    acme.file("vendors.csv", "name,category,tier,statuss\nCumulus,cloud,critical,x\n")
    result = import_file(acme, "vendors.csv", mapping=ColumnMapping(ignores_unknown=True))
    assert result.ignored == {"vendors.csv": {"statuss": "status"}}
    assert acme.rows("vendors", "name", "tier") == [("Cumulus", "critical")]


@pytest.mark.parametrize(
    ("above", "row", "rows"),
    [
        ("Vendor list\n\n", 3, "the 2 rows above it"),
        ("Vendors;;;\n", 2, "the row above it"),
        ("Acme, Ltd;2026\nprinted;by;name\n\n\n", 5, "the 4 rows above it"),
    ],
)
def test_a_header_further_down_is_pointed_at(acme, above, row, rows):
    acme.file("vendors.csv", above + "Name;Category;Tier;Status\nCumulus;cloud;critical;assessed\n")
    with pytest.raises(InvalidData) as caught:
        import_file(acme, "vendors.csv")
    (detail,) = caught.value.details
    assert detail["found"] == f"your header is in row {row}: remove {rows}"


def test_so_is_one_in_a_workbook(acme):
    import xlsxwriter

    path = acme.folder / "vendors.xlsx"
    with xlsxwriter.Workbook(path) as workbook:
        sheet = workbook.add_worksheet("vendors")
        lines = (["Vendor list 2026"], [], ["Name", "Category", "Tier"], ["Cumulus", "cloud", "critical"])
        for number, line in enumerate(lines):
            sheet.write_row(number, 0, line)
    with pytest.raises(InvalidData) as caught:
        import_file(acme, "vendors.xlsx")
    assert [one["found"] for one in caught.value.details] == ["your header is in row 3: remove the 2 rows above it"]


def test_a_row_that_happens_to_hold_names_of_columns_is_no_header(acme):
    acme.file("vendors.csv", "name,category,tier\ntier,category,critical\n")
    assert import_file(acme, "vendors.csv").tables["vendors"].created == 1


def test_a_rehearsal_says_what_would_be_written_and_writes_nothing(acme):
    acme.file("vendors.csv", "name,category,tier\nCumulus,cloud,critical\n")
    before = acme.store.head("acme")
    rehearsal = import_file(acme, "vendors.csv", rehearsed=True)
    assert (rehearsal.has_changes, rehearsal.after, acme.store.head("acme")) == (False, None, before)
    assert acme.rows("vendors", "name") == []
    assert acme.counts(rehearsal) == acme.counts(import_file(acme, "vendors.csv"))


def test_a_rehearsal_makes_no_organization(door):
    door.file("organizations.csv", "name,time_zone\nNew,UTC\n")
    path = door.folder / "organizations.csv"
    how = {"org_id": "new", "actor": "ann", "now": NOW}
    result = import_paths(door.store, [path], rehearsed=True, **how)
    assert (result.tables["organizations"].created, door.store.head("new")) == (1, None)
    assert import_paths(door.store, [path], **how).has_changes
