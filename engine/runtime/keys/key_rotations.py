"""One signing key after another: each rotation is a note that both keys sign, so that whoever knows one accepts both.

hq/signing-key
from K5oZ…=            32 bytes of the key until then
to Zk1b…=              32 bytes of the key from then on
at 2026-11-20T08:30:00.000000Z
<empty>
— hq/signing-key Az3g…=      by the first
— hq/signing-key jWbP…=      by the second

The file beside the key, ``signing.key.rotations``, has them in their order, an empty line between two.
"""

import base64
import fcntl
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.model.checkpoints import ED25519, NoteSignature, SignedNote, decode_base64, note_key_id, open_note, signer
from engine.model.errors import Conflict
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import sweep_abandoned
from engine.runtime.keys.private_files import write_over
from engine.runtime.keys.signing_keys import new_key, signing_key
from engine.store.types import instant_text

ORIGIN = "hq/signing-key"
_TEXT = re.compile(rf"{ORIGIN}\nfrom (\S{{44}})\nto (\S{{44}})\nat (\S{{27}})\n")


@dataclass(frozen=True)
class KeyRotation:
    """One key given up for another. ``note`` is signed by both."""

    old: bytes
    new: bytes
    at: str
    note: str


def rotations_path(key_path: Path) -> Path:
    """The file that lists the rotations of a key."""
    return key_path.with_name(key_path.name + ".rotations")


def rotations_text(key_path: Path) -> str:
    """The file as it is; empty where the key was never changed."""
    try:
        return rotations_path(key_path).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise file_problem("The list of rotations of the signing key cannot be read", error) from error


def read_rotations(text: str) -> list[KeyRotation]:
    """The rotations of a file, each signed by both of its keys. ValueError says which is not."""
    parts = text.split("\n\n") if text else []
    if len(parts) % 2:
        raise ValueError("is no list of rotations")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    last = len(parts) // 2 - 1
    return [_read(f"{body}\n\n{tail}" + ("" if place == last else "\n")) for place, (body, tail) in enumerate(pairs)]


def _read(text: str) -> KeyRotation:
    note = open_note(text)
    match = _TEXT.fullmatch(note.text)
    if match is None:
        raise ValueError("has a rotation in another than its one form")
    old, new = decode_base64(match[1]), decode_base64(match[2])
    if len(note.signatures) != 2 or any(signer(note, ORIGIN, [key]) is None for key in (old, new)):
        raise ValueError("has a rotation that its two keys did not sign")
    return KeyRotation(old, new, match[3], text)


def linked_keys(rotations: Iterable[KeyRotation], known: bytes) -> list[bytes]:
    """The keys that rotations lead to from one that is known, itself first: later ones and earlier ones."""
    every, found = list(rotations), [known]
    for key in found:  # grows as it is read
        for one in every:
            others = {one.old: one.new, one.new: one.old}
            if key in others and others[key] not in found:
                found.append(others[key])
    return found


def own_keys(key_path: Path) -> Sequence[bytes]:
    """The present key and those before it, 32 bytes each."""
    known = signing_key(key_path).public_bytes
    try:
        return linked_keys(read_rotations(rotations_text(key_path)), known)
    except ValueError as error:
        raise Conflict(f"{rotations_path(key_path)} {error}.", word="key_rotations_broken") from error


def rotate_key(key_path: Path, *, now: datetime) -> KeyRotation:
    """Make a new key and give up the old one; its private half is gone afterwards.

    The note is on the disk before the key is: a process that ends between the two leaves the old key in force.
    """
    signing_key(key_path)  # the first one is made where there is none
    with _alone(key_path.parent):
        sweep_abandoned(key_path)
        return _rotate(key_path, now)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process after another: two rotations at once would leave a key that no other leads to."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _rotate(key_path: Path, now: datetime) -> KeyRotation:
    old = signing_key(key_path)
    new, pem = new_key()
    known = rotations_text(key_path)
    own_keys(key_path)  # nothing is added to a list that does not hold
    keys = [base64.b64encode(key.public_bytes).decode() for key in (old, new)]
    text = f"{ORIGIN}\nfrom {keys[0]}\nto {keys[1]}\nat {instant_text(now)}\n"
    made = tuple(
        NoteSignature(ORIGIN, note_key_id(ORIGIN, ED25519, key.public_bytes), key.sign(text.encode()))
        for key in (old, new)
    )
    note = str(SignedNote(text, made))
    try:
        write_over(rotations_path(key_path), (f"{known}\n{note}" if known else note).encode())
        write_over(key_path, pem)
    except OSError as error:
        raise file_problem("The signing key (SVC_SIGNING_KEY_FILE) cannot be changed", error) from error
    return KeyRotation(old.public_bytes, new.public_bytes, instant_text(now), note)
