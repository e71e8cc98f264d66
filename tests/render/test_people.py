"""People are called by name where people read, and by address in files for machines."""

from datetime import UTC, date, datetime

import polars as pl

from engine.model.documents.document import Document, Table
from engine.model.documents.pictures import LaneSpan, TimelinePicture
from engine.render.html import html
from engine.render.tables import csv
from engine.render.text import json, markdown
from tests.render.editions import edition

ANN, BOB = "ann@acme.example", "bob@acme.example"
PEOPLE = {ANN: "Ann Nguyen", BOB: f"Bob Ito ({BOB})"}
FRAME = pl.DataFrame({"title": ["A", "B", "C"], "owners": [[ANN, BOB], ["cy@acme.example"], []]})
SAID = Document(
    "One duty is overdue.",
    next_step=f"Begin with {ANN}, then {BOB} and cy@acme.example.",
    tables=(Table("rows", "Rows", FRAME),),
)


def test_an_address_in_a_sentence_has_the_name_before_it():
    named = "Begin with Ann Nguyen (ann@acme.example), then Bob Ito (bob@acme.example) and cy@acme.example."
    assert edition(SAID, people=PEOPLE).readable(SAID.next_step) == named
    assert edition(SAID).readable(SAID.next_step) == SAID.next_step


def test_pages_and_markdown_have_names_and_files_for_machines_addresses():
    held = edition(SAID, people=PEOPLE)
    page = html.render(held).decode()
    assert f'title="{ANN}">Ann Nguyen</a>' in page
    assert "Begin with <a href=" in page
    assert f'title="{ANN}">Ann Nguyen</a>, then <a href=' in page
    text = markdown.render(held).decode()
    assert "| A | Ann Nguyen (ann@acme.example); Bob Ito (bob@acme.example) |" in text
    assert "| B | cy@acme.example |" in text
    for plain in (json.render(held), csv.render(held)):
        assert b"Ann" not in plain
        assert ANN.encode() in plain


def test_a_picture_and_a_moment_read_as_people_say_them():
    span = LaneSpan(date(2026, 11, 1), date(2026, 11, 9), "Review", "good")
    lanes = TimelinePicture("Who", "Who does what.", [(ANN, [span])], date(2026, 11, 20))
    document = Document("One.", summary={"newest_at": datetime(2026, 11, 3, 4, 58, 25, tzinfo=UTC)}, pictures=(lanes,))
    page = html.render(edition(document, people=PEOPLE)).decode()
    assert (ANN in page, "Ann Nguyen" in page, "3 Nov 2026, 04:58 UTC" in page) == (False, True, True)
