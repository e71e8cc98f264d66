"""What somebody with the database does to the past, and what finds it."""

import base64
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlalchemy import delete, select, update

from engine.archives.contents.log import as_hashed
from engine.model.errors import Conflict
from engine.programme.retention import purge
from engine.runtime.heads import head_check
from engine.runtime.heads.signed_heads import newest_signed_head, signed_head
from engine.runtime.keys.key_rotations import rotate_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow
from engine.store.chain.chain import GENESIS, link
from engine.store.chain.event_tree import grow
from engine.store.queries.history import signed_heads as queries
from engine.store.queries.history.audit import events_between
from engine.store.schema.audit import access_log, audit_log, chain_cuts, event_tiles, retention_overrides, signed_heads
from engine.store.schema.organizations import heads, users
from engine.store.schema.outputs import bundles, deliveries
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.runtime.heads.test_witnesses import ONE, TWO
from tests.whole_checks import heads_of


@pytest.fixture
def services(any_store, tmp_path, monkeypatch):
    monkeypatch.setattr(head_check, "STRETCH", 3)
    return Services(Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")}), any_store, None, NOW)


def write(services, count, name="e", at=NOW):
    with services.store.revision("acme", "test", now=at) as revision:
        start = revision.start[0]
        revision.append_events(EventRow(f"{name}-{start + n}", at, "ann", "login.done") for n in range(count))


def problems(services):
    return heads_of(services, "acme").problems


def execute(services, *statements):
    with raw_transaction(services.store) as connection:
        for statement in statements:
            connection.execute(statement)


def hash_at(services, seq):
    with services.store.reader() as connection:
        return connection.execute(select(audit_log.c.hash).where(audit_log.c.seq == seq)).scalar_one()


def rewritten(services, seq, actor):
    """An event is changed and all hashes after it are computed anew: the chain holds."""
    (page,) = events_between(services.store, "acme", 1, 10_000)
    previous = GENESIS
    with raw_transaction(services.store) as connection:
        for entry in page:
            if entry.seq == seq:
                entry = entry._replace(actor=actor)
            previous = link(previous, as_hashed("acme", entry), entry.changes)
            connection.execute(
                update(audit_log).where(audit_log.c.seq == entry.seq).values(actor=entry.actor, hash=previous)
            )
        connection.execute(update(heads).where(heads.c.org_id == "acme").values(hash=previous))
    assert services.store.verify("acme").ok


def without_tail(services, seq):
    execute(
        services,
        delete(audit_log).where(audit_log.c.seq > seq),
        update(heads).where(heads.c.org_id == "acme").values(last_seq=seq, hash=hash_at(services, seq)),
    )
    assert services.store.verify("acme").ok


def grow_anew(services):
    with raw_transaction(services.store) as connection:
        connection.execute(delete(event_tiles))
        grow(connection, "acme")


def test_an_untouched_history_holds(services):
    assert (problems(services), heads_of(services, "acme").heads) == ([], 0)
    for count in (3, 300, 20):
        write(services, count)
        signed_head(services, "acme", now=NOW)
    check = heads_of(services, "acme")
    assert (check.ok, check.heads, check.signatures) == (True, 6, True)


def test_an_event_that_was_rewritten_is_named(services):
    write(services, 20)
    signed_head(services, "acme", now=NOW)
    write(services, 5)
    rewritten(services, 7, "eve")
    assert problems(services) == [
        "event 7 is not the one that the tree holds: it was rewritten",
        "line 1 of heads/acme.log names another event 21 than the chain has",
        "the signed head of 21 events names another event 21 than the chain has",
    ]
    grow_anew(services)  # who knows of the tree makes it fit
    assert problems(services) == [
        "line 1 of heads/acme.log names another event 21 than the chain has",
        "the signed head of 21 events names another event 21 than the chain has",
    ]
    execute(services, delete(signed_heads))  # and of the heads: the file is beside the store
    assert problems(services) == ["line 1 of heads/acme.log names another event 21 than the chain has"]


def test_a_tail_that_was_cut_off_is_named(services):
    write(services, 20)
    signed_head(services, "acme", now=NOW)
    without_tail(services, 15)
    assert problems(services) == [
        "the tree holds 21 events, and the chain ends at 15: its tail was cut off",
        "line 1 of heads/acme.log is of event 21, and the chain ends at 15: its tail was cut off",
        "the signed head of 21 events is of event 21, and the chain ends at 15: its tail was cut off",
    ]
    write(services, 10, "new")  # it goes on as if nothing had been
    grow_anew(services)
    assert problems(services) == [
        "line 1 of heads/acme.log names another event 21 than the chain has",
        "the signed head of 21 events names another event 21 than the chain has",
    ]


def test_what_left_with_a_delivery_or_a_download_is_held_against_the_chain(services):
    write(services, 20)
    download = {
        "id": "d1",
        "org_id": "acme",
        "accessed_at": NOW,
        "actor": "ann",
        "resource": "/api/audit/export",
        "format": "csv",
        "status": 200,
        "credential_id": None,
        "address": None,
    }
    sent = {
        "id": "dlv_1",
        "kind": "k",
        "period": "p",
        "channel": "email",
        "recipient": "ann@acme.example",
        "status": "sent",
        "content_hash": None,
        "payload": {},
        "late": False,
        "attempts": 1,
        "created_at": NOW,
        "next_attempt_at": None,
        "sent_at": NOW,
        "last_error": None,
    }
    with services.store.revision("acme", "test", now=NOW) as revision:
        revision.insert(deliveries, [{**sent, "head_seq": 12, "head_hash": hash_at(services, 12)}])
        revision.record("x")
    services.store.record_access([{**download, "head_seq": 11, "head_hash": hash_at(services, 11)}])
    assert problems(services) == []
    execute(services, update(access_log).values(head_hash="1" * 64))
    assert problems(services) == ["a download names another event 11 than the chain has"]
    execute(services, update(deliveries).values(head_seq=99))
    assert problems(services) == [
        "a download names another event 11 than the chain has",
        "a delivery is of event 99, and the chain ends at 22: its tail was cut off",
    ]


def seal(services, bundle_id, seq, digest):
    row = {
        "id": bundle_id,
        "requested_window": "30d",
        "window_start_on": NOW.date(),
        "window_end_on": NOW.date(),
        "created_by": "ann",
        "sealed_at": NOW,
        "sealed_seq": seq,
        "sealed_hash": digest,
        "archive_sha256": "0" * 64,
    }
    with services.store.revision("acme", "test", now=NOW) as revision:
        revision.insert(bundles, [row])
        revision.record("bundle.sealed", object_type="bundle", object_id=bundle_id)


def test_a_seal_that_was_removed_is_named(services):
    write(services, 20)
    seal(services, "bnd_1", 10, hash_at(services, 10))
    folder = services.settings.bundle_folder / "acme"
    folder.mkdir(parents=True)
    (folder / "bnd_1.zip").touch()
    assert problems(services) == []
    execute(services, delete(bundles))
    assert problems(services) == [
        "the bundle bnd_1 that event 22 sealed is not on record",
        "the bundle bnd_1 is in the bundle folder and not on record",
    ]


def test_a_seal_that_does_not_lie_on_the_chain_is_named(services):
    write(services, 20)
    seal(services, "bnd_1", 10, hash_at(services, 10))
    seal(services, "bnd_2", 8, "1" * 64)
    assert problems(services) == [
        "the bundle bnd_2 was sealed at event 8, after one at 10",
        "the bundle bnd_2 names another event 8 than the chain has",
    ]


def cut(services):
    """Retention as it is: a head is signed, then the oldest events go."""
    write(services, 20, at=NOW - timedelta(days=400))
    write(services, 20, "young")
    with services.store.revision("acme", "test", now=NOW) as revision:
        revision.insert(users, [{"email": "ann@acme.example", "active": True}])
        approved = {"approved_by": "ann@acme.example", "approved_on": NOW.date()}
        revision.insert(retention_overrides, [{"record_class": "audit_log", "days": 30} | approved])
        revision.record("x")
    signed_head(services, "acme", now=NOW)
    execute(services, update(audit_log).where(audit_log.c.seq == 1).values(occurred_at=NOW - timedelta(days=401)))
    # the first event carries another time in its row now, and goes with the others
    purge(services.store, "acme", now=NOW)


def test_proofs_outlive_retention(services):
    cut(services)
    with services.store.reader() as connection:
        assert connection.execute(select(chain_cuts.c.seq)).scalars().all() == [21]
    assert services.store.verify("acme").ok
    assert problems(services) == []
    signed_head(services, "acme", now=NOW)
    assert problems(services) == []


def test_a_forged_cut_is_named(services):
    cut(services)
    execute(services, update(chain_cuts).values(hash="1" * 64))
    assert problems(services) == ["a cut of retention names another event 21 than the chain has"]


def test_a_leaf_that_was_changed_is_named(services):
    cut(services)
    with services.store.reader() as connection:
        hashes = connection.execute(select(event_tiles.c.hashes)).scalar_one()
    execute(services, update(event_tiles).values(hashes=b"x" * 32 + hashes[32:]))
    assert problems(services) == [
        "line 1 of heads/acme.log has another root than the first 42 events of the chain",
        "the signed head of 42 events has another root than the first 42 events of the chain",
    ]


def test_heads_that_were_changed_are_named(services):
    write(services, 20)
    head = signed_head(services, "acme", now=NOW)
    path = services.settings.data_dir / "heads" / "acme.log"
    other = head.note.replace("\n21\n", "\n20\n")
    path.write_text("no head\n" + base64.b64encode(other.encode()).decode() + "\n")
    execute(services, update(signed_heads).values(seq=20))
    assert problems(services) == [
        "line 1 of heads/acme.log has no base64 in 'no head'",
        "line 2 of heads/acme.log the signature of hq/acme does not hold",
        "the signed head of 20 events is stored beside another position than the one that was signed",
    ]


def test_a_head_of_another_key_or_organization_is_named(services):
    write(services, 20)
    head = signed_head(services, "acme", now=NOW)
    key = services.settings.signing_key_path
    execute(services, update(signed_heads).values(note=head.note.replace("hq/acme", "hq/globex")))
    assert problems(services) == ["the signed head of 21 events is a head of hq/globex"]
    key.unlink()
    check = heads_of(services, "acme")
    assert (check.problems, check.signatures) == (["the signed head of 21 events is a head of hq/globex"], False)
    rotate_key(key, now=NOW)  # another key, made from nothing: it leads nowhere
    assert problems(services) == [
        "line 1 of heads/acme.log is signed with no key of ours",
        "the signed head of 21 events is a head of hq/globex",
    ]


def test_heads_of_earlier_keys_hold(services):
    for _ in range(3):
        write(services, 5)
        signed_head(services, "acme", now=NOW)
        rotate_key(services.settings.signing_key_path, now=NOW)
    assert problems(services) == []


def test_only_so_many_problems_are_told(services):
    for _ in range(15):
        write(services, 1)
        signed_head(services, "acme", now=NOW)
    without_tail(services, 1)
    assert len(problems(services)) == 20


def test_a_download_whose_hash_is_none_is_told(services):
    write(services, 3)
    left = {"accessed_at": NOW, "actor": "ann", "resource": "r", "status": 200, "head_seq": 2, "head_hash": "zz"}
    execute(services, access_log.insert().values(id="a", org_id="acme", **left))
    assert problems(services) == ["a download names another event 2 than the chain has"]


@pytest.mark.parametrize(("seq", "digest"), [(0, "zz"), (-3, GENESIS), (0, "1" * 64)])
def test_a_download_of_no_event_is_told(services, seq, digest):
    write(services, 3)
    left = {"accessed_at": NOW, "actor": "ann", "resource": "r", "status": 200}
    before_all = access_log.insert().values(id="a", org_id="acme", head_seq=0, head_hash=GENESIS, **left)
    execute(services, before_all)
    assert problems(services) == []
    execute(services, access_log.insert().values(id="b", org_id="acme", head_seq=seq, head_hash=digest, **left))
    assert problems(services) == [f"a download is of event {seq}, and there is no such event"]


def test_what_is_beside_a_signed_head_must_be_of_it(any_store, tmp_path):
    environment = {"SVC_DATA_DIR": str(tmp_path / "var"), "SVC_WITNESS_KEYS": ONE.vkey}
    services = Services(Settings.of(environment), any_store, None, NOW)
    earlier = signed_head(services, "acme", now=NOW)
    write(services, 3)
    head = signed_head(services, "acme", now=NOW)
    text = f"the signed head of {head.size} events "
    stamp = base64.b64encode(b"of " + sha256(head.note.encode()).digest()).decode()
    for beside, expected in (
        ({"cosignatures": ONE.line(head.note)}, []),
        ({"cosignatures": TWO.line(earlier.note)}, []),  # nothing is known of that witness
        (
            {"cosignatures": ONE.line(earlier.note)},
            [f"has a line of {ONE.name} beside it that this witness did not sign over it"],
        ),
        ({"cosignatures": "zz"}, ["has 'zz' without an end of line among the lines of witnesses"]),
        ({"cosignatures": "zz\n"}, ["has no signature in the line 'zz'"]),
        ({"cosignatures": None, "time_stamp": stamp}, []),
        ({"time_stamp": "abc"}, ["has no base64 in 'abc'"]),
        (
            {"time_stamp": base64.b64encode(b"of another").decode()},
            ["has a time stamp beside it that is of another head"],
        ),
        ({"time_stamp": None, "root": "zz"}, ["is stored beside another position than the one that was signed"]),
    ):
        execute(services, update(signed_heads).where(signed_heads.c.seq == head.size).values(**beside))
        assert problems(services) == [text + one for one in expected]


def test_what_cannot_be_read_beside_a_head_is_told_to_whoever_asks_for_it(services):
    head = signed_head(services, "acme", now=NOW)
    for beside in ({"cosignatures": "zz"}, {"cosignatures": None, "time_stamp": "abc"}):
        execute(services, update(signed_heads).values(**beside))
        with pytest.raises(Conflict, match=f"the signed head of {head.size} events of acme does not hold: it "):
            newest_signed_head(services, "acme")


def test_a_bundle_that_is_sealed_meanwhile_is_no_stranger(services, monkeypatch):
    """Its file is there before the check looks into the folder, its record after the check began."""
    folder = services.settings.bundle_folder / "acme"
    folder.mkdir(parents=True)
    for name in ("bnd_new", "bnd_strange"):
        (folder / f"{name}.zip").write_bytes(b"")
    seen = iter([set(), {"bnd_new"}])
    monkeypatch.setattr("engine.store.queries.history.signed_heads.bundle_ids", lambda connection, org_id: next(seen))
    assert problems(services) == ["the bundle bnd_strange is in the bundle folder and not on record"]


def test_a_key_that_is_changed_meanwhile_is_known(services, monkeypatch):
    """The head that it signs is read before the list of keys is."""
    write(services, 3)
    signed_head(services, "acme", now=NOW)
    every = queries.every

    def rotated_first(connection, org_id):
        rotate_key(services.settings.signing_key_path, now=NOW)
        write(services, 3)
        signed_head(services, "acme", now=NOW)
        return every(connection, org_id)

    monkeypatch.setattr(queries, "every", rotated_first)
    assert problems(services) == []
