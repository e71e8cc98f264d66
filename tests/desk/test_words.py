"""Words are found as lists show them: names of people and frameworks, states, titles of controls, in any case."""

import pytest

from engine.desk.queries.lists import ListQuery, list_page
from engine.desk.queries.words import ListWords
from engine.store.schema import metadata
from tests.conftest import NOW

ANN, JO = "ann@acme.example", "jo@acme.example"
GAP = {"severity": "low", "opened_on": NOW.date(), "owner": None, "status": "open"}
GAPS = [
    {**GAP, "id": "g1", "framework": "soc2", "control_id": "CC6.1", "title": "Schwäche", "owner": ANN},
    {**GAP, "id": "g2", "framework": "hipaa", "control_id": "164.1", "title": "SCHWÄCHE", "owner": f"{JO}; {ANN}"},
    {**GAP, "id": "g3", "framework": "soc2", "control_id": "CC6.2", "title": "100% of _keys_", "status": "in_progress"},
    {**GAP, "id": "g4", "framework": "iso27001", "control_id": "A.5.1", "title": "Straße 5"},
]
CALLED = {"soc2": "SOC 2", "hipaa": "HIPAA", "in_progress": "In progress", ANN: "Änne Ó Briain", JO: "Jo"}


def cell(column, value):
    return "; ".join(CALLED.get(part, part) for part in value.split("; "))


@pytest.fixture
def search(any_store):
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["remediations"], GAPS)
        revision.record("records.prepared")

    def search(text):
        words = ListWords(cell, {("soc2", "CC6.1"): "Access is limited", ("hipaa", "CC6.1"): "Another"})
        texts = ["id", "title", "framework", "control_id", "owner", "status"]
        query = ListQuery(text=text, sort="id")
        with any_store.reader() as connection:
            page = list_page(connection, "remediations", "acme", query, today=NOW.date(), texts=texts, words=words)
        assert page.matching == len(page.rows)
        return [row["id"] for row in page.rows]

    return search


def test_words_are_found_as_they_are_shown_and_as_they_are_stored(search):
    assert search("SOC 2") == ["g1", "g3"]
    assert search("soc2") == ["g1", "g3"]
    assert search("änne ó briain") == search("ÄNNE Ó") == search("ann@acme") == ["g1", "g2"]
    assert search("Jo; Änne") == ["g2"]
    assert search("in progress") == search("in_progress") == ["g3"]
    assert search("access IS limited") == ["g1"]


def test_case_is_folded_beyond_ascii(search):
    assert search("schwäche") == search("SCHWÄCHE") == search("Schwäche") == ["g1", "g2"]
    assert search("straße") == search("STRAßE") == ["g4"]


def test_signs_of_patterns_are_text(search):
    assert (search("100%"), search("_keys_"), search("%"), search("1_0")) == (["g3"], ["g3"], ["g3"], [])


def test_what_nothing_shows_is_not_found(search):
    assert search("Another") == search("nobody") == []
