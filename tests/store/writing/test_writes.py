"""What was written between two positions: each row before and after, and the events that tell who did it."""

from datetime import date

from engine.store.queries.history import writes
from engine.store.queries.history.writes import RowWrite, WriteEvent, events_named, events_of, writes_between
from engine.store.schema.controls import attestations
from engine.store.schema.risk import vendors
from tests.conftest import NOW

ROW = {"framework": "soc2", "control_id": "CC6.1", "owner": "ada@acme.example", "due_on": date(2026, 12, 1)}
LOGGED = {"control_id": "CC6.1", "due_on": "2026-12-01", "framework": "soc2", "moves": 0, "owner": "ada@acme.example"}


def attest(store, name, **values):
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.upsert(attestations, [{"id": name, **ROW, **values}])
        revision.record("attestation.made", object_id=name)
        revision.record("attestation.noted", object_id="other")


def between(store, after, until, *tables):
    with store.reader() as connection:
        return writes_between(connection, "acme", tables, after, until)


def test_a_write_has_the_row_as_it_was_and_as_it_became(any_store):
    attest(any_store, "a")
    attest(any_store, "b")
    attest(any_store, "a", outcome="attested")
    signed = {**LOGGED, "outcome": "attested"}
    assert between(any_store, 1, 7, "attestations") == [
        RowWrite(2, "attestations", ("a",), None, LOGGED),
        RowWrite(4, "attestations", ("b",), None, LOGGED),
        RowWrite(6, "attestations", ("a",), LOGGED, signed),
    ]
    assert between(any_store, 5, 7, "attestations") == [RowWrite(6, "attestations", ("a",), LOGGED, signed)]
    assert between(any_store, 3, 5, "attestations", "vendors") == [RowWrite(4, "attestations", ("b",), None, LOGGED)]


def test_a_row_that_went_has_no_values(any_store):
    attest(any_store, "a")
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.delete(attestations, attestations.c.id == "a")
        revision.record("attestation.removed")
    assert between(any_store, 3, 9, "attestations") == [RowWrite(4, "attestations", ("a",), LOGGED, None)]


def test_only_the_tables_that_are_asked_for_are_told(any_store):
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(vendors, [{"id": "v", "name": "Northwind", "category": "saas", "tier": "high"}])
        revision.record("vendor.created", object_id="v")
    assert between(any_store, 1, 2, "attestations") == []
    assert between(any_store, 1, 2) == []
    assert [write.table for write in between(any_store, 1, 2, "vendors")] == ["vendors"]


def test_the_events_of_a_write_tell_who_did_it(any_store):
    attest(any_store, "a")
    attest(any_store, "b")
    made = WriteEvent(4, 4, "hq:4", NOW, "ann", "attestation.made", "b")
    noted = WriteEvent(5, 4, "hq:5", NOW, "ann", "attestation.noted", "other")
    with any_store.reader() as connection:
        assert events_of(connection, "acme", [4], 5) == {4: [made, noted]}
        assert events_of(connection, "acme", [], 5) == {}
        assert events_named(connection, "acme", ["hq:5", "unknown"]) == {"hq:5": noted}
        assert events_named(connection, "acme", []) == {}


def test_of_a_large_write_the_event_that_commits_to_it_is_known(any_store, monkeypatch):
    monkeypatch.setattr(writes, "EVENTS_OF_A_WRITE", 1)
    attest(any_store, "a")
    attest(any_store, "b")
    with any_store.reader() as connection:
        write_events = events_of(connection, "acme", [2, 4], 5)
    assert {revision: [event.seq for event in events] for revision, events in write_events.items()} == {
        2: [2, 3],
        4: [4, 5],
    }
