"""Who a secret belongs to: keys and tokens, cron secrets. A credential of one kind never opens another's door."""

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.accounts.tokens import NAMES, digest, new_secret, well_formed
from engine.model.errors import Unauthorized
from engine.model.records import CredentialRow
from engine.model.vocabulary import CredentialKind
from engine.store import Revision, Store
from engine.store.writing.credentials import credentials_of

__all__ = [
    "Credential",
    "bearer",
    "bearer_or_password",
    "check_cron_secret",
    "confirm",
    "credential",
    "digest",
    "cached_credential",
    "live_credential",
    "new_secret",
    "well_formed",
]


@dataclass(frozen=True)
class Credential:
    """What is known of a valid key or token."""

    id: str
    org_id: str
    kind: CredentialKind
    owner: str
    label: str
    workspace_id: str | None
    allowed: tuple[str, ...]
    basic_auth: bool = True


def bearer(authorization: str | None, what: str) -> str:
    """The token of an ``Authorization: Bearer`` header; Unauthorized when there is none."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(
            f"This route needs an {what} as `Authorization: Bearer …`.", headers={"WWW-Authenticate": "Bearer"}
        )
    return token.strip()


def bearer_or_password(authorization: str | None, what: str) -> str:
    """The token of an ``Authorization: Bearer`` header, or the password of a Basic one, whatever the user name."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return bearer(authorization, what)
    try:
        return base64.b64decode(encoded.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise Unauthorized(
            "The user name and password cannot be read.",
            word="invalid_credential",
            headers={"WWW-Authenticate": "Bearer"},
        ) from error


def credential(
    store: Store, secret: str, kind: CredentialKind, *, now: datetime, legacy: Sequence[str] = ()
) -> Credential:
    """The live credential of a secret, its use noted; Unauthorized when unknown, of another kind, revoked or expired.

    ``legacy`` holds the entries of SVC_LEGACY_KEY_PREFIXES.
    """
    found = live_credential(store, secret, kind, now=now, legacy=legacy)
    store.uses.note(found.org_id, found.id, now)
    return found


def live_credential(
    store: Store, secret: str, kind: CredentialKind, *, now: datetime, legacy: Sequence[str] = ()
) -> Credential:
    """The same without noting a use."""
    return _live(store.credential(digest(secret)) if well_formed(secret, kind, legacy) else None, kind, now)


def cached_credential(
    store: Store, secret: str, kind: CredentialKind, *, now: datetime, legacy: Sequence[str] = ()
) -> Credential:
    """The same from memory where it was seen before: whoever writes with it calls ``confirm`` within the write."""
    return _live(store.cached_credential(digest(secret)) if well_formed(secret, kind, legacy) else None, kind, now)


def confirm(revision: Revision, secret_sha256: str, kind: CredentialKind) -> None:
    """Unauthorized unless the credential is live in the very transaction that writes for it."""
    _live(revision.look_up(credentials_of, [secret_sha256])[secret_sha256], kind, revision.now)


def _live(row: CredentialRow | None, kind: CredentialKind, now: datetime) -> Credential:
    if (
        row is None
        or row["kind"] != kind
        or row["revoked_at"] is not None
        or (row["expires_at"] is not None and row["expires_at"] <= now)
    ):
        raise Unauthorized(
            f"The {NAMES[kind]} is not valid: unknown, of another kind, revoked or expired.",
            word="invalid_credential",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return Credential(
        row["id"],
        row["org_id"],
        kind,
        row["owner"],
        row["label"],
        row["workspace_id"],
        tuple(row["allowed"] or ()),
        row["basic_auth"] is not False,
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
