"""``hq erase``: what it changes, what it refuses, and that nothing names the person any more but what it says."""

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import date, timedelta

import pytest

from engine.accounts import erasure
from engine.accounts.bucket_erasure import owed_organizations
from engine.archives.verification import verify as script
from engine.cli import hq
from engine.model.declarations.as_of import AsOf
from engine.model.documents.document import Position
from engine.reporting.artifacts.bucket import Bucket
from engine.runtime.backups import BackupNote, record_backup
from engine.runtime.services import open_services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, EventRow, Store
from engine.store.schema.audit import legal_holds
from engine.store.schema.commerce import activities, leads, pilots
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import memberships, organization_frameworks, users
from engine.store.schema.outputs import credentials
from engine.store.schema.risk import vendors
from reports import CATALOGUE
from scheduler import pruning
from tests.conftest import NOW
from tests.s3 import s3_server

ANN, BEN = "ann@acme.example", "ben@acme.example"
ROW = {"framework": "soc2", "control_id": "CC6.1", "due_on": date(2026, 12, 1)}
ERASE = ("erase", "--org", "acme", "--person")


@pytest.fixture
def var(tmp_path, acme_template, monkeypatch):
    """A data folder in which Ann and Ben have done something, and Ann no event of the audit chain."""
    folder = tmp_path / "var"
    folder.mkdir()
    shutil.copy(acme_template, folder / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(folder))
    with _store(folder) as store:
        _write(
            store,
            (organization_frameworks, {"framework": "soc2", "in_scope": True}),
            (users, {"email": ANN, "name": "Ann Nguyen"}),
            (memberships, {"email": ANN, "role": "owner"}),
            (memberships, {"email": BEN, "role": "owner"}),
            (attestations, {"id": "a", "owner": ANN, **ROW}),
            (vendors, {"id": "v", "name": "Cumulus", "category": "cloud", "tier": "high", "owner": ANN}),
        )
        _write(store, (attestations, {"id": "a", "owner": BEN, **ROW}))
    return folder


@pytest.fixture
def cli(capfd, var):
    def run(*arguments):
        code = 0
        try:
            hq([str(part) for part in arguments])
        except SystemExit as end:
            code = end.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    return run


@contextmanager
def _store(folder):
    store = Store(f"sqlite:///{folder / 'hq.db'}")
    try:
        yield store
    finally:
        store.close()


def _write(store, *rows, org_id="acme"):
    with store.revision(org_id, "me", now=NOW) as revision:
        for table, values in rows:
            revision.upsert(table, [values])
        revision.record("rows.written")


def _erased_word(out):
    return re.search(r"erased:[0-9a-f]{16}", out).group()


def _files_with(folder, text):
    return sorted(
        str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()
    )


@pytest.mark.real
def test_no_file_names_the_person_any_more_and_all_of_the_records_hold(cli, var, tmp_path):
    _, receipt, _ = cli("prove", "hq:2", "--org", "acme")
    (tmp_path / "receipt.txt").write_text(receipt)
    past = cli("report", "attestations", "--org", "acme", "--revision", "2")[1]
    cli("report", "vendor-assurance", "--org", "acme")
    assert ANN in past
    before = _files_with(var, ANN.encode())
    assert {"hq.db", "analytics.duckdb"} <= set(before)
    assert any(name.startswith("artifacts/") for name in before)
    code, out, _ = cli(*ERASE, f" {ANN.title()}")
    said = _erased_word(out)
    assert (code, out.splitlines()) == (
        0,
        [
            "memberships: 1 row",
            "users: 1 row",
            "vendors: 1 row",
            "history: 4 earlier versions of rows",
            f"{said} stands for the person in acme now.",
        ],
    )
    assert _files_with(var, b"ann@acme") == _files_with(var, b"Nguyen") == []
    assert cli("verify", "--org", "acme")[0] == 0
    checking = [sys.executable, "-I", script.__file__, tmp_path / "receipt.txt"]
    assert subprocess.run(checking, check=False, capture_output=True).returncode == 0
    again = cli("report", "attestations", "--org", "acme", "--revision", "2")[1]
    assert again == past.replace(ANN, said)
    assert cli("report", "attestations", "--org", "acme", "--revision", "2")[1] == again


def test_a_rehearsal_says_what_there_is_and_changes_nothing(cli, var):
    with _store(var) as store:
        head = store.head("acme")
    code, out, _ = cli(*ERASE, ANN, "--dry-run")
    assert (code, out.splitlines()) == (
        0,
        [
            "memberships: 1 row",
            "users: 1 row",
            "vendors: 1 row",
            "history: 4 earlier versions of rows",
            "Nothing was changed: this is what would be.",
        ],
    )
    with _store(var) as store:
        assert store.head("acme") == head
    assert (not (var / "erasures.log").exists(), (var / "heads").exists()) == (True, False)


def test_whom_nobody_knows_is_not_erased(cli):
    assert cli(*ERASE, "eve@acme.example") == (
        1,
        "",
        "hq: Nobody in acme has the address eve@acme.example: there is nothing to erase.\n",
    )
    assert cli(*ERASE, "Ann")[::2] == (2, "hq: A person is named by an e-mail address; got 'ann'.\n")
    assert cli("erase", "--org", "acme")[0] == 2


@pytest.mark.real
def test_who_was_erased_is_nobody_afterwards_but_for_events(cli, var):
    with _store(var) as store, store.revision("acme", BEN, now=NOW) as revision:
        revision.record("vendor.reviewed")
    assert "stays: 1 audit event that name" in cli(*ERASE, BEN)[1]
    code, out, _ = cli(*ERASE, BEN)
    assert code == 0
    assert out.startswith("There is nothing left to erase in the rows of acme and their history.\n")
    cli(*ERASE, "eve@acme.example")
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_a_second_time_files_of_before_are_removed(cli, var):
    """As on another machine, which shares the store and not the folder."""
    cli(*ERASE, ANN)
    kept = var / "artifacts" / "acme" / "attestations" / "kept.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(ANN)
    assert cli(*ERASE, ANN, "--dry-run")[0] == 1
    assert kept.exists()
    assert cli(*ERASE, ANN)[0] == 1
    assert not kept.exists()


@pytest.mark.real
def test_a_killed_command_is_finished_by_the_next(cli, var, monkeypatch):
    """The write is there, and neither the note, nor the head after it; files of before are."""

    def kill(*_):
        raise KeyboardInterrupt

    site = var / "site" / "acme" / "index.html"
    site.parent.mkdir(parents=True)
    site.write_text(ANN)
    monkeypatch.setattr("engine.accounts.erasure.record_erasure", kill)
    assert cli(*ERASE, ANN)[0] != 0
    monkeypatch.undo()
    monkeypatch.setenv("SVC_DATA_DIR", str(var))
    listed = cli("erase", "--org", "acme", "--list")[1]
    assert len(listed.splitlines()) == 1
    assert ((var / "erasures.log").exists(), site.exists()) == (False, True)
    assert cli(*ERASE, ANN)[0] == 1
    assert (cli("erase", "--org", "acme", "--list")[1], site.exists()) == (listed, False)
    assert (var / "erasures.log").read_text().count(_erased_word(listed)) == 1
    assert cli(*ERASE, ANN)[0] == 1
    assert (var / "erasures.log").read_text().count(_erased_word(listed)) == 1


def test_an_export_that_cannot_be_removed_is_named(cli, var):
    (var / "site").mkdir()
    (var / "site" / "acme").write_text(ANN)
    line = f"{var / 'site' / 'acme'} has reports of before and cannot be removed (Not a directory): remove it."
    assert cli(*ERASE, ANN)[1].splitlines()[-1] == line


def test_an_imported_event_is_no_erasure(cli, var):
    with _store(var) as store, store.revision("acme", "console", now=NOW) as revision:
        revision.append_events([EventRow("e", NOW, "console", "person.erased", "person", "erased:forged")])
    assert cli("erase", "--org", "acme", "--list") == (0, "", "")


def test_the_last_owner_stays(cli, var):
    cli(*ERASE, ANN)
    assert cli(*ERASE, BEN) == (1, "", f"hq: {BEN} is the last owner of acme: make somebody else an owner first.\n")


def test_a_legal_hold_on_everything_keeps_everybody(cli, var):
    hold = {"id": "h", "matter": "m", "scope": "all", "reason": "r", "placed_by": BEN, "placed_at": NOW}
    with _store(var) as store:
        _write(store, (legal_holds, hold))
    refused = "hq: The legal hold h keeps everything of acme: nobody is erased before it is released.\n"
    assert cli(*ERASE, ANN) == (1, "", refused)
    assert _files_with(var, ANN.encode()) == ["hq.db"]


def test_a_person_of_two_organizations_is_erased_from_the_one_that_is_named(cli, var):
    with _store(var) as store:
        with store.revision("beta", "me", now=NOW, create={"name": "Beta"}) as revision:
            revision.insert(memberships, [{"email": ANN, "role": "member"}])
            revision.record("member.added")
        assert cli(*ERASE, ANN)[1].splitlines()[-1] == "stays: what beta has of the person: erase there, too"
        assert (store.role("acme", ANN), store.role("beta", ANN)) == (None, "member")


@pytest.mark.real
def test_a_lead_goes_with_what_hangs_on_it(cli, var):
    with _store(var) as store:
        store.ensure_platform(NOW)
        lead = {"id": "l", "reference_id": "R1", "name": "Eve", "email": "eve@x.example", "message": "Call me"}
        _write(
            store,
            (leads, {**lead, "company": "X Ltd", "created_at": NOW}),
            (pilots, {"id": "p", "lead_id": "l", "name": "X Ltd pilot", "created_at": NOW}),
            (
                activities,
                {
                    "id": "c",
                    "subject_type": "pilot",
                    "subject_id": "p",
                    "actor": "me",
                    "action": "noted",
                    "details": {"notes": "Eve is away"},
                    "happened_at": NOW,
                },
            ),
            org_id=PLATFORM,
        )
        code, out, _ = cli("erase", "--org", PLATFORM, "--person", "EVE@x.example")
        said = _erased_word(out)
        assert (code, out.splitlines()[:4]) == (
            0,
            ["activities: 1 row", "leads: 1 row", "pilots: 1 row", "history: 3 earlier versions of rows"],
        )
        with store.reader() as connection:
            (row,) = connection.execute(leads.select()).mappings()
            (pilot,) = connection.execute(pilots.select()).mappings()
        assert (row["email"], row["name"], row["company"], row["message"]) == (said, None, None, None)
        assert pilot["name"] == said
        assert store.verify_rows(PLATFORM).problem is None
    assert _files_with(var, b"eve@x") == _files_with(var, b"X Ltd") == []


def test_keys_of_the_person_open_nothing_any_more(cli, var):
    key = {"kind": "api_key", "label": "k", "owner": ANN, "prefix": "svc_sk_", "last_four": "1234", "created_at": NOW}
    with _store(var) as store:
        _write(
            store,
            (credentials, {**key, "id": "k", "owner": ANN.title(), "secret_sha256": "1" * 64}),
            (credentials, {**key, "id": "i", "kind": "ingest", "secret_sha256": "2" * 64}),
        )
        said = _erased_word(cli(*ERASE, ANN)[1])
        found = [store.credential(number * 64) for number in "12"]
        assert [(row["owner"], row["revoked_at"] is None) for row in found] == [(said, False), (said, True)]


@pytest.mark.real
def test_backups_of_before_are_named_and_a_restored_store_is_known(cli, var):
    shutil.copy(var / "hq.db", var / "before")
    record_backup(
        var, BackupNote("/backups/one.hqb", NOW, {"acme": Position(3, "a" * 64), "beta": Position(1, "b" * 64)})
    )
    line = (
        "backup /backups/one.hqb of 2026-11-20 08:30:00 UTC still holds the person: destroy it, or erase again after "
        "it is restored."
    )
    assert cli(*ERASE, ANN, "--dry-run")[1].splitlines()[-1] == line
    out = cli(*ERASE, ANN)[1]
    assert out.splitlines()[-1] == line
    record_backup(var, BackupNote("/backups/two.hqb", NOW + timedelta(days=1), {"acme": Position(9, "c" * 64)}))
    code, listed, _ = cli("erase", "--org", "acme", "--list")
    assert (code, listed.splitlines()[0].split("\t")[0], listed.splitlines()[1:]) == (
        0,
        _erased_word(out),
        [f"  {line}"],
    )
    (var / "before").replace(var / "hq.db")
    text = "  this store does not have it: it was restored from a backup of before. Erase the person again."
    assert cli("erase", "--org", "acme", "--list")[1].splitlines()[1] == text


@pytest.mark.real
def test_a_process_that_runs_meanwhile_serves_nothing_of_before(cli, var):
    """Neither from memory, nor from its copy of the records, nor by a file that it was about to keep."""
    at = AsOf(revision=2)
    with open_services(Settings.of_process(), CATALOGUE, now=NOW) as running:

        def report():
            with running.snapshots.open("acme", now=NOW, at=at) as snapshot:
                return snapshot.bytes("attestations", {}, "json")

        before = report()
        with running.snapshots.open("acme", now=NOW, at=at) as late:
            late.fact("attestations")
            said = _erased_word(cli(*ERASE, ANN)[1])
            assert ANN in late.bytes("attestations", {}, "csv").data.decode()
        after = report()
        assert (ANN in before.data.decode(), ANN in after.data.decode(), said in after.data.decode()) == (
            True,
            False,
            True,
        )
        assert after.etag != before.etag
    assert _files_with(var, ANN.encode()) == []


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        server.make("reports")
        yield server


@pytest.fixture
def bucket(s3, monkeypatch):
    """A bucket in which are reports of acme, and one of another organization."""
    for name, value in {**s3.environment, "SVC_ARTIFACTS_URL": "s3://reports/hq"}.items():
        monkeypatch.setenv(name, value)
    shared = Bucket("s3://reports/hq")
    shared.clear("")
    shared.send("other/report/x.json", b"theirs", lambda: True)
    shared.flush()
    return s3


@pytest.mark.real
def test_reports_in_a_bucket_go_and_those_of_others_stay(cli, var, bucket):
    before = cli("report", "attestations", "--org", "acme", "--format", "csv")[1]
    assert ANN in before or BEN in before
    assert len(bucket.objects("reports")) == 2
    code, out, _ = cli(*ERASE, ANN)
    assert (code, "s3:" in out) == (0, False)
    assert [*bucket.objects("reports")] == ["hq/other/report/x.json"]
    assert owed_organizations(var) == []
    assert ANN not in cli("report", "attestations", "--org", "acme", "--format", "csv")[1]


@pytest.mark.real
def test_a_bucket_that_is_gone_is_said_and_cleared_later(cli, var, bucket):
    cli("report", "attestations", "--org", "acme", "--format", "csv")
    bucket.stop()
    try:
        code, out, _ = cli(*ERASE, ANN)
        again = cli(*ERASE, ANN)
        found = cli("check")[1]
    finally:
        bucket.start()
    left = [line for line in out.splitlines() if line.startswith("s3:")]
    assert (code, [line.partition(" (")[0] for line in left]) == (0, ["s3://reports/hq still has reports of before"])
    assert left[0].endswith(
        "run the same command once more. The scheduler of this data folder tries each night, and hq check names it "
        "until it is done."
    )
    assert "s3://reports/hq still has reports of before" in again[1] + again[2]
    owed = (
        "artifacts: s3://reports/hq may have reports of acme from before an erasure: the scheduler removes them at "
        "night, or hq erase does, for the same person again."
    )
    assert "artifacts: SVC_ARTIFACTS_URL: s3://reports/hq cannot be read (Could not connect" in found
    assert owed in found
    assert (owed in cli("check")[1], len(bucket.objects("reports"))) == (True, 2)
    with open_services(Settings.of_process(), CATALOGUE, now=NOW) as services:
        pruning(services, NOW)
    assert [*bucket.objects("reports")] == ["hq/other/report/x.json"]
    assert (owed_organizations(var), cli("check")[:2]) == ([], (0, "ok: nothing was found\n"))


def test_the_night_says_what_it_could_not_clear(cli, var, bucket, caplog):
    bucket.stop()
    try:
        cli(*ERASE, ANN)
        with open_services(Settings.of_process(), CATALOGUE, now=NOW) as services:
            pruning(services, NOW)
    finally:
        bucket.start()
    assert "s3://reports/hq still has reports of before" in caplog.text
    assert owed_organizations(var) == ["acme"]


def test_a_command_that_was_killed_leaves_the_trace(cli, var, bucket, monkeypatch):
    def kill(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Bucket, "clear", kill)
        cli(*ERASE, ANN)
    assert owed_organizations(var) == ["acme"]
    assert "s3:" not in cli(*ERASE, ANN)[1]
    assert owed_organizations(var) == []


def test_a_repetition_removes_the_bytes_that_a_killed_command_left(cli, var, tmp_path, monkeypatch):
    (tmp_path / "leaver.txt").write_text(f"about {ANN}")
    assert cli("evidence", "add", tmp_path / "leaver.txt", "--org", "acme", "--control", "soc2:CC6.1")[0] == 0

    def end(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasure, "remove_bytes", end)
        cli(*ERASE, ANN)
    held = [path for path in (var / "evidence" / "acme").rglob("*") if path.is_file()]
    assert ([path.read_text() for path in held], (var / "erasures.log").exists()) == ([f"about {ANN}"], False)
    code, _, err = cli(*ERASE, ANN)
    assert (code, "there is nothing to erase" in err) == (1, True)
    assert [path for path in (var / "evidence" / "acme").rglob("*") if path.is_file()] == []
    assert len((var / "erasures.log").read_text().splitlines()) == 1
