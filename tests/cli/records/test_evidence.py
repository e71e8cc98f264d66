"""``hq evidence``: files held, listed, shown, given back and checked; and what ``hq check`` finds of them."""

import hashlib
import os
import shutil

import pytest

from engine.cli import hq

DATA = b"login,left_on\nann,2026-11-20\n"
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def cli(capfdbinary, monkeypatch, tmp_path, acme_template):
    """The command line over a store with acme."""
    (tmp_path / "var").mkdir(mode=0o700)
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))

    def run(*arguments):
        code = 0
        try:
            hq([str(part) for part in arguments])
        except SystemExit as end:
            code = end.code or 0
        out = capfdbinary.readouterr()
        return code, out.out.decode(), out.err.decode()

    return run


@pytest.fixture
def leavers(tmp_path):
    path = tmp_path / "leavers.csv"
    path.write_bytes(DATA)
    return path


def files_of(tmp_path):
    return [path for path in (tmp_path / "var" / "evidence").rglob("*") if path.is_file()]


@pytest.mark.real
def test_a_file_is_held_once_listed_shown_and_given_back(cli, leavers, tmp_path):
    code, out, _ = cli(
        *("evidence", "add", leavers, "--control", "soc2:CC6.2", "--control", "ISO 27001:A 5.18"),
        *("--source", "directory", "--owner", "Ann@acme.example", "--captured-at", "2026-11-20", "--title", "Leavers"),
    )
    identifier = out.split("\t")[0]
    assert (code, out) == (0, f"{identifier}\t{SHA}\t{len(DATA)} bytes\tLeavers\n")
    assert [path.name for path in files_of(tmp_path)] == [SHA]
    assert cli("evidence", "add", leavers, "--control", "soc2:CC6.1")[0] == 0
    assert [path.name for path in files_of(tmp_path)] == [SHA]
    listed = cli("evidence", "list", "--control", "soc2:CC6.2")[1]
    assert listed.split("\t") == [identifier, "held", "2026-11-20", "iso27001:A.5.18; soc2:CC6.2", "Leavers\n"]
    shown = cli("evidence", "show", identifier)[1].splitlines()
    assert {"state: held", "owner: ann@acme.example", f"held_bytes: {len(DATA)}", "control: soc2:CC6.2"} <= set(shown)
    assert cli("evidence", "get", identifier)[:2] == (0, DATA.decode())
    assert cli("evidence", "get", identifier, "--out", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == DATA
    assert cli("evidence", "check")[:2] == (0, "acme: 2 of 2 held items are whole, 0 otherwise than before\n")
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_bytes_that_changed_are_no_evidence_and_said_so_everywhere(cli, leavers, tmp_path):
    identifier = cli("evidence", "add", leavers, "--control", "soc2:CC6.2")[1].split("\t")[0]
    (path,) = files_of(tmp_path)
    path.write_bytes(DATA.replace(b"ann", b"bob"))
    code, out, _ = cli("check")
    assert (code, f"evidence: The bytes of evidence item {identifier} of acme are changed ({SHA})" in out) == (1, True)
    code, out, _ = cli("evidence", "check")
    assert code == 1
    assert out.splitlines() == [
        f"{identifier}\tchanged\t{SHA}\tleavers.csv",
        "acme: 0 of 1 held items are whole, 1 otherwise than before",
    ]
    assert "0 otherwise than before" in cli("evidence", "check")[1]
    code, out, err = cli("evidence", "get", identifier)
    assert (code, out, "they are no evidence" in err) == (1, "", True)
    assert "\tchanged: no evidence\t" in cli("evidence", "list")[1]
    path.write_bytes(DATA)
    assert "1 of 1 held items are whole, 1 otherwise than before" in cli("evidence", "check")[1]
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_what_no_item_names_is_counted_and_swept_after_a_day(cli, leavers, tmp_path):
    cli("evidence", "add", leavers, "--control", "soc2:CC6.2")
    (path,) = files_of(tmp_path)
    stray = path.with_name("ab" * 32)
    stray.write_bytes(b"stray")
    stray.chmod(0o600)
    assert "1 files (5 bytes) are named by no item: swept after a day" in cli("evidence", "check")[1]
    assert cli("check")[0] == 0
    os.utime(stray, (0, 0))
    assert "1 files of evidence (5 bytes) are named by no item" in cli("check")[1]
    assert "1 files (5 bytes) that no item named were swept" in cli("evidence", "check")[1]
    assert files_of(tmp_path) == [path]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("{file}", "--control", "soc2"), "--control must be FRAMEWORK:CONTROL such as soc2:CC6.2; got 'soc2'."),
        (("{file}", "--control", "soc3:CC6.1"), "there is no framework 'soc3'"),
        (("{file}", "--control", "soc2:CC66.1"), "must name a control of soc2"),
        (("{file}", "--control", "soc2:CC6.1", "--request", "r"), "There is no evidence request 'r' of acme."),
        (("{file}", "--control", "soc2:CC6.1", "--captured-at", "yesterday"), "a day or a moment such as"),
        (("{file}", "--control", "soc2:CC6.1", "--captured-at", "2199-01-01"), "must not be in the future"),
        (("{file}", "--control", "soc2:CC6.1", "--about", "ann"), "--about must be an e-mail address; got 'ann'."),
        (("{file}", "{file}", "--control", "soc2:CC6.1", "--title", "x"), "--title names one file, and there are 2"),
        (("/dev/null", "--control", "soc2:CC6.1"), "/dev/null is a device"),
        (("/none/at/all", "--control", "soc2:CC6.1"), "/none/at/all does not exist."),
        (("{file}",), "Missing option '--control'"),
    ],
)
def test_what_cannot_be_held_is_a_sentence_and_leaves_nothing(cli, leavers, tmp_path, arguments, sentence):
    code, out, err = cli("evidence", "add", *(text.replace("{file}", str(leavers)) for text in arguments))
    assert (code, out) == (2, "")
    assert sentence in err
    assert files_of(tmp_path) == []
    assert cli("evidence", "list")[1] == ""


def test_limits_are_sentences(cli, leavers, tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_EVIDENCE_MAX_BYTES", "10")
    code, _, err = cli("evidence", "add", leavers, "--control", "soc2:CC6.1")
    assert (code, "more than 10 bytes" in err, "SVC_EVIDENCE_MAX_BYTES" in err) == (2, True, True)
    monkeypatch.delenv("SVC_EVIDENCE_MAX_BYTES")
    monkeypatch.setenv("SVC_EVIDENCE_QUOTA", "10")
    code, _, err = cli("evidence", "add", leavers, "--control", "soc2:CC6.1")
    assert (code, "of the 10 that acme may hold 0 are used" in err, "SVC_EVIDENCE_QUOTA" in err) == (2, True, True)
    assert files_of(tmp_path) == []


def test_an_item_that_is_not_there_or_not_held_is_a_sentence(cli):
    assert cli("evidence", "show", "none")[0] == 2
    assert cli("evidence", "get", "none")[0] == 2


@pytest.mark.real
def test_a_backup_holds_the_files_and_a_restore_brings_them_back(cli, leavers, tmp_path, monkeypatch):
    identifier = cli("evidence", "add", leavers, "--control", "soc2:CC6.2")[1].split("\t")[0]
    code, out, _ = cli("backup", tmp_path / "backup.zip")
    assert (code, "1 files of evidence" in out) == (0, True)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.setenv("SVC_EVIDENCE_URL", str(tmp_path / "held"))
    code, out, _ = cli("restore", tmp_path / "backup.zip")
    assert (code, "1 files of evidence, as of" in out) == (0, True)
    assert (tmp_path / "held" / "acme" / SHA[:2] / SHA).read_bytes() == DATA
    assert cli("evidence", "get", identifier)[:2] == (0, DATA.decode())
    assert cli("check")[0] == 0


@pytest.mark.real
def test_what_a_backup_lacks_is_said_and_restored_without(cli, leavers, tmp_path, monkeypatch):
    cli("evidence", "add", leavers, "--control", "soc2:CC6.2")
    (path,) = files_of(tmp_path)
    path.write_bytes(b"changed")
    code, out, _ = cli("backup", tmp_path / "backup.zip")
    assert (code, f"lacking: of acme, the bytes under {SHA} are not those" in out) == (1, True)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "new"))
    code, out, _ = cli("restore", tmp_path / "backup.zip")
    assert (code, "missing: of acme, the bytes under" in out) == (0, True)
    assert cli("evidence", "check")[1].split("\t")[1] == "missing"


@pytest.mark.real
def test_erasing_a_person_removes_what_is_about_them_or_names_them(cli, tmp_path):
    def add(name, data, *options):
        (tmp_path / name).write_bytes(data)
        return cli("evidence", "add", tmp_path / name, "--control", "soc2:CC6.2", *options)[1].split("\t")[0]

    about = add("photo.png", b"picture", "--about", "ann@acme.example", "--owner", "bob@acme.example")
    owned = add("note.txt", b"note", "--owner", "ann@acme.example")
    naming = add("people.csv", b"email\nAnn@Acme.example\n", "--owner", "bob@acme.example")
    other = add("other.csv", b"email\nbob@acme.example\n", "--owner", "bob@acme.example")
    code, out, _ = cli("erase", "--person", "ann@acme.example", "--dry-run")
    lines = [line for line in out.splitlines() if line.startswith("would be removed: ")]
    assert (code, len(lines), len(files_of(tmp_path))) == (0, 3, 4)
    assert any(naming in line and "contains the address" in line for line in lines)
    code, out, _ = cli("erase", "--person", "ann@acme.example")
    assert (code, out.count("removed: the bytes of evidence item")) == (0, 3)
    assert [path.read_bytes() for path in files_of(tmp_path)] == [b"email\nbob@acme.example\n"]
    for identifier in (about, owned, naming):
        code, _, err = cli("evidence", "get", identifier)
        assert (code, "were erased on" in err, "their SHA-256 was" in err) == (1, True, True)
    assert "\ttold (erased)\t" in cli("evidence", "list")[1]
    assert cli("evidence", "get", other)[0] == 0
    assert cli("evidence", "check")[0] == 0
    assert cli("verify", "--org", "acme")[0] == 0
