"""``hq heads``, ``hq prove``, ``hq keys`` and what ``hq verify --org`` and ``hq export`` have of heads."""

import base64
import shutil
import sqlite3
import subprocess
import sys

import pytest
from sqlalchemy import delete

from engine.archives.verification import verify as script
from engine.cli import hq
from engine.model.checkpoints import open_note, read_checkpoint
from engine.store import Store
from engine.store.schema.audit import audit_log
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.runtime.heads.test_witnesses import ONE


@pytest.fixture
def cli(capfd, monkeypatch, tmp_path, acme_template):
    """The command line over a store with acme, in which one event happened."""
    (tmp_path / "var").mkdir()
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))

    def run(*arguments):
        code = 0
        try:
            hq([str(part) for part in arguments])
        except SystemExit as end:
            code = end.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    return run


def event(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'var' / 'hq.db'}")
    store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)
    store.close()


def test_heads_prints_a_checkpoint_and_signs_where_something_happened(cli, tmp_path):
    code, first, _ = cli("heads")
    assert (code, read_checkpoint(open_note(first).text).size) == (0, 1)
    assert cli("heads", "--org", "acme") == (0, first, "")
    event(tmp_path)
    _, second, _ = cli("heads")
    assert read_checkpoint(open_note(second).text).size == 2
    assert (tmp_path / "var" / "heads" / "acme.log").read_text().count("\n") == 2
    assert cli("heads", "--org", "globex")[0] == 2


def test_a_witness_is_asked_and_its_answer_kept(cli, tmp_path, monkeypatch):
    cli("heads")
    for _ in range(2):
        event(tmp_path)
    monkeypatch.setenv("SVC_WITNESS_KEYS", ONE.vkey)
    code, asked, _ = cli("heads", "--old", "1")
    first, *proof, gap = asked.partition("hq/acme\n")[0].split("\n")[:-1]
    note = asked[asked.index("hq/acme\n") :]
    assert (code, first, [len(base64.b64decode(step)) for step in proof], gap) == (0, "old 1", [32, 32], "")
    (tmp_path / "answer.txt").write_text(ONE.line(note))
    assert cli("heads", "--witness", tmp_path / "answer.txt") == (0, note + ONE.line(note), "")
    assert cli("heads")[1] == note + ONE.line(note)
    (tmp_path / "answer.txt").write_text(ONE.line(note.replace("\n3\n", "\n4\n")))
    code, _, err = cli("heads", "--witness", tmp_path / "answer.txt")
    assert (code, "The cosignature is refused: it holds no cosignature of a known witness" in err) == (2, True)
    assert cli("heads", "--old", "9")[0] == 2


def test_the_head_of_the_installation_is_printed_asked_about_and_cosigned(cli, tmp_path, monkeypatch):
    code, first, _ = cli("heads", "--all")
    head = read_checkpoint(open_note(first).text)
    assert (code, head.origin, head.size) == (0, "hq/*", 1)
    event(tmp_path)
    monkeypatch.setenv("SVC_WITNESS_KEYS", ONE.vkey)
    code, asked, _ = cli("heads", "--all", "--old", "1")
    old, step, gap, *_ = asked.split("\n")
    note = asked[asked.index("hq/*\n") :]
    assert (code, old, len(base64.b64decode(step)), gap) == (0, "old 1", 32, "")
    (tmp_path / "answer.txt").write_text(ONE.line(note))
    for _ in range(2):
        assert cli("heads", "--all", "--witness", tmp_path / "answer.txt") == (0, note + ONE.line(note), "")
    code, proof, _ = cli("heads", "--all", "--org", "acme")
    assert (code, proof.startswith("hq-installation/v1\n"), proof.endswith(note + ONE.line(note))) == (0, True, True)
    refused = {"--old": "nobody can have seen 9", "--org": "leave out --witness", "--stamp": "is not stamped"}
    for option, value in {"--old": "9", "--org": "acme", "--stamp": tmp_path / "stamp"}.items():
        further = ("--old", "1") if option == "--org" else ()
        code, out, err = cli("heads", "--all", option, value, *further)
        assert (code, out, refused[option] in err) == (2, "", True)


def test_a_head_without_a_stamp_has_none_to_write(cli, tmp_path):
    code, _, err = cli("heads", "--stamp", tmp_path / "head.tsr")
    assert (code, "set SVC_TIMESTAMP_URL" in err) == (2, True)


def test_a_receipt_is_printed_that_the_script_checks(cli, tmp_path):
    code, out, _ = cli("prove", "hq:1")
    assert code == 0
    (tmp_path / "receipt.txt").write_text(out)
    done = subprocess.run(
        [sys.executable, "-I", script.__file__, tmp_path / "receipt.txt"], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.startswith(b"ok: event 1 of acme is under the signed head of 1 events")) == (
        0,
        True,
    )
    code, _, err = cli("prove", "hq:9")
    assert (code, err) == (2, "hq: There is no event 'hq:9' of acme.\n")


@pytest.mark.real
def test_keys_are_listed_and_changed(cli):
    code, out, _ = cli("keys", "--org", "acme")
    key, whole, vkey = out.splitlines()
    assert (code, key.startswith("signing key "), vkey.startswith("of heads hq/acme+")) == (0, True, True)
    assert whole.startswith("of the installation hq/*+")
    cli("heads")
    code, out, _ = cli("keys", "--rotate")
    new, old, _ = out.splitlines()
    assert (code, old, new != key) == (0, f"before that {key.removeprefix('signing key ')}", True)
    assert cli("verify", "--org", "acme")[0] == 0
    assert cli("verify", "--org", "platform")[0] == 0


@pytest.mark.real
def test_verify_speaks_of_the_heads_that_left(cli, tmp_path):
    event(tmp_path)
    cli("heads")
    code, out, _ = cli("verify", "--org", "acme")
    assert (code, out.splitlines()[1]) == (0, "2 heads that were signed or left with something lie on the chain")
    (tmp_path / "var" / "signing.key").unlink()
    assert (
        cli("verify", "--org", "acme")[1]
        .splitlines()[1]
        .endswith("; their signatures were not checked: there is no signing key here")
    )
    (tmp_path / "var" / "signing.key").write_text("nonsense")
    assert cli("verify", "--org", "acme")[:2] == (
        1,
        "broken: acme: SVC_SIGNING_KEY_FILE must hold an unencrypted private key in PEM; "
        f"{tmp_path / 'var' / 'signing.key'} does not.\n",
    )
    (tmp_path / "var" / "signing.key").unlink()
    store = Store(f"sqlite:///{tmp_path / 'var' / 'hq.db'}")
    with raw_transaction(store) as connection:
        connection.execute(delete(audit_log).where(audit_log.c.seq == 2))
        connection.exec_driver_sql(
            "UPDATE heads SET last_seq = 1, hash = (SELECT hash FROM audit_log WHERE seq = 1) WHERE org_id = 'acme'"
        )
    store.close()
    assert cli("verify", "--org", "acme")[:2] == (
        1,
        "broken: acme: the tree holds 2 events, and the chain ends at 1: its tail was cut off\n"
        "broken: acme: line 1 of heads/acme.log is of event 2, and the chain ends at 1: its tail was cut off\n"
        "broken: acme: the signed head of 2 events is of event 2, and the chain ends at 1: its tail was cut off\n",
    )


@pytest.mark.real
@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM heads WHERE org_id = 'acme'", "the head of its chain is missing"),
        ("DELETE FROM organizations WHERE id = 'acme'", "its row in organizations is missing"),
        (
            "UPDATE audit_log SET changes = X'6162' WHERE org_id = 'acme'",
            "audit_log [\"hq:1\"] has in changes what is none of it: expected a text, found the blob 'ab'",
        ),
        (
            "UPDATE audit_log SET actor = CAST(X'ff' AS TEXT) WHERE org_id = 'acme'",
            "audit_log [\"hq:1\"] has in actor what is none of it: expected UTF-8, found the text '\\\\xff'",
        ),
        (
            "UPDATE organizations SET plan = 'enterprise' WHERE id = 'acme'",
            "organizations [] differs in plan: logged 'free', found 'enterprise'; revision 1 wrote it last",
        ),
    ],
)
def test_verify_names_what_was_changed_whatever_it_was_changed_to(cli, tmp_path, statement, problem):
    with sqlite3.connect(tmp_path / "var" / "hq.db") as connection:
        connection.execute(statement)
    connection.close()
    code, out, _ = cli("verify", "--org", "acme")
    assert (code, out) == (1, f"broken: acme: {problem}\n")
    assert cli("verify", "--org", "globex")[0] == 2
