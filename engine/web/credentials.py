"""Secrets of machines: keys and tokens (stored as SHA-256), cron secrets, signatures.

A secret is prefix, 43 characters of base64url (256 random bits) and 6 characters of checksum. A credential of one kind
is never accepted where another is asked for.
"""

import hmac
import secrets
import zlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from engine.errors import Unauthorized
from engine.store import Store

PREFIXES = {"api_key": "svc_sk_", "ingest": "svc_ingest_", "assessor": "svc_ca_"}
NAMES = {"api_key": "API key", "ingest": "ingest token", "assessor": "assessor token"}
_BODY = 43
_CHECK = 6


@dataclass(frozen=True)
class Credential:
    """What is known of a valid key or token."""

    id: str
    org_id: str
    kind: str
    owner: str
    label: str
    workspace_id: str | None
    allowed: tuple[str, ...]


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode()) & 0xFFFFFFFF
    return urlsafe_b64encode(number.to_bytes(4, "big")).decode().rstrip("=")


def new_secret(kind: str) -> str:
    """A fresh secret of a kind; shown once, never stored."""
    body = PREFIXES[kind] + secrets.token_urlsafe(32)
    return body + _checksum(body)


def digest(secret: str) -> str:
    """What is stored of a secret. It has 256 random bits, so a plain hash cannot be searched."""
    return sha256(secret.encode()).hexdigest()


def well_formed(secret: str, kind: str) -> bool:
    """Whether a text can be a secret of the kind at all: spares the store a look for typing errors."""
    prefix = PREFIXES[kind]
    if not secret.startswith(prefix) or len(secret) != len(prefix) + _BODY + _CHECK or not secret.isascii():
        return False
    return hmac.compare_digest(_checksum(secret[:-_CHECK]), secret[-_CHECK:])


def bearer(authorization: str | None, what: str) -> str:
    """The token of an ``Authorization: Bearer`` header; Unauthorized when there is none."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(
            f"This route needs an {what} as `Authorization: Bearer …`.", headers={"WWW-Authenticate": "Bearer"}
        )
    return token.strip()


def credential(store: Store, secret: str, kind: str, *, now: datetime) -> Credential:
    """The live credential of a secret; Unauthorized when unknown, of another kind, revoked or expired."""
    refused = Unauthorized(
        f"The {NAMES[kind]} is not valid: unknown, of another kind, revoked or expired.",
        word="invalid_credential",
        headers={"WWW-Authenticate": "Bearer"},
    )
    if not well_formed(secret, kind):
        raise refused
    row = store.credential(digest(secret))
    if row is None or row["kind"] != kind or row["revoked_at"] is not None:
        raise refused
    if row["expires_at"] is not None and row["expires_at"] <= now:
        raise refused
    return Credential(
        row["id"], row["org_id"], kind, row["owner"], row["label"], row["workspace_id"], tuple(row["allowed"] or ())
    )


def check_cron_secret(authorization: str | None, expected: str) -> None:
    """Unauthorized unless the bearer token is the secret of this very route; unset means nobody."""
    given = bearer(authorization, "cron secret")
    if not expected or not hmac.compare_digest(given.encode(), expected.encode()):
        raise Unauthorized(
            "The cron secret of this route is wrong or not configured.",
            word="invalid_cron_secret",
            headers={"WWW-Authenticate": "Bearer"},
        )
