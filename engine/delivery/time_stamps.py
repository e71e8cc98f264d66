"""Time stamps after RFC 3161: an authority signs that it saw the SHA-256 of a signed head, and when.

What is checked here is that the answer grants a stamp over that very hash, under that very nonce. The authority's
signature is for whoever trusts it: ``openssl ts -verify -in head.tsr -data head.txt -CAfile …``.
"""

import http.client
import secrets
from datetime import datetime
from hashlib import sha256
from typing import Annotated

from cryptography.hazmat import asn1
from cryptography.x509 import ObjectIdentifier

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import MOST_BYTES, PostAnswer, post
from engine.model.errors import Unavailable

SHA256 = ObjectIdentifier("2.16.840.1.101.3.4.2.1")
SIGNED_DATA = ObjectIdentifier("1.2.840.113549.1.7.2")
TST_INFO = ObjectIdentifier("1.2.840.113549.1.9.16.1.4")
GRANTED = (0, 1)  # as asked for, or with changes


def time_stamp(outside: Outside, url: str, note: str) -> bytes:
    """What the authority answers to the SHA-256 of the note: the stamp as ``openssl ts`` reads it.

    Unavailable where there is no answer, or one that does not stamp this note.
    """
    digest, nonce = sha256(note.encode()).digest(), secrets.randbits(64)
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        answer = post(outside, WebhookTarget.any(url), headers, query(digest, nonce), public=False)
        check_stamp(_body(answer), digest, nonce)
    except (AddressRefusal, OSError, http.client.HTTPException) as error:
        raise Unavailable(f"The time stamping authority could not be reached ({type(error).__name__}).") from error
    except ValueError as error:
        raise Unavailable(f"The time stamping authority's answer {error}.", word="no_time_stamp") from error
    return answer.body


def _body(answer: PostAnswer) -> bytes:
    if answer.status != 200:
        raise ValueError(f"has the status {answer.status}")
    if len(answer.body) >= MOST_BYTES:
        raise ValueError(f"has {MOST_BYTES:,} bytes or more")
    return answer.body


def query(digest: bytes, nonce: int) -> bytes:
    """What is asked: a stamp over the hash, with the authority's certificate in it."""
    algorithm = _Algorithm(algorithm=SHA256, parameters=asn1.Null())
    imprint = _Imprint(algorithm=algorithm, digest=digest)
    return asn1.encode_der(_Query(version=1, imprint=imprint, policy=None, nonce=nonce, certificate=True))


def check_stamp(answer: bytes, digest: bytes, nonce: int) -> datetime:
    """When the hash was stamped, as the answer says; ValueError for an answer to something else, or a refusal."""
    try:
        decode_der = asn1.decode_der(_Answer, answer)
        if decode_der.status.status not in GRANTED:
            raise ValueError(f"refuses: status {decode_der.status.status}")
        if decode_der.token is None or decode_der.token.kind != SIGNED_DATA:
            raise ValueError("holds no token")
        signed = decode_der.token.content.signed
        if signed.kind != TST_INFO:
            raise ValueError("holds something else than a time stamp")
        info = asn1.decode_der(_Info, signed.content)
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(("refuses", "holds")) else f"is no time stamp ({text})") from error
    if (info.imprint.algorithm.algorithm, info.imprint.digest) != (SHA256, digest):
        raise ValueError("stamps another hash")
    if info.nonce != nonce:
        raise ValueError("answers another question: its nonce is another one")
    return info.at.as_datetime()


# -- the ASN.1 of RFC 3161 and RFC 5652, as far as it is looked at ---------------------------------------------------


@asn1.sequence
class _Algorithm:
    algorithm: ObjectIdentifier
    parameters: asn1.Null | None


@asn1.sequence
class _Imprint:
    algorithm: _Algorithm
    digest: bytes


@asn1.sequence
class _Query:
    version: int
    imprint: _Imprint
    policy: ObjectIdentifier | None
    nonce: int | None
    certificate: Annotated[bool, asn1.Default(False)]


@asn1.sequence
class _Status:
    status: int
    text: list[str] | None
    failure: asn1.BitString | None


@asn1.sequence
class _Stamp:
    kind: ObjectIdentifier
    content: Annotated[bytes, asn1.Explicit(0)]


@asn1.sequence
class _Data:
    version: int
    algorithms: asn1.TLV
    signed: _Stamp
    certificates: Annotated[list[asn1.TLV] | None, asn1.Implicit(0)]
    revoked: Annotated[list[asn1.TLV] | None, asn1.Implicit(1)]
    signers: asn1.TLV


@asn1.sequence
class _Token:
    kind: ObjectIdentifier
    content: Annotated[_Data, asn1.Explicit(0)]


@asn1.sequence
class _Answer:
    status: _Status
    token: _Token | None


@asn1.sequence
class _Accuracy:
    seconds: int | None
    milliseconds: Annotated[int | None, asn1.Implicit(0)]
    microseconds: Annotated[int | None, asn1.Implicit(1)]


@asn1.sequence
class _Name:
    value: asn1.TLV


@asn1.sequence
class _Info:
    version: int
    policy: ObjectIdentifier
    imprint: _Imprint
    serial: int
    at: asn1.GeneralizedTime
    accuracy: _Accuracy | None
    ordering: Annotated[bool, asn1.Default(False)]
    nonce: int | None
    authority: Annotated[_Name | None, asn1.Implicit(0)]
    extensions: Annotated[list[asn1.TLV] | None, asn1.Implicit(1)]
