"""A CSV of several tables has each row once: what two tables show is one line, and nothing that either says is lost."""

import csv as reader
import io

import polars as pl

from engine.render.tables import csv
from tests.render.editions import of_tables, table

WHOLE = table(
    pl.DataFrame({"id": ["a", "b", "c"], "title": ["A", "B", "C"], "controls": [["x"], ["y"], None]}), "requirements"
)
WORST = pl.DataFrame({"id": ["c", "a"], "title": ["C", "A"], "why": ["no evidence", "a test failed"]})


def read(*tables):
    text = csv.render(of_tables(*tables)).decode()
    return list(reader.DictReader(io.StringIO(text, newline="")))


def test_an_excerpt_is_a_mark_and_further_columns_at_the_rows_of_the_whole():
    rows = read(table(WORST, "worst", part_of=("requirements",)), WHOLE)
    assert rows == [
        {
            "section": "requirements",
            "id": "a",
            "title": "A",
            "controls": "x",
            "why": "a test failed",
            "also_in": "worst",
        },
        {"section": "requirements", "id": "b", "title": "B", "controls": "y", "why": "", "also_in": ""},
        {"section": "requirements", "id": "c", "title": "C", "controls": "", "why": "no evidence", "also_in": "worst"},
    ]


def test_rows_that_the_whole_has_not_or_cannot_tell_apart_stay():
    worst = pl.DataFrame({"id": ["a", "b", "d"], "title": ["A", "other", "D"]})
    rows = read(table(worst, "worst", part_of=("requirements",)), WHOLE)
    assert [(row["section"], row["id"]) for row in rows] == [
        ("worst", "b"),
        ("worst", "d"),
        ("requirements", "a"),
        ("requirements", "b"),
        ("requirements", "c"),
    ]
    twice = table(pl.DataFrame({"id": ["a", "a"]}), "twice", part_of=("requirements",))
    assert [row["section"] for row in read(twice, WHOLE)].count("twice") == 2
    same = table(pl.DataFrame({"title": ["A"]}), "same", part_of=("doubled",))
    doubled = table(pl.DataFrame({"title": ["A", "A"], "id": [1, 2]}), "doubled")
    assert [row["section"] for row in read(same, doubled)].count("same") == 1


def test_parts_of_two_tables_go_to_the_one_that_has_them():
    more = table(pl.DataFrame({"id": ["d"], "title": ["D"]}), "annex")
    worst = table(pl.DataFrame({"id": ["d", "b"], "title": ["D", "B"]}), "worst", part_of=("requirements", "annex"))
    rows = read(worst, WHOLE, more)
    assert [(row["section"], row["id"], row["also_in"]) for row in rows] == [
        ("requirements", "a", ""),
        ("requirements", "b", "worst"),
        ("requirements", "c", ""),
        ("annex", "d", "worst"),
    ]


def test_two_parts_of_one_table_keep_their_words_apart():
    late = table(pl.DataFrame({"id": ["a"], "why": ["late"], "controls": ["one"]}), "late", part_of=("requirements",))
    (first, *_) = read(table(WORST, "worst", part_of=("requirements",)), late, WHOLE)
    assert (first["why"], first["late_why"], first["controls"], first["late_controls"]) == (
        "a test failed",
        "late",
        "x",
        "one",
    )
    assert first["also_in"] == "worst; late"


def test_the_columns_do_not_depend_on_the_rows():
    empty = table(WORST.head(0), "worst", part_of=("requirements",))
    full = table(WORST, "worst", part_of=("requirements",))
    headers = [csv.render(of_tables(part, WHOLE)).split(b"\r\n")[0] for part in (empty, full)]
    assert headers == [b"section,id,title,controls,why,also_in"] * 2


def test_an_excerpt_whose_whole_is_not_shown_is_a_section_as_any_other():
    rows = read(table(WORST, "worst", part_of=("requirements",)), table(WHOLE.frame, "others"))
    assert [row["section"] for row in rows] == ["worst", "worst", "others", "others", "others"]
    assert "also_in" not in rows[0]
