"""Keys and tokens: the form of a secret, and how one is issued, listed and revoked.

A secret is prefix, 43 characters of base64url (256 random bits) and 6 characters of checksum. It is shown once; what
is stored is its SHA-256. Legacy secrets are told by their prefix alone: they have no checksum.
"""

import hmac
import secrets
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import NotRequired, TypedDict

from engine.model.errors import Conflict, Forbidden, NotFound
from engine.model.records import CredentialRow
from engine.model.vocabulary import CredentialKind
from engine.store import Revision, Store
from engine.store.ids import new_id
from engine.store.rows import first, many
from engine.store.schema.outputs import credentials
from engine.store.writing.credentials import last_uses

PREFIXES: Mapping[CredentialKind, str] = {"api_key": "svc_sk_", "ingest": "svc_ingest_", "assessor": "svc_ca_"}
NAMES: Mapping[CredentialKind, str] = {"api_key": "API key", "ingest": "ingest token", "assessor": "assessor token"}
MOST_LIVE = 50
_BODY = 43
_CHECK = 6
_LONGEST = 300


@dataclass(frozen=True)
class Kind:
    """How a kind of credential is administered. What is personal does not exist for anybody but its owner."""

    name: CredentialKind
    action: str
    id_prefix: str
    personal: bool


class CredentialMetadata(TypedDict):
    """What people may know of a credential; the last five depend on its kind."""

    id: str
    label: str
    prefix: str
    last_four: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    workspace_id: NotRequired[str | None]
    basic_auth: NotRequired[bool]
    owner: NotRequired[str]
    engagement: NotRequired[str | None]
    allowed: NotRequired[list[str] | None]


class IssuedCredential(CredentialMetadata):
    """A credential with its secret, which is shown this once."""

    secret: str


API_KEY = Kind("api_key", "api_key", "key", personal=True)
INGEST = Kind("ingest", "ingest_token", "tok", personal=False)
ASSESSOR = Kind("assessor", "assessor_token", "ast", personal=False)


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode()) & 0xFFFFFFFF
    return urlsafe_b64encode(number.to_bytes(4, "big")).decode().rstrip("=")


def new_secret(kind: CredentialKind) -> str:
    """A fresh secret of a kind; shown once, never stored."""
    body = PREFIXES[kind] + secrets.token_urlsafe(32)
    return body + _checksum(body)


def digest(secret: str) -> str:
    """What is stored of a secret. It has 256 random bits, so a plain hash cannot be searched."""
    return sha256(secret.encode()).hexdigest()


def well_formed(secret: str, kind: CredentialKind, legacy: Sequence[str] = ()) -> bool:
    """Whether a text can be a secret of the kind at all: spares the store a look for typing errors.

    ``legacy`` holds entries such as ``api_key=old_``: prefixes that secrets of a kind had before.
    """
    if not secret.isascii() or len(secret) > _LONGEST:
        return False
    prefix = PREFIXES[kind]
    if secret.startswith(prefix):
        whole = len(secret) == len(prefix) + _BODY + _CHECK
        return whole and hmac.compare_digest(_checksum(secret[:-_CHECK]), secret[-_CHECK:])
    return any(secret.startswith(entry.removeprefix(f"{kind}=")) for entry in legacy if entry.startswith(f"{kind}="))


def issue(
    revision: Revision,
    kind: Kind,
    label: str,
    *,
    expires_at: datetime | None = None,
    workspace_id: str | None = None,
    engagement: str | None = None,
    allowed: Sequence[str] | None = None,
    basic_auth: bool | None = None,
) -> IssuedCredential:
    """Make a credential that belongs to the revision's actor: its metadata and, this once, its ``secret``.

    ``basic_auth``: whether an ingest token may come as a password; of other kinds nothing is said.

    Conflict when the actor has as many live ones of the kind as anybody may have.
    """
    mine = many(revision.connection, credentials, revision.org_id, kind=kind.name, owner=revision.actor)
    if sum(_live(row, revision.now) for row in mine) >= MOST_LIVE:
        raise Conflict(
            f"You have {MOST_LIVE} live {NAMES[kind.name]}s, which is as many as one may have; revoke one first.",
            word="too_many_credentials",
        )
    secret = new_secret(kind.name)
    row: CredentialRow = {
        "org_id": revision.org_id,
        "revision": revision.seq,
        "id": new_id(kind.id_prefix),
        "kind": kind.name,
        "label": label,
        "owner": revision.actor,
        "workspace_id": workspace_id,
        "engagement": engagement,
        "allowed": None if allowed is None else list(allowed),
        "basic_auth": basic_auth,
        "prefix": PREFIXES[kind.name],
        "last_four": secret[-4:],
        "secret_sha256": digest(secret),
        "created_at": revision.now,
        "expires_at": expires_at,
        "revoked_at": None,
    }
    revision.insert(credentials, [row])
    _note(revision, kind, row, "created")
    return {**metadata(row, None), "secret": secret}


def list_credentials(store: Store, org_id: str, kind: Kind, *, owner: str | None = None) -> list[CredentialMetadata]:
    """Metadata of the credentials of a kind, newest first; of one owner where ``owner`` is given."""
    with store.reader() as connection:
        whose = {} if owner is None else {"owner": owner}
        rows = many(connection, credentials, org_id, order=("-created_at",), limit=None, kind=kind.name, **whose)
        used = last_uses(connection, org_id)
    return [metadata(row, used.get(row["id"])) for row in rows]


def revoke(revision: Revision, kind: Kind, token_id: str, *, any_owner: bool) -> CredentialMetadata:
    """End a credential and return its metadata; one that is revoked already stays as it is.

    NotFound for an unknown one, and for somebody else's personal one; Forbidden for somebody else's shared one unless
    ``any_owner``.
    """
    row = first(revision.connection, credentials, revision.org_id, kind=kind.name, id=token_id)
    theirs = row is not None and row["owner"] != revision.actor and not any_owner
    if row is None or (theirs and kind.personal):
        raise NotFound(f"There is no such {NAMES[kind.name]}: {token_id[:200]}.")
    if theirs:
        raise Forbidden(
            f"This {NAMES[kind.name]} was made by somebody else; its maker, an owner, an admin or an operator may "
            "revoke it.",
            word="role_required",
        )
    if row["revoked_at"] is None:
        row["revoked_at"] = revision.now
        revision.update(credentials, {"id": token_id}, {"revoked_at": revision.now})
        _note(revision, kind, row, "revoked")
    return metadata(row, last_uses(revision.connection, revision.org_id).get(token_id))


def metadata(row: CredentialRow, last_used_at: datetime | None) -> CredentialMetadata:
    """What people may know of a credential: everything but its secret and the hash of it."""
    metadata: CredentialMetadata = {
        "id": row["id"],
        "label": row["label"],
        "prefix": row["prefix"],
        "last_four": row["last_four"],
        "created_at": row["created_at"],
        "expires_at": row["expires_at"],
        "revoked_at": row["revoked_at"],
        "last_used_at": last_used_at,
    }
    if row["kind"] == "ingest":
        metadata["workspace_id"] = row["workspace_id"]
        metadata["basic_auth"] = row["basic_auth"] is not False
        metadata["owner"] = row["owner"]
    if row["kind"] == "assessor":
        metadata["owner"] = row["owner"]
        metadata["engagement"] = row["engagement"]
        metadata["allowed"] = row["allowed"]
    return metadata


def _live(row: CredentialRow, now: datetime) -> bool:
    return row["revoked_at"] is None and (row["expires_at"] is None or row["expires_at"] > now)


def _note(revision: Revision, kind: Kind, row: CredentialRow, what: str) -> None:
    details = {"prefix": row["prefix"], "last_four": row["last_four"]}
    if kind is INGEST:  # a sender is named by the label of its token
        details["label"] = row["label"]
    revision.record(
        f"{kind.action}.{what}",
        object_type=kind.action,
        object_id=row["id"],
        workspace_id=row["workspace_id"],
        details=details,
    )
