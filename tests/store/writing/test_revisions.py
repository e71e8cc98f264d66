"""A revision is the only way to write: all of it or nothing, in a chain without gaps."""

import threading
from datetime import date, timedelta

import pytest
from sqlalchemy import select, text, update

from engine.model.errors import NotFound, Problem
from engine.store import Counts, EventRow, Store
from engine.store.database import database
from engine.store.schema.audit import audit_log
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import heads, memberships, workspaces
from engine.store.schema.risk import vendors
from engine.store.schema.services import slo_buckets
from engine.store.types import instant_text
from tests.conftest import NOW, SYNCHRONOUS

VENDOR = {"id": "v1", "name": "Northwind", "category": "saas", "tier": "high"}


def stored_rows(store, table):
    with store.reader() as connection:
        return [dict(row) for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()]


def test_a_revision_stamps_its_rows_and_moves_the_head_to_its_last_event(any_store):
    with any_store.revision("acme", "ann@acme.example", now=NOW) as revision:
        revision.insert(vendors, [VENDOR])
        revision.record("vendor.created", object_type="vendor", object_id="v1")
        revision.record("vendor.assessed", object_type="vendor", object_id="v1")
    (row,) = stored_rows(any_store, vendors)
    assert (row["revision"], row["status"], row["tier"]) == (2, "not_assessed", "high")
    assert any_store.head("acme").seq == 3
    events = stored_rows(any_store, audit_log)
    assert [(e["seq"], e["event_id"], e["revision"], e["action"]) for e in events] == [
        (1, "hq:1", 1, "organization.created"),
        (2, "hq:2", 2, "vendor.created"),
        (3, "hq:3", 2, "vendor.assessed"),
    ]
    assert any_store.head("acme").hash == events[-1]["hash"]
    assert any_store.verify("acme").problem is None


def test_an_exception_leaves_the_store_as_it_was(any_store):
    before = any_store.head("acme")
    with pytest.raises(ZeroDivisionError), any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(vendors, [VENDOR])
        revision.record("vendor.created")
        _ = 1 / 0
    assert (any_store.head("acme"), stored_rows(any_store, vendors)) == (before, [])


def test_a_change_without_an_audit_event_is_refused(any_store):
    with (
        pytest.raises(Problem, match="recorded no audit event"),
        any_store.revision("acme", "ann", now=NOW) as revision,
    ):
        revision.insert(vendors, [VENDOR])
    assert stored_rows(any_store, vendors) == []


def test_a_revision_that_touched_nothing_moves_nothing(any_store):
    before = any_store.head("acme")
    with any_store.revision("acme", "ann", now=NOW):
        pass
    assert any_store.head("acme") == before


def test_an_unknown_organization_is_not_found(any_store):
    with pytest.raises(NotFound, match="'nobody'"), any_store.revision("nobody", "ann", now=NOW):
        pass
    assert any_store.head("nobody") is None


def test_upsert_changes_only_what_differs_in_the_given_columns(any_store):
    with any_store.revision("acme", "ann", now=NOW) as revision:
        rows = [VENDOR, {**VENDOR, "id": "v2", "last_review_on": date(2026, 1, 5)}]
        assert revision.upsert(vendors, rows) == Counts(2, 0, 0)
        revision.record("vendors.imported")
    with any_store.revision("acme", "ann", now=NOW) as revision:
        assert revision.upsert(
            vendors, [VENDOR, {"id": "v2", "name": "Northwind", "category": "saas", "tier": "low"}]
        ) == (Counts(0, 1, 1))
        revision.record("vendors.imported")
    first, second = stored_rows(any_store, vendors)
    assert (first["revision"], second["revision"]) == (2, 3)
    assert (second["tier"], second["last_review_on"]) == ("low", date(2026, 1, 5))


def test_the_store_counts_how_often_a_due_date_moved(any_store):
    for due in (None, date(2026, 12, 7), date(2026, 12, 7), date(2026, 12, 9), None):
        with any_store.revision("acme", "ann", now=NOW) as revision:
            revision.upsert(vendors, [{**VENDOR, "next_review_on": due}])
            revision.record("vendor.planned")
    (row,) = stored_rows(any_store, vendors)
    assert row["moves"] == 2


def test_upsert_knows_rows_by_composite_keys_and_instants(any_store):
    rows = [{"service_id": "s1", "bucket_at": NOW + timedelta(minutes=5 * i), "total": 10, "bad": i} for i in range(3)]
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.upsert(slo_buckets, rows)
        revision.record("slo.imported")
    with any_store.revision("acme", "ann", now=NOW) as revision:
        assert revision.upsert(slo_buckets, rows) == Counts(0, 0, 3)


def test_update_reaches_only_the_own_organization(any_store):
    with any_store.revision("other", "setup", now=NOW, create={"name": "Other"}) as revision:
        revision.record("organization.created")
        revision.insert(workspaces, [{"id": "w", "name": "Theirs"}])
    with any_store.revision("acme", "ann", now=NOW) as revision:
        assert revision.update(workspaces, {"id": "w"}, {"name": "Ours"}) is False
    assert [row["name"] for row in stored_rows(any_store, workspaces)] == ["Theirs"]


def test_rows_without_a_value_take_the_declared_default(any_store):
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("member.added")
    assert any_store.role("acme", "ann@acme.example") == "owner"
    assert any_store.role("acme", "bob@acme.example") is None


def test_a_removed_member_is_out_at_once(any_store):
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("member.added")
    assert any_store.role("acme", "ann@acme.example") == "owner"
    with any_store.revision("acme", "bob", now=NOW) as revision:
        revision.update(memberships, {"email": "ann@acme.example"}, {"status": "removed"})
        revision.record("member.removed")
    assert any_store.role("acme", "ann@acme.example") is None


def test_known_events_come_back_as_they_were_reported(any_store):
    event = EventRow("e1", NOW, "ann", "access.granted", "repo", "r1", details='{"a":1}', controls="soc2:CC6.1")
    with any_store.revision("acme", "ann", now=NOW) as revision:
        assert revision.append_events([event]) == 1
        assert revision.recorded_events(["e1", "e2"]) == {"e1": event}


def test_events_with_spelled_moments_are_the_same_events(any_store):
    events = [EventRow(f"e{i}", NOW, "ann", "access.granted", details='{"a":1}') for i in range(3)]
    spelled = [(event.event_id, instant_text(event.occurred_at), *event[2:]) for event in events]
    with any_store.revision("acme", "ann", now=NOW, create={"name": "acme"}) as revision:
        assert revision.append_events(spelled) == 3
        assert revision.recorded_events(["e0", "e2"]) == {"e0": events[0], "e2": events[2]}
    assert any_store.verify("acme").ok
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.record("noted")
        assert revision.recorded_events(["e0", "e2"]) == {"e0": events[0], "e2": events[2]}


def test_the_store_refuses_words_outside_a_choice(any_store):
    with pytest.raises(Exception, match="(?i)check"), any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(vendors, [{**VENDOR, "tier": "purple"}])
        revision.record("vendor.created")
    assert stored_rows(any_store, vendors) == []


def test_eight_writers_leave_no_gap_no_fork_and_lose_nothing(any_store):
    failures = []

    def write(worker):
        try:
            own = Store(any_store.url) if worker % 2 else any_store
            for i in range(25):
                with own.revision("acme", f"w{worker}", now=NOW) as revision:
                    revision.insert(
                        attestations,
                        [
                            {
                                "id": f"{worker}-{i}",
                                "framework": "soc2",
                                "control_id": "CC6.1",
                                "owner": "ann",
                                "due_on": NOW.date(),
                            }
                        ],
                    )
                    revision.record("attestation.requested", object_id=f"{worker}-{i}")
            if own is not any_store:
                own.close()
        except Exception as error:  # the test must report what a thread met
            failures.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    check = any_store.verify("acme")
    assert (check.problem, check.events, check.head_seq) == (None, 201, 201)
    rows = stored_rows(any_store, attestations)
    assert sorted(row["revision"] for row in rows) == list(range(2, 202))
    assert {row["id"] for row in rows} == {f"{w}-{i}" for w in range(8) for i in range(25)}


def chain_of(store, count):
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.append_events(EventRow(f"e{i}", NOW, "ann", "access.granted") for i in range(count))


def damage(store, statement):
    with store._writer.begin() as connection:
        connection.execute(statement)


def test_verification_names_the_first_changed_event(any_store):
    chain_of(any_store, 10)
    damage(any_store, update(audit_log).where(audit_log.c.seq == 5).values(actor="mallory"))
    check = any_store.verify("acme")
    assert (check.ok, check.broken_seq) == (False, 5)
    assert "event 5 (e3) does not match its hash" in check.problem


def test_verification_names_the_first_missing_event(any_store):
    chain_of(any_store, 10)
    damage(any_store, text("DELETE FROM audit_log WHERE seq = 7"))
    check = any_store.verify("acme")
    assert (check.broken_seq, check.problem) == (7, "event 7 is missing: after 6 comes 8")


def test_verification_sees_a_shortened_chain(any_store):
    chain_of(any_store, 3)
    damage(any_store, text("DELETE FROM audit_log WHERE seq = 4"))
    assert any_store.verify("acme").problem.startswith("the head says 4 ")


def test_verification_sees_a_moved_head(any_store):
    damage(any_store, update(heads).values(hash="0" * 64))
    assert any_store.verify("acme").problem.startswith("the head says 1 000")


def test_sqlite_has_on_disk_what_it_acknowledged(sqlite_url, monkeypatch):
    monkeypatch.setattr(database, "SYNCHRONOUS", SYNCHRONOUS)
    _, writer = database.open_engines(sqlite_url)
    with writer.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    writer.dispose()
