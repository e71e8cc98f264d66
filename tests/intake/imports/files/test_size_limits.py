"""Small files that would become larger than any memory, and large ones that are just what they are."""

import io
import zipfile

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.intake.imports import import_paths
from engine.intake.imports.files import size_limits
from engine.intake.imports.files.parquet_limits import check_parquet
from engine.intake.imports.files.parquet_pages import page_sizes
from engine.intake.imports.files.size_limits import SizeBounds, check_workbook
from engine.model.errors import InvalidData
from tests.conftest import NOW

A_MAP = pa.map_(pa.string(), pa.string())
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


def test_bounds_of_whole_pieces_are_told_before_the_sum_of_a_part_is(tmp_path):
    with zipfile.ZipFile(tmp_path / "vendors.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(SHEET, sheet("<row>" + " " * 5_000_000 + "</row>"))
    with pytest.raises(InvalidData, match="has more than 1,048,576 bytes when unpacked: split it"):
        check_workbook(tmp_path / "vendors.xlsx", SizeBounds(1 << 20, "split it"))


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
        (pa.table({"name": [b"x" * 30_000] * 500}), "1,000,000 bytes of text: 15,000,000 came; split it"),
        (pa.table({"name": [["x" * 30_000, "y"]] * 500}), "1,000,000 bytes of text: 15,000,500 came"),
        (pa.table({"name": [{"a": {"b": "x" * 30_000}}] * 500}), "1,000,000 bytes of text: 15,000,000 came"),
        (pa.table({"name": pa.array([[("x" * 30_000, None)]] * 500, A_MAP)}), "1,000,000 bytes of text"),
        (pa.table({"name": pa.array([b"x" * 30_000] * 500, pa.binary(30_000))}), "1,000,000 bytes when unpacked"),
        (pa.table({"name": [[1] * 101] * 100}), "10,000 cells: 10,100 came; split it, or import CSV"),
    ],
)
def test_a_small_parquet_file_that_becomes_large_is_refused(table, problem, store, small, tmp_path):
    path = parquet(tmp_path / "vendors.parquet", table, compression="zstd")
    assert path.stat().st_size < 200_000
    assert refusal_of(path, store).startswith(f"vendors.parquet has more than {problem}")


def test_the_pages_of_a_parquet_file_count_whatever_its_end_says(store, small, tmp_path):
    table = pa.table({"name": ["x" * 30_000] * 500})
    path = parquet(tmp_path / "vendors.parquet", table, compression="zstd", use_dictionary=False)
    about = pq.read_metadata(path)
    told = {about.row_group(0).total_byte_size, about.row_group(0).column(0).total_uncompressed_size}
    data = path.read_bytes()
    for number in told:
        data = data.replace(thrift(number), thrift(9, len(thrift(number))))
    path.write_bytes(data)
    assert pq.read_metadata(path).row_group(0).total_byte_size == 9
    assert refusal_of(path, store).startswith("vendors.parquet has more than 1,000,000 bytes when unpacked: 15,00")


def thrift(number, length=0):
    """A number as Thrift's compact protocol has it, in so many bytes at least."""
    left, out = 2 * number, []
    while left > 127 or len(out) + 1 < length:
        out.append(left & 127 | 128)
        left >>= 7
    return bytes([*out, left])


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"compression": "gzip", "data_page_size": 500, "write_page_index": True, "write_page_checksum": True},
        {"compression": "none", "use_dictionary": False, "row_group_size": 77, "data_page_version": "2.0"},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY", "whole": "DELTA_BINARY_PACKED"}},
    ],
)
def test_the_pages_of_a_plain_file_are_no_larger_than_its_end_says(how, tmp_path):
    rows = range(500)
    columns = {
        "whole": list(rows),
        "text": [f"row {row % 9}" for row in rows],
        "lists": [["a"] * (row % 3) for row in rows],
    }
    path = parquet(
        tmp_path / "vendors.parquet", pa.table({**columns, "half": [row % 2 or None for row in rows]}), **how
    )
    about, pages = pq.read_metadata(path), 0
    with path.open("rb") as raw:
        for group in (about.row_group(number) for number in range(about.num_row_groups)):
            for chunk in (group.column(number) for number in range(group.num_columns)):
                start = chunk.dictionary_page_offset or chunk.data_page_offset
                sizes = list(page_sizes(raw, start, chunk.total_compressed_size, chunk.num_values))
                assert 0 < sum(sizes) < chunk.total_uncompressed_size
                pages += len(sizes)
    assert pages >= 4 * about.num_row_groups
    assert check_parquet(path, "vendors.parquet") == ["text", "lists.list.element"]


@pytest.mark.parametrize(
    "bytes_of_header", [b"", b"\x15", b"\x1c" * 20, b"\x15\x00\x00", b"\x1b", b"\x15" + b"\xff" * 12]
)
def test_what_is_no_page_is_refused(bytes_of_header):
    with pytest.raises(ValueError, match="page"):
        list(page_sizes(io.BytesIO(bytes_of_header), 0, 100, 1))


def test_what_is_within_the_bounds_comes_in_as_before(book, store, small, tmp_path):
    check_workbook(book({}))
    people = pa.table({"email": ["ann@acme.example", "ben@acme.example"], "role": ["owner", "member"]})
    result = import_paths(
        store, [parquet(tmp_path / "memberships.parquet", people)], org_id="acme", actor="ann", now=NOW
    )
    assert {name: counts.created for name, counts in result.tables.items()} == {"memberships": 2}
