"""``hq verify FILE.zip``: what it prints and how it exits. It opens no store."""

import os
from datetime import date

import pytest

from engine.archives.sealing.manifest import EventRange, ManifestRevision, Owner
from engine.cli import hq
from tests.archives.conftest import chain


@pytest.fixture
def cli(capfd, monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "untouched"))

    def run(*arguments):
        try:
            hq([str(part) for part in arguments])
            code = 0
        except SystemExit as end:
            code = end.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    yield run
    assert not (tmp_path / "untouched").exists()


def test_an_archive_that_holds(make, cli, key):
    sealed = make()
    code, out, _ = cli("verify", sealed.path)
    assert code == 0
    assert out.splitlines() == [
        f"ok: bundle of acme, 2026-10-22 to 2026-11-20, revision 3 {check_revision(sealed)}, 6 files hold",
        f"manifest {sealed.manifest_sha256}, Merkle root {sealed.merkle_root}",
        f"signed with the key {key.id}: compare it with the one that the organization gave you",
    ]
    assert cli("verify", sealed.path, "--key", key.id[:20])[1].splitlines()[-1] == (
        f"signed with the key {key.id}: as asked for"
    )


def check_revision(sealed):
    from engine.archives.verification.archive_check import check_archive

    return check_archive(sealed.path).statement.predicate.revision.hash


def test_an_archive_that_does_not_hold(make, cli):
    path = make().path
    path.write_bytes(path.read_bytes()[:-1])
    code, out, _ = cli("verify", path)
    assert (code, out) == (
        1,
        "broken: bundle.zip: archive: does not end with its directory: it was cut off, or something was put behind it\n",
    )


def test_another_key_than_asked_for(make, cli, key):
    code, out, _ = cli("verify", make().path, "--key", "0" * 16)
    assert (code, out) == (
        1,
        f"broken: bundle.zip: signing_key.pem: is another key: expected {'0' * 16}, found {key.id}\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a.zip", "--org", "acme"),
        ("missing.zip",),
        ("/",),
        ("a.zip", "--key", "12"),
        ("a.zip", "--key", "x" * 16),
        ("--org", "acme", "--key", "0" * 16),
    ],
)
def test_wrong_usage_is_said(arguments, cli):
    code, out, err = cli("verify", *arguments)
    assert (code, out, err[:4]) == (2, "", "hq: ")


def test_a_folder_that_takes_nothing_is_done_without(tmp_path, monkeypatch):
    from engine.archives.sealing.spool import IN_MEMORY, ArchiveSpool

    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with ArchiveSpool(tmp_path / "file" / "spool") as spool:
        spool.add("large", "", os.urandom(2 * IN_MEMORY))
        assert [part.size for part in spool.parts] == [2 * IN_MEMORY]


def test_two_archives_of_one_history(make, cli, key):
    one, two = make("one.zip").path, make("two.zip", as_of=date(2026, 11, 21)).path
    code, out, _ = cli("verify", two, one)
    assert (code, out.splitlines()[-1]) == (0, "ok: one.zip and two.zip end at the same event, 3")
    assert cli("verify", one, two, "--key", key.id[:20])[0] == 0
    code, out, _ = cli("verify", one, two, "--key", "0" * 16)
    assert (code, out.splitlines()[-1]) == (1, f"broken: archives: neither is signed with the key {'0' * 16}")


def test_two_archives_that_do_not_tell_one_history(make, cli, other_key):
    one = make("one.zip").path
    log, head = chain(b'{"seq":1}', b'{"seq":3}', b'{"seq":2}')
    rewritten = make("two.zip", {"audit_log.jsonl": log}, revision=ManifestRevision(3, head)).path
    assert cli("verify", one, rewritten)[:2][1].splitlines()[-1] == (
        "broken: history: two.zip does not continue one.zip, which ends at event 3: they differ from event 2 on. One of "
        "the two was rewritten"
    )
    foreign = make("foreign.zip", signed_by=other_key).path
    code, out, _ = cli("verify", one, foreign)
    assert (code, out.splitlines()[-1].partition(", and")[0]) == (1, "broken: archives: are signed with different keys")
    other = make("other.zip", organization=Owner("other", "Other")).path
    code, out, _ = cli("verify", one, other)
    assert (code, out.splitlines()[-1]) == (1, "broken: archives: are of different organizations: acme and other")
    later = make("later.zip", {"audit_log.jsonl": b""}, revision=ManifestRevision(9, head), events=EventRange(0, 10, 9))
    code, out, _ = cli("verify", one, later.path)
    assert (code, out.splitlines()[-1].partition(":")[0]) == (1, "unproven")
