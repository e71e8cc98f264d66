"""Table heads: each part of the records knows the last write that changed it, and no other moves it."""

from datetime import UTC, date, datetime

import pytest

from engine.model.documents.document import Position
from engine.store import EventRow
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import workspaces
from tests.conftest import NOW

ROW = {"framework": "soc2", "control_id": "CC6.1", "owner": "ada@acme.example", "due_on": date(2026, 12, 1)}


def seqs(store, org_id="acme"):
    return {part: position.seq for part, position in store.part_heads(org_id).items()}


def attest(revision, name):
    revision.insert(attestations, [{"id": name, **ROW}])
    revision.record("attestation.made", object_id=name)


def test_a_part_stands_where_the_last_write_to_it_ended(any_store):
    start = seqs(any_store)
    assert start == {"organizations": 1, "audit_log:organization.created": 1}
    with any_store.revision("acme", "me", now=NOW) as revision:
        attest(revision, "a")
        revision.record("attestation.noted")
    assert seqs(any_store) == {
        **start,
        "attestations": 3,
        "audit_log:attestation.made": 3,
        "audit_log:attestation.noted": 3,
    }
    head = any_store.head("acme")
    assert any_store.part_heads("acme")["attestations"] == head == Position(3, head.hash)
    with any_store.revision("acme", "me", now=NOW) as revision:
        assert revision.delete(attestations, attestations.c.id == "none") == []
        revision.record("nothing.done")
    assert seqs(any_store)["attestations"] == 3
    with any_store.revision("acme", "me", now=NOW) as revision:
        revision.delete(attestations, attestations.c.id == "a")
        revision.append_events([EventRow("e", datetime(2020, 1, 1, tzinfo=UTC), "me", "old.event")])
    assert (seqs(any_store)["attestations"], seqs(any_store)["audit_log:old.event"]) == (5, 5)
    assert any_store.part_heads("nobody") == {}


def test_writes_that_share_a_transaction_move_the_parts_each_to_its_own_end(any_store):
    def make(name):
        def change(revision):
            revision.buffer_insert(workspaces, {"id": name, "name": name})
            revision.record("workspace.made", object_id=name)

        return change

    any_store.write("acme", "me", make("a"), now=NOW)
    any_store.write("acme", "me", lambda revision: revision.record("noted"), now=NOW)
    assert {part: seq for part, seq in seqs(any_store).items() if seq > 1} == {
        "workspaces": 2,
        "audit_log:workspace.made": 2,
        "audit_log:noted": 3,
    }


def test_a_write_that_is_undone_moves_nothing(any_store):
    before = seqs(any_store)
    with pytest.raises(RuntimeError), any_store.revision("acme", "me", now=NOW) as revision:
        attest(revision, "a")
        raise RuntimeError
    assert seqs(any_store) == before
