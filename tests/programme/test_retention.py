"""The retention job: what goes, what a legal hold keeps, and that the rest of the chain still verifies."""

from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest
from sqlalchemy import select

from engine.facts import FactQuestion, Facts
from engine.model.errors import Conflict, Problem, Unavailable
from engine.model.merkle import leaf_hash
from engine.model.thresholds import Thresholds
from engine.programme import retention
from engine.programme.retention import purge, purge_all, retention_days
from engine.replica.replica import Replica
from engine.replica.scans.governance import RETENTION_DAYS
from engine.store import EventRow
from engine.store.chain.event_tree import EventTree
from engine.store.removal.retention import PurgeResult
from engine.store.schema import metadata
from engine.store.schema.audit import audit_log, chain_cuts, legal_holds, record_starts, retention_overrides
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.organizations import organizations
from engine.store.schema.services import incident_actions, incident_timeline, incidents, rca_runs
from tests.annex import bring_annex
from tests.conftest import NOW
from tests.databases import raw_transaction

LATER = NOW + timedelta(days=1000)  # far from when acme was created
AUDIT, INCIDENTS = 400, 730
ANN = {"email": "ann@acme.example", "role": "admin", "status": "active"}
APPROVED = {"approved_by": ANN["email"], "approved_on": date(2026, 1, 2)}


def rows(store, table):
    with store.reader() as connection:
        return [dict(row) for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()]


def seqs(store, org="acme"):
    return [row["seq"] for row in rows(store, audit_log) if row["org_id"] == org]


def event(name, days, **values):
    """An event that is so many days old at ``LATER``."""
    return EventRow(name, LATER - timedelta(days=days), "ann", values.pop("action", "access.granted"), **values)


def fill(store, *events, org="acme", **tables):
    with store.revision(org, "import", now=NOW) as revision:
        for name, given in tables.items():
            revision.insert(metadata.tables[name], given)
        revision.append_events([*events, event("import", 900)])


def hold(identifier="h1", **values):
    row = {
        "id": identifier,
        "matter": "Acme v. Doe",
        "reason": "records may be evidence",
        "placed_by": "ann",
        "placed_at": NOW,
    }
    return {**row, **values}


def incident(identifier, days, **values):
    """An incident that was closed so many days before ``LATER``."""
    row = {
        "id": identifier,
        "title": "Down",
        "severity": "high",
        "status": "closed",
        "opened_at": LATER - timedelta(days=days + 1),
        "closed_at": LATER - timedelta(days=days),
    }
    return {**row, **values}


def report(store, now, org="acme"):
    """The retention fact by class, as reports see it on the day of ``now``."""
    replica = Replica(store.url, None)
    replica.sync([org])
    with replica.view() as view:
        facts = Facts(view, [FactQuestion(org, "UTC", now.date(), 30, Thresholds())])
        found = {row["record_class"]: row for row in facts["retention"].iter_rows(named=True)}
    replica.close()
    return found


def test_the_tiers_keep_ever_longer():
    assert RETENTION_DAYS == {
        "shared": {"audit_log": 400, "incidents": 730},
        "dedicated": {"audit_log": 730, "incidents": 1095},
        "self-hosted": {"audit_log": 2555, "incidents": 2555},
    }


def test_an_override_takes_the_place_of_its_class_alone(store):
    assert retention_days(store, "acme", NOW.date()) == {"audit_log": 400, "incidents": 730}
    fill(store, memberships=[ANN], retention_overrides=[{"record_class": "incidents", "days": 90} | APPROVED])
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.update(organizations, {}, {"deployment_tier": "dedicated"})
        revision.record("organization.changed")
    assert retention_days(store, "acme", NOW.date()) == {"audit_log": 730, "incidents": 90}


@pytest.mark.parametrize(
    "lack",
    [
        {"approved_by": None},
        {"approved_by": "eve@elsewhere.example"},
        {"approved_on": None},
        {"approved_on": date(2030, 1, 1)},
    ],
)
def test_an_override_that_nobody_approved_lengthens_and_never_shortens(store, lack):
    given = [("audit_log", 4000), ("incidents", 90)]
    overrides = [{"record_class": of, "days": days} | APPROVED | lack for of, days in given]
    fill(store, memberships=[ANN], retention_overrides=overrides)
    assert retention_days(store, "acme", NOW.date()) == {"audit_log": 4000, "incidents": 730}


def test_the_old_part_of_the_chain_goes_and_the_rest_verifies(any_store):
    fill(any_store, event("old", 500), event("edge", AUDIT), event("new", 10))
    old = {row["seq"]: row["hash"] for row in rows(any_store, audit_log)}
    (made, _, *_) = [row["changes"] for row in rows(any_store, audit_log)]
    assert purge(any_store, "acme", now=LATER) == [PurgeResult("audit_log", 2), PurgeResult("incidents", 0)]
    kept = rows(any_store, audit_log)
    assert [(row["seq"], row["action"]) for row in kept] == [
        (3, "access.granted"),
        (4, "access.granted"),
        (5, "access.granted"),
        (6, "retention.purged"),
    ]
    assert kept[-1]["details"] == {
        "record_class": "audit_log",
        "before": "2028-07-12T00:00:00.000000Z",
        "rows": 2,
        "first_seq": 1,
        "last_seq": 2,
        "hash_at_cut": old[2],
        "cut_writes": 1,
        "cut_roots": sha256(f"{'0' * 64}{made}".encode()).hexdigest(),
    }
    assert kept[-1]["actor"] == "retention"
    assert [(cut["seq"], cut["hash"]) for cut in rows(any_store, chain_cuts)] == [(2, old[2])]
    checked = any_store.verify("acme")
    assert (checked.problem, checked.first_seq, checked.events) == (None, 3, 4)


def test_nothing_goes_where_its_head_cannot_be_signed(any_store):
    fill(any_store, event("old", 500), event("new", 10))
    there = rows(any_store, audit_log)

    def refuse(org_id):
        raise Conflict(f"No head of {org_id} is signed.")

    with pytest.raises(Problem, match="No head of acme is signed"):
        purge_all(any_store, now=LATER, payload_days=90, sign=refuse)
    assert rows(any_store, audit_log) == there


def test_leaves_outlive_their_events(any_store):
    fill(any_store, event("old", 500), event("new", 10))
    leaves = [leaf_hash(bytes.fromhex(row["hash"])) for row in rows(any_store, audit_log)]
    purge(any_store, "acme", now=LATER)
    with any_store.reader() as connection:
        assert list(EventTree(connection, "acme").leaves()) == leaves


def test_a_chain_that_was_changed_after_the_cut_does_not_verify(store):
    fill(store, event("old", 500), event("new", 10))
    purge(store, "acme", now=LATER)
    with store._writer.begin() as connection:
        connection.execute(audit_log.update().where(audit_log.c.seq == 3).values(actor="eve"))
    assert store.verify("acme").broken_seq == 3


def test_the_whole_history_may_go_and_the_chain_goes_on(any_store):
    fill(any_store, event("old", 500))
    assert purge(any_store, "acme", now=LATER)[0].rows == 3
    assert seqs(any_store) == [4]
    assert any_store.verify("acme").problem is None
    assert any_store.head("acme").seq == 4


def test_an_old_event_behind_a_younger_one_waits(store):
    fill(store, event("young", 1), event("old", 500))
    purge(store, "acme", now=LATER)
    assert seqs(store) == [2, 3, 4, 5]
    assert (report(store, LATER)["audit_log"]["waiting"], report(store, LATER)["audit_log"]["purgeable"]) == (2, 0)


def test_a_second_run_finds_nothing_and_writes_nothing(store):
    fill(store, event("old", 500), event("new", 10), incidents=[incident("i1", 800)])
    purge(store, "acme", now=LATER)
    head = store.head("acme")
    assert purge(store, "acme", now=LATER) == [PurgeResult("audit_log", 0), PurgeResult("incidents", 0)]
    assert store.head("acme") == head


def test_a_later_purge_cuts_again(store):
    fill(store, event("a", 500), event("b", 300), event("c", 10))
    purge(store, "acme", now=LATER)
    purge(store, "acme", now=LATER + timedelta(days=200))
    assert [cut["seq"] for cut in rows(store, chain_cuts)] == [2, 3]
    assert store.verify("acme").problem is None


def test_days_are_those_of_the_organization(store):
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.update(organizations, {}, {"time_zone": "Pacific/Auckland"})
        revision.record("organization.changed")
    evening = datetime(2029, 8, 16, 18, tzinfo=UTC)  # the 17th in Auckland, where the kept day began at noon UTC
    edge = datetime(2028, 7, 12, 12, tzinfo=UTC)
    with store.revision("acme", "import", now=NOW) as revision:
        revision.append_events([EventRow("out", edge - timedelta(seconds=1), "x", "y"), EventRow("in", edge, "x", "y")])
    purge(store, "acme", now=evening)
    assert [row["event_id"] for row in rows(store, audit_log)] == ["in", "hq:5"]


# legal holds


@pytest.mark.parametrize("scope", ["all", "incident", None])
def test_a_hold_that_is_not_narrowed_keeps_everything(scope, any_store):
    fill(
        any_store, event("old", 500), event("new", 10), legal_holds=[hold(scope=scope)], incidents=[incident("i", 800)]
    )
    purged = purge(any_store, "acme", now=LATER)
    assert purged == [PurgeResult("audit_log", 0, ("h1",)), PurgeResult("incidents", 0, ("h1",))]
    assert seqs(any_store) == [1, 2, 3, 4, 5, 6]
    assert [row["action"] for row in rows(any_store, audit_log)][-2:] == ["retention.blocked", "retention.blocked"]
    assert [row["purges_blocked"] for row in rows(any_store, legal_holds)] == [2]
    assert rows(any_store, chain_cuts) == []


def test_an_incident_hold_keeps_the_chain_from_the_first_event_of_the_incident(any_store):
    fill(
        any_store,
        event("before", 600),
        event("opened", 500, object_type="incident", object_id="i1", action="incident.opened"),
        event("after", 450),
        event("new", 1),
        incidents=[incident("i1", 800), incident("i2", 800)],
        legal_holds=[hold(incident_id="i1", scope="incident", purges_blocked=3)],
    )
    seen = report(any_store, LATER)
    assert (seen["audit_log"]["purgeable"], seen["audit_log"]["held"]) == (2, 2)
    assert (seen["incidents"]["purgeable"], seen["incidents"]["held"]) == (1, 1)
    assert purge(any_store, "acme", now=LATER) == [
        PurgeResult("audit_log", 2, ("h1",)),
        PurgeResult("incidents", 1, ("h1",)),
    ]
    assert seqs(any_store)[0] == 3
    assert [row["id"] for row in rows(any_store, incidents)] == ["i1"]
    assert [row["purges_blocked"] for row in rows(any_store, legal_holds)] == [5]
    assert any_store.verify("acme").problem is None


def test_what_was_tried_for_a_held_incident_is_held_too(store):
    run = {
        "id": "d1",
        "playbook": "p",
        "inputs_hash": "x",
        "outcome": "succeeded",
        "incident_id": "i1",
        "actor": "ann",
        "ran_at": NOW,
    }
    fill(
        store,
        event("rehearsed", 600, object_type="dry_run", object_id="d1"),
        event("new", 1),
        dry_runs=[run],
        legal_holds=[hold(incident_id="i1")],
    )
    assert purge(store, "acme", now=LATER)[0] == PurgeResult("audit_log", 1, ("h1",))
    assert seqs(store)[0] == 2


@pytest.mark.parametrize("scope", ["access.", "access.*", "access.revoked"])
def test_a_hold_on_actions_keeps_the_chain_from_the_first_of_them(scope, any_store):
    fill(
        any_store,
        event("other", 600, action="Access.revoked"),
        event("held", 500, action="access.revoked"),
        event("new", 1),
        legal_holds=[hold(scope=scope)],
        incidents=[incident("i1", 800)],
    )
    assert report(any_store, LATER)["audit_log"]["purgeable"] == 2
    assert purge(any_store, "acme", now=LATER) == [PurgeResult("audit_log", 2, ("h1",)), PurgeResult("incidents", 1)]


def test_a_hold_on_what_is_young_anyway_blocks_nothing(store):
    fill(store, event("old", 500), event("new", 1, action="access.revoked"), legal_holds=[hold(scope="access.revoked")])
    assert purge(store, "acme", now=LATER)[0] == PurgeResult("audit_log", 2)
    assert [row["purges_blocked"] for row in rows(store, legal_holds)] == [None]


def test_a_released_hold_keeps_nothing(store):
    fill(store, event("old", 500), event("new", 1), legal_holds=[hold(scope="all", released_at=NOW)])
    assert purge(store, "acme", now=LATER)[0] == PurgeResult("audit_log", 2)


def test_a_hold_that_is_to_be_released_later_holds_until_then(store):
    fill(store, event("old", 500), legal_holds=[hold(scope="all", released_at=LATER + timedelta(days=1))])
    assert purge(store, "acme", now=LATER)[0] == PurgeResult("audit_log", 0, ("h1",))
    assert purge(store, "acme", now=LATER + timedelta(days=1))[0].rows == 3


def test_the_earliest_of_several_holds_counts(store):
    fill(
        store,
        event("a", 600),
        event("b", 550, action="b.x"),
        event("c", 500, action="c.x"),
        event("new", 1),
        legal_holds=[hold("h1", scope="c."), hold("h2", scope="b.")],
    )
    assert purge(store, "acme", now=LATER)[0] == PurgeResult("audit_log", 2, ("h1", "h2"))


# incidents


def test_closed_incidents_go_with_all_that_hangs_on_them(any_store):
    def line(number, of):
        return {"id": f"t{number}", "incident_id": of, "happened_at": NOW, "kind": "note", "actor": "ann", "body": "x"}

    run = {
        "id": "r1",
        "incident_id": "old",
        "run_at": NOW,
        "actor": "ann",
        "model_version": "1",
        "hypothesis": "inconclusive",
        "confidence": 0.1,
        "candidates": [],
    }
    fill(
        any_store,
        event("new", 1),
        incidents=[
            incident("old", INCIDENTS + 1),
            incident("edge", INCIDENTS - 0.4),
            incident("open", 900, status="open"),
            incident("resolved", 900, status="resolved"),
            incident("ageless", 900, closed_at=None),
            incident("once", 900, closed_at=None, resolved_at=LATER - timedelta(days=900)),
        ],
        incident_timeline=[line(1, "old"), line(2, "edge")],
        incident_actions=[{"id": "a1", "incident_id": "old", "title": "fix"}],
        rca_runs=[run],
    )
    assert report(any_store, LATER)["incidents"]["purgeable"] == 2
    assert purge(any_store, "acme", now=LATER)[1] == PurgeResult("incidents", 2)
    assert [row["id"] for row in rows(any_store, incidents)] == ["ageless", "edge", "open", "resolved"]
    assert [row["id"] for row in rows(any_store, incident_timeline)] == ["t2"]
    assert (rows(any_store, incident_actions), rows(any_store, rca_runs)) == ([], [])
    assert any_store.verify("acme").problem is None


def test_replicas_forget_what_was_purged(store):
    fill(store, event("new", 1), incidents=[incident("old", 800), incident("new", 10)])
    replica = Replica(store.url, None)

    def replica_ids(query):
        replica.sync(["acme"])
        with replica.view() as view:
            return view.frame(query)["id"].to_list()

    assert replica_ids("SELECT id FROM incidents ORDER BY id") == ["new", "old"]
    for day in (0, 800):  # the first purge makes the first cut, the second only stamps it anew
        purge(store, "acme", now=LATER + timedelta(days=day))
        kept = sorted(row["id"] for row in rows(store, incidents))
        assert replica_ids("SELECT id FROM incidents ORDER BY id") == kept
        assert replica_ids("SELECT seq AS id FROM audit_log ORDER BY seq") == seqs(store)
    assert kept == []
    replica.close()


def test_incidents_alone_make_replicas_start_over_and_the_chain_still_verifies(store):
    with store.revision("acme", "x", now=LATER) as revision:
        revision.insert(incidents, [incident("old", 800)])
        revision.insert(retention_overrides, [{"record_class": "audit_log", "days": 36500}])
        revision.record("x.y")
    replica = Replica(store.url, None)
    replica.sync(["acme"])
    assert purge(store, "acme", now=LATER) == [PurgeResult("audit_log", 0), PurgeResult("incidents", 1)]
    replica.sync(["acme"])
    with replica.view() as view:
        assert view.frame("SELECT id FROM incidents").height == 0
    replica.close()
    assert (store.verify("acme").problem, seqs(store)[0]) == (None, 1)


# all organizations


def test_the_report_says_what_the_next_purge_takes(store):
    fill(store, event("a", 500), event("b", 401), event("c", 399), incidents=[incident("i1", 800)])
    seen = report(store, LATER)
    purged = purge(store, "acme", now=LATER)
    assert [seen[part.record_class]["purgeable"] for part in purged] == [part.rows for part in purged] == [3, 1]


def test_organizations_are_walls_and_one_that_fails_does_not_stop_the_others(store, monkeypatch, caplog):
    for org in ("bad", "other"):
        with store.revision(org, "setup", now=NOW, create={}) as revision:
            revision.record("organization.created")
    fill(store, event("old", 500), event("new", 1))
    fill(store, event("old", 500), event("new", 1), org="other", legal_holds=[hold(scope="all")])
    real = retention.purge

    def purge_or_fail(store, org_id, *, now):
        if org_id == "bad":
            raise Unavailable("disk full")
        return real(store, org_id, now=now)

    monkeypatch.setattr(retention, "purge", purge_or_fail)
    with pytest.raises(Problem) as caught:
        purge_all(store, now=LATER, payload_days=90)
    assert caught.value.message == (
        "2 audit events and 0 incidents removed, 1 purges held back; failed for 1 of 3 organizations: bad: disk full"
    )
    assert seqs(store, "other")[0] == 1
    assert "retention failed for bad" in caplog.text


def test_nothing_changes_when_a_purge_fails_half_way(store, monkeypatch):
    fill(store, event("old", 500), event("new", 1))
    head, before = store.head("acme"), seqs(store)
    monkeypatch.setattr("engine.store.removal.retention._record", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        purge(store, "acme", now=LATER)
    assert (store.head("acme"), seqs(store), rows(store, chain_cuts)) == (head, before, [])


def begins(store, now, org="acme"):
    """``known_since`` of SOC 2 and ``records_since``, as reports see them on the day of ``now``."""
    replica = Replica(store.url, None)
    replica.sync([org])
    with replica.view() as view:
        facts = Facts(view, [FactQuestion(org, "UTC", now.date(), 30, Thresholds())])
        found = [facts[name]["known_since"].to_list() for name in ("known_since", "records_since")]
    replica.close()
    return found


@pytest.mark.real
def test_the_day_on_which_records_began_stays_when_its_events_go(store):
    scope = [{"framework": "soc2", "in_scope": True}]
    fill(
        store, event("e0", 990, action="page.viewed"), event("e1", 950), event("e2", 100), organization_frameworks=scope
    )
    before = begins(store, LATER)
    soc2, every = (LATER - timedelta(days=950)).date(), NOW.date()
    assert before == [[soc2], [every]]
    purge(store, "acme", now=LATER)
    assert begins(store, LATER) == before
    kept = {row["framework"]: row["since_on"] for row in rows(store, record_starts)}
    assert (kept["soc2"], kept["*"]) == (soc2, every)
    purge(store, "acme", now=LATER + timedelta(days=500))
    assert begins(store, LATER + timedelta(days=500)) == before


def test_nothing_is_kept_where_nothing_goes(store):
    fill(store, event("e1", 10))
    purge(store, "acme", now=NOW)
    assert rows(store, record_starts) == []


def test_an_event_begins_the_frameworks_that_it_is_mapped_to_and_those_that_it_names():
    at = datetime(2026, 2, 1, 11, 30, tzinfo=UTC)
    later = datetime(2026, 3, 1, tzinfo=UTC)
    days = retention.record_starts(
        [
            ("made.up", "soc2:CC6.1; gdpr-art32:none", later),
            ("made.up", "soc2:CC6.2", at),
            ("page.viewed", None, later),
        ],
        "Pacific/Auckland",
        {"soc2": {"CC6.1", "CC6.2"}, "gdpr-art32": set()},
    )
    assert days == {"*": at.date() + timedelta(days=1), "soc2": at.date() + timedelta(days=1)}


def test_events_begin_frameworks_of_ones_own_by_its_rules_and_by_their_own_words():
    first, second = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    known, rules = {"annex": {"A.1"}, "baseline": {"B.1"}}, [("made.*", "baseline", "B.1")]
    days = retention.record_starts([("made.up", None, second), ("x", "annex:A.1", first)], "UTC", known, rules)
    assert days == {"*": first.date(), "annex": first.date(), "baseline": second.date()}


def test_a_purge_keeps_since_when_there_were_records_of_a_framework_of_ones_own(store, tmp_path):
    bring_annex(store, tmp_path)
    fill(store, event("e1", 500, action="made.up", controls="annex:A.1"))
    purge(store, "acme", now=LATER)
    assert "annex" in [row["framework"] for row in rows(store, record_starts)]


def test_bodies_of_monitors_go_after_days_of_their_own(store):
    kept = {
        "route": "alerts",
        "state": "read",
        "actor": "token:am",
        "size_bytes": 2,
        "sha256": "0" * 64,
        "body": b"{}",
        "records": 1,
        "applied": 1,
        "times": 1,
        "org_id": "acme",
    }
    with raw_transaction(store) as connection:
        for name, days in (("old", 31), ("young", 29)):
            row = {**kept, "id": name, "received_at": LATER - timedelta(days=days)}
            connection.execute(ingest_payloads.insert().values(row))
    text = purge_all(store, now=LATER, payload_days=30)
    assert text.endswith("0 purges held back, 1 bodies of monitors and scanners dropped")
    assert [row["id"] for row in rows(store, ingest_payloads)] == ["young"]
