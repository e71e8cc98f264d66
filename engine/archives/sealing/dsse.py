"""Signed envelopes after DSSE v1.0 (secure-systems-lab/dsse), with Ed25519 (RFC 8032)."""

import base64
import binascii
from dataclasses import dataclass

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.runtime.keys.signing_keys import SigningKey
from engine.store.types import canonical_json

IN_TOTO = "application/vnd.in-toto+json"


class Signature(msgspec.Struct, frozen=True):
    """One signature of an envelope; ``sig`` is base64."""

    keyid: str
    sig: str


class EnvelopeFile(msgspec.Struct, frozen=True, rename="camel"):
    """An envelope as it is written; ``payload`` is base64."""

    payload: str
    payload_type: str
    signatures: list[Signature]


@dataclass(frozen=True)
class Envelope:
    """What an envelope holds, its signature not yet checked."""

    payload: bytes
    payload_type: str
    key_id: str
    signature: bytes


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed (DSSE protocol, PAE)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def sign(payload: bytes, key: SigningKey) -> bytes:
    """An envelope around an in-toto statement: one line of JSON."""
    signature = key.sign(pre_authentication(IN_TOTO, payload))
    envelope = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": IN_TOTO,
        "signatures": [{"keyid": key.id, "sig": base64.b64encode(signature).decode()}],
    }
    return canonical_json(envelope).encode() + b"\n"


def open_envelope(envelope: bytes) -> Envelope:
    """Read an envelope with one signature; ValueError says what is wrong with it."""
    try:
        read = msgspec.json.decode(envelope, type=EnvelopeFile)
        payload = base64.b64decode(read.payload, validate=True)
        signatures = [(one.keyid, base64.b64decode(one.sig, validate=True)) for one in read.signatures]
    except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error) as error:
        raise ValueError(f"is no DSSE envelope ({error})") from error
    if read.payload_type != IN_TOTO:
        raise ValueError(f"holds {read.payload_type[:80]!r}, expected {IN_TOTO}")
    if len(signatures) != 1:
        raise ValueError(f"has {len(signatures)} signatures, expected 1")
    return Envelope(payload, read.payload_type, *signatures[0])


def is_signed_by(envelope: Envelope, key: Ed25519PublicKey) -> bool:
    """Whether the signature is that of ``key``."""
    signed = pre_authentication(envelope.payload_type, envelope.payload)
    return is_signature(key.public_bytes_raw(), signed, envelope.signature)


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key, of 32 bytes, signed the message."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True
