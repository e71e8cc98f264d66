"""Files that are of their format only at first sight: each is refused in words, none ends the program."""

import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.intake.imports.files.typed_files import open_workbook, read_worksheet
from engine.intake.imports.problems import Problems
from engine.model.errors import InvalidData
from tests.intake.imports.test_formats import workbook

LAST_DAY = 2**31 - 1
NO_CALENDAR = {
    "a day": pa.array([LAST_DAY], pa.int32()).cast(pa.date32()),
    "a moment": pa.array([2**63 - 1]).cast(pa.timestamp("us")),
    "a moment of a zone": pa.array([2**63 - 1]).cast(pa.timestamp("ms", "UTC")),
    "a list of days": pa.array([[LAST_DAY]], pa.list_(pa.int32())).cast(pa.list_(pa.date32())),
    "a list of moments": pa.array([[2**62]]).cast(pa.list_(pa.timestamp("us"))),
}


def refusal_of(door, name, content):
    with pytest.raises(InvalidData) as raised:
        door.text(name, content)
    return raised.value.message


def test_a_line_that_is_no_utf_8_is_named(door):
    row = b'{"name": "A", "category": "cloud", "tier": "low"}\n'
    cell = (2, "(line)", "a JSON object on one line", '{"\ufffd": 1}')
    assert cell in door.bad_cells("vendors.jsonl", row + b'{"\x8b": 1}\n')


@pytest.mark.parametrize("column", NO_CALENDAR.values(), ids=NO_CALENDAR)
def test_a_parquet_file_with_days_of_no_calendar_is_refused(door, column):
    held = io.BytesIO()
    pq.write_table(pa.table({"name": ["A"], "onboarded_on": column}), held)
    assert refusal_of(door, "vendors.parquet", held.getvalue()).startswith(
        "vendors.parquet is not a Parquet file that can be read: "
    )


def test_a_parquet_file_whose_names_are_no_utf_8_is_refused(door):
    held = io.BytesIO()
    pq.write_table(pa.table({"category": ["cloud"]}), held)
    assert "can't decode byte 0xd2" in refusal_of(
        door, "vendors.parquet", held.getvalue().replace(b"category", b"c\xd2tegory")
    )


def test_a_parquet_file_whose_texts_are_no_utf_8_is_refused(door):
    held = io.BytesIO()
    pq.write_table(pa.table({"name": ["A"], "category": ["cloud"]}), held, compression="none")
    odd = held.getvalue().replace(b"cloud", b"cl\xffud")
    assert "Invalid UTF8" in refusal_of(door, "vendors.parquet", odd)


def repack(path, change):
    """The workbook with ``change(name, content)`` in the place of each part."""
    held = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return held.getvalue()


@pytest.fixture
def book(tmp_path):
    return workbook(tmp_path / "made.xlsx", vendors=[["name", "tier"], ["A", "low"]])


def test_a_workbook_in_an_unknown_encoding_is_refused(door, book):
    odd = repack(book, lambda name, content: content.replace(b'encoding="UTF-8"', b'encoding="UTF-88"'))
    assert "unknown encoding: UTF-88" in refusal_of(door, "vendors.xlsx", odd)


def test_a_workbook_whose_parts_have_no_readable_name_is_refused(door, book):
    content = book.read_bytes()
    directory = content.index(b"PK\x01\x02")
    flagged = bytearray(content)
    flagged[directory + 8 : directory + 10] = (0x800).to_bytes(2, "little")  # the name is UTF-8, it says
    flagged[directory + 46] = 0xC0
    assert "can't decode byte 0xc0" in refusal_of(door, "vendors.xlsx", bytes(flagged))


def test_a_workbook_whose_parts_lie_before_its_beginning_is_refused(door, book):
    content = bytearray(book.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    start = int.from_bytes(content[end + 16 : end + 20], "little") + 4096
    content[end + 16 : end + 20] = start.to_bytes(4, "little")
    assert refusal_of(door, "vendors.xlsx", bytes(content)).startswith(
        "vendors.xlsx is not an XLSX workbook that can be read: "
    )


def test_a_row_with_a_number_of_five_thousand_digits_does_not_end_the_program(door, book):
    """What becomes of the row is up to the reader of cells: only its header is sure."""
    long = b'<row r="' + b"9" * 5000 + b'"'
    path = door.file("vendors.xlsx", repack(book, lambda name, content: content.replace(b'<row r="2"', long)))
    (batch,) = read_worksheet(open_workbook(path), "vendors", frozenset(), Problems())
    assert batch.header == ("name", "tier")
