"""Cells without Polars: judged as with it, and taken from a joined text only where that is the CSV."""

import sys
from typing import NamedTuple

import polars as pl
import pytest

from engine.render.tables.csv_cells import joined_chunks, safe_cell

FORMULA = r"^[\s\p{Cc}\p{Cf}]*[=+\-@|`\\＝＋－＠｜｀＼\t\r\n\x00]"  # as Polars reads it
COLUMNS = ("n", "a", "b")
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


class Page(NamedTuple):
    """Rows joined without a look at them."""

    values: list[tuple[int, str | None, str | None]]
    commas: int = 0
    quotes: int = 0

    @property
    def text(self):
        return "".join(",".join(map(_join, row)) + "\r\n" for row in self.values)

    @property
    def rows(self):
        return len(self.values)

    def cells(self):
        return self.values


class Certain(Page):
    """Rows whose cells nobody may ask for."""

    def cells(self):
        raise AssertionError("the text is its CSV")


def _join(value):
    return "" if value is None else "\x1a" if value == "" else str(value)


def safe_text(text):
    return pl.when(~text.str.contains(FORMULA)).then(text).otherwise(pl.concat_str(pl.lit("'"), text))


def polars_bytes(*values):
    schema = {"n": pl.Int64, "a": pl.String, "b": pl.String}
    frame = pl.DataFrame(values, schema=schema, orient="row").with_columns(
        safe_text(pl.col(name)).alias(name) for name in "ab"
    )
    return frame.write_csv(line_terminator="\r\n").encode()


@pytest.mark.parametrize("number", ["-13", "-0.5", "-1200.25", "12"])
def test_a_number_among_texts_is_no_formula(number):
    assert safe_cell(number) == number


@pytest.mark.parametrize(
    "text", ["-13+1", "-", "--1", "-1e5", "-.5", "-1.", "+13", "=13", "@13", "-13\n", " -13", "-١"]
)
def test_what_only_begins_like_a_number_is_guarded(text):
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("after", ["", "=x", "x", " @", "\t"])
def test_every_character_is_judged_as_polars_does(after):
    texts = [each + after for each in EVERY]
    theirs = pl.DataFrame({"text": texts}).select(safe_text(pl.col("text")))["text"].to_list()
    assert [safe_cell(text) for text in texts] == theirs


def test_a_text_that_is_its_csv_is_taken_as_it_stands():
    rows = [(1, "evt-1", None), (2, "/etc", "ana@acme.example"), (3, "Łódź", "漢字; #1"), (4, "%", "% done")]
    assert b"".join(joined_chunks(COLUMNS, [Certain(rows)])) == polars_bytes(*rows)


@pytest.mark.parametrize(
    "cell", ["", "a,b", 'a"b', '"', "a\r", "\n", "=1", " =1", "\t", "\u200b+1", "＝1", "'", "\x1a", "\x00"]
)
def test_any_other_is_spelled_cell_by_cell(cell):
    rows = [(1, "x", cell), (2, cell, None)]
    assert b"".join(joined_chunks(COLUMNS, [Page(rows)])) == polars_bytes(*rows)


def test_every_first_character_comes_out_the_same():
    rows = [(place, each + "x", "y") for place, each in enumerate(EVERY)]
    pages = [Page(rows[start : start + 64]) for start in range(0, len(rows), 64)]
    assert b"".join(joined_chunks(COLUMNS, pages)) == polars_bytes(*rows)


def test_pages_have_one_header():
    pages = [Page([(1, "a", "b")]), Page([(2, "c", "d")])]
    assert list(joined_chunks(COLUMNS, pages)) == [b"n,a,b\r\n1,a,b\r\n", b"2,c,d\r\n"]
