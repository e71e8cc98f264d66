"""Every format shows the same rows (with nasty text in them); hidden columns are for machines only."""

import csv
import io
import json
import re
from datetime import date

import markdown
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.render import RENDERERS
from engine.render.words import label
from tests.laws import examples
from tests.render.editions import of_tables, table
from tests.render.parsing import Page
from tests.render.tables.test_csv import DANGEROUS
from tests.render.text.test_markdown import NASTY

PIECES = [
    *NASTY,
    *DANGEROUS,
    '"',
    ",",
    "'",
    ";",
    " ",
    "\r\n",
    "\u2028",
    "\x85",
    "\x02",
    "\u200b",
    "–",
    "no_data",
    "é",
    "x",
]
TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=4).map("".join)
KINDS = {
    pl.String: TEXT,
    pl.Int64: st.integers(-(2**53), 2**53),
    pl.Float64: st.floats(allow_nan=False, allow_infinity=False),
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(date(1970, 1, 1), date(2199, 12, 31)),
    pl.List(pl.String): st.lists(st.none() | TEXT, max_size=3),
}
DAY = re.compile(r"\d{4}-\d\d-\d\d")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


@st.composite
def frames(draw):
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=5))
    height = draw(st.integers(0, 4))
    columns = {
        f"c{index}": draw(st.lists(st.none() | KINDS[kind], min_size=height, max_size=height))
        for index, kind in enumerate(kinds)
    }
    return pl.DataFrame(columns, schema={f"c{index}": kind for index, kind in enumerate(kinds)})


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "; ".join(part for part in value if part is not None)
    return "" if value is None else str(value)


def people(value, word):
    if isinstance(value, bool):
        return "yes" if value else "no"
    shown = text(value)
    if DAY.fullmatch(shown):
        shown = f"{date.fromisoformat(shown):%-d %b %Y}"
    if word:
        shown = shown.replace("_", " ")
    lines = re.sub("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", "\n", shown)
    return CONTROL.sub("\ufffd", lines)


def same(shown, value, expected):
    if isinstance(value, float):
        return float(shown) == value
    return shown == expected


def squeeze(shown):
    return " ".join(shown.split())


@pytest.mark.real
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(frames(), min_size=1, max_size=3), st.booleans(), st.sampled_from([(), ("c0",), ("c0", "c1")]))
@example([pl.DataFrame({"c0": ["no_data"], "c1": [["no_data", "due_soon"]]})], False, ())
@example([pl.DataFrame({"c0": ["no_data"], "c1": [["no_data", "due_soon"]]})], False, ("c0", "c1"))
def test_every_format_shows_the_same_rows(drawn, hide, declared):
    hidden = ("c1",) if hide else ()
    tables = [table(frame, f"t{index}", hidden=hidden, words=declared) for index, frame in enumerate(drawn)]
    outputs = {name: RENDERERS[name].render(of_tables(*tables)).decode() for name in ("json", "csv", "html", "md")}
    rows = [json.loads(outputs["json"])[each.name] for each in tables]
    assert [len(part) for part in rows] == [frame.height for frame in drawn]

    lines = list(csv.DictReader(io.StringIO(outputs["csv"], newline="")))
    flat = [(each.name, row) for each, part in zip(tables, rows, strict=True) for row in part]
    assert len(lines) == len(flat)
    for line, (name, row) in zip(lines, flat, strict=True):
        assert len(tables) == 1 or line["section"] == name
        for column, value in row.items():
            prefixed = isinstance(value, str | list) and line[column] == "'" + text(value)
            assert prefixed or same(line[column], value, text(value))
            if isinstance(value, str | list):
                assert line[column].lstrip(" ")[:1] not in (*DANGEROUS,)

    pages = {
        "html": (Page(outputs["html"]), str),
        "md": (Page(markdown.markdown(outputs["md"], extensions=["tables"])), squeeze),
    }
    visible = [[{k: v for k, v in row.items() if k not in hidden} for row in part] for part in rows if part]
    visible = [part for part in visible if part[0]]
    for page, shape in pages.values():
        assert [len(part) - 1 for part in page.tables] == [len(part) for part in visible]
        for shown, once, part in zip(page.tables, page.same, visible, strict=True):
            unsaid = {label(name) for name in part[0] if not any(text(row[name]) for row in part)}  # says nothing
            for cells, row in zip(shown[1:], part, strict=True):
                by_heading = dict(zip(shown[0], cells, strict=True)) | once
                assert {*map(label, row)} - unsaid <= by_heading.keys() <= {*map(label, row)}
                for name, value in row.items():
                    if label(name) not in by_heading:
                        continue
                    cell, expected = by_heading[label(name)], shape(people(value, name in declared))
                    is_nothing = cell == "–" and label(name) in once and expected == ""
                    assert is_nothing or same(shape(cell), value, expected), (cells, once, row)
