"""Who a secret belongs to: keys and tokens, cron secrets. A credential of one kind never opens another's door."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.errors import Unauthorized
from engine.ops.tokens import NAMES, digest, new_secret, well_formed
from engine.store import Store

__all__ = ["Credential", "bearer", "check_cron_secret", "credential", "digest", "new_secret", "well_formed"]


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


def bearer(authorization: str | None, what: str) -> str:
    """The token of an ``Authorization: Bearer`` header; Unauthorized when there is none."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(
            f"This route needs an {what} as `Authorization: Bearer …`.", headers={"WWW-Authenticate": "Bearer"}
        )
    return token.strip()


def credential(store: Store, secret: str, kind: str, *, now: datetime, legacy: Sequence[str] = ()) -> Credential:
    """The live credential of a secret, its use noted; Unauthorized when unknown, of another kind, revoked or expired.

    ``legacy`` holds the entries of SVC_LEGACY_KEY_PREFIXES.
    """
    refused = Unauthorized(
        f"The {NAMES[kind]} is not valid: unknown, of another kind, revoked or expired.",
        word="invalid_credential",
        headers={"WWW-Authenticate": "Bearer"},
    )
    if not well_formed(secret, kind, legacy):
        raise refused
    row = store.credential(digest(secret))
    if row is None or row["kind"] != kind or row["revoked_at"] is not None:
        raise refused
    if row["expires_at"] is not None and row["expires_at"] <= now:
        raise refused
    store.uses.note(row["org_id"], row["id"], now)
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
