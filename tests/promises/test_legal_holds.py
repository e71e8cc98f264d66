"""Rows under a legal hold outlive every purge: all jobs that remove anything run, years later, over every table."""

from datetime import timedelta

import pytest
from freezegun import freeze_time
from sqlalchemy import func, select, update

import scheduler
from engine.store.schema import audit, ingest, metadata, outputs
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.promises.records import identifier

LATER = NOW + timedelta(days=4000)
PURGES = (scheduler.retention, scheduler.pruning)
OPERATIONAL = {  # nobody's evidence: who is doing what at the moment, and what would be counted twice
    "heads",
    "leases",
    "seen_events",
    "credential_uses",
}


@pytest.fixture
def held_console(open_copy):
    """A console whose organization has a body of a monitor too; no hold but that which a test places."""
    with freeze_time(NOW):
        copy = open_copy()
    store = copy.console.services.store
    with raw_transaction(store) as connection:
        body = {
            "org_id": "acme",
            "id": "body",
            "route": "alerts",
            "state": "applied",
            "received_at": NOW,
            "actor": "ci",
            "size_bytes": 2,
            "sha256": "0" * 64,
            "body": b"{}",
            "times": 1,
            "records": 1,
            "applied": 1,
        }
        connection.execute(ingest.ingest_payloads.insert().values(body))
        connection.execute(audit.legal_holds.delete())
        connection.execute(update(outputs.deliveries).values(status="sent"))
        connection.execute(update(outputs.job_runs).values(job="digest"))
    return copy


def hold(store, **values):
    row = {"id": "hold", "matter": "Case", "reason": "a court asks", "placed_by": "counsel", "placed_at": NOW, **values}
    with store.revision("acme", "counsel", now=NOW) as revision:
        revision.insert(audit.legal_holds, [row])
        revision.record("legal_hold.placed", object_type="legal_hold", object_id="hold")


def rows(store):
    """Every row of acme that there is, by table: its key, or all of it where the table has none."""
    found = {}
    with store.reader() as connection:
        for name, table in metadata.tables.items():
            if name in OPERATIONAL or "org_id" not in table.columns:
                continue
            keys = [column for column in table.primary_key.columns if column.name != "org_id"]
            query = select(*keys).where(table.c.org_id == "acme")
            found[name] = {tuple(row) for row in connection.execute(query)}
    return found


def purge(found):
    for job in PURGES:
        job(found.console.services, LATER)


def missing(before, after):
    return {name: sorted(keys - after[name]) for name, keys in before.items() if keys - after[name]}


def test_a_hold_on_everything_keeps_every_row_of_every_table(held_console):
    store = held_console.console.services.store
    hold(store, scope="all")
    before = rows(store)
    assert sum(1 for keys in before.values() if keys) > 50
    purge(held_console)
    assert missing(before, rows(store)) == {}


def test_without_a_hold_the_same_purges_do_remove(held_console):
    """Else the test before would show nothing."""
    store = held_console.console.services.store
    before = rows(store)
    purge(held_console)
    assert set(missing(before, rows(store))) == {
        "audit_log",
        "incidents",
        "incident_timeline",
        "incident_actions",
        "delivery_contents",
        "early_events",
        "ingest_payloads",
        "job_runs",
    } - {name for name, keys in before.items() if not keys}


def test_a_hold_that_was_released_holds_nothing(held_console):
    store = held_console.console.services.store
    hold(store, scope="all", released_at=NOW + timedelta(days=1))
    before = rows(store)
    purge(held_console)
    assert "incidents" in missing(before, rows(store))


def test_a_hold_on_an_incident_keeps_all_that_hangs_on_it(held_console):
    store = held_console.console.services.store
    closed = identifier("acme", "incidents", 4)
    with store.reader() as connection:
        status = connection.execute(
            select(metadata.tables["incidents"].c.status).where(metadata.tables["incidents"].c.id == closed)
        ).scalar_one()
    assert status == "closed"
    hold(store, incident_id=closed, scope="incident")

    def of_incident():
        with store.reader() as connection:
            return {
                name: connection.execute(
                    select(func.count()).select_from(table).where(table.c.org_id == "acme", table.c[key] == closed)
                ).scalar_one()
                for name, table in metadata.tables.items()
                for key in ("incident_id",)
                if key in table.columns
            }

    before = of_incident()
    purge(held_console)
    assert of_incident() == before
    assert (closed,) in rows(store)["incidents"]
