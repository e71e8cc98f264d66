"""Whatever is done to an archive, the check says what and where; the script inside says the same."""

import base64
import io
import json
import random
import subprocess
import sys
import zipfile
from datetime import date
from hashlib import sha256

import pytest

from engine.archives.sealing import dsse, manifest
from engine.archives.sealing.manifest import EventRange, ManifestRevision, Previous
from engine.archives.sealing.spool import ArchiveSpool
from engine.archives.sealing.zip_writer import write_zip
from engine.archives.verification.archive_check import check_archive
from tests.archives.conftest import ABOUT, FILES, GENESIS, HEAD, LOG, chain


def files_of(path):
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture
def rebuilt(tmp_path):
    """An archive of the right shape with any files."""

    def write(files, name="rebuilt.zip"):
        out = io.BytesIO()
        with ArchiveSpool(tmp_path / "spool") as spool:
            for file, data in files.items():
                spool.add(file, "", data)
            write_zip(out, spool.parts)
        (tmp_path / name).write_bytes(out.getvalue())
        return tmp_path / name

    return write


@pytest.fixture
def script_verdict(tmp_path):
    """What the script inside says of these files, run by a bare Python."""

    def run(files):
        folder = tmp_path / "unpacked"
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        done = subprocess.run([sys.executable, "-I", "verify.py"], cwd=folder, capture_output=True, text=True)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()[0]

    return run


def sign_again(files, key, **changes):
    """The files under a manifest that fits them, signed with ``key``: what a forger with a key of his own can do."""
    listed = [
        manifest.File(name, len(data), sha256(data).hexdigest(), None)
        for name, data in sorted(files.items())
        if name not in manifest.UNLISTED
    ]

    class FileEntry:
        def __init__(self, file):
            self.name, self.size, self.sha256, self.rows = file.path, file.bytes, file.sha256, file.rows

    facts = {
        "kind": "bundle",
        "organization": ABOUT.organization,
        "as_of": ABOUT.as_of,
        "window": ABOUT.window,
        "revision": ABOUT.revision,
        "settings_version": 0,
        "key_id": key.id,
        "events": ABOUT.events,
        **changes,
    }
    statement = manifest.statement([FileEntry(file) for file in listed], **facts)
    rest = {name: data for name, data in files.items() if name not in manifest.UNLISTED}
    rest |= {manifest.MANIFEST: statement, manifest.ENVELOPE: dsse.sign(statement, key)}
    sums = [(name, sha256(data).hexdigest()) for name, data in rest.items()]
    return {**rest, manifest.SUMS: manifest.sums(sums)}


def test_a_sealed_archive_holds(make, script_verdict, key):
    sealed = make()
    check = check_archive(sealed.path)
    assert (check.ok, check.problem, check.chain_ok) == (True, None, True)
    assert (check.manifest_sha256, check.statement.predicate.merkle.root) == (
        sealed.manifest_sha256,
        sealed.merkle_root,
    )
    assert [(one.name, one.status) for one in check.files] == [
        (name, "ok")
        for name in ["README.md", "audit_log.jsonl", "empty.csv", "signing_key.pem", "soc2.csv", "verify.py"]
    ]
    assert script_verdict(files_of(sealed.path)) == (0, "ok: bundle of acme, 9 files hold")
    assert check_archive(sealed.path, key_id=key.id[:16]).ok


def test_a_workbook_has_no_chain_to_check(make, script_verdict):
    sealed = make(files={"soc2.csv": b"x\r\n"}, kind="workbook", title="Workbook", events=None)
    assert (check_archive(sealed.path).ok, check_archive(sealed.path).chain_ok) == (True, None)
    assert script_verdict(files_of(sealed.path))[0] == 0


def test_an_empty_chain_holds(make, script_verdict):
    sealed = make(files={"audit_log.jsonl": b""}, events=EventRange(0, 4, 3))
    assert check_archive(sealed.path).problem is None
    assert script_verdict(files_of(sealed.path))[0] == 0


def test_a_chain_that_begins_at_a_cut_of_retention_holds(make, script_verdict):
    rest = LOG.splitlines(keepends=True)[1:]
    sealed = make(files={**FILES, "audit_log.jsonl": b"".join(rest)}, events=EventRange(2, 2, 3))
    assert check_archive(sealed.path).problem is None
    assert script_verdict(files_of(sealed.path))[0] == 0


def with_change(files, name, data):
    return {**files, name: data}


def without(files, name):
    return {file: data for file, data in files.items() if file != name}


def signatures(files, count):
    envelope = json.loads(files["manifest.dsse.json"])
    return json.dumps({**envelope, "signatures": envelope["signatures"] * count}).encode()


CASES = {
    "a flipped bit": (
        lambda f: with_change(f, "soc2.csv", f["soc2.csv"].replace(b"C", b"B", 1)),
        "soc2.csv: was modified",
    ),
    "a longer file": (
        lambda f: with_change(f, "soc2.csv", f["soc2.csv"] + b" "),
        "soc2.csv: was modified: expected 35 bytes",
    ),
    "a dropped file": (lambda f: without(f, "soc2.csv"), "soc2.csv: is missing"),
    "an added file": (
        lambda f: with_change(f, "extra.csv", b""),
        "extra.csv: is in the archive and not in the manifest",
    ),
    "a renamed file": (
        lambda f: with_change(without(f, "soc2.csv"), "soc3.csv", f["soc2.csv"]),
        "soc2.csv: is missing",
    ),
    "a replaced file": (lambda f: with_change(f, "README.md", b"# Trust me\n"), "README.md: was modified"),
    "two files that changed places": (
        lambda f: {**f, "soc2.csv": f["empty.csv"], "empty.csv": f["soc2.csv"]},
        "empty.csv: was modified",
    ),
    "no manifest": (lambda f: without(f, "manifest.json"), "manifest.json: is missing"),
    "no envelope": (lambda f: without(f, "manifest.dsse.json"), "manifest.dsse.json: is missing"),
    "no sums": (lambda f: without(f, "SHA256SUMS"), "SHA256SUMS: is missing"),
    "no key": (lambda f: without(f, "signing_key.pem"), "signing_key.pem: is missing"),
    "other sums": (lambda f: with_change(f, "SHA256SUMS", f["SHA256SUMS"].upper()), "SHA256SUMS: lists other sums"),
    "a changed manifest": (
        lambda f: with_change(f, "manifest.json", f["manifest.json"].replace(b"acme", b"evil")),
        "manifest.dsse.json: holds another manifest than manifest.json",
    ),
    "a manifest that is no JSON": (lambda f: with_change(f, "manifest.json", b"{"), "manifest.json: is no manifest"),
    "a manifest of something else": (
        lambda f: with_change(f, "manifest.json", f["manifest.json"].replace(b"in-toto", b"on-toto")),
        "manifest.json: has the _type",
    ),
    "a manifest of another kind": (
        lambda f: with_change(f, "manifest.json", f["manifest.json"].replace(b'"kind": "bundle"', b'"kind": "diary"')),
        "manifest.json: speaks of a 'diary', expected one of ",
    ),
    "other subjects than files": (
        lambda f: with_change(f, "manifest.json", f["manifest.json"].replace(b'"README.md"', b'"README.txt"', 1)),
        "manifest.json: lists other files as subjects than in its predicate",
    ),
    "two signatures": (
        lambda f: with_change(f, "manifest.dsse.json", signatures(f, 2)),
        "manifest.dsse.json: has 2 signatures, expected 1",
    ),
    "no signature": (
        lambda f: with_change(f, "manifest.dsse.json", signatures(f, 0)),
        "manifest.dsse.json: has 0 signatures, expected 1",
    ),
    "an envelope that is none": (
        lambda f: with_change(f, "manifest.dsse.json", b"[]"),
        "manifest.dsse.json: is no DSSE",
    ),
    "an envelope of another type": (
        lambda f: with_change(f, "manifest.dsse.json", f["manifest.dsse.json"].replace(b"in-toto", b"on-toto")),
        "manifest.dsse.json: holds 'application/vnd.on-toto+json'",
    ),
    "a key that is none": (
        lambda f: with_change(f, "signing_key.pem", b"-----BEGIN"),
        "signing_key.pem: is no public key",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_done_is_named(case, make, rebuilt, script_verdict):
    damage, problem = CASES[case]
    files = damage(files_of(make().path))
    check = check_archive(rebuilt(files))
    assert not check.ok
    assert check.problem.startswith(problem)
    code, said = script_verdict(files)
    assert (code, said[:8]) == (1, "broken: ")


def packed_again(files, path, **how):
    """The files as any tool for archives packs them."""
    with zipfile.ZipFile(path, "w", **{"compression": zipfile.ZIP_DEFLATED, **how}) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return path


@pytest.mark.parametrize("how", [{}, {"compression": zipfile.ZIP_STORED}, {"compression": zipfile.ZIP_BZIP2}])
@pytest.mark.parametrize(
    "case", ["a flipped bit", "a longer file", "a dropped file", "an added file", "a replaced file", "other sums"]
)
def test_a_file_that_was_changed_is_named_when_the_archive_was_packed_again(case, how, make, tmp_path):
    """Unpack, change, pack: what somebody does who knows nothing of the shape of our archives."""
    damage, problem = CASES[case]
    check = check_archive(packed_again(damage(files_of(make().path)), tmp_path / "again.zip", **how))
    assert check.problem.startswith(problem)
    assert {one.status for one in check.files if not problem.startswith(one.name)} == {"ok"}


def test_an_archive_that_was_packed_again_is_broken_though_its_files_hold(make, tmp_path):
    check = check_archive(packed_again(files_of(make().path), tmp_path / "again.zip"))
    assert (len(check.problems), check.ok, check.signature_ok, check.root_ok) == (1, False, True, True)
    assert {one.status for one in check.files} == {"ok"}


@pytest.mark.real
def test_a_file_that_unpacks_without_end_is_stopped_at_the_size_that_the_manifest_gives(make, tmp_path):
    files = with_change(files_of(make().path), "soc2.csv", bytes(50_000_000))
    check = check_archive(packed_again(files, tmp_path / "again.zip"))
    assert check.problem == "soc2.csv: was modified: expected 35 bytes, found 50,000,000"
    files = with_change(files, "manifest.json", bytes(50_000_000))
    check = check_archive(packed_again(files, tmp_path / "more.zip"))
    assert check.problem == "manifest.json: has 50,000,000 bytes; at most 16,777,216 are read"


def test_an_archive_that_was_packed_again_and_damaged_names_the_damage(make, tmp_path):
    path = packed_again(files_of(make().path), tmp_path / "again.zip", compression=zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(b"CC6.1,effective")] ^= 1
    path.write_bytes(data)
    assert check_archive(path).problem == "soc2.csv: is damaged: its bytes cannot be unpacked"


def test_the_manifest_of_another_bundle_is_found_out(make, rebuilt, script_verdict):
    other = files_of(make("other.zip", {**FILES, "soc2.csv": b"another"}).path)
    files = files_of(make().path) | {name: other[name] for name in manifest.UNLISTED}
    assert check_archive(rebuilt(files)).problem.startswith("README.md: was modified")
    assert script_verdict(files)[0] == 1


def test_the_signature_of_another_key_is_found_out(make, rebuilt, script_verdict, other_key):
    files = files_of(make().path)
    forged = {**files, "manifest.dsse.json": dsse.sign(files["manifest.json"], other_key)}
    assert check_archive(rebuilt(forged)).problem.startswith("signing_key.pem: is not the key that the manifest names")
    envelope = json.loads(files["manifest.dsse.json"])
    envelope["signatures"][0]["sig"] = json.loads(forged["manifest.dsse.json"])["signatures"][0]["sig"]
    borrowed = {**files, "manifest.dsse.json": json.dumps(envelope).encode()}
    problem = "manifest.dsse.json: its signature is not that of signing_key.pem"
    assert check_archive(rebuilt(borrowed)).problem == problem
    assert script_verdict(borrowed) == (1, f"broken: {problem}")


def test_an_archive_that_somebody_else_made_whole_differs_in_its_key(make, rebuilt, key, other_key):
    """Nothing inside can tell; whoever knows the fingerprint can."""
    files = files_of(make().path)
    forged = rebuilt(
        sign_again({**files, "soc2.csv": b"all is well", "signing_key.pem": other_key.public_pem}, other_key)
    )
    assert check_archive(forged).ok
    check = check_archive(forged, key_id=key.id)
    assert check.problem == f"signing_key.pem: is another key: expected {key.id}, found {other_key.id}"


def test_a_wrong_merkle_root_under_a_right_signature_is_found_out(make, rebuilt, script_verdict, key):
    files = files_of(make().path)
    statement = json.loads(files["manifest.json"])
    statement["predicate"]["merkle"]["root"] = "0" * 64
    payload = json.dumps(statement).encode()
    files |= {"manifest.json": payload, "manifest.dsse.json": dsse.sign(payload, key)}
    sums = [(name, sha256(data).hexdigest()) for name, data in files.items() if name != "SHA256SUMS"]
    files["SHA256SUMS"] = manifest.sums(sums)
    assert check_archive(rebuilt(files)).problem.startswith(
        f"manifest.json: states the Merkle root {'0' * 64}, expected"
    )
    assert script_verdict(files) == (1, "broken: manifest.json: states another Merkle root than that of the files")


BROKEN_LOGS = {
    "a changed event": (LOG.replace(b'"seq":2', b'"seq":9'), "line 2 does not match its hash"),
    "a missing event": (b"".join(LOG.splitlines(keepends=True)[::2]), "line 2 does not follow the line before"),
    "no last event": (b"".join(LOG.splitlines(keepends=True)[:2]), "has 2 events; the manifest speaks of 3"),
    "another last event": (chain(b'{"seq":1}', b'{"seq":2}', b'{"seq":4}')[0], "ends at "),
    "a line that is none": (LOG + b"\n", "line 4 is no line of an audit chain"),
    "a cut line": (LOG[:-1], "its last line does not end"),
}


@pytest.mark.parametrize("case", BROKEN_LOGS)
def test_a_chain_that_does_not_hold_is_found_out_under_a_right_signature(case, make, rebuilt, script_verdict, key):
    log, problem = BROKEN_LOGS[case]
    files = sign_again({**files_of(make().path), "audit_log.jsonl": log}, key)
    check = check_archive(rebuilt(files))
    assert check.problem.startswith(f"audit_log.jsonl: {problem}")
    assert check.chain_ok is False
    code, said = script_verdict(files)
    assert (code, said[:25]) == (1, "broken: audit_log.jsonl: ")


def test_a_truncated_archive_is_named(make):
    path = make().path
    data = path.read_bytes()
    for size in random.Random(4).sample(range(len(data)), 60):
        path.chmod(0o600)
        path.write_bytes(data[:size])
        assert check_archive(path).problem.startswith("archive: ")


@pytest.mark.real
def test_no_flipped_bit_passes_that_changes_anything(make):
    """A few bits of a deflate stream mean nothing, behind its end and in codes that no byte uses: those may flip."""
    path = make().path
    data = path.read_bytes()
    sealed = files_of(path)
    for place in random.SystemRandom().sample(range(len(data)), 300):  # others in each run
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        assert not check_archive(path).ok or files_of(path) == sealed, place


def test_a_manifest_that_leads_elsewhere_reads_nothing_there(make, rebuilt, script_verdict, key, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    files = files_of(make().path)
    statement = json.loads(files["manifest.json"])
    named = {"path": "../secret", "bytes": 6, "sha256": sha256(b"secret").hexdigest(), "rows": None}
    statement["predicate"]["files"].append(named)
    statement["subject"].append({"name": "../secret", "digest": {"sha256": named["sha256"]}})
    payload = json.dumps(statement).encode()
    files |= {"manifest.json": payload, "manifest.dsse.json": dsse.sign(payload, key)}
    assert check_archive(rebuilt(files)).problem == "../secret: is missing"
    assert script_verdict(files) == (1, "broken: manifest.json: lists the file '../secret'")


def test_checking_writes_nothing(make, tmp_path):
    make()
    before = sorted(tmp_path.rglob("*"))
    check_archive(tmp_path / "bundle.zip")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_bundle_before_is_part_of_what_is_signed(make):
    previous = Previous("bnd_1", "ab" * 32, "cd" * 32)
    assert check_archive(make(previous=previous).path).statement.predicate.previous == previous


def test_the_envelope_is_that_of_the_specification(make, key):
    """The example of DSSE's protocol: PAE, and base64 of payload and signature."""
    assert dsse.pre_authentication("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    files = files_of(make().path)
    envelope = json.loads(files["manifest.dsse.json"])
    assert base64.b64decode(envelope["payload"]) == files["manifest.json"]
    assert (envelope["payloadType"], envelope["signatures"][0]["keyid"]) == ("application/vnd.in-toto+json", key.id)


def test_the_manifest_is_an_in_toto_statement(make, key):
    sealed = make()
    statement = json.loads(files_of(sealed.path)["manifest.json"])
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    files = files_of(sealed.path)
    assert {one["name"]: one["digest"]["sha256"] for one in statement["subject"]} == {
        name: sha256(data).hexdigest() for name, data in files.items() if name not in manifest.UNLISTED
    }
    predicate = statement["predicate"]
    assert {
        name: predicate[name]
        for name in ("kind", "organization", "as_of", "window", "revision", "key_id", "events", "previous")
    } == {
        "kind": "bundle",
        "organization": {"id": "acme", "name": "Acme"},
        "as_of": "2026-11-20",
        "window": {"requested": "30d", "start_on": "2026-10-22", "end_on": "2026-11-20"},
        "revision": {"seq": 3, "hash": HEAD},
        "key_id": key.id,
        "events": {"count": 3, "first_seq": 1, "last_seq": 3},
        "previous": None,
    }
    assert next(one for one in predicate["files"] if one["path"] == "soc2.csv") == {
        "path": "soc2.csv",
        "bytes": 35,
        "sha256": sha256(FILES["soc2.csv"]).hexdigest(),
        "rows": 2,
    }


def test_the_first_hash_of_a_chain_is_that_of_the_beginning():
    assert LOG.startswith(b'{"hash":"')
    assert LOG[87:151].decode() == GENESIS


def test_equal_contents_are_equal_bytes(make):
    assert make("a.zip").path.read_bytes() == make("b.zip").path.read_bytes()
    other = make("c.zip", revision=ManifestRevision(3, HEAD), as_of=date(2026, 11, 21))
    assert other.path.read_bytes() != make("d.zip").path.read_bytes()


def test_an_archive_with_a_file_of_no_name_is_broken(tmp_path):
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = ""
        archive.writestr(entry, b"x")
    assert not check_archive(path).ok
