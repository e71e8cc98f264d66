"""Heads of a tree as signed notes: C2SP ``signed-note``, ``tlog-checkpoint`` and ``tlog-cosignature``.

hq/acme                                                            origin
812                                                                events in the tree
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=                       its root
chain 5d1c…                                                        hash of event 812: an extension line
<empty>
— hq/acme Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4U…     name, base64 of key id and signature

What is read is taken in this one form alone: any other spelling of the same head is refused.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

ORIGIN = "hq/"
ED25519, COSIGNATURE = 0x01, 0x04  # types of signatures (signed-note, tlog-cosignature)
MOST_SIGNATURES = 64
MOST_BYTES = 100_000
_DASH = "\N{EM DASH} "
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_CHAIN = re.compile(r"chain ([0-9a-f]{64})")


@dataclass(frozen=True)
class Checkpoint:
    """The head of an organization's events: how many, the root of their tree, the chain's hash of the last one."""

    origin: str
    size: int
    root: bytes
    chain: str

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\nchain {self.chain}\n"


@dataclass(frozen=True)
class NoteSignature:
    """A signature line: who signed, by name and the first bytes of a hash of the key, and what was made."""

    name: str
    key_id: bytes
    signature: bytes

    def line(self) -> str:
        """The line as it stands in a note."""
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + self.signature).decode()}\n"


@dataclass(frozen=True)
class SignedNote:
    """A text and the signatures under it, none of them checked."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(one.line() for one in self.signatures)


def origin_of(org_id: str) -> str:
    """The name of an organization's tree, and of the key that signs its heads."""
    return ORIGIN + org_id


def note_key_id(name: str, kind: int, public: bytes) -> bytes:
    """The four bytes by which a note names a key: ``kind`` of signature, 32 bytes of the public key."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def open_note(note: str) -> SignedNote:
    """The parts of a signed note; ValueError says what is wrong with it."""
    if len(note.encode()) > MOST_BYTES:
        raise ValueError(f"is longer than {MOST_BYTES:,} bytes")
    if any(ord(character) < 32 and character != "\n" for character in note):
        raise ValueError("has a control character")
    text, separator, tail = note.rpartition("\n\n")
    if not separator or not text or not tail.endswith("\n"):
        raise ValueError("is no signed note: expected a text, an empty line, and lines of signatures")
    lines = tail[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise ValueError(f"has {len(lines)} signatures; at most {MOST_SIGNATURES} are read")
    return SignedNote(text + "\n", tuple(read_signature(line) for line in lines))


def read_signature(line: str) -> NoteSignature:
    """A signature line without its end; ValueError."""
    name, separator, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not separator or not _is_name(name):
        raise ValueError(f"has no signature in the line {line[:80]!r}")
    data = decode_base64(encoded)
    if len(data) < 5:
        raise ValueError(f"has a signature of {len(data)} bytes")
    return NoteSignature(name, data[:4], data[4:])


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(character.isspace() for character in name)


def decode_base64(encoded: str) -> bytes:
    """The bytes of base64 in its one form; ValueError."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"has no base64 in {encoded[:60]!r}") from error
    if base64.b64encode(data).decode() != encoded:
        raise ValueError(f"has base64 in another than its one form: {encoded[:60]!r}")
    return data


def read_checkpoint(text: str) -> Checkpoint:
    """The head that the text of a note states; ValueError says what is wrong with it."""
    lines = text.split("\n")
    if len(lines) != 5 or lines[4]:
        raise ValueError("is no head: expected the lines origin, size, root and chain")
    origin, size, root, chain = lines[:4]
    match = _CHAIN.fullmatch(chain)
    if not origin.startswith(ORIGIN) or not _is_name(origin) or not _SIZE.fullmatch(size) or match is None:
        raise ValueError("is no head: expected hq/<organization>, a number, a root, and chain with 64 hex digits")
    digest = decode_base64(root)
    if len(digest) != 32:
        raise ValueError(f"has a root of {len(digest)} bytes, expected 32")
    return Checkpoint(origin, int(size), digest, match[1])


def signer(note: SignedNote, name: str, keys: Sequence[bytes]) -> bytes | None:
    """The first of the public ``keys`` (32 bytes each) whose Ed25519 signature under ``name`` holds; None without one.

    ValueError where a line names one of the keys and its signature does not hold: such a note is refused whole.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for public in keys:
        for one in note.signatures:
            if (one.name, one.key_id) != (name, note_key_id(name, ED25519, public)):
                continue
            try:
                Ed25519PublicKey.from_public_bytes(public).verify(one.signature, note.text.encode())
            except InvalidSignature as error:
                raise ValueError(f"the signature of {name} does not hold") from error
            return public
    return None


# -- witnesses ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WitnessKey:
    """Who signs that it saw a head: a name and 32 bytes of an Ed25519 key."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """How its signatures name it."""
        return note_key_id(self.name, COSIGNATURE, self.public)


def verifier_key(name: str, kind: int, public: bytes) -> str:
    """A public key as ``vkey``: name, key id in hex, base64 of the kind of signature and the key."""
    encoded = base64.b64encode(bytes([kind]) + public).decode()
    return f"{name}+{note_key_id(name, kind, public).hex()}+{encoded}"


def read_witness_key(vkey: str) -> WitnessKey:
    """The key of a witness; ValueError for what is no ``vkey`` of an Ed25519 cosigner."""
    name, _, rest = vkey.partition("+")
    key_id, separator, encoded = rest.partition("+")
    if not _is_name(name) or not separator:
        raise ValueError("is no vkey: expected <name>+<key id>+<base64>")
    data = decode_base64(encoded)
    if len(data) != 33 or data[0] != COSIGNATURE:
        raise ValueError("is no key of cosignature/v1: expected the byte 4 and the 32 bytes of an Ed25519 key")
    witness_key = WitnessKey(name, data[1:])
    if witness_key.key_id.hex() != key_id:
        raise ValueError(f"has the key id {key_id[:20]!r}, expected {witness_key.key_id.hex()}")
    return witness_key


def cosigned_at(text: str, one: NoteSignature, witness: WitnessKey) -> int | None:
    """When a witness signed that it saw the head of this text, in seconds since 1970; None where it did not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if (one.name, one.key_id) != (witness.name, witness.key_id) or len(one.signature) != 72:
        return None
    at = int.from_bytes(one.signature[:8], "big")
    message = f"cosignature/v1\ntime {at}\n{text}".encode()
    try:
        Ed25519PublicKey.from_public_bytes(witness.public).verify(one.signature[8:], message)
    except InvalidSignature:
        return None
    return at if at < 1 << 63 else None
