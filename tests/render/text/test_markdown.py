from dataclasses import replace

import markdown
import polars as pl
import pytest

from engine.model.documents.document import Document
from engine.render.text.markdown import render
from tests.render.editions import edition, of_tables, posture, table
from tests.render.html.test_html import EVIL, evil_edition
from tests.render.parsing import Page

NASTY = [
    *(
        EVIL,
        "a|b",
        "\\|",
        "\\*",
        "\\",
        "[x](javascript:1)",
        "![i](u)",
        "[x]: y",
        "*b* _i_ **c** __d__",
        "`code`",
        "~~s~~",
    ),
    *("a_b_c_d", "_a_", "&lt;", "<!-- x -->", "| --- |", "1. x", "# x", "http://x.example/a_b", "{x}", "$a$"),
]
TAGS = "h1 h2 p em strong ul li blockquote table thead tbody tr th td br"


def page(content) -> Page:
    return Page(markdown.markdown(render(content).decode(), extensions=["tables"]))


@pytest.mark.parametrize("text", NASTY)
def test_text_is_shown_as_it_is(text):
    answer = page(edition(Document(text, summary={text: text}, tables=[table(pl.DataFrame({text: [text, "x"]}))])))
    assert answer.tables[0][1:] == [[text], ["x"]]
    assert text in answer.text
    assert answer.names <= set(TAGS.split())


@pytest.mark.parametrize(
    "text", ["1. one", "2) two", "# x", "- x", "+ x", "---", "===", "    x", "> x", "***", "* x", "#"]
)
def test_a_headline_opens_no_block(text):
    assert f"<p>{text.strip()}</p>".replace("> x<", "&gt; x<") in markdown.markdown(
        render(edition(Document(text, summary={}))).decode(), extensions=["tables"]
    )


def test_text_of_users_never_becomes_markup():
    assert page(evil_edition()).names <= set(TAGS.split())


def test_line_breaks_stay_in_their_cell():
    assert b"| a<br>b<br>c | 1 |" in render(of_tables(table(pl.DataFrame({"t": ["a\r\nb\u2028c"], "n": [1]}))))


def test_hidden_columns_are_left_out_and_labels_shown():
    rows = table(pl.DataFrame({"a": [1], "b": [2]}), labels={"a": "First"}, hidden=("b",))
    assert page(of_tables(rows)).tables == [[["First"], ["1"]]]


def test_empty_tables_are_one_sentence():
    empty = table(pl.DataFrame(schema={"a": pl.Int64}))
    full = table(pl.DataFrame({"a": [1]}))
    tables = (replace(empty, title="Late"), full, replace(empty, name="other", title="Done"))
    text = render(of_tables(*tables)).decode()
    assert text.count("Nothing on record for: Late; Done.") == 1
    assert "## Late" not in text


def test_sentences_call_records_by_title():
    document = Document("Answer REQ-1 first, then REQ-2.", "Minutes of REQ-2 go out.", warnings=("REQ-9 is late.",))
    text = render(replace(edition(document), titles={"REQ-1": "Leavers", "REQ-2": "Minutes"})).decode()
    assert "Answer Leavers (REQ-1) first, then Minutes (REQ-2)." in text
    assert "Minutes of REQ-2 go out." in text
    assert "REQ-9 is late." in text


def test_headline_figures_tables_and_definitions_are_there():
    answer = page(posture())
    assert "The posture score is 78.3 of 100" in answer.text
    assert "Strict: 64.0\u00a0%" in answer.text
    assert "Component: Evidence freshness, Delta: 3.2" in answer.text
    assert len(answer.tables) == 3
    assert "Effective controls divided by applicable controls." in answer.text
