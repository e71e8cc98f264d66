"""Signed notes: the one form of each, and everything else refused."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from engine.model.checkpoints import (
    ED25519,
    Checkpoint,
    NoteSignature,
    SignedNote,
    note_key_id,
    open_note,
    read_checkpoint,
    signer,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
HEAD = Checkpoint("hq/acme", 812, bytes(range(32)), "5d" * 32)
TEXT = f"hq/acme\n812\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\nchain {'5d' * 32}\n"


def signature(text=TEXT, name="hq/acme"):
    return NoteSignature(name, note_key_id(name, ED25519, PUBLIC), KEY.sign(text.encode()))


NOTE = str(SignedNote(TEXT, (signature(),)))


def test_a_head_has_one_form():
    assert HEAD.text() == TEXT
    assert read_checkpoint(TEXT) == HEAD
    assert NOTE.startswith(TEXT + "\n\u2014 hq/acme ")
    assert open_note(NOTE) == SignedNote(TEXT, (signature(),))
    assert str(open_note(NOTE)) == NOTE


def test_the_examples_of_the_specifications_are_read():
    """C2SP signed-note and tlog-cosignature have these."""
    note = (
        "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned \u00e8 subito sera.\n\n"
        "\u2014 quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihA"
        "QwaqP3ZekRwNtIc=\n"
    )
    signed_note = open_note(note)
    assert signed_note.text == note.rpartition("\n\n")[0] + "\n"
    assert [(one.name, one.key_id.hex(), len(one.signature)) for one in signed_note.signatures] == [
        ("quasimodo.example/salvatore", "367ba04b", 64)
    ]
    assert str(signed_note) == note


def test_the_key_id_is_that_of_the_specification():
    """The Go checksum database's key, as everybody has it: sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8."""
    data = base64.b64decode("Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")
    assert note_key_id("sum.golang.org", data[0], data[1:]).hex() == "033de0ae"


def test_who_signed_is_said_and_other_keys_are_passed_over():
    note = open_note(NOTE)
    assert signer(note, "hq/acme", [OTHER, PUBLIC]) == PUBLIC
    assert signer(note, "hq/acme", [OTHER]) is None
    assert signer(note, "hq/globex", [PUBLIC]) is None
    wrong = SignedNote(note.text.replace("812", "813"), note.signatures)
    with pytest.raises(ValueError, match="the signature of hq/acme does not hold"):
        signer(wrong, "hq/acme", [PUBLIC])


@pytest.mark.parametrize(
    ("note", "problem"),
    {
        "no signatures": (TEXT, "is no signed note"),
        "nothing": ("", "is no signed note"),
        "no end": (NOTE[:-1], "is no signed note"),
        "a line more": (NOTE + "\n", "is no signed note"),
        "carriage returns": (NOTE.replace("\n", "\r\n"), "has a control character"),
        "another dash": (NOTE.replace("\u2014", "-"), "has no signature in the line"),
        "no name": (NOTE.replace("\u2014 hq/acme ", "\u2014  "), "has no signature in the line"),
        "a plus in the name": (NOTE.replace("\u2014 hq/acme", "\u2014 hq+acme"), "has no signature in the line"),
        "two spaces": (NOTE.replace("\u2014 hq/acme ", "\u2014 hq/acme  "), "has no base64"),
        "base64 that goes on": (NOTE[:-1] + "A\n", "has no base64"),
        "a short signature": (NOTE[: NOTE.rindex(" ")] + " AAAAAA==\n", "has a signature of 4 bytes"),
        "many": (NOTE + signature().line() * 64, "has 65 signatures"),
        "long": ("x" * 100_001, "is longer"),
    }.values(),
)
def test_what_is_no_signed_note_is_refused(note, problem):
    with pytest.raises(ValueError, match=problem):
        open_note(note)


def test_base64_has_one_form():
    """The last digit of the root carries bits that say nothing: they must be zeros."""
    with pytest.raises(ValueError, match="another than its one form"):
        read_checkpoint(TEXT.replace("Hh8=", "Hh9="))


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT[:-1],
        TEXT + "\n",
        TEXT + "more\n",
        TEXT.replace("hq/acme", "acme"),
        TEXT.replace("hq/acme", "hq/ac me"),
        TEXT.replace("812", "0812"),
        TEXT.replace("812", "+812"),
        TEXT.replace("812", "\u0661"),
        TEXT.replace("812", "1" * 20),
        TEXT.replace("chain 5d", "chain 5D"),
        TEXT.replace("chain 5d", "chain  5d"),
        TEXT.replace("AAEC", "AA EC"),
        TEXT.replace("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "AAEC"),
    ],
)
def test_what_is_no_head_is_refused(text):
    with pytest.raises(ValueError, match=r"^(is|has) "):
        read_checkpoint(text)


@given(st.integers(0, len(NOTE) - 1), st.characters(codec="utf-8"))
def test_a_note_with_one_character_changed_is_refused_or_nobodys(place, character):
    changed = NOTE[:place] + character + NOTE[place + 1 :]
    try:
        note = open_note(changed)
        content = signer(note, "hq/acme", [PUBLIC])
    except ValueError:
        return
    assert content is None or changed == NOTE
