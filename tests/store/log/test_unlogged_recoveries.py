"""Stores in which a scanner's recovery was written beside the log are brought in order by the migration, no others."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from engine.store import Note
from engine.store.database.migrations import latest, migrate
from engine.store.log.unlogged_recoveries import LOGGED_LATER, RESOLVED, log_recoveries
from engine.store.queries.operations.ingest import resolve_incidents
from engine.store.schema.audit import audit_log
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.web.handlers.test_health import downgrade
from tests.whole_checks import assert_provable

LATER = NOW + timedelta(hours=1)
INCIDENT = {"title": "CVE on web1", "severity": "high", "status": "open", "opened_at": NOW, "alert_count": 1}


def resolve_beside_the_log(store, identifier):
    """What the version before 0032 did when a scanner no longer found something."""
    line = {"id": f"tl-{identifier}", "incident_id": identifier, "happened_at": LATER, "kind": "status", "actor": "me"}
    with store.revision("acme", "me", now=LATER) as revision:
        revision.insert(incident_timeline, [{**line, "body": RESOLVED}])
        revision.record_all([Note("incident.resolved", "incident", identifier)])
        seq = revision.seq
    with raw_transaction(store) as connection:
        change = update(incidents).where(incidents.c.id == identifier)
        connection.execute(change.values(status="resolved", resolved_at=LATER, revision=seq))


@pytest.fixture
def store_with_incidents(any_store):
    with any_store.revision("acme", "me", now=NOW) as revision:
        revision.insert(incidents, [{"id": name, **INCIDENT} for name in ("a", "b", "c")])
        revision.record("incident.store_with_incidents")
    return any_store


def recoveries(store):
    with store.reader() as connection:
        query = select(audit_log.c.details).where(audit_log.c.action == LOGGED_LATER)
        return [details["rows"] for details in connection.execute(query).scalars()]


def test_a_recovery_that_the_log_left_out_is_logged_once(store_with_incidents):
    resolve_beside_the_log(store_with_incidents, "a")
    resolve_beside_the_log(store_with_incidents, "b")
    assert "differs in resolved_at" in store_with_incidents.verify_rows("acme").problem
    with raw_transaction(store_with_incidents) as connection:
        assert log_recoveries(connection, LATER) == {"acme": 2}
    assert_provable(store_with_incidents)
    with raw_transaction(store_with_incidents) as connection:
        assert log_recoveries(connection, LATER) == {}
    assert recoveries(store_with_incidents) == [2]


def test_a_row_that_somebody_changed_by_hand_is_still_found(store_with_incidents):
    with raw_transaction(store_with_incidents) as connection:
        change = update(incidents).where(incidents.c.id == "c")
        connection.execute(change.values(status="resolved", resolved_at=LATER))
        assert log_recoveries(connection, LATER) == {}
    assert "differs in resolved_at" in store_with_incidents.verify_rows("acme").problem


def test_a_recovery_of_today_is_logged_by_its_own_write(store_with_incidents):
    with store_with_incidents.revision("acme", "me", now=LATER) as revision:
        assert resolve_incidents(revision, ["b", "a", "none"]) == ["b", "a"]
        assert resolve_incidents(revision, ["a"]) == []
        assert resolve_incidents(revision, []) == []
        revision.record_all([Note("incident.resolved", "incident", name) for name in "ab"])
    assert_provable(store_with_incidents)
    with raw_transaction(store_with_incidents) as connection:
        assert log_recoveries(connection, LATER) == {}


@pytest.mark.real
def test_the_migration_does_it_when_a_store_passes_its_number(store_with_incidents):
    resolve_beside_the_log(store_with_incidents, "a")
    downgrade(store_with_incidents, "0031")
    assert migrate(store_with_incidents.url, now=LATER + timedelta(days=1)) == ("0031", latest())
    assert recoveries(store_with_incidents) == [1]
    assert_provable(store_with_incidents)
