"""Cosignatures of witnesses: those of known ones over our heads are kept, everything else is refused."""

import base64
import struct

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.model.checkpoints import COSIGNATURE, note_key_id, read_witness_key, verifier_key
from engine.model.errors import BadRequest, Usage
from engine.runtime.heads.signed_heads import newest_signed_head, signed_head
from engine.runtime.heads.witnesses import record_cosignatures
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from tests.conftest import NOW


class Witness:
    """Somebody who cosigns as C2SP tlog-cosignature says."""

    def __init__(self, name, seed):
        self.name, self._key = name, Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.public = self._key.public_key().public_bytes_raw()
        self.vkey = verifier_key(name, COSIGNATURE, self.public)

    def line(self, note, at=1_795_161_600):
        text = note.rpartition("\n\n")[0] + "\n"
        made = self._key.sign(b"cosignature/v1\ntime %d\n%b" % (at, text.encode()))
        data = note_key_id(self.name, COSIGNATURE, self.public) + struct.pack(">Q", at) + made
        return f"\u2014 {self.name} {base64.b64encode(data).decode()}\n"


ONE, TWO, STRANGER = Witness("witness.example/w1", 1), Witness("witness.example/w2", 2), Witness("who.example", 3)


@pytest.fixture
def services(any_store, tmp_path):
    environment = {"SVC_DATA_DIR": str(tmp_path / "var"), "SVC_WITNESS_KEYS": f"{ONE.vkey}, {TWO.vkey}"}
    return Services(Settings.of(environment), any_store, None, NOW)


def event(services):
    services.store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)


def test_a_note_with_a_cosignature_is_kept_and_printed_from_then_on(services):
    head = signed_head(services, "acme", now=NOW)
    cosigned = head.note + ONE.line(head.note)
    found = record_cosignatures(services, "acme", cosigned)
    assert found.note == cosigned
    assert newest_signed_head(services, "acme") == found
    assert signed_head(services, "acme", now=NOW) == found


def test_a_line_alone_is_enough_for_whichever_head_it_is_of(services):
    head = signed_head(services, "acme", now=NOW)
    event(services)
    newer = signed_head(services, "acme", now=NOW)
    found = record_cosignatures(services, "acme", ONE.line(head.note))
    assert (found.size, found.note) == (head.size, head.note + ONE.line(head.note))
    assert newest_signed_head(services, "acme") == newer


def test_each_witness_has_one_line_the_last_that_it_gave(services):
    head = signed_head(services, "acme", now=NOW)
    record_cosignatures(services, "acme", ONE.line(head.note) + TWO.line(head.note))
    found = record_cosignatures(services, "acme", ONE.line(head.note, at=1_795_161_700))
    assert found.note == head.note + ONE.line(head.note, at=1_795_161_700) + TWO.line(head.note)


def test_what_is_no_cosignature_of_ours_is_refused(services):
    head = signed_head(services, "acme", now=NOW)
    other = head.note.replace("\n1\n", "\n2\n")
    line = ONE.line(head.note)
    for given, problem in {
        "": "holds no cosignature of a known witness",
        "hello": "has 'hello' without an end of line",
        STRANGER.line(head.note): "holds no cosignature of a known witness",
        ONE.line(other): "holds no cosignature of a known witness over a head that was signed here",
        line + STRANGER.line(head.note): "holds no cosignature",
        line[:-1]: "without an end of line among the lines of witnesses",
        line[:-2] + "\n": "has no base64",
        head.note: "has no cosignature",
        other + ONE.line(other): "is of a head that was not signed here",
        head.note + STRANGER.line(head.note): "has a line of who.example that no known witness signed over its head",
        head.note + ONE.line(other): "has a line of witness.example/w1 that no known witness",
        head.note + line + "x\n": "has no signature in the line 'x'",
    }.items():
        with pytest.raises(BadRequest, match=problem):
            record_cosignatures(services, "acme", given)
    assert newest_signed_head(services, "acme") == head


def test_without_a_known_witness_nothing_is_taken(any_store, tmp_path):
    services = Services(Settings.of({"SVC_DATA_DIR": str(tmp_path)}), any_store, None, NOW)
    head = signed_head(services, "acme", now=NOW)
    with pytest.raises(BadRequest, match="set SVC_WITNESS_KEYS"):
        record_cosignatures(services, "acme", ONE.line(head.note))


def test_the_key_of_a_witness_has_one_form():
    key = read_witness_key(ONE.vkey)
    assert (key.name, key.public) == (ONE.name, ONE.public)
    name, key_id, encoded = ONE.vkey.split("+", 2)
    log = verifier_key(ONE.name, 1, ONE.public)
    for vkey in (
        f"{name}+00000000+{encoded}",
        f"+{key_id}+{encoded}",
        f"{name}+{key_id}",
        f"{ONE.vkey}A",
        log,
        "x y+1+z",
    ):
        with pytest.raises(Usage, match="SVC_WITNESS_KEYS must be vkeys of cosignature/v1"):
            Settings.of({"SVC_WITNESS_KEYS": vkey})
