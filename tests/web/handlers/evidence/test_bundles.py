"""Bundles, workbook and meeting pack over HTTP: who may, what is in them, that they can be checked, that nothing leaks."""

import csv
import io
import json
import os
import re
import shutil
import threading
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import polars as pl
import pytest
from sqlalchemy import delete, select, update

import scheduler
from engine.archives.contents import contents
from engine.archives.contents.contents import FRAMEWORKS, gather
from engine.archives.contents.windows import days
from engine.archives.sealing import archive, zip_writer
from engine.archives.sealing import bundles as sealing
from engine.archives.sealing import sweep as unfinished
from engine.archives.sealing.archive import seal
from engine.archives.verification.archive_check import check_archive
from engine.cli import hq
from engine.frameworks.importing import import_framework
from engine.model.checkpoints import open_note, read_checkpoint
from engine.runtime.keys.signing_keys import signing_key
from engine.store import EventRow
from engine.store.chain.chain import GENESIS
from engine.store.queries.history import audit
from engine.store.schema.audit import access_log, audit_log, chain_cuts
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import bundle_files, bundles, deliveries, delivery_endpoints
from engine.store.schema.work import committee_meetings, committees
from tests.annex import bring_annex
from tests.conftest import NOW
from tests.merkle_paths import root_from_path

BASE = "/api/governance/compliance"
BUNDLES = f"{BASE}/bundles"
MEMBER, OWNER = "member@acme.example", "owner@acme.example"
SECRET = "bundle-cron-secret"
SIGNED = [
    "README.md",
    "SHA256SUMS",
    "head.txt",
    "heads.json",
    "manifest.dsse.json",
    "manifest.json",
    "signing_key.pem",
    "verify.py",
]
ASSESSMENTS = [item.file for item in FRAMEWORKS]


@pytest.fixture
def environment(environment):
    return {**environment, "SVC_BUNDLE_CRON_SECRET": SECRET}


# met first under the frozen clock, its date class would be the only one that polars knows
pl.DataFrame([{"day": NOW.date()}], schema={"day": pl.Date}, orient="row")


@pytest.fixture(autouse=True)
def few(request, monkeypatch):
    """Archives of few reports, which is enough for most tests; those about contents ask for ``whole_archives``."""
    if "whole_archives" not in request.fixturenames:
        monkeypatch.setattr(contents, "FRAMEWORKS", contents.FRAMEWORKS[:1])
        monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
        monkeypatch.setattr(contents, "WORKBOOK", (contents.LINEAGE,))


@pytest.fixture
def whole_archives():
    """Archives as they are."""


@pytest.fixture
def services(console):
    return console.services


@pytest.fixture
def owner(sign_in):
    return sign_in(OWNER)


def append(store, *events, org="acme"):
    with store.revision(org, "import", now=NOW) as revision:
        revision.append_events(events)


def event(name, action="mfa.enforced", ago=0, **values):
    return EventRow(name, NOW - timedelta(days=ago), "ann", action, **values)


def seal_window(client, window="30d"):
    answer = client.post(BUNDLES, {"window": window})
    assert answer.status == 201, answer.body
    return answer.json["bundle"]


def unzip(body):
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def rows_of(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def path_of(services, bundle, org="acme"):
    return sealing.archive_path(services.settings, org, bundle["id"])


def tamper(store, statement):
    with store._writer.begin() as connection:
        connection.execute(statement)


# -- bundles


def test_without_any_bundle_the_list_is_empty(owner):
    assert owner.get(BUNDLES).json == {"bundles": []}


@pytest.mark.real
def test_a_bundle_is_sealed_once_with_its_metadata(owner, with_people):
    append(with_people, event("e1", details='{"a":1}'), event("old", ago=60), event("e2"))
    head = with_people.head("acme")
    bundle = seal_window(owner)
    assert {
        name: bundle[name]
        for name in ("organization", "state", "window", "created_by", "sealed_at", "revision", "previous")
    } == {
        "organization": "acme",
        "state": "sealed",
        "window": {"requested": "30d", "start_on": "2026-10-22", "end_on": "2026-11-20"},
        "created_by": OWNER,
        "sealed_at": "2026-11-20T08:30:00Z",
        "revision": {"seq": head.seq, "hash": head.hash},
        "previous": None,
    }
    assert {name: bundle["counts"][name] for name in ("events", "policies", "evidence_pack", "audit_log")} == {
        "events": head.seq,
        "policies": 0,
        "evidence_pack": head.seq - 1,
        "audit_log": head.seq,
    }
    assert owner.get(BUNDLES).json == {"bundles": [bundle]}
    assert sign_of(with_people)["action"] == "bundle.sealed"
    assert with_people.verify("acme").ok


def sign_of(store):
    query = select(audit_log).where(audit_log.c.org_id == "acme").order_by(audit_log.c.seq.desc()).limit(1)
    with store.reader() as connection:
        return connection.execute(query).mappings().one()


@pytest.mark.real
def test_the_archive_holds_the_evidence_and_can_be_checked(whole_archives, owner, with_people, services):
    append(with_people, event("e1", object_id="Zoë"), event("old", ago=60), event("e2", details='{"b":"\\u0007"}'))
    bundle = seal_window(owner)
    answer = owner.get(bundle["download"])
    name = f"acme-bundle-2026-11-20-{bundle['id'].removeprefix('bnd_')}.zip"
    assert (answer.status, answer.headers["content-type"], answer.headers["content-disposition"]) == (
        200,
        "application/zip",
        f'attachment; filename="{name}"',
    )
    assert (len(answer.body), sha256(answer.body).hexdigest()) == (bundle["size_bytes"], bundle["archive_sha256"])
    files = unzip(answer.body)
    assert sorted(files) == sorted(
        [
            *SIGNED,
            *ASSESSMENTS,
            "audit_log.jsonl",
            "evidence_files.csv",
            "installation.txt",
            "evidence_pack.csv",
            "crosswalk.csv",
            "exceptions.csv",
            "lineage.csv",
            "attestations.csv",
            "evidence_freshness.csv",
            "open_gaps.csv",
            "testing_schedules.csv",
            "evidence_links.csv",
            "vendors.csv",
            "legal_holds.csv",
            "posture.json",
        ]
    )
    assert check_archive(path_of(services, bundle), key_id=bundle["key_id"]).problem is None
    log = [json.loads(line) for line in files["audit_log.jsonl"].splitlines()]
    assert [line["event"]["event_id"] for line in log][-3:] == ["e1", "old", "e2"]
    assert (log[0]["previous"], log[-1]["hash"]) == (GENESIS, bundle["revision"]["hash"])
    assert [row["event_id"] for row in rows_of(files["evidence_pack.csv"])][-2:] == ["e1", "e2"]
    assert owner.get(bundle["download"], if_none_match=answer.headers["etag"]).status == 304


@pytest.mark.real
def test_the_metadata_verifies_every_part(owner, with_people):
    append(with_people, event("e1"))
    bundle = seal_window(owner)
    answer = owner.get(f"{BUNDLES}/{bundle['id']}").json
    assert answer["bundle"] == bundle
    verification = answer["verification"]
    assert {name: value for name, value in verification.items() if name != "files"} == {
        "ok": True,
        "problem": None,
        "problems": [],
        "verified_at": "2026-11-20T08:30:00Z",
        "verifier_version": "1",
        "archive_ok": True,
        "signature_ok": True,
        "merkle_root_ok": True,
        "sums_ok": True,
        "audit_chain_ok": True,
        "chain_link_ok": True,
        "audit_log_ok": True,
        "signed_head_ok": True,
    }
    assert {one["status"] for one in verification["files"]} == {"ok"}
    assert answer["manifest"]["_type"] == "https://in-toto.io/Statement/v1"
    for index, one in enumerate(verification["files"]):
        path = [bytes.fromhex(step) for step in one["merkle_path"]]
        leaf = bytes.fromhex(one["merkle_leaf"])
        assert root_from_path(leaf, index, len(verification["files"]), path).hex() == bundle["merkle_root"]


@pytest.mark.real
def test_the_same_window_again_is_a_new_bundle_chained_to_the_first(owner, services):
    one, two = seal_window(owner), seal_window(owner)
    assert one["id"] != two["id"]
    assert two["previous"] == {name: one[name] for name in ("id", "manifest_sha256", "merkle_root")}
    assert [bundle["id"] for bundle in owner.get(BUNDLES).json["bundles"]] == [two["id"], one["id"]]
    manifest = owner.get(f"{BUNDLES}/{two['id']}").json["manifest"]
    assert manifest["predicate"]["previous"] == two["previous"]
    assert sha256(path_of(services, one).read_bytes()).hexdigest() == one["archive_sha256"]


@pytest.mark.parametrize(
    ("window", "start"),
    [("24h", "2026-11-20"), ("1d", "2026-11-20"), ("7d", "2026-11-14"), ("730d", "2024-11-21"), ("all", "2026-09-21")],
)
def test_windows(window, start, owner, with_people):
    append(with_people, event("old", ago=60))
    assert seal_window(owner, window)["window"] == {"requested": window, "start_on": start, "end_on": "2026-11-20"}


@pytest.mark.parametrize(
    "body",
    [
        {"window": "0d"},
        {"window": "731d"},
        {"window": "30"},
        {"window": "-1d"},
        {"window": ""},
        {"window": 30},
        {"windows": "30d"},
        [],
        {"window": "²d"},
    ],
)
def test_a_window_that_is_none_is_refused_and_nothing_is_sealed(body, owner, with_people, services):
    head = with_people.head("acme")
    answer = owner.post(BUNDLES, body)
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")
    assert with_people.head("acme") == head
    assert not services.settings.bundle_folder.exists()


@pytest.mark.parametrize("who", ["operator", "member"])
def test_owners_and_admins_seal_and_everybody_reads(who, sign_in):
    other = sign_in(f"{who}@acme.example")
    assert other.post(BUNDLES, {}).status == 403
    bundle = seal_window(sign_in("admin@acme.example"))
    assert other.get(bundle["download"]).status == 200
    assert other.get(f"{BUNDLES}/{bundle['id']}").json["verification"]["ok"]


@pytest.mark.real
def test_bundles_of_another_organization_do_not_exist(owner, sign_in):
    bundle = seal_window(owner)
    stranger = sign_in("owner@other.example", "other")
    assert stranger.get(BUNDLES).json == {"bundles": []}
    for path in (f"{BUNDLES}/{bundle['id']}", bundle["download"]):
        answer = stranger.get(path)
        assert (answer.status, answer.json["error"]) == (404, "not_found")
    theirs = seal_window(stranger)
    assert theirs["previous"] is None
    assert b"acme" not in b"".join(unzip(stranger.get(theirs["download"]).body).values())


@pytest.mark.real
def test_downloads_are_in_the_access_log_and_move_nothing(owner, with_people):
    bundle = seal_window(owner)
    head = with_people.head("acme")
    owner.get(bundle["download"])
    owner.get(f"{BASE}/workbook")
    with with_people.reader() as connection:
        lines = connection.execute(select(access_log.c.actor, access_log.c.resource, access_log.c.format)).all()
    assert sorted(map(tuple, lines)) == [(OWNER, bundle["download"], "zip"), (OWNER, f"{BASE}/workbook", "zip")]
    assert with_people.head("acme") == head


# -- the scheduled one


def post_scheduled(sign_in, body, secret=SECRET):
    return sign_in(None).post(f"{BUNDLES}/scheduled", body, authorization=f"Bearer {secret}")


def test_a_schedule_seals_with_its_secret(sign_in, owner):
    answer = post_scheduled(sign_in, {"orgId": "acme", "window": "7d"})
    bundle = answer.json["bundle"]
    assert (answer.status, answer.json["outcome"], bundle["created_by"]) == (200, "sealed", "cron:bundles")
    again = post_scheduled(sign_in, {"orgId": "acme", "window": "7d"})
    assert (again.status, again.json["outcome"], again.json["bundle"]["id"]) == (200, "already_sealed", bundle["id"])
    every = post_scheduled(sign_in, {"window": "7d"}).json["runs"]
    assert [(one["org_id"], one["outcome"], one["bundle"]["id"]) for one in every] == [
        ("acme", "already_sealed", bundle["id"])
    ]
    assert [one["id"] for one in owner.get(BUNDLES).json["bundles"]] == [answer.json["bundle"]["id"]]


@pytest.mark.parametrize(
    ("body", "secret", "status", "error"),
    [
        ({"orgId": "acme"}, "wrong", 401, "invalid_cron_secret"),
        ({"orgId": "nobody", "window": "7d"}, SECRET, 404, "unknown_organization"),
        ({"orgId": "platform", "window": "7d"}, SECRET, 404, "unknown_organization"),
        ({"orgId": "acme", "window": "7w"}, SECRET, 400, "invalid_body"),
        ({"orgId": "../other", "window": "7d"}, SECRET, 404, "unknown_organization"),
    ],
)
def test_a_schedule_that_cannot_be(body, secret, status, error, sign_in, services):
    answer = post_scheduled(sign_in, body, secret)
    assert (answer.status, answer.json["error"]) == (status, error)
    assert not services.settings.bundle_folder.exists()


# -- word of it


def test_word_goes_to_the_webhook_of_the_organization_in_the_same_revision(owner, with_people):
    endpoint = {
        "channel": "webhook",
        "address": "https://hooks.example.com/hq",
        "secrets": ["whsec_c2VjcmV0"],
        "created_at": NOW,
    }
    with with_people.revision("acme", OWNER, now=NOW) as revision:
        revision.insert(delivery_endpoints, [endpoint])
        revision.record("delivery_endpoint.set")
    answer = owner.post(BUNDLES, {}).json
    with with_people.reader() as connection:
        row = connection.execute(select(deliveries)).mappings().one()
        seal_row = connection.execute(select(bundles)).mappings().one()
    bundle = answer["bundle"]
    assert [one["result"] for one in answer["delivery"]] == ["queued"]
    assert (row["kind"], row["period"], row["recipient"], row["revision"]) == (
        "bundle_created",
        bundle["id"],
        "https://hooks.example.com/hq",
        seal_row["revision"],
    )
    told = row["payload"]["bundle"]
    assert {name: told[name] for name in ("id", "manifest_sha256", "merkle_root")} == {
        name: bundle[name] for name in ("id", "manifest_sha256", "merkle_root")
    }
    assert told["download"] == f"http://localhost:8080{bundle['download']}"


def test_without_a_webhook_nothing_leaves(owner, with_people):
    assert owner.post(BUNDLES, {}).json["delivery"] == []
    with with_people.reader() as connection:
        assert connection.execute(select(deliveries)).all() == []


# -- what was done to it afterwards


def problem_of(client, bundle):
    verification = client.get(f"{BUNDLES}/{bundle['id']}").json["verification"]
    assert verification["ok"] is (verification["problem"] is None)
    return verification["problem"]


def test_a_flipped_bit_on_disk_is_found(owner, services):
    bundle = seal_window(owner)
    path = path_of(services, bundle)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)
    assert problem_of(owner, bundle) is not None


@pytest.mark.real
def test_the_archive_of_another_bundle_is_found(owner, services):
    one, two = seal_window(owner), seal_window(owner)
    path = path_of(services, two)
    path.chmod(0o600)
    path.write_bytes(path_of(services, one).read_bytes())
    verification = owner.get(f"{BUNDLES}/{two['id']}").json["verification"]
    wheres = {one["where"] for one in verification["problems"]}
    assert (verification["ok"], wheres) == (False, {"archive", "manifest.json", "chain"})


@pytest.mark.real
def test_an_archive_signed_with_another_key_is_found(owner, services):
    bundle = seal_window(owner)
    path = path_of(services, bundle)
    path.unlink()
    key = signing_key(services.settings.data_dir / "other.key")
    with gather(services, "acme", "bundle", days("30d"), now=NOW) as (spool, about, _):
        seal(spool, about, key, path)
    assert problem_of(owner, bundle) == f"signing_key.pem: is another key: expected {bundle['key_id']}, found {key.id}"


def test_a_truncated_archive_is_found(owner, services):
    bundle = seal_window(owner)
    path = path_of(services, bundle)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-100])
    answer = owner.get(f"{BUNDLES}/{bundle['id']}").json
    assert answer["manifest"] is None
    assert answer["verification"]["problem"].startswith("archive: does not end with its directory")
    answer = owner.get(bundle["download"])
    assert (answer.status, answer.json["error"]) == (503, "archive_damaged")


def zip_files(files):
    """An archive of these files in this order, shaped as ours are."""
    body, entries = b"", []
    for name, data in files:
        deflate = zlib.compressobj(zip_writer.LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = deflate.compress(data) + deflate.flush()
        entries.append(zip_writer.ZipEntry(name, zlib.crc32(data), len(packed), len(data), len(body)))
        body += zip_writer._local(entries[-1]) + packed
    directory = b"".join(map(zip_writer._central, entries))
    return body + directory + zip_writer._end(len(entries), len(directory), len(body))


def zeros(files):
    """An archive whose one file says that it unpacks to 4 GiB, and has the zeros for the beginning of it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflate.compress(bytes(4 << 20)) + deflate.flush()
    entry = zip_writer.ZipEntry("zeros.csv", 0, len(packed), (1 << 32) - 1, 0)
    directory = zip_writer._central(entry)
    return zip_writer._local(entry) + packed + directory + zip_writer._end(1, len(directory), entry.end)


def rename_file(files, name, new):
    return zip_files(sorted((new if file == name else file, data) for file, data in files))


DAMAGE = {
    "nothing": (zip_files, None),
    "a flipped bit": (
        lambda f: zip_files([(n, d.replace(b"CC6.1", b"CC6.0") if n == "soc2.csv" else d) for n, d in f]),
        "soc2.csv: was modified",
    ),
    "a dropped file": (lambda f: zip_files([one for one in f if one[0] != "soc2.csv"]), "soc2.csv: is missing"),
    "an added file": (
        lambda f: zip_files(sorted([*f, ("more.csv", b"")])),
        "more.csv: is in the archive and not in the manifest",
    ),
    "a renamed file": (lambda f: rename_file(f, "soc2.csv", "soc3.csv"), "soc2.csv: is missing"),
    "a replaced file": (
        lambda f: zip_files([(n, b"# Trust us\n" if n == "README.md" else d) for n, d in f]),
        "README.md: was modified",
    ),
    "another order": (lambda f: zip_files(f[::-1]), "stands after"),
    "a name that leads out": (lambda f: rename_file(f, "soc2.csv", "../soc2.csv"), "is no name of a file"),
    "cut in the middle": (lambda f: zip_files(f)[: len(zip_files(f)) // 2], "archive: does not end with its directory"),
    "4 GiB of zeros": (zeros, "zeros.csv: would unpack from"),
}


def verify_by_command(path, capsys):
    """(exit code, what it printed)."""
    code = 0
    try:
        hq(["verify", str(path)])
    except SystemExit as end:
        code = end.code
    return code, capsys.readouterr().out


@pytest.mark.real
def test_whatever_was_done_to_an_archive_the_route_and_the_command_name_it(owner, services, tmp_path, capsys):
    """One bundle, harmed in one way after the other."""
    bundle = seal_window(owner)
    path = path_of(services, bundle)
    files = sorted(unzip(path.read_bytes()).items())
    path.chmod(0o600)
    for case, (damage, problem) in DAMAGE.items():
        path.write_bytes(damage(files))
        before = sorted(tmp_path.rglob("*"))
        verification = owner.get(f"{BUNDLES}/{bundle['id']}").json["verification"]
        code, said = verify_by_command(path, capsys)
        right = (case, True, 0, "ok: ") if problem is None else (case, False, 1, "brok")
        assert (case, verification["ok"], code, said[:4]) == right
        if problem is not None:
            assert problem in verification["problem"], case
            assert problem in said, case
        assert sorted(tmp_path.rglob("*")) == before, f"nothing is unpacked anywhere: {case}"


@pytest.mark.real
def test_an_archive_that_is_gone_is_said(owner, services):
    bundle = seal_window(owner)
    path_of(services, bundle).unlink()
    answer = owner.get(bundle["download"])
    assert (answer.status, answer.json["error"]) == (503, "archive_missing")
    assert problem_of(owner, bundle).startswith("archive: The archive of the bundle")


@pytest.mark.real
def test_a_row_that_was_changed_behind_our_back_is_found(owner, with_people):
    bundle = seal_window(owner)
    tamper(with_people, update(bundles).values(merkle_root="0" * 64))
    assert problem_of(owner, bundle).startswith(
        f"manifest.json: is that of another bundle: expected the Merkle root {'0' * 64}"
    )


@pytest.mark.real
def test_a_bundle_before_that_was_changed_breaks_the_link(owner, with_people):
    one, two = seal_window(owner), seal_window(owner)
    tamper(with_people, update(bundles).where(bundles.c.id == one["id"]).values(manifest_sha256="0" * 64))
    assert problem_of(owner, two).startswith(f"chain: the bundle before is {one['id']} with the manifest {'0' * 64}")


@pytest.mark.real
def test_an_audit_log_that_was_rewritten_is_found(owner, with_people):
    append(with_people, event("e1"))
    bundle = seal_window(owner)
    tamper(with_people, update(audit_log).where(audit_log.c.event_id == "e1").values(hash="0" * 64))
    assert (
        problem_of(owner, bundle)
        == f"audit log: event {bundle['revision']['seq']} has another hash than the revision of the bundle"
    )


@pytest.mark.real
def test_nothing_is_sealed_over_a_broken_chain(owner, with_people, services):
    append(with_people, event("e1"), event("e2"))
    tamper(with_people, update(audit_log).where(audit_log.c.event_id == "e1").values(actor="eve"))
    head = with_people.head("acme")
    answer = owner.post(BUNDLES, {})
    assert (answer.status, answer.json["error"]) == (409, "chain_broken")
    assert f"does not hold at event {head.seq - 1}" in answer.json["message"]
    assert with_people.head("acme") == head
    assert list(services.settings.bundle_folder.rglob("*.zip")) == []


@pytest.mark.real
def test_what_retention_cut_off_leaves_a_chain_from_the_cut(owner, with_people):
    append(with_people, event("e1"), event("e2"), event("e3"))
    with with_people.reader() as connection:
        cut = connection.execute(select(audit_log.c.seq, audit_log.c.hash).where(audit_log.c.event_id == "e1")).one()
    tamper(with_people, chain_cuts.insert().values(org_id="acme", seq=cut.seq, hash=cut.hash, cut_at=NOW, revision=1))
    tamper(with_people, delete(audit_log).where(audit_log.c.org_id == "acme", audit_log.c.seq <= cut.seq))
    bundle = seal_window(owner, "all")
    assert problem_of(owner, bundle) is None
    log = unzip(owner.get(bundle["download"]).body)["audit_log.jsonl"].splitlines()
    assert (json.loads(log[0])["previous"], json.loads(log[0])["event"]["seq"]) == (cut.hash, cut.seq + 1)
    assert with_people.verify("acme").ok


@pytest.mark.real
def test_a_record_from_elsewhere_has_no_archive(owner, with_people):
    row = {
        "id": "theirs",
        "requested_window": "30d",
        "window_start_on": date(2026, 10, 1),
        "created_by": "ann",
        "window_end_on": date(2026, 10, 30),
        "sealed_at": NOW,
        "sealed_seq": 1,
    }
    with with_people.revision("acme", "import", now=NOW) as revision:
        revision.insert(bundles, [row])
        revision.record("import.finished")
    assert owner.get(f"{BUNDLES}/theirs/download").json["error"] == "no_archive"
    assert problem_of(owner, {"id": "theirs"}).startswith("archive: The bundle theirs was sealed elsewhere")
    assert seal_window(owner)["previous"] is None


# -- at the same time


@pytest.mark.real
def test_bundles_that_are_sealed_together_form_one_chain(services, with_people):
    made, failed = [], []

    def one():
        try:
            made.append(sealing.create(services, "acme", OWNER, days("7d"), now=NOW).row)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    links = {row["previous_id"] for row in made}
    assert (len(made), len(links), None in links) == (4, 4, True)
    assert all(check_archive(path_of(services, row)).ok for row in made)
    assert with_people.verify("acme").ok


@pytest.mark.real
def test_a_write_between_two_looks_is_either_in_all_of_it_or_in_none(services, with_people, monkeypatch):
    """The first look finds the replica ahead of the policies; the second one holds writers off."""
    from engine.archives.contents import material

    looked = material.open_pack
    times = []

    def then_write(*arguments, **named):
        evidence_pack = looked(*arguments, **named)
        if not times:
            append(with_people, event("late"))
        times.append(evidence_pack.head)
        return evidence_pack

    monkeypatch.setattr(material, "open_pack", then_write)
    with gather(services, "acme", "bundle", days("7d"), now=NOW) as (_, about, counts):
        head = with_people.head("acme")
        assert (about.revision.seq, about.revision.hash) == (head.seq, head.hash)
        assert counts["events"] == head.seq
    assert len(times) == 2


@pytest.mark.real
def test_two_builds_at_the_same_revision_and_day_are_the_same_bytes(services, with_people, tmp_path):
    append(with_people, event("e1"))
    key = signing_key(services.settings.signing_key_path)
    for kind in ("bundle", "workbook", "committee-meeting-pack"):
        copies = []
        for name in ("one", "two"):
            services.artifacts._hot.clear()
            later = NOW + timedelta(minutes=len(copies))
            with gather(services, "acme", kind, days("30d"), now=later) as (spool, about, _):
                copies.append(seal(spool, about, key, tmp_path / f"{kind}-{name}.zip").path.read_bytes())
        assert copies[0] == copies[1]


@pytest.mark.real
@pytest.mark.parametrize("size", [1, 2, 7])
def test_pages_join_to_the_same_archive(size, services, with_people, tmp_path, monkeypatch):
    append(with_people, *(event(f"e{i}", ago=i * 20) for i in range(5)))
    key = signing_key(services.settings.signing_key_path)

    def build_bundle(name):
        with gather(services, "acme", "bundle", days("30d"), now=NOW) as (spool, about, _):
            return seal(spool, about, key, tmp_path / name).sha256

    whole = build_bundle("whole.zip")
    monkeypatch.setattr(audit, "PAGE", size)
    assert build_bundle("pages.zip") == whole


@pytest.mark.real
def test_a_seal_that_fails_leaves_nothing(services, with_people, monkeypatch):
    head = with_people.head("acme")
    monkeypatch.setattr(sealing, "enqueue", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sealing.create(services, "acme", OWNER, days("7d"), now=NOW)
    assert with_people.head("acme") == head
    assert list(services.settings.bundle_folder.rglob("*.zip")) == []
    with with_people.reader() as connection:
        assert connection.execute(select(bundle_files)).all() == []


@pytest.mark.real
def test_what_a_killed_seal_left_is_removed_a_day_later(services, with_people, monkeypatch):
    """Killed just before its revision: the archive is in its place, beside it the mark."""
    folder, left, write = services.settings.bundle_folder / "acme", {}, sealing._write

    def kill(*given):
        left.update((path.name, path.read_bytes()) for path in folder.iterdir())
        return write(*given)

    monkeypatch.setattr(sealing, "_write", kill)
    known = sealing.create(services, "acme", OWNER, days("7d"), now=NOW).row["id"]
    assert sorted(left) == [f".{known}.new", f".{known}.sealing", f"{known}.zip"]
    assert [path.name for path in folder.iterdir()] == [f"{known}.zip"]

    def crash_files(name, age):
        for suffix in (".sealing", ".new", ".zip"):
            path = folder / (f"{name}.zip" if suffix == ".zip" else f".{name}{suffix}")
            if not path.exists():
                path.write_bytes(b"x")
            moment = (NOW - age).timestamp()
            os.utime(path, (moment, moment))

    crash_files("bnd_dead", timedelta(hours=25))
    crash_files("bnd_young", timedelta(hours=23))
    crash_files(known, timedelta(hours=25))  # killed just after its revision
    (folder / "bnd_restored.zip").write_bytes(b"of a store that was restored from an older backup")
    head = with_people.head("acme")
    message = "texts of 0 deliveries, 0 runs, 0 ended sessions and 2 unfinished seals removed"
    assert scheduler.pruning(services, NOW) == message
    young = [".bnd_young.new", ".bnd_young.sealing", "bnd_young.zip"]
    assert sorted(path.name for path in folder.iterdir()) == sorted([*young, "bnd_restored.zip", f"{known}.zip"])
    assert with_people.head("acme") == head
    later = sealing.create(services, "acme", OWNER, days("7d"), now=NOW + timedelta(hours=2)).row["id"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["bnd_restored.zip", f"{known}.zip", f"{later}.zip"]
    )


@pytest.mark.real
def test_a_seal_that_was_taken_for_unfinished_begins_anew(services, with_people, monkeypatch):
    """The clock jumped a week while it was under way."""
    folder, seal_once, ids = services.settings.bundle_folder / "acme", archive.seal, []

    def slow(spool, about, key, path):
        made = seal_once(spool, about, key, path)
        ids.append(path.name)
        return made

    placed = sealing._install

    @contextmanager
    def overslept(made, final):
        with placed(made, final):
            if len(ids) == 1:
                unfinished.sweep(with_people, folder, "acme", now=datetime.now(UTC) + timedelta(days=7))
                assert not final.exists()
            yield

    monkeypatch.setattr(archive, "seal", slow)
    monkeypatch.setattr(sealing, "_install", overslept)
    row = sealing.create(services, "acme", OWNER, days("7d"), now=NOW).row
    assert (len(ids), [path.name for path in folder.iterdir()]) == (2, [f"{row['id']}.zip"])
    assert check_archive(path_of(services, row)).ok


def test_without_a_folder_there_is_nothing_to_sweep(services, with_people, tmp_path):
    assert unfinished.sweep(with_people, tmp_path / "none", "acme", now=NOW) == 0


# -- workbook and meeting pack


@pytest.mark.real
def test_the_workbook_has_every_assessment_and_can_be_checked(whole_archives, owner, with_people, tmp_path):
    append(with_people, event("e1"))
    answer = owner.get(f"{BASE}/workbook")
    assert (answer.status, answer.headers["content-disposition"]) == (
        200,
        'attachment; filename="acme-workbook-2026-11-20.zip"',
    )
    (tmp_path / "workbook.zip").write_bytes(answer.body)
    assert check_archive(tmp_path / "workbook.zip").problem is None
    files = unzip(answer.body)
    assert sorted(files) == sorted(
        [
            *SIGNED,
            *ASSESSMENTS,
            "evidence_files.csv",
            "evidence_pack.csv",
            "crosswalk.csv",
            "exceptions.csv",
            "lineage.csv",
        ]
    )
    assert files["soc2.csv"] == owner.get(f"{BASE}/type-ii?format=csv").body
    assert files["crosswalk.csv"] == owner.get(f"{BASE}/crosswalk?format=csv").body
    assert owner.get(f"{BASE}/workbook", if_none_match=answer.headers["etag"]).status == 304
    assert owner.get(f"{BASE}/workbook").body == answer.body
    longer = owner.get(f"{BASE}/workbook?periodDays=90").body
    assert json.loads(unzip(longer)["manifest.json"])["predicate"]["window"]["start_on"] == "2026-08-23"


@pytest.mark.real
def test_a_framework_of_ones_own_is_a_file_of_the_workbook(owner, with_people, tmp_path):
    """The lineage names it as the file of a claim; where another file has its name, the kind comes before it."""
    append(with_people, event("e1", controls="annex:A.1"))
    bring_annex(with_people, tmp_path)
    import_framework(
        with_people, (tmp_path / "annex.csv"), org_id="acme", actor="ann@acme.example", now=NOW, name="lineage"
    )
    files = unzip(owner.get(f"{BASE}/workbook").body)
    assert [(row["control_id"], row["title"]) for row in rows_of(files["annex.csv"])] == [
        ("A.1", "Risk analysis"),
        ("A.2", "Backups"),
    ]
    claims = [row for row in rows_of(files["lineage.csv"]) if row["section"] == "claims" and row["file"] == "annex.csv"]
    assert [row["row"] for row in claims] == ["A.1"]
    assert "framework-lineage.csv" in files


@pytest.mark.real
def test_a_bundle_has_the_rules_of_ones_own(owner, with_people, tmp_path):
    append(with_people, event("e1"))
    assert "organization_rules.csv" not in unzip(owner.get(f"{BUNDLES}/{seal_window(owner)['id']}/download").body)
    path = tmp_path / "rules.csv"
    path.write_text("pattern,framework,control_id,effect\ndoor.*,soc2,CC6.4,supports\n")
    import_framework(with_people, path, org_id="acme", actor="ann@acme.example", now=NOW)
    files = unzip(owner.get(f"{BUNDLES}/{seal_window(owner)['id']}/download").body)
    (rule,) = rows_of(files["organization_rules.csv"])
    assert (rule["pattern"], rule["framework"], rule["control_id"], rule["outcome"]) == (
        "door.*",
        "soc2",
        "CC6.4",
        "any",
    )


@pytest.mark.real
def test_the_workbook_follows_the_last_write(owner, with_people):
    before = owner.get(f"{BASE}/workbook")
    append(with_people, event("e1"))
    after = owner.get(f"{BASE}/workbook", if_none_match=before.headers["etag"])
    assert after.status == 200
    assert [row["event_id"] for row in rows_of(unzip(after.body)["evidence_pack.csv"])][-1] == "e1"


@pytest.mark.real
def test_a_claim_of_the_workbook_resolves_to_its_event_its_hash_and_its_merkle_proof(owner, with_people):
    append(with_people, event("e1", controls="soc2:CC6.1"))
    bundle = seal_window(owner)
    files = unzip(owner.get(f"{BASE}/workbook").body)
    lineage = rows_of(files["lineage.csv"])
    claim = next(row for row in lineage if row["section"] == "claims" and row["row"] == "CC6.1")
    assert any(row["control_id"] == claim["row"] for row in rows_of(files[claim["file"]]))
    assert (claim["event_id"], claim["bundle"], claim["state"]) == ("e1", bundle["id"], "complete")
    proof = next(row for row in lineage if row["section"] == "merkle_proofs" and row["seq"] == claim["seq"])
    assert (proof["log"], proof["merkle_leaf"]) == ("audit_log.jsonl", claim["merkle_leaf"])
    assert proof["merkle_leaf"] == sha256(b"\0" + bytes.fromhex(claim["event_hash"])).hexdigest()
    path = [bytes.fromhex(step) for step in proof["merkle_path"].split("; ")]
    content = root_from_path(bytes.fromhex(proof["merkle_leaf"]), int(proof["leaf_index"]), int(proof["leaves"]), path)
    sealed_files = unzip(owner.get(bundle["download"]).body)
    head = read_checkpoint(open_note(sealed_files["head.txt"].decode()).text)
    assert (content, content.hex(), proof["leaves"]) == (head.root, proof["merkle_root"], str(head.size))
    assert f'{{"hash":"{claim["event_hash"]}"'.encode() in sealed_files["audit_log.jsonl"]


@pytest.mark.real
def test_an_event_that_came_after_the_seal_is_not_in_the_bundle(owner, with_people):
    seal_window(owner)
    append(with_people, event("e1", controls="soc2:CC6.1"))
    lineage = rows_of(unzip(owner.get(f"{BASE}/workbook").body)["lineage.csv"])
    claims = [row for row in lineage if row["section"] == "claims"]
    assert {(row["bundle"], row["merkle_leaf"]) for row in claims} == {("not bundled", "")}


def sections_of(text):
    """How many rows each section of a CSV has, and all of them."""
    header, *records = csv.reader(io.StringIO(text, newline=""))
    named = Counter(record[0].replace("_", " ") for record in records) if header[0] == "section" else {}
    return len(records), dict(named)


def counts_of_sections(readme):
    """The same as the README's list of files says it."""
    counts = {}
    for name, rows, what in re.findall(r"^\| `(\S+\.csv)` \| ([\d,]+) \| (.*) \|$", readme, re.MULTILINE):
        named = re.findall(r"([a-z0-9 -]+) ([\d,]+)(?:, |$)", what.rpartition(": ")[2])
        counts[name] = int(rows.replace(",", "")), {section: int(n.replace(",", "")) for section, n in named}
    return counts


@pytest.mark.real
def test_the_meeting_pack_has_what_a_committee_needs(owner, with_people, tmp_path):
    decided = [
        {
            "decision": "Fund a *second* reviewer",
            "owner": "amara@acme.example",
            "due_on": "2026-12-01",
            "status": "open",
        },
        {"decision": "Move | the audit", "status": "done"},
    ]
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            committees, [{"id": "risk", "name": "Risk", "cadence": "monthly", "first_meeting_on": date(2026, 1, 1)}]
        )
        revision.insert(
            committee_meetings,
            [
                {
                    "id": "m1",
                    "committee_id": "risk",
                    "held_on": date(2026, 11, 2),
                    "status": "held",
                    "decisions": decided,
                },
                {
                    "id": "m2",
                    "committee_id": "risk",
                    "held_on": date(2026, 12, 2),
                    "status": "planned",
                    "decisions": decided,
                },
            ],
        )
        revision.record("committee.prepared")
    answer = owner.get(f"{BASE}/committee-meeting-pack")
    (tmp_path / "pack.zip").write_bytes(answer.body)
    assert check_archive(tmp_path / "pack.zip").problem is None
    files = unzip(answer.body)
    assert sorted(files) == sorted(
        [
            *SIGNED,
            "summary.html",
            "agenda.html",
            "scorecard.csv",
            "scorecard.html",
            "posture.json",
            "posture.csv",
            "exceptions.csv",
            "open_gaps.csv",
            "decisions.md",
        ]
    )
    assert files["summary.html"] == owner.get(f"{BASE}/executive-summary?format=html").body
    assert counts_of_sections(files["README.md"].decode()) == {
        name: sections_of(body.decode()) for name, body in files.items() if name.endswith(".csv")
    }
    text = files["decisions.md"].decode()
    assert "| 2026-11-02 | Risk | Fund a \\*second\\* reviewer | amara@acme.example | 2026-12-01 | open |\n" in text
    assert "| 2026-11-02 | Risk | Move &#124; the audit |  |  | done |\n" in text
    assert "2026-12-02" not in text


@pytest.mark.real
def test_a_pack_without_earlier_decisions_says_so(owner):
    text = unzip(owner.get(f"{BASE}/committee-meeting-pack").body)["decisions.md"].decode()
    assert text.endswith("## Earlier decisions\n\nNo earlier decision is on record.\n")


@pytest.mark.real
def test_a_name_cannot_break_the_readme(owner, with_people):
    tamper(with_people, update(organizations).where(organizations.c.id == "acme").values(name="A|c*m*e\n# x"))
    with_people.write("acme", "setup", lambda revision: revision.record("organization.renamed"), now=NOW)
    readme = unzip(owner.get(f"{BASE}/workbook").body)["README.md"].decode()
    assert readme.startswith("# Evidence workbook: A&#124;c\\*m\\*e # x\n")


@pytest.mark.real
def test_a_workbook_that_was_damaged_is_made_anew(owner, services):
    right = owner.get(f"{BASE}/workbook").body
    (path,) = services.artifacts.folder.glob("acme/workbook/*.zip")
    path.write_bytes(right[:-100])
    assert owner.get(f"{BASE}/workbook").body == right
    assert path.read_bytes() == right


@pytest.mark.real
def test_a_workbook_is_made_where_none_can_be_kept(owner, services, tmp_path, monkeypatch, caplog):
    right = owner.get(f"{BASE}/workbook").body
    shutil.rmtree(services.artifacts.folder)
    services.artifacts.folder.touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert owner.get(f"{BASE}/workbook").body == right
    assert list((tmp_path / "temporary").iterdir()) == []
    assert "The workbook of acme is made without being kept" in caplog.text
    services.artifacts.folder.unlink()
    assert owner.get(f"{BASE}/workbook").body == right


@pytest.mark.parametrize("path", ["workbook", "committee-meeting-pack"])
@pytest.mark.parametrize("query", ["periodDays=0", "periodDays=731", "window=30d", "format=csv"])
def test_a_malformed_question_is_refused(path, query, owner):
    answer = owner.get(f"{BASE}/{path}?{query}")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")


@pytest.mark.real
def test_both_engines_seal_the_same_chain(any_store, tmp_path, environment):
    from engine.replica.replica import Replica
    from engine.reporting.artifacts.artifacts import Artifacts
    from engine.reporting.snapshot.snapshots import Snapshots
    from engine.runtime.services import Services
    from engine.runtime.settings import Settings
    from reports import CATALOGUE

    append(any_store, event("e1", details='{"z":1}'), event("old", ago=400))
    replica = Replica(any_store.url, None)
    snapshots = Snapshots(any_store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    services = Services(Settings.of(environment), any_store, snapshots, NOW)
    try:
        one = sealing.create(services, "acme", OWNER, days("30d"), now=NOW).row
        two = sealing.create(services, "acme", OWNER, days("all"), now=NOW).row
    finally:
        snapshots.close()
        replica.close()
    assert two["previous_id"] == one["id"]
    assert (one["first_seq"], one["sealed_seq"], two["first_seq"], two["sealed_seq"]) == (1, 3, 1, 4)
    assert [check_archive(path_of(services, row)).problem for row in (one, two)] == [None, None]
    assert datetime.fromisoformat("2026-11-20T08:30:00+00:00") == one["sealed_at"]
