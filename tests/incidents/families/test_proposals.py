"""A storm is a proposal until a person confirms it; what a person took apart is not proposed again."""

from datetime import timedelta

from engine.incidents.families.proposals import FamilyProposal, propose, propose_families
from engine.incidents.hands.steps import PersonStep, take_step
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.services import incidents
from tests.conftest import NOW

MINUTE = timedelta(minutes=1)


def open_incidents(store, count, seconds=20):
    began = NOW - 30 * MINUTE
    values = {"title": "Down", "severity": "high", "status": "open"}
    with store.revision("acme", "setup", now=NOW) as revision:
        rows = [
            {"id": f"inc-{number:02}", "opened_at": began + timedelta(seconds=seconds * number), **values}
            for number in range(count)
        ]
        revision.insert(incidents, rows)
        revision.record("import.completed")


def parents(store):
    with store.reader() as connection:
        return [(row["parent_id"], row["parent_state"]) for row in many(connection, incidents, "acme", order=("id",))]


def test_twenty_incidents_in_ten_minutes_are_proposed_as_one_family(store):
    open_incidents(store, 21)
    assert propose_families(store, "acme", now=NOW) == 20
    assert parents(store) == [(None, None)] + [("inc-00", "proposed")] * 20
    with store.reader() as connection:
        reasons = {row["parent_reason"] for row in many(connection, incidents, "acme")}
        events = many(connection, audit_log, "acme", action="incident.family.proposed")
    assert reasons == {None, "storm: 21 incidents in 7 min, of which inc-00 began first"}
    assert len(events) == 20
    head = store.head("acme")
    assert propose_families(store, "acme", now=NOW) == 0
    assert store.head("acme") == head
    assert store.verify_rows("acme").ok


def test_a_storm_that_is_heard_of_days_later_is_proposed_then(store):
    open_incidents(store, 20)
    with store.revision("acme", "setup", now=NOW) as revision:
        for row in many(revision.connection, incidents, "acme"):
            opened = row["opened_at"] - timedelta(days=3)
            revision.update(incidents, {"id": row["id"]}, {"opened_at": opened, "opened_heard_at": NOW})
        revision.record("import.completed")
    assert propose_families(store, "acme", now=NOW) == 19


def test_fewer_or_slower_ones_are_no_storm(store):
    open_incidents(store, 19)
    assert propose_families(store, "acme", now=NOW) == 0


def test_incidents_half_a_minute_apart_and_more_are_no_storm(store):
    open_incidents(store, 30, seconds=40)
    assert propose_families(store, "acme", now=NOW) == 0


def test_what_a_person_took_apart_is_not_proposed_again(store):
    open_incidents(store, 20)
    propose_families(store, "acme", now=NOW)
    step = PersonStep("unrelate", NOW)
    store.write("acme", "ann@acme.example", lambda revision: take_step(revision, "inc-05", step, "typed"), now=NOW)
    assert propose_families(store, "acme", now=NOW) == 0
    assert parents(store)[5] == (None, None)


def test_a_person_confirms_what_was_proposed(store):
    open_incidents(store, 20)
    propose_families(store, "acme", now=NOW)
    step = PersonStep("relate", NOW, parent="inc-00")
    store.write("acme", "ann@acme.example", lambda revision: take_step(revision, "inc-05", step, "typed"), now=NOW)
    assert parents(store)[5] == ("inc-00", "confirmed")


def test_what_would_be_a_cycle_is_not_proposed(store):
    """Root cause may name one of the storm as the cause of its first incident, which is its parent already."""
    open_incidents(store, 20)
    propose_families(store, "acme", now=NOW)
    reverse = [FamilyProposal("inc-00", "inc-05", "root cause")]
    with store.revision("acme", "rca", now=NOW) as revision:
        assert propose(revision, reverse) == 0
        revision.record("rca.completed")
    assert parents(store)[0] == (None, None)
