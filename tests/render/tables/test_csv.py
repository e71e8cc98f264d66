import csv
import io
from datetime import UTC, date, datetime

import polars as pl
import pytest

from engine.model.documents.document import Document
from engine.render.tables.csv import csv_chunks, render
from tests.render.editions import GAPS, edition, of_tables, table

DANGEROUS = "=+-@|`\\\t\r\n\0＝＋－＠｜｀＼"


def write_csv(*frames):
    return b"".join(csv_chunks(frames))


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def test_one_table_is_its_rows():
    frame = pl.DataFrame(
        {
            "control": ["CC6.1", None],
            "ok": [True, False],
            "due_on": [date(2026, 12, 7), None],
            "seen_at": [datetime(2026, 12, 7, 1, 2, 3, tzinfo=UTC), None],
            "owners": [["ana", "ben, c"], []],
            "delta": [-1.5, 2.0],
        }
    )
    assert render(of_tables(table(frame))) == (
        b"control,ok,due_on,seen_at,owners,delta\r\n"
        b'CC6.1,true,2026-12-07,2026-12-07T01:02:03Z,"ana; ben, c",-1.5\r\n'
        b',false,,,"",2.0\r\n'
    )


def test_several_tables_share_the_union_of_their_columns():
    first = table(pl.DataFrame({"a": [1], "b": ["x"]}), "first")
    none = table(pl.DataFrame(schema={"d": pl.Int64}), "none")
    bare = table(pl.DataFrame(), "bare")
    second = table(pl.DataFrame({"c": [True], "a": ["y"]}), "second")
    assert render(of_tables(first, none, bare, second)) == (b"section,a,b,d,c\r\nfirst,1,x,,\r\nsecond,y,,,true\r\n")


def test_a_column_named_section_beside_other_tables_is_refused():
    rows = table(pl.DataFrame({"section": [1]}), "rows")
    with pytest.raises(ValueError, match="Table rows:"):
        render(of_tables(rows, table(pl.DataFrame({"a": [1]}), "more")))


def test_without_tables_the_summary_is_names_and_values():
    summary = {
        "score": -2.5,
        "name": "=x",
        "ok": True,
        "none": None,
        "by": {"high": 1, "deep": {"low": 2}},
        "list": ["a", "b"],
        "movers": [{"n": "-x"}],
        "on": date(2026, 1, 2),
    }
    assert read(render(edition(Document("", summary=summary)))) == [
        ["name", "value"],
        ["score", "-2.5"],
        ["name", "'=x"],
        ["ok", "true"],
        ["none", ""],
        ["by.high", "1"],
        ["by.deep.low", "2"],
        ["list", "a; b"],
        ["movers.1.n", "'-x"],
        ["on", "2026-01-02"],
    ]


def test_the_header_is_there_without_rows():
    assert render(of_tables(table(pl.DataFrame(schema={"a": pl.Int64, "b": pl.String})))) == b"a,b\r\n"
    assert render(edition(Document("", summary={}))) == b"name,value\r\n"


@pytest.mark.parametrize("first", list(DANGEROUS))
@pytest.mark.parametrize("before", ["", " ", "   ", "\u00a0", "\ufeff", "\u200b "])
def test_text_that_begins_like_a_formula_gets_an_apostrophe(first, before):
    text = f"{before}{first}1+1"
    assert read(write_csv(pl.DataFrame({"a": [text]}))) == [["a"], [f"'{text}"]]


@pytest.mark.parametrize(
    "text", ["", " ", "a=1", "%", "%1+1", " % of all", "％", "ana@aurora.example", "1-2", "'x", "(=1)", "é"]
)
def test_other_text_stays_what_it_is(text):
    assert read(write_csv(pl.DataFrame({"a": [text]}))) == [["a"], [text]]


def test_lists_and_categories_and_headers_are_safe_too():
    frame = pl.DataFrame({"=a": [["=1", "2"]], "b": pl.Series(["@x"], dtype=pl.Categorical), "n": [[-1, 2]]})
    assert read(write_csv(frame)) == [["'=a", "b", "n"], ["'=1; 2", "'@x", "'-1; 2"]]


def test_numbers_stay_numbers():
    frame = pl.DataFrame({"i": [-1], "f": [-0.5], "big": [1e22]})
    assert write_csv(frame) == b"i,f,big\r\n-1,-0.5,1e+22\r\n"


def test_an_empty_cell_of_a_single_column_is_still_a_row():
    assert write_csv(pl.DataFrame({"a": ["x", None, ""]})) == b'a\r\nx\r\n""\r\n""\r\n'


def test_quotes_commas_and_line_breaks_are_quoted():
    frame = pl.DataFrame({"a": ['say "x"', "a,b", "a\nb", "a\rb"], "b": [1, 2, 3, 4]})
    assert write_csv(frame) == b'a,b\r\n"say ""x""",1\r\n"a,b",2\r\n"a\nb",3\r\n"a\rb",4\r\n'


def test_chunks_make_the_same_file():
    assert write_csv(GAPS.head(1), GAPS.clear(), GAPS.tail(-1)) == write_csv(GAPS)
    assert list(csv_chunks([])) == []


def test_chunks_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="Expected the columns"):
        list(csv_chunks([pl.DataFrame({"a": [1]}), pl.DataFrame({"b": [1]})]))


def test_null_is_not_text():
    assert write_csv(pl.DataFrame({"a": [None, "=x"], "b": [1, 2]})) == b"a,b\r\n,1\r\n'=x,2\r\n"


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="finite"):
        write_csv(pl.DataFrame({"a": [float("inf")]}))


def test_a_prescribed_csv_has_its_columns_under_its_headings_and_nothing_else():
    frame = pl.DataFrame({"id": ["V-1"], "internal": [7], "asset": ["=cmd"]})
    prescribed = table(frame, headings={"asset": "Asset Identifier", "id": "Auto-Approve & ID"})
    assert render(of_tables(prescribed)) == b"Asset Identifier,Auto-Approve & ID\r\n'=cmd,V-1\r\n"
    empty = table(frame.clear(), headings={"asset": "Asset Identifier", "id": "POAM ID"})
    assert render(of_tables(empty)) == b"Asset Identifier,POAM ID\r\n"
