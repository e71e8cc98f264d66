"""Working on leads and pilots in the store, on each engine."""

from datetime import timedelta

import pytest

from engine.model.errors import Conflict
from engine.model.vocabulary import LEAD_STAGES, PILOT_STAGES
from engine.sales import leads, pilots
from engine.sales.stages import EXIT_CRITERIA, LEAD_STEPS, PILOT_STEPS, PROBABILITY_PCT, exit_criterion
from engine.store import PLATFORM
from engine.store.queries.sales import commerce as queries
from tests.conftest import NOW
from tests.sales.factories import lead, stored_leads

ADMIN = "admin@hq.example"


def write(store, change, now=NOW):
    return store.write(PLATFORM, ADMIN, change, now=now)


def test_the_stages_are_those_of_the_store():
    assert set(LEAD_STEPS) == set(EXIT_CRITERIA) == set(LEAD_STAGES)
    assert set(PILOT_STEPS) == set(PILOT_STAGES)
    assert set(PROBABILITY_PCT) == set(LEAD_STAGES) - {"nurture"}
    assert {to for steps in LEAD_STEPS.values() for to in steps} == set(LEAD_STAGES) - {"new"}
    assert {to for steps in PILOT_STEPS.values() for to in steps} == set(PILOT_STAGES) - {"planned"}


def test_a_stage_says_what_it_waits_for():
    assert exit_criterion(lead("1", owner=ADMIN)) == {
        "criterion": "Somebody owns the lead and has answered it.",
        "met": False,
        "missing": ["first_response_at"],
        "next": ["contacted", "lost", "nurture"],
    }
    assert exit_criterion(lead("1", owner=ADMIN, first_response_at=NOW))["met"]


def test_history_is_kept_in_the_order_of_what_happened(any_store):
    stored_leads(any_store, lead("1", company="Company Ltd"))
    write(any_store, lambda revision: leads.change(revision, "1", {"stage": "contacted", "owner": ADMIN}))
    write(any_store, lambda revision: leads.change(revision, "1", {"stage": "qualified"}), NOW + timedelta(hours=1))
    pilot = write(any_store, lambda revision: leads.convert(revision, "1", {"kickoff_at": NOW + timedelta(days=7)}))
    with any_store.reader() as connection:
        detail = leads.detail(connection, PLATFORM, "1")
        moves = queries.stage_moves(connection, PLATFORM, "lead")
        touched = queries.last_touches(connection, PLATFORM)
    assert [row["action"] for row in detail["history"]] == [
        "lead.stage.changed",
        "lead.changed",
        "lead.stage.changed",
        "lead.converted",
    ]
    assert [(move["happened_at"], move["details"]["to"]) for move in moves] == [
        (NOW, "contacted"),
        (NOW + timedelta(hours=1), "qualified"),
    ]
    assert touched == {"1": NOW + timedelta(hours=1)}
    assert detail["pilot"]["id"] == pilot["id"]
    assert any_store.verify(PLATFORM).ok
    with any_store.reader() as connection:
        assert queries.pilot_counts(connection, PLATFORM) == {"planned": 1}
        (meeting,) = pilots.meetings(queries.history_of(connection, PLATFORM, "pilot", pilot["id"]))
    assert meeting == {
        "meeting": "kickoff",
        "at": NOW + timedelta(days=7),
        "sequence": 0,
        "changed_at": NOW,
        "cancelled": False,
    }


def test_a_lead_is_converted_once_on_each_engine(any_store):
    stored_leads(any_store, lead("1", name="Ana"))
    write(any_store, lambda revision: leads.convert(revision, "1", {}))
    head = any_store.head(PLATFORM)
    with pytest.raises(Conflict, match="converted already"):
        write(any_store, lambda revision: leads.convert(revision, "1", {}))
    assert any_store.head(PLATFORM) == head


def test_an_export_reads_every_page_once(any_store, monkeypatch):
    monkeypatch.setattr(queries, "PAGE", 2)
    stored_leads(any_store, *(lead(str(n), created_at=NOW - timedelta(hours=n // 3)) for n in range(7)))
    pages = list(queries.pages(any_store, PLATFORM, queries.LeadFilter()))
    assert [[row["id"] for row in page] for page in pages] == [["0", "1"], ["2", "3"], ["4", "5"], ["6"]]
    monkeypatch.setattr(queries, "PAGE", 7)
    assert [len(page) for page in queries.pages(any_store, PLATFORM, queries.LeadFilter())] == [7, 0]
