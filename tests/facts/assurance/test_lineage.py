"""Claims over a real store: each leads to an event whose hash is checked."""

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import delete, text, update

from engine.archives.sealing.manifest import LOG
from engine.facts import FactQuestion, Facts
from engine.model.checkpoints import Checkpoint, NoteSignature, SignedNote
from engine.model.merkle import leaf_hash, root
from engine.model.thresholds import Thresholds
from engine.replica.replica import Replica
from engine.store import EventRow
from engine.store.schema.audit import audit_log, chain_cuts
from engine.store.schema.automation import policies, policy_controls
from engine.store.schema.controls import evidence_items, evidence_links
from engine.store.schema.organizations import organization_frameworks, users
from engine.store.schema.outputs import bundles
from tests.factories import ORG
from tests.merkle_paths import root_from_path

AT = datetime(2026, 11, 10, 9, tzinfo=UTC)
SOC2 = {"framework": "soc2", "control_id": "CC6.1"}


@pytest.fixture
def trace_claims(store):
    """``trace_claims()`` gives the claims about CC6.1: an event, an evidence item and a policy stand behind it."""
    events = [EventRow("before", AT, "ann", "login.reviewed"), EventRow("key", AT, "ann", "mfa.enforced", "user", "u1")]
    with store.revision(ORG, "setup", now=AT) as revision:
        revision.insert(organization_frameworks, [{"framework": "soc2"}])
        revision.insert(users, [{"email": "ann"}])
        revision.record("settings.changed")
        revision.append_events(events)
    with store.revision(ORG, "ann", now=AT) as revision:
        item = {"id": "item", "title": "Export", "captured_at": AT, "location": "vault://1", "sha256": "0" * 64}
        revision.insert(evidence_items, [item, {"id": "loose", "title": "Loose", "captured_at": AT}])
        revision.insert(evidence_links, [{"evidence_id": "item", **SOC2}])
        policy = {"id": "pol", "policy": "P", "version": 4, "title": "Access", "state": "active"}
        revision.insert(policies, [{**policy, "accepted_by": "ann", "accepted_at": AT}])
        revision.insert(policy_controls, [{"policy_id": "pol", **SOC2}])
        revision.record("evidence.linked", object_type="evidence_item", object_id="item")
    opened = []

    def trace(name="claims"):
        replica = Replica(store.url, None)
        replica.sync([ORG])
        view = replica.view()
        opened.append((view, replica))
        facts = Facts(view.__enter__(), [FactQuestion(ORG, "UTC", date(2026, 11, 20), 30, Thresholds())])
        frame = facts[name]
        return frame.filter(control_id="CC6.1") if name == "claims" else frame

    yield trace
    for view, replica in opened:
        view.__exit__(None, None, None)
        replica.close()


@pytest.fixture
def tamper(store):
    """Run a statement behind the store's back."""

    def run(statement):
        with store._writer.begin() as connection:
            connection.execute(statement)

    return run


def states(claims):
    return {row["source"]: (row["state"], row["problem"]) for row in claims.iter_rows(named=True)}


def test_each_claim_leads_to_the_event_that_recorded_it(trace_claims, store):
    claims = trace_claims()
    assert claims.select("source", "evidence_id", "record", "policy_version", "event_id", "state").rows() == [
        ("item", "item", "evidence item", None, "hq:5", "complete"),
        ("operation", "key", "audit event", None, "key", "complete"),
        ("policy", "pol", "policy version", 4, "hq:5", "complete"),
    ]
    with store.reader() as connection:
        stored = dict(connection.execute(text("SELECT event_id, hash FROM audit_log")).all())
    assert claims["event_hash"].to_list() == [stored[event] for event in claims["event_id"]]
    assert claims["bundle_id"].to_list() == [None] * 3


def test_an_event_that_was_changed_afterwards_does_not_match_its_hash(trace_claims, tamper):
    tamper(update(audit_log).where(audit_log.c.event_id == "key").values(actor="eve"))
    assert states(trace_claims()) == {
        "item": ("complete", None),
        "operation": ("hash_mismatch", "event differs from its hash"),
        "policy": ("complete", None),
    }


def test_a_record_whose_event_is_gone_is_broken(trace_claims, tamper):
    tamper(delete(audit_log).where(audit_log.c.seq == 5))
    assert states(trace_claims())["item"] == ("broken", "event no longer in the log")


def test_without_the_hash_before_an_event_nothing_can_be_checked(trace_claims, tamper):
    tamper(delete(audit_log).where(audit_log.c.event_id == "before"))
    assert states(trace_claims())["operation"] == ("broken", "hash before the event unknown")


def test_the_hash_at_a_cut_stands_for_the_events_that_retention_took(trace_claims, tamper, store):
    with store.reader() as connection:
        before = connection.execute(text("SELECT seq, hash FROM audit_log WHERE event_id = 'before'")).one()
    cut = {"org_id": ORG, "seq": before.seq, "hash": before.hash, "cut_at": AT, "revision": 5}
    tamper(chain_cuts.insert().values(cut))
    tamper(delete(audit_log).where(audit_log.c.seq <= before.seq))
    assert states(trace_claims())["operation"] == ("complete", None)


def test_an_item_that_is_kept_nowhere_cannot_be_followed(trace_claims, tamper):
    tamper(update(evidence_items).where(evidence_items.c.id == "item").values(location=None))
    assert states(trace_claims())["item"] == ("broken", "no place where the item is kept")


def test_a_claim_is_in_the_first_bundle_sealed_after_its_event_whose_window_has_its_day(trace_claims, store):
    def seal_bundle(identifier, start, seq, day):
        return {
            "id": identifier,
            "requested_window": "30d",
            "window_start_on": start,
            "sealed_seq": seq,
            "window_end_on": date(2026, 11, 30),
            "created_by": "ann",
            "sealed_at": AT.replace(day=day),
            "archive_sha256": None if identifier == "elsewhere" else "0" * 64,
        }

    with store.revision(ORG, "ann", now=AT) as revision:
        early, late = date(2026, 11, 1), date(2026, 11, 11)
        rows = [
            seal_bundle("early", early, 2, 11),
            seal_bundle("late", late, 5, 12),
            seal_bundle("b1", early, 5, 14),
            seal_bundle("b2", early, 5, 13),
            seal_bundle("future", early, 5, 25),
            seal_bundle("elsewhere", early, 5, 15),
        ]
        revision.insert(bundles, rows)
        revision.record("bundle.sealed")
    assert trace_claims()["bundle_id"].to_list() == ["b2", "b2", "b2"]


def test_evidence_that_supports_no_control_is_an_orphan(trace_claims):
    assert trace_claims("orphan_evidence").select("kind", "id", "dated_on").rows() == [
        ("evidence item", "loose", date(2026, 11, 10))
    ]


@pytest.fixture
def seal_bundle(store):
    """``sealed(first_seq)`` records a bundle whose log begins at that event, under a signed head of five events."""

    def seal(first_seq, head=True):
        with store.reader() as connection:
            hashes = connection.execute(text("SELECT hash FROM audit_log ORDER BY seq")).scalars().all()
        leaves = [leaf_hash(bytes.fromhex(one)) for one in hashes[:5]]
        note = Checkpoint(f"hq/{ORG}", 5, root(leaves), hashes[4]).text()
        signed = SignedNote(note, (NoteSignature(f"hq/{ORG}", b"1234", bytes(64)),))
        before = {1: [], 5: [root(leaves[:4])]}[first_seq]
        bundle = {
            "id": "b1",
            "requested_window": "30d",
            "window_start_on": date(2026, 11, 1),
            "created_by": "ann",
            "window_end_on": date(2026, 11, 30),
            "sealed_at": AT,
            "archive_sha256": "0" * 64,
            "sealed_seq": 5,
            "first_seq": first_seq,
            "head": str(signed) if head else None,
            "before": " ".join(part.hex() for part in before) if head else None,
        }
        with store.revision(ORG, "ann", now=AT) as revision:
            revision.insert(bundles, [bundle])
            revision.record("bundle.sealed")
        return leaves

    return seal


@pytest.mark.real
def test_a_claim_in_a_bundle_has_the_leaf_of_its_event_and_the_way_to_the_signed_head(trace_claims, seal_bundle):
    leaves = seal_bundle(1)
    claims = trace_claims()
    assert claims["merkle_leaf"].to_list() == [leaves[seq - 1].hex() for seq in claims["seq"]]
    proofs = trace_claims("bundle_proofs")
    assert proofs.select("bundle_id", "seq", "file", "leaf_index", "leaves", "merkle_root").rows() == [
        ("b1", seq, LOG, seq - 1, 5, root(leaves).hex()) for seq in sorted({*claims["seq"]})
    ]
    for proof in proofs.iter_rows(named=True):
        path = [bytes.fromhex(step) for step in proof["merkle_path"]]
        leaf = leaves[proof["leaf_index"]]
        assert (proof["merkle_leaf"], root_from_path(leaf, proof["leaf_index"], 5, path)) == (leaf.hex(), root(leaves))


@pytest.mark.real
def test_the_way_to_the_head_needs_the_events_of_the_bundle_alone(trace_claims, seal_bundle, tamper):
    leaves = seal_bundle(5)
    tamper(delete(audit_log).where(audit_log.c.seq < 4))
    (proof,) = trace_claims("bundle_proofs").iter_rows(named=True)
    assert (proof["seq"], proof["merkle_path"]) == (5, [root(leaves[:4]).hex()])


def test_events_that_do_not_lead_to_the_signed_head_have_no_way_to_it(trace_claims, seal_bundle, tamper):
    seal_bundle(1)
    tamper(update(audit_log).where(audit_log.c.seq == 1).values(hash="0" * 64))
    assert {*trace_claims("bundle_proofs")["merkle_path"].to_list()} == {None}


def test_a_bundle_that_was_sealed_without_a_head_shows_the_leaf_alone(trace_claims, seal_bundle):
    leaves = seal_bundle(1, head=False)
    proofs = trace_claims("bundle_proofs")
    assert proofs["merkle_leaf"].to_list() == [leaves[seq - 1].hex() for seq in proofs["seq"]]
    assert {*proofs.select("merkle_path", "merkle_root").rows()} == {(None, None)}


def test_an_event_before_the_log_of_a_bundle_begins_is_not_in_it(trace_claims, seal_bundle):
    seal_bundle(5)
    assert trace_claims().select("event_id", "bundle_id").rows() == [("hq:5", "b1"), ("key", None), ("hq:5", "b1")]


def test_without_bundles_there_is_no_proof(trace_claims):
    assert trace_claims("bundle_proofs").rows() == []
