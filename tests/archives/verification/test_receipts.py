"""A receipt proves one event to whoever has Python and the key's fingerprint, and every change of it is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.archives.verification import verify
from engine.archives.verification.receipts import receipt
from engine.cli import hq
from engine.model.errors import Conflict, NotFound
from engine.runtime.heads.signed_heads import newest_signed_head, signed_head
from engine.runtime.keys.key_rotations import rotate_key
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow
from engine.store.schema.audit import audit_log, event_tiles
from engine.store.schema.organizations import memberships
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.laws import examples


@pytest.fixture
def services(any_store, tmp_path):
    return Services(Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")}), any_store, None, NOW)


def write(services, count):
    with services.store.revision("acme", "ann", now=NOW) as revision:
        start = revision.start[0]
        revision.append_events(
            EventRow(f"e-{start + n}", NOW, "änn", "login.done", details='{"a":"\\n\\n"}') for n in range(count)
        )


def check_receipt(tmp_path, text, folder=None):
    """What the script says of a receipt, as somebody runs it who has nothing of ours: exit code and output."""
    path = tmp_path / "receipt.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    script = Path(verify.__file__) if folder is None else folder / "verify.py"
    done = subprocess.run([sys.executable, "-I", script, path], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_receipt_is_checked_without_us(services, tmp_path):
    write(services, 300)
    text = receipt(services, "acme", "e-77", now=NOW)
    head = newest_signed_head(services, "acme")
    assert text.endswith(f"\n\n{head.note}")
    assert len(text) < 1500
    key = signing_key(services.settings.signing_key_path).id
    assert check_receipt(tmp_path, text) == (
        0,
        "ok: event 78 of acme is under the signed head of 301 events\n"
        "    e-77: login.done by änn, recorded 2026-11-20T08:30:00.000000Z\n"
        f"signed with the key {key}: compare it with the one that acme gave you\n",
    )


def test_the_command_checks_a_receipt_as_the_script_does_and_opens_no_store(services, tmp_path, capfd, monkeypatch):
    write(services, 3)
    text, key = receipt(services, "acme", "e-1", now=NOW), signing_key(services.settings.signing_key_path).id
    expected, path = check_receipt(tmp_path, text)[1], tmp_path / "receipt.txt"
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "untouched"))

    def run(*options):
        code = 0
        try:
            hq(["verify", str(path), *options])
        except SystemExit as end:
            code = end.code
        return code, capfd.readouterr().out

    assert run() == run("--key", key[:16]) == (0, expected)
    other = "0" * 16
    assert run("--key", other) == (
        1,
        f"{expected}broken: receipt.txt: is signed with the key {key}, not with {other}\n",
    )
    path.write_text(text.replace("login", "logon"))
    assert run() == (1, "broken: receipt.txt: its event does not match its hash\n")
    assert not (tmp_path / "untouched").exists()


def test_every_event_of_a_small_history_has_its_receipt(services, tmp_path, capsys):
    with services.store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("member.added")  # commits to the row
    write(services, 3)
    path = tmp_path / "receipt.txt"
    for seq, event_id in enumerate(["hq:1", "hq:2", "e-2", "e-3", "e-4"], 1):
        path.write_text(receipt(services, "acme", event_id, now=NOW))
        verify.check_receipt(path, tmp_path)
        assert capsys.readouterr().out.startswith(f"ok: event {seq} of acme is under the signed head of 5 events\n")
    assert '"changes":"' in receipt(services, "acme", "hq:2", now=NOW)


def test_an_event_above_the_last_signed_head_has_one_signed(services):
    write(services, 3)
    first = signed_head(services, "acme", now=NOW)
    write(services, 3)
    assert receipt(services, "acme", "e-2", now=NOW).endswith(first.note)
    assert newest_signed_head(services, "acme") == first
    receipt(services, "acme", "e-5", now=NOW)
    assert newest_signed_head(services, "acme").size == 7


def test_an_event_that_is_not_there_has_none(services):
    with pytest.raises(NotFound, match="There is no event 'e-9' of acme"):
        receipt(services, "acme", "e-9", now=NOW)


def test_an_event_that_was_rewritten_has_none(services):
    write(services, 3)
    signed_head(services, "acme", now=NOW)
    with raw_transaction(services.store) as connection:
        connection.execute(audit_log.update().where(audit_log.c.seq == 2).values(actor="eve", hash="1" * 64))
    with pytest.raises(Conflict, match="Event 2 of acme is not the one under the signed head of 4 events"):
        receipt(services, "acme", "e-1", now=NOW)
    with raw_transaction(services.store) as connection:
        connection.execute(event_tiles.update().values(hashes=b"x" * 128))
    with pytest.raises(Conflict, match="Event 3 of acme is not the one"):
        receipt(services, "acme", "e-2", now=NOW)


def test_the_archive_beside_the_script_says_whose_key_it_is(services, tmp_path):
    write(services, 3)
    folder = tmp_path / "archive"
    folder.mkdir()
    shutil.copy(verify.__file__, folder / "verify.py")
    path = services.settings.signing_key_path
    old = signing_key(path)
    (folder / "signing_key.pem").write_bytes(old.public_pem)
    code, said = check_receipt(tmp_path, receipt(services, "acme", "e-1", now=NOW), folder)
    assert (code, said.splitlines()[-1]) == (
        0,
        f"signed with the key {old.id}: that of this archive, or one that it leads to",
    )
    for _ in range(2):
        rotate_key(path, now=NOW)
    write(services, 1)
    text = receipt(services, "acme", "e-4", now=NOW)
    new = signing_key(path)
    assert text.count("hq/signing-key\n") == 2
    code, said = check_receipt(tmp_path, text, folder)
    assert (code, said.splitlines()[-1]) == (
        0,
        f"signed with the key {new.id}: that of this archive, or one that it leads to",
    )
    alone = "\n\n".join(text.split("\n\n")[:3]) + "\n"  # without the rotations
    assert check_receipt(tmp_path, alone, folder)[0] == 1
    (folder / "signing_key.pem").write_bytes(signing_key(tmp_path / "other.key").public_pem)
    code, said = check_receipt(tmp_path, text, folder)
    assert (code, said.splitlines()[-1]) == (
        1,
        f"broken: receipt.txt: is signed with the key {new.id}, which is not that of this archive",
    )


@pytest.fixture(scope="module")
def receipt_folder(acme_template, tmp_path_factory):
    """A receipt with rotations after it, in a folder of its own."""
    from engine.store import Store

    folder = tmp_path_factory.mktemp("receipt")
    shutil.copy(acme_template, folder / "hq.db")
    store = Store(f"sqlite:///{folder}/hq.db")
    services = Services(Settings.of({"SVC_DATA_DIR": str(folder / "var")}), store, None, NOW)
    write(services, 20)
    rotate_key(services.settings.signing_key_path, now=NOW)
    text = receipt(services, "acme", "e-7", now=NOW)
    store.close()
    return folder, text.encode()


def is_accepted(folder, data):
    path = folder / "receipt.txt"
    path.write_bytes(data)
    try:
        verify.check_receipt(path, folder)
    except verify.Broken as broken:
        print(f"broken: {broken}")
        return False
    return True


@pytest.mark.real
@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_change_of_one_byte_is_found(receipt_folder, data):
    folder, text = receipt_folder
    place = data.draw(st.integers(0, len(text) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != text[place]))
    assert is_accepted(folder, text)
    assert not is_accepted(folder, text[:place] + bytes([byte]) + text[place + 1 :])


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_byte_more_or_less_is_found(receipt_folder, data):
    folder, text = receipt_folder
    place = data.draw(st.integers(0, len(text) - 1))
    more = data.draw(st.binary(max_size=2))
    changed = text[:place] + more + text[place + (0 if more else 1) :]
    assert changed == text or not is_accepted(folder, changed)


@pytest.mark.parametrize("lines", [1, 2, 3, 5])
def test_lines_that_are_missing_are_found(receipt_folder, lines):
    folder, text = receipt_folder
    every = text.split(b"\n")
    assert not is_accepted(folder, b"\n".join(every[:-lines]))
    assert not is_accepted(folder, b"\n".join(every[lines:]))


def test_a_file_that_is_none_is_no_receipt(receipt_folder, capsys):
    folder, _ = receipt_folder
    for data in (b"", b"hq-receipt/v1\n", b"\xff\xfe", b"hq-receipt/v1\n\n\n\n\n"):
        assert not is_accepted(folder, data)
        assert capsys.readouterr().out.startswith("broken: receipt.txt: ")
