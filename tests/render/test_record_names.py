"""Identifiers of records read as what the records are called, on pages and in sentences."""

from dataclasses import replace

import polars as pl
import pytest

from engine.render.html import html
from engine.render.html.names import named_texts
from engine.render.html.phrases import with_links
from engine.render.html.rows import sheet
from engine.render.links import Links
from engine.render.record_names import names_records, record_name
from tests.render.editions import of_tables, table

TITLES = {
    "TST-014": "Inspect a sample for encryption",
    "check-leavers": "Who left has no account",
    "VEN-a": "Alder",
    "REQ-1": "List of users",
    "svc-pay": "Payments",
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", ""),
        ("TST-014", "Inspect a sample for encryption"),
        ("test_window:TST-014-2026-11-28", "Test window: Inspect a sample for encryption, 28 Nov 2026"),
        ("vendor_review:VEN-a", "Vendor review: Alder"),
        ("vendors/VEN-a", "Alder"),
        ("source:action:training.completed", "training completed"),
        ("source:store:ticketing", "ticketing"),
        ("source:store:check leavers", "Who left has no account"),
        ("source:test:TST-014", "Inspect a sample for encryption"),
        ("source:item:EVI-9", ""),
        ("TST-014-r1204", "Inspect a sample for encryption"),
        ("TST-015-r1204", ""),
        ("TST-015", ""),
        ("see TST-014", ""),
        ("https://x/TST-014", ""),
    ],
)
def test_an_identifier_reads_as_the_title_of_its_record(text, name):
    assert record_name(text, TITLES) == name


def test_columns_of_numbers_states_and_words_name_no_records():
    frame = pl.DataFrame({"id": ["VEN-a"], "state": ["VEN-a"], "kind": ["VEN-a"], "n": [1], "other": ["x"]})
    shown = table(frame, state=("state",), words=("kind",))
    assert [name for name in frame.columns if names_records(shown, name, TITLES)] == ["id"]
    assert not names_records(shown, "id", {})


def test_pages_show_titles_before_identifiers_and_alone_among_several():
    frame = pl.DataFrame(
        {"test_id": ["TST-014", "TST-9"], "item": ["vendors/VEN-a", "x"], "several": [["TST-014", "TST-9"], []]}
    )
    page = html.render(replace(of_tables(table(frame)), titles=TITLES)).decode()
    assert "Inspect a sample for encryption <small>TST-014</small>" in page
    assert ">Alder</td>" in page
    assert '<span title="TST-014">Inspect a sample for encryption</span>; TST-9' in page
    assert "vendors/VEN-a" not in page


def test_a_vendor_and_its_name_are_one_cell():
    frame = pl.DataFrame({"vendor": ["Alder"], "vendor_id": ["VEN-a"], "n": [1]})
    page = html.render(replace(of_tables(table(frame)), titles=TITLES)).decode()
    assert (page.count(">Alder</a>"), page.count("<col "), page.count(">VEN-a<")) == (1, 2, 0)


def test_a_sentence_has_the_title_unless_it_stands_there_already():
    links = Links(lambda kind, key: "", records=TITLES)
    assert with_links("TST-014 is late", links) == (
        '<span title="TST-014">Inspect a sample for encryption</span> is late'
    )
    assert with_links("REQ-1 List of users", links) == "REQ-1 List of users"
    assert with_links("svc-pay is a non-issue", links) == '<span title="svc-pay">Payments</span> is a non-issue'


def test_a_list_of_names_that_opens_has_the_room_of_its_longest_name():
    several = [f"svc-{number}" for number in range(9)]
    frame = pl.DataFrame({"services": [several]})
    shown = table(frame, labels={"services": "Services"})
    links = Links(lambda kind, key: "", records={**dict.fromkeys(several, "Pay"), "svc-3": "Payments of vendors"})
    assert named_texts(shown, "services", links) == ["Payments of vendors"]


def test_a_number_that_has_a_title_beside_it_is_read_as_text():
    frame = pl.DataFrame({"control": [5], "title": ["Account management"]})
    (column,) = sheet(table(frame), "table-1", Links()).columns
    assert column.kind != "n"


def test_what_the_audit_log_calls_an_act_reads_as_words():
    page = html.render(of_tables(table(pl.DataFrame({"action": ["access.review_done"]})))).decode()
    assert ("access review done" in page, "access.review_done" in page) == (True, False)


def test_a_sentence_under_the_heading_of_an_action_keeps_its_dots():
    page = html.render(of_tables(table(pl.DataFrame({"action": ["Close no. 8.7 of ours."]})))).decode()
    assert "Close no. 8.7 of ours." in page


def test_abbreviations_among_words_are_spelled_as_people_write_them():
    frame = pl.DataFrame({"kind": ["soc2_type2", "pen_test", "baa"]})
    page = html.render(of_tables(table(frame, words=("kind",)))).decode()
    assert [word for word in ("SOC 2 type 2", "pen test", "BAA", "soc2_type2") if word in page] == [
        *("SOC 2 type 2", "pen test", "BAA")
    ]
