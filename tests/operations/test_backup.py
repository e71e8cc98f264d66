"""A backup is whole or refused, and what comes back is what there was."""

import io
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from engine.archives.contents import contents
from engine.cli import hq
from engine.model.errors import Conflict, InvalidData, Unavailable, Usage
from engine.operations import age, backup, backup_file
from engine.operations.age import EncryptingWriter
from engine.operations.backup import write_backup
from engine.operations.backup_file import BackupReader, BackupWriter
from engine.operations.restore import restore_backup
from engine.runtime.heads.signed_heads import signed_head
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema.services import services as services_table
from tests.archives.histories import Office
from tests.conftest import NOW
from tests.store.copy.test_table_copy import tables


def quiet(*_):
    """Progress that nobody looks at."""


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Archives of one report, and few rounds for a passphrase."""
    monkeypatch.setattr(contents, "FRAMEWORKS", ())
    monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
    monkeypatch.setattr(age, "WORK", 1)


@pytest.fixture(scope="module")
def office(acme_template, tmp_path_factory):
    """An installation with two archives, signed heads and keys: read, never changed."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "var").mkdir()
    shutil.copy(acme_template, folder / "var" / "hq.db")
    made = Office(folder, f"sqlite:///{folder / 'var' / 'hq.db'}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "FRAMEWORKS", ())
        patch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
        made.write("a", "b")
        made.hand_over("one.zip")
        made.write("c")
        made.hand_over("two.zip")
    with made.open_services() as services:
        with services.store.revision("acme", "ann", now=made.now) as revision:
            revision.insert(services_table, [{"id": "db", "name": "Datenbank ä", "criticality": 1}])
            revision.record("service.created")
        signed_head(services, "acme", now=made.now)
    (folder / "var" / "session.secret").write_text("x" * 64)
    return made


@pytest.fixture(scope="module")
def small(acme_template, tmp_path_factory):
    """A folder with a store, a key and nothing else."""
    folder = tmp_path_factory.mktemp("small") / "var"
    folder.mkdir()
    shutil.copy(acme_template, folder / "hq.db")
    signing_key(folder / "signing.key")
    return folder


def settings_of(folder, url=""):
    return Settings.of({"SVC_DATA_DIR": str(folder), "SVC_DATABASE_URL": url})


def back_up(folder, path, *, url="", passphrase=None, with_keys=True):
    settings = settings_of(folder, url)
    return write_backup(settings, path, now=NOW, passphrase=passphrase, with_keys=with_keys, progress=quiet)


def restore(path, folder, *, url="", passphrase=None, check_only=False):
    settings = settings_of(folder, url)
    return restore_backup(settings, path, now=NOW, passphrase=passphrase, check_only=check_only, progress=quiet)


def truth(folder):
    """Every file below a data folder but those of the database and what is computed."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("hq.db")
    }


def verify(folder, monkeypatch, capfd):
    monkeypatch.setenv("SVC_DATA_DIR", str(folder))
    code = 0
    try:
        hq(["verify", "--org", "acme"])
    except SystemExit as end:
        code = end.code or 0
    return code, capfd.readouterr().out


@pytest.mark.real
@pytest.mark.parametrize("passphrase", [None, b"correct horse"])
def test_what_is_restored_is_what_there_was(office, passphrase, tmp_path, monkeypatch, capfd):
    var = office.folder / "var"
    made = back_up(var, tmp_path / "b", passphrase=passphrase)
    found = restore(tmp_path / "b", tmp_path / "new", passphrase=passphrase)
    assert (len(made.heads), made.archives, made.keys, made.lacking) == (1, 2, 2, {})
    assert (found.rows, found.archives, list(found.missing)) == (made.rows, 2, [])
    assert truth(tmp_path / "new") == {
        name: data
        for name, data in truth(var).items()
        if name.partition("/")[0] not in ("spool", "artifacts", "backups.log")
    }
    assert tables(f"sqlite:///{tmp_path}/new/hq.db") == tables(office.url)
    code, said = verify(tmp_path / "new", monkeypatch, capfd)
    assert code == 0, said
    assert "2 archives are as they were sealed" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "new"]


@pytest.mark.real
def test_a_restored_installation_goes_on(office, tmp_path, monkeypatch, capfd):
    back_up(office.folder / "var", tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "next" / "var")
    again = Office(tmp_path / "next", f"sqlite:///{tmp_path}/next/var/hq.db")
    again.now = office.now
    again.write("d")
    again.hand_over("three.zip")
    with again.open_services() as services:
        head = signed_head(services, "acme", now=again.now)
    assert head.size > 5
    code, said = verify(tmp_path / "next" / "var", monkeypatch, capfd)
    assert code == 0, said
    assert "3 archives are as they were sealed" in said


@pytest.mark.postgresql
def test_the_same_comes_back_from_the_other_engine(office, postgresql_url, tmp_path):
    """SQLite to PostgreSQL and back: equal tables, and equal members of both backups."""
    back_up(office.folder / "var", tmp_path / "one")
    restore(tmp_path / "one", tmp_path / "server", url=postgresql_url)
    assert not (tmp_path / "server" / "hq.db").exists()
    assert tables(postgresql_url) == tables(office.url)
    back_up(tmp_path / "server", tmp_path / "two", url=postgresql_url)
    restore(tmp_path / "two", tmp_path / "back")
    assert tables(f"sqlite:///{tmp_path}/back/hq.db") == tables(office.url)
    with zipfile.ZipFile(tmp_path / "one") as one, zipfile.ZipFile(tmp_path / "two") as two:
        loads = [json.loads(file.read("manifest.json")) for file in (one, two)]
    assert loads[0]["members"] == loads[1]["members"]
    assert [each["engine"] for each in loads] == ["sqlite", "postgresql"]


@pytest.mark.postgresql
def test_a_server_with_rows_takes_no_backup_and_one_refused_is_left_empty(small, postgresql_url, tmp_path):
    back_up(small, tmp_path / "b")
    (tmp_path / "in the way").write_text("")
    with pytest.raises(Conflict):
        restore(tmp_path / "b", tmp_path / "in the way", url=postgresql_url)
    assert not any(tables(postgresql_url).values())
    restore(tmp_path / "b", tmp_path / "one", url=postgresql_url)
    with pytest.raises(InvalidData, match="names one with rows in organizations"):
        restore(tmp_path / "b", tmp_path / "two", url=postgresql_url)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "in the way", "one"]


# -- what is refused ---------------------------------------------------------------------------------------------------


def flip_byte(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("passphrase", [None, b"correct horse"])
def test_a_backup_with_one_byte_changed_is_refused(small, passphrase, tmp_path):
    """Each byte of the header and of the end, and one of each forty between."""
    back_up(small, tmp_path / "b", passphrase=passphrase)
    data = (tmp_path / "b").read_bytes()
    for place in {*range(300), *range(0, len(data), 40), *range(len(data) - 300, len(data))}:
        with pytest.raises(InvalidData, match=r"^The backup .*; nothing was restored\.$"):
            BackupReader(io.BytesIO(flip_byte(data, place)), passphrase)


@pytest.mark.parametrize("passphrase", [None, b"correct horse"])
def test_a_backup_that_was_cut_off_is_refused(small, passphrase, tmp_path):
    back_up(small, tmp_path / "b", passphrase=passphrase)
    data = (tmp_path / "b").read_bytes()
    for length in {*range(200), *range(0, len(data), 97), *range(len(data) - 200, len(data))}:
        with pytest.raises(InvalidData):
            BackupReader(io.BytesIO(data[:length]), passphrase)
    with pytest.raises(InvalidData):
        BackupReader(io.BytesIO(data + b"0"), passphrase)


def test_a_damaged_backup_leaves_nothing(small, tmp_path):
    back_up(small, tmp_path / "b")
    data = (tmp_path / "b").read_bytes()
    (tmp_path / "b").write_bytes(flip_byte(data, len(data) // 2))
    with pytest.raises(InvalidData, match="the digest at its end is not that of its content"):
        restore(tmp_path / "b", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_pieces_of_an_encrypted_backup_cannot_be_moved():
    plain, sealed = os.urandom(3 * age.PIECE), io.BytesIO()
    writer = EncryptingWriter(sealed, b"p")
    writer.write(plain)
    writer.finish()
    data = sealed.getvalue()
    start, size = len(data) - 3 * (age.PIECE + age.TAG), age.PIECE + age.TAG
    first, second, third = (data[start + size * n :][:size] for n in range(3))
    assert io.BufferedReader(age.DecryptingReader(io.BytesIO(data), b"p")).read() == plain
    for pieces in (second + first + third, first + second, first + third, first + second + second + third):
        with pytest.raises(age.DecryptionError):
            io.BufferedReader(age.DecryptingReader(io.BytesIO(data[:start] + pieces), b"p")).read()


def test_an_absurd_number_of_rounds_is_not_made():
    sealed = io.BytesIO()
    EncryptingWriter(sealed, b"p").finish()
    absurd = io.BytesIO(sealed.getvalue().replace(b" 1\n", b" 40\n", 1))
    with pytest.raises(age.DecryptionError, match=r"asks for 2\^40 rounds"):
        age.DecryptingReader(absurd, b"p")


def test_another_passphrase_opens_nothing(small, tmp_path):
    back_up(small, tmp_path / "b", passphrase=b"one")
    for given, text in ((b"two", "another passphrase"), (None, "is encrypted: name the file")):
        with pytest.raises(InvalidData, match=text):
            restore(tmp_path / "b", tmp_path / "new", passphrase=given)
    back_up(small, tmp_path / "plain")
    with pytest.raises(InvalidData, match="is not encrypted, though a passphrase was given"):
        restore(tmp_path / "plain", tmp_path / "new", passphrase=b"one")


def rewritten(source, target, change):
    """A backup that is whole, with other content: ``change(name, data)`` gives that of a member, None for none."""
    with source.open("rb") as file, target.open("wb") as new, BackupWriter(new) as writer:
        reader = BackupReader(file, None)
        for member in reader.manifest.members:
            data = change(member.name, b"".join(reader.pieces(member.name)))
            if data is None:
                continue
            with writer.member(member.name, columns=member.columns, key=member.key) as made:
                made.write(data)
                made.rows = data.count(b"\n")
        manifest = change("manifest.json", reader.manifest)
        writer.finish(backup_file.msgspec.structs.replace(manifest, members=tuple(writer.members())))


def refused_as(office, tmp_path, change, said):
    back_up(office.folder / "var", tmp_path / "b")
    rewritten(tmp_path / "b", tmp_path / "other", change)
    with pytest.raises(InvalidData, match=said):
        restore(tmp_path / "other", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "other"]


@pytest.mark.real
def test_a_backup_that_was_only_written_anew_is_restored(office, tmp_path):
    back_up(office.folder / "var", tmp_path / "b")
    rewritten(tmp_path / "b", tmp_path / "other", lambda name, data: data)
    restore(tmp_path / "other", tmp_path / "new")


@pytest.mark.real
@pytest.mark.parametrize(
    ("member", "old", "new", "said"),
    [
        ("tables/audit_log.jsonl", b'"mfa.enforced"', b'"mfa.disabled"', "The chain of acme is broken at event"),
        ("tables/services.jsonl", "ä".encode(), b"a", "services .* differs in name"),
        ("tables/heads.jsonl", b'["acme",', b'["acme",0', "a row of heads that is none"),
        ("tables/services.jsonl", b'"db"', b'"db","x"', "a row of services that is none"),
    ],
)
def test_content_that_does_not_hold_is_refused(office, member, old, new, said, tmp_path):
    refused_as(office, tmp_path, lambda name, data: data.replace(old, new, 1) if name == member else data, said)


@pytest.mark.real
def test_an_archive_that_is_missing_or_another_is_refused(office, tmp_path):
    def without(name, data):
        return None if name.startswith("bundles/") else data

    refused_as(office, tmp_path, without, "has no bundles/acme/")
    (tmp_path / "b").unlink()
    (tmp_path / "other").unlink()

    def another(name, data):
        return data + b"x" if name.startswith("bundles/") else data

    refused_as(office, tmp_path, another, "has other bytes than were sealed in bundles/acme/")


def test_a_newer_format_or_schema_is_refused(office, tmp_path):
    for change, text in (({"version": 2}, "is in the format hq-backup 2"), ({"schema": "9999"}, "at migration 9999")):
        refused_as(
            office,
            tmp_path,
            lambda name, data, change=change: (
                backup_file.msgspec.structs.replace(data, **change) if name == "manifest.json" else data
            ),
            text,
        )
        (tmp_path / "b").unlink()
        (tmp_path / "other").unlink()


@pytest.mark.parametrize("name", ["../x", "keys/../x", "/etc/x", "keys//x", "other/x", "keys/a\\b", "heads/.."])
def test_names_that_lead_elsewhere_are_refused(name, small, tmp_path):
    back_up(small, tmp_path / "b")
    with (tmp_path / "b").open("rb") as file:
        manifest = BackupReader(file, None).manifest
    with (tmp_path / "c").open("wb") as new, BackupWriter(new) as writer:
        with writer.member(name) as made:
            made.write(b"x")
        writer.finish(backup_file.msgspec.structs.replace(manifest, members=tuple(writer.members())))
    with pytest.raises(InvalidData, match="which no backup has"):
        restore(tmp_path / "c", tmp_path / "new")


@pytest.mark.real
def test_a_file_that_nothing_speaks_of_is_refused(small, tmp_path):
    back_up(small, tmp_path / "b")
    with (tmp_path / "b").open("rb") as file, (tmp_path / "c").open("wb") as new, BackupWriter(new) as writer:
        reader = BackupReader(file, None)
        for member in reader.manifest.members:
            with writer.member(member.name, columns=member.columns, key=member.key) as made:
                made.write(b"".join(reader.pieces(member.name)))
                made.rows = member.rows or 0
        with writer.member("keys/other.key") as made:
            made.write(b"x")
        writer.finish(backup_file.msgspec.structs.replace(reader.manifest, members=tuple(writer.members())))
    with pytest.raises(InvalidData, match="a file keys/other.key that nothing in it speaks of"):
        restore(tmp_path / "c", tmp_path / "new")


# -- places ------------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_empty_is_left_alone(small, tmp_path):
    back_up(small, tmp_path / "b")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "notes.txt").write_text("mine")
    with pytest.raises(Conflict, match="is not empty"):
        restore(tmp_path / "b", tmp_path / "new")
    assert truth(tmp_path / "new") == {"notes.txt": b"mine"}


@pytest.mark.real
def test_an_empty_folder_is_filled(small, tmp_path):
    back_up(small, tmp_path / "b")
    (tmp_path / "new").mkdir()
    restore(tmp_path / "b", tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["hq.db", "signing.key"]


@pytest.mark.real
def test_what_the_settings_keep_elsewhere_goes_there(office, tmp_path):
    back_up(office.folder / "var", tmp_path / "b")
    (tmp_path / "sealed").mkdir()
    settings = Settings.of(
        {
            "SVC_DATA_DIR": str(tmp_path / "new"),
            "SVC_BUNDLE_DIR": str(tmp_path / "sealed"),
            "SVC_SIGNING_KEY_FILE": str(tmp_path / "keys" / "ours.key"),
            "SVC_DATABASE_URL": f"sqlite:///{tmp_path}/db/store.db",
        }
    )
    restore_backup(settings, tmp_path / "b", now=NOW, passphrase=None, check_only=False, progress=quiet)
    places = sorted(path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file())
    assert places == ["b", "db", "keys", "new", "new", "new", "sealed", "sealed"]
    assert tables(settings.store_url) == tables(office.url)


@pytest.mark.real
def test_a_check_leaves_nothing(office, tmp_path):
    back_up(office.folder / "var", tmp_path / "b")
    assert restore(tmp_path / "b", office.folder / "var", check_only=True).archives == 2
    assert not list(office.folder.glob(".*"))


def test_a_backup_overwrites_nothing(small, tmp_path):
    (tmp_path / "b").write_text("mine")
    with pytest.raises(Usage, match="is there already"):
        back_up(small, tmp_path / "b")
    assert (tmp_path / "b").read_text() == "mine"


def test_a_backup_is_for_its_owner_alone(small, tmp_path):
    back_up(small, tmp_path / "b")
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600


@pytest.mark.real
def test_without_keys_the_backup_has_none_and_the_restore_says_so(office, tmp_path):
    back_up(office.folder / "var", tmp_path / "b", with_keys=False)
    found = restore(tmp_path / "b", tmp_path / "new")
    assert [sentence.partition(":")[0] for sentence in found.missing] == ["The backup holds no keys"]
    assert not list((tmp_path / "new").glob("*.key"))


@pytest.mark.real
def test_an_archive_that_was_lost_before_is_said(office, tmp_path):
    shutil.copytree(office.folder / "var", tmp_path / "var")
    lost = sorted((tmp_path / "var" / "bundles").rglob("*.zip"))[0]
    lost.unlink()
    made = back_up(tmp_path / "var", tmp_path / "b")
    assert list(made.lacking) == [f"bundles/acme/{lost.name}"]
    found = restore(tmp_path / "b", tmp_path / "new")
    assert found.missing == [made.lacking[f"bundles/acme/{lost.name}"]]
    assert found.archives == 1


@pytest.mark.real
def test_heads_that_are_ahead_of_the_tables_are_left_out(small, tmp_path, monkeypatch):
    """Somebody writes, and a head is signed, after the tables were read."""
    shutil.copytree(small, tmp_path / "var")
    real = backup._write_tables
    store = Store(f"sqlite:///{tmp_path}/var/hq.db")
    office = Office(tmp_path, store.url)

    def meanwhile(*arguments):
        rows = real(*arguments)
        office.write("later")
        with office.open_services() as services:
            signed_head(services, "acme", now=NOW)
        return rows

    with office.open_services() as services:
        signed_head(services, "acme", now=NOW)
    monkeypatch.setattr(backup, "_write_tables", meanwhile)
    back_up(tmp_path / "var", tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "new")
    assert len((tmp_path / "var" / "heads" / "acme.log").read_text().splitlines()) == 2
    assert len((tmp_path / "new" / "heads" / "acme.log").read_text().splitlines()) == 1
    store.close()


def test_without_a_store_nothing_is_backed_up_and_nothing_made(tmp_path):
    with pytest.raises(Unavailable, match="is gone from its place"):
        back_up(tmp_path / "var", tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_passphrase_is_refused(small, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("SVC_DATA_DIR", str(small))
    (tmp_path / "p").write_text("\n")
    with pytest.raises(SystemExit) as end:
        hq(["backup", str(tmp_path / "b"), "--passphrase-file", str(tmp_path / "p")])
    assert (end.value.code, Path(tmp_path / "b").exists()) == (2, False)
    assert "must hold a passphrase" in capfd.readouterr().err
