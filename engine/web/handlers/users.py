"""What a person administers alone: keys, ingest tokens, preferences, and what we know of them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from engine.accounts import preferences, tokens
from engine.accounts.user_export import user_export
from engine.model.days import local_day
from engine.model.errors import BadRequest, NotFound
from engine.model.vocabulary import OPERATOR_ROLES
from engine.render import download_name
from engine.store import Revision
from engine.store.rows import first
from engine.store.schema.organizations import memberships, users, workspaces
from engine.web.admission.access_log import note_access
from engine.web.answers.accounts import DeletionReceipt, NotificationPreferences
from engine.web.bodies import AnyObject
from engine.web.http import Request, Response, answer

T = TypeVar("T")
DEFAULT_WORKSPACE = "default"
Label = Annotated[str, Meta(min_length=1, max_length=100)]
Days = Annotated[int, Meta(ge=1, le=3650)]


class NewKey(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/user/api-keys. A mistyped expiry would make a key that never ends, so names are checked."""

    label: Label = "API key"
    expires_in_days: Days | None = None


PreferenceFlags = msgspec.defstruct(
    "PreferenceFlags",
    [(name, bool | msgspec.UnsetType, msgspec.UNSET) for name in preferences.DEFAULTS],
    forbid_unknown_fields=True,
)


class NewIngestToken(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/user/alert-ingest-tokens."""

    label: Label = "Ingest token"
    workspace_id: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    expires_in_days: Days | None = None
    basic_auth: bool = False


def api_keys(request: Request) -> Response:
    """GET /api/user/api-keys: the caller's own API keys, without their secrets."""
    caller, store = request.caller, request.services.store
    return answer({"api_keys": tokens.list_credentials(store, caller.org_id, tokens.API_KEY, owner=caller.actor)})


def create_api_key(request: Request, body: NewKey) -> Response:
    """POST /api/user/api-keys: makes an API key; its secret is in this answer and never again."""
    label = _printable(body.label)
    expires_at = None if body.expires_in_days is None else request.now + timedelta(days=body.expires_in_days)
    return answer(
        _write(request, lambda revision: tokens.issue(revision, tokens.API_KEY, label, expires_at=expires_at)),
        status=201,
    )


def revoke_api_key(request: Request) -> Response:
    """DELETE /api/user/api-keys/{id}: revokes an API key: from now on it is refused."""
    return _revoke(request, tokens.API_KEY, any_owner=False)


def ingest_tokens(request: Request) -> Response:
    """GET /api/user/alert-ingest-tokens: the ingest tokens of all workspaces, without their secrets.

    Not the caller's alone, because alerts of a team outlive who set them up.
    """
    credentials = tokens.list_credentials(request.services.store, request.caller.org_id, tokens.INGEST)
    return answer({"alert_ingest_tokens": credentials})


def create_ingest_token(request: Request, body: NewIngestToken) -> Response:
    """POST /api/user/alert-ingest-tokens: makes an ingest token; its secret is in this answer alone.

    It is of the workspace named, else of the caller's, else of the default one. With basic_auth it may also come as the
    password of Authorization: Basic, from senders that know no other way.
    """
    label = _printable(body.label)
    expires_at = None if body.expires_in_days is None else request.now + timedelta(days=body.expires_in_days)

    def issue(revision: Revision) -> tokens.IssuedCredential:
        workspace = _workspace(revision, body.workspace_id)
        return tokens.issue(
            revision, tokens.INGEST, label, expires_at=expires_at, workspace_id=workspace, basic_auth=body.basic_auth
        )

    return answer(_write(request, issue), status=201)


def revoke_ingest_token(request: Request) -> Response:
    """DELETE /api/user/alert-ingest-tokens/{id}: revokes an ingest token, for its maker or an operator."""
    return _revoke(request, tokens.INGEST, any_owner=request.caller.role in OPERATOR_ROLES)


def export(request: Request) -> Response:
    """GET /api/user/export: everything about the caller, as a download."""
    caller, store = request.caller, request.services.store
    content = user_export(store, caller.org_id, caller.actor)
    today = local_day(request.now, store.time_zone(caller.org_id))
    left_with = note_access(request, "json")
    name = download_name(caller.org_id, "user-export", today, "json")
    return answer(content, headers={"Content-Disposition": f'attachment; filename="{name}"', **left_with})


def notification_preferences(request: Request) -> Response:
    """GET /api/user/notification-preferences: which notifications the caller wants, flag by flag."""
    with request.services.store.reader() as connection:
        profile = first(connection, users, request.caller.org_id, email=request.caller.actor)
    return answer(NotificationPreferences(preferences=preferences.flags(profile["preferences"] if profile else None)))


def change_notification_preferences(request: Request, body: dict[str, object]) -> Response:
    """PUT /api/user/notification-preferences: sets the flags given and leaves the others."""
    given = preferences.check_flags(body)
    return answer(
        NotificationPreferences(preferences=_write(request, lambda revision: preferences.change(revision, given)))
    )


def request_deletion(request: Request, _: AnyObject) -> Response:
    """POST /api/user/account/delete-request: asks for the account's deletion, on which people decide."""

    def ask(revision: Revision) -> datetime:
        profile = first(revision.connection, users, revision.org_id, email=revision.actor)
        asked: datetime | None = profile["deletion_requested_at"] if profile else None
        if asked is not None:
            return asked
        revision.upsert(users, [{"email": revision.actor, "deletion_requested_at": revision.now}])
        revision.record("account.deletion.requested", object_type="user", object_id=revision.actor)
        return revision.now

    return answer(DeletionReceipt(status="awaiting_review", deletion_requested_at=_write(request, ask)), status=202)


def _write(request: Request, change: Callable[[Revision], T]) -> T:
    caller = request.caller
    return request.services.store.write(caller.org_id, caller.actor, change, now=request.now)


def _revoke(request: Request, kind: tokens.Kind, *, any_owner: bool) -> Response:
    token_id = request.arguments["id"]
    return answer(_write(request, lambda revision: tokens.revoke(revision, kind, token_id, any_owner=any_owner)))


def _printable(label: str) -> str:
    if not label.isprintable() or not label.strip():
        raise BadRequest(
            "The label must be 1 to 100 printable characters.",
            word="invalid_body",
            details=[{"field": "label", "expected": "1 to 100 printable characters"}],
        )
    return label.strip()


def _workspace(revision: Revision, wanted: str | None) -> str:
    """The workspace of a new token; the default one is made when it is first needed."""
    connection, org_id = revision.connection, revision.org_id
    if wanted is not None:
        if first(connection, workspaces, org_id, id=wanted) is None:
            raise NotFound(f"There is no such workspace: {wanted}.")
        return wanted
    membership = first(connection, memberships, org_id, email=revision.actor)
    own = membership["workspace_id"] if membership else None
    if own is not None and first(connection, workspaces, org_id, id=own) is not None:
        return own
    if first(connection, workspaces, org_id, id=DEFAULT_WORKSPACE) is None:
        revision.insert(workspaces, [{"id": DEFAULT_WORKSPACE, "name": "Default"}])
        revision.record("workspace.created", object_type="workspace", object_id=DEFAULT_WORKSPACE)
    return DEFAULT_WORKSPACE
