"""What a report looks at: a write to anything else leaves its bytes, its name and its place in memory."""

import json
from datetime import date, timedelta

import duckdb
import pytest

from engine.model.documents.document import Position
from engine.replica.replica import Replica
from engine.replica.scans.registry import SCANS
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.part_positions import newest
from engine.reporting.snapshot.record_parts import ACTIONS, report_parts, scan_tables
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store.schema import REPLICATED
from engine.store.schema.risk import vendors
from engine.store.schema.services import incidents
from reports import CATALOGUE
from tests.conftest import NOW
from tests.laws import share_of

NAMED = ("obligation-heatmap", "calendar", "third-party-vendors", "executive-summary")  # by the tests
BUILT = tuple(dict.fromkeys((*NAMED, *share_of(CATALOGUE))))
VENDOR = {"id": "v", "name": "Vault", "tier": "high", "category": "cloud"}


def table_names(tree):
    """The tables of a parsed query."""
    if isinstance(tree, dict):
        yield from [tree["table_name"]] if tree.get("type") == "BASE_TABLE" else []
        tree = list(tree.values())
    if isinstance(tree, list):
        for branch in tree:
            yield from table_names(branch)


@pytest.mark.parametrize("name", sorted(SCANS))
def test_the_tables_of_a_scan_are_those_that_its_query_names(name):
    with duckdb.connect() as connection:
        (parsed,) = connection.execute("SELECT json_serialize_sql(?)", [SCANS[name]]).fetchone()
    assert scan_tables(SCANS[name]) == set(table_names(json.loads(parsed))) & REPLICATED.keys()


def test_scans_that_look_at_some_actions_exist_and_read_events():
    assert {name for name in ACTIONS if "audit_log" not in scan_tables(SCANS[name])} == set()


@pytest.mark.parametrize(("name", "actions"), [(name, actions) for name, actions in ACTIONS.items() if actions])
def test_a_scan_that_looks_at_some_actions_names_them(name, actions):
    for action in actions:
        assert f"'{action}'" in SCANS[name]


def test_a_report_stands_at_the_newest_part_that_it_looks_at():
    head, heads = Position(9, "9"), {"vendors": Position(3, "3"), "organizations": Position(1, "1")}
    assert newest({"vendors", "organizations"}, heads, head) == Position(3, "3")
    assert newest({"vendors", "audit_log"}, heads, head) == head
    assert newest({"policies"}, heads, head) == head
    assert "audit_log" in report_parts(["control_status"])
    assert report_parts([]) == {"organizations", "organization_settings", "memberships", "users", "own_frameworks"}
    assert report_parts(["vendors_rows"]) >= {"vendors"}
    weeks = {"readiness_snapshots", "organization_frameworks", "chain_cuts"}  # they tell which weeks have no snapshot
    assert report_parts(["posture_snapshots_rows"]) == report_parts([]) | weeks | {"posture_snapshots"}


@pytest.fixture
def snapshots(store, tmp_path):
    with store.revision("acme", "me", now=NOW) as revision:
        revision.insert(vendors, [VENDOR])
        revision.record("vendor.added")
    replica = Replica(store.url, None)
    made = Snapshots(store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield made
    made.close()
    replica.close()


def built_reports(snapshots):
    """Key and bytes of every report."""
    with snapshots.open("acme", now=NOW) as snapshot:
        return {name: snapshot.bytes(name, {}, CATALOGUE[name].formats[0]) for name in BUILT}


def changes(store):
    """One after the other: an incident, a vendor, events of two actions, nothing but a setting."""
    opened = {"id": "i", "title": "Down", "severity": "high", "status": "open", "opened_at": NOW}
    for act in (
        lambda revision: revision.insert(incidents, [opened]),
        lambda revision: revision.update(vendors, {"id": "v"}, {"name": "Vault Ltd"}),
        lambda revision: revision.record("density.cleared", object_id="2026-W40"),
        lambda revision: None,
    ):
        with store.revision("acme", "me", now=NOW) as revision:
            act(revision)
            revision.record("note.taken")
        yield


@pytest.mark.real
def test_a_write_that_a_report_does_not_look_at_leaves_it(store, snapshots, tmp_path):
    before = built_reports(snapshots)
    for _ in changes(store):
        now = built_reports(snapshots)
        replica = Replica(store.url, None)
        anew = Snapshots(store, replica, Artifacts(tmp_path / str(store.head("acme").seq)), CATALOGUE)
        from_scratch = built_reports(anew)
        anew.close()
        replica.close()
        assert {name: (one.etag, one.data) for name, one in now.items()} == {
            name: (one.etag, one.data) for name, one in from_scratch.items()
        }
        kept = {name for name, one in now.items() if one.etag == before[name].etag}
        assert {name for name in kept if now[name].made} == set()
        assert kept >= {"obligation-heatmap", "calendar"} or "vendors" in report_parts(CATALOGUE["calendar"].facts)
        before = now


@pytest.mark.real
def test_an_incident_leaves_the_register_of_vendors_cached(store, snapshots):
    before = built_reports(snapshots)
    next(changes(store))
    after = built_reports(snapshots)
    assert after["third-party-vendors"].etag == before["third-party-vendors"].etag
    assert not after["third-party-vendors"].made
    assert after["executive-summary"].etag != before["executive-summary"].etag


def test_a_new_day_is_a_new_report_all_the_same(snapshots):
    with snapshots.open("acme", now=NOW) as today, snapshots.open("acme", now=NOW + timedelta(days=1)) as tomorrow:
        one, other = (each.bytes("third-party-vendors", {}, "json") for each in (today, tomorrow))
    assert one.etag != other.etag
    assert (one.name.as_of, other.name.as_of) == (date(2026, 11, 20), date(2026, 11, 21))
