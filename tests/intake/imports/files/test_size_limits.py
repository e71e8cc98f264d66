"""Small files that would become larger than any memory, and large ones that are just what they are."""

import io
import zipfile

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.intake.imports import import_paths
from engine.intake.imports.files import size_limits
from engine.intake.imports.files.size_limits import check_workbook
from engine.model.errors import InvalidData
from tests.conftest import NOW

SHEET = "xl/worksheets/sheet1.xml"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ROWS = {"name": ["Ann", "Ben"], "category": ["saas", "saas"]}


def sheet(cells):
    return f"<worksheet {MAIN}><sheetData>{cells}</sheetData></worksheet>".encode()


@pytest.fixture
def book(tmp_path):
    """A workbook with these parts in place of its own."""

    def make_file(parts, name="vendors.xlsx"):
        out = io.BytesIO()
        pl.DataFrame(ROWS).write_excel(out)
        with zipfile.ZipFile(out) as plain:
            files = {part: plain.read(part) for part in plain.namelist()}
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as packed:
            for part, data in {**files, **parts}.items():
                packed.writestr(part, data)
        return tmp_path / name

    return make_file


@pytest.fixture
def small(monkeypatch):
    """Bounds that a test reaches in no time."""
    monkeypatch.setattr(size_limits, "MOST_ROWS", 1000)
    monkeypatch.setattr(size_limits, "MOST_CELLS", 10_000)
    monkeypatch.setattr(size_limits, "MOST_EXPANDED", 1_000_000)


def refusal_of(path, store):
    head = store.head("acme")
    with pytest.raises(InvalidData) as caught:
        import_paths(store, [path], org_id="acme", actor="ann", now=NOW)
    assert store.head("acme") == head
    return caught.value.message


def test_two_cells_at_opposite_corners_are_a_sheet_of_seventeen_billion(book, store):
    path = book(
        {SHEET: sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')}
    )
    assert path.stat().st_size < 20_000
    assert refusal_of(path, store) == (
        "vendors.xlsx has more than 50,000,000 cells: split it, or import CSV, which has no such limit."
    )


def test_a_cell_without_a_value_makes_no_sheet_larger(book):
    """A column that somebody formatted down to its end."""
    check_workbook(
        book({SHEET: sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>')})
    )


def test_a_part_that_unpacks_without_end_is_stopped_whatever_it_says_of_its_length(book, store, small, tmp_path):
    path = book({SHEET: sheet("<row>" + " " * 5_000_000 + "</row>")})
    data = path.read_bytes()
    with zipfile.ZipFile(path) as zip_file:
        content = zip_file.getinfo(SHEET).file_size.to_bytes(4, "little")
    (tmp_path / "lies.xlsx").write_bytes(data.replace(content, (100).to_bytes(4, "little")))
    expected = "has more than 1,000,000 bytes when unpacked: split it, or import CSV, which has no such limit."
    assert refusal_of(path, store) == f"vendors.xlsx {expected}"
    (tmp_path / "lies.xlsx").replace(path)
    assert refusal_of(path, store) == f"vendors.xlsx {expected}"


def test_one_long_text_in_many_cells_counts_as_often_as_it_is_used(book, store, small):
    cells = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 500))
    shared = f"<sst {MAIN}><si><t>{'x' * 30_000}</t></si></sst>".encode()
    path = book({SHEET: sheet(cells), "xl/sharedStrings.xml": shared})
    assert refusal_of(path, store).startswith("vendors.xlsx has more than 1,000,000 characters in its cells")


def test_rows_are_counted_where_they_have_no_number(book, store, small):
    path = book({SHEET: sheet("<row><c><v>1</v></c></row>" * 1001)})
    assert refusal_of(path, store).startswith("vendors.xlsx has more than 1,000 rows in a sheet")


def test_entities_are_not_expanded(book, store):
    laughs = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>' + sheet("<row><c><v>&b;</v></c></row>")
    assert "document type" in refusal_of(book({SHEET: laughs}), store)


def parquet(path, table, **how):
    pq.write_table(table, path, **how)
    return path


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (pa.table({"name": pa.nulls(1001, pa.string())}), "1,000 rows"),
        (pa.table({f"c{n}": pa.nulls(999, pa.string()) for n in range(11)}), "10,000 cells"),
        (pa.table({"name": ["x" * 30_000] * 500}), "1,000,000 bytes of text"),
        (pa.table({"name": pa.array(["x" * 30_000] * 500, pa.large_string())}), "1,000,000 bytes of text"),
        (pa.table({"name": [f"{n:030000}" for n in range(500)]}), "1,000,000 bytes"),
    ],
)
def test_a_small_parquet_file_that_becomes_large_is_refused(table, problem, store, small, tmp_path):
    path = parquet(tmp_path / "vendors.parquet", table, compression="zstd")
    assert path.stat().st_size < 200_000
    assert refusal_of(path, store).startswith(f"vendors.parquet has more than {problem}")


def test_what_is_within_the_bounds_comes_in_as_before(book, store, small, tmp_path):
    check_workbook(book({}))
    people = pa.table({"email": ["ann@acme.example", "ben@acme.example"], "role": ["owner", "member"]})
    result = import_paths(
        store, [parquet(tmp_path / "memberships.parquet", people)], org_id="acme", actor="ann", now=NOW
    )
    assert {name: counts.created for name, counts in result.tables.items()} == {"memberships": 2}
