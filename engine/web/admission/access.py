"""Who may call a route: one value for each code of the interface's auth column."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.model.errors import Forbidden, Unauthorized
from engine.model.vocabulary import ADMIN_ROLES, OPERATOR_ROLES, Role
from engine.store import PLATFORM
from engine.web.admission.assessor_access import check_assessor, note_answer
from engine.web.admission.credentials import (
    Credential,
    bearer,
    bearer_or_password,
    cached_credential,
    check_cron_secret,
    credential,
    digest,
    live_credential,
)
from engine.web.admission.gate import Gate
from engine.web.admission.payment_signatures import check_lemonsqueezy, check_paypal
from engine.web.admission.sessions import COOKIE
from engine.web.admission.signatures import check_chat
from engine.web.http import Principal, Request, Response

SAFE = ("GET", "HEAD")
LOCAL_USER = "local@localhost"
SNS_CHALLENGE = 'Basic realm="Ingest", charset="UTF-8"'


@dataclass(frozen=True)
class Access:
    """``code`` as the interface writes it; ``check`` returns the caller or raises 401 or 403.

    ``note`` is told every answer to a caller who was let in, an error too, before it leaves. ``recheck`` belongs to a
    check from memory: the handler confirms it within its write, and this looks again before a refusal leaves.
    ``credentials`` name the kinds of which any one lets in (``engine/web/openapi/security.py`` describes them).
    ``optional``: without one, too.
    """

    code: str
    check: Callable[[Gate, Request], Principal | None]
    note: Callable[[Request, Response], None] | None = None
    recheck: Callable[[Gate, Request], object] | None = None
    credentials: tuple[str, ...] = ()
    optional: bool = False


def _public(gate: Gate, request: Request) -> None:
    """Anybody."""


def session_caller(gate: Gate, request: Request) -> Principal:
    """The member behind the session cookie; Unauthorized without one, Forbidden for a request from another site."""
    if not gate.services.settings.session_auth:
        return Principal(gate.local_organization(), LOCAL_USER, "owner")
    token = session_token(request)
    if token is None:
        raise Unauthorized(f"This route needs a session: send the cookie {COOKIE}.")
    session = gate.sessions.read(token, now=request.now)
    role, head, ends = gate.services.store.standing(session.org_id, session.email)
    if role is None:
        raise Unauthorized("The session belongs to nobody who is a member now.", word="not_a_member")
    if session.is_ended(ends):
        raise Unauthorized("The session was ended; sign in again.", word="session_ended")
    if request.method not in SAFE:
        _same_origin(request, gate)
    return Principal(session.org_id, session.email, role, head=head)


def session_token(request: Request) -> str | None:
    """The value of our cookie; the first one counts."""
    for part in request.headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value.strip('"') or None
    return None


def _same_origin(request: Request, gate: Gate) -> None:
    """A browser that writes with our cookie must be on our own page; scripts send neither header."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        raise Forbidden("A request from another site may not write.", word="cross_origin")
    if origin is not None:
        own = {request.headers.get("host", ""), urlsplit(gate.services.settings.base_url).netloc}
        if urlsplit(origin).netloc not in own:
            raise Forbidden("A request from another site may not write.", word="cross_origin")


def _roles(*roles: Role) -> Access:
    """A session of a member with one of these roles."""

    def check(gate: Gate, request: Request) -> Principal:
        caller = session_caller(gate, request)
        if caller.role not in roles:
            raise Forbidden(f"This needs the role {' or '.join(roles)}; yours is {caller.role}.", word="role_required")
        return caller

    return Access(f"S({', '.join(roles)})", check, credentials=("session",))


def _platform_admin(gate: Gate, request: Request) -> Principal:
    caller = session_caller(gate, request)
    if caller.actor not in gate.services.settings.platform_admin_emails:
        raise Forbidden("This is for platform administrators.", word="platform_admin_required")
    return Principal(PLATFORM, caller.actor, caller.role)


def _ingest(gate: Gate, request: Request) -> Principal:
    """The holder of an ingest token as last seen: what is posted is written, and that confirms the token."""
    secret, found = _ingest_token(gate, request, known=True)
    return Principal(found.org_id, found.label, None, found.id, found.workspace_id, secret_sha256=digest(secret))


def _ingest_again(gate: Gate, request: Request) -> None:
    _ingest_token(gate, request, known=False)


def _ingest_token(gate: Gate, request: Request, *, known: bool) -> tuple[str, Credential]:
    """The token as a bearer token, or as a password where it may be: from senders that know no other way."""
    legacy = gate.services.settings.legacy_key_prefixes
    look = cached_credential if known else live_credential
    try:
        given = request.headers.get("authorization")
        secret = bearer_or_password(given, "ingest token")
        found = look(gate.services.store, secret, "ingest", now=request.now, legacy=legacy)
        if not found.basic_auth and (given or "").lower().startswith("basic "):
            raise Unauthorized(
                "This ingest token may not come as a password: send it as `Authorization: Bearer …`, or make one with "
                '"basic_auth": true.',
                word="invalid_credential",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return secret, found
    except Unauthorized as refusal:
        if "x-amz-sns-message-type" in request.headers:  # it sends the password of its address only when asked for one
            refusal.headers["WWW-Authenticate"] = SNS_CHALLENGE
        raise


def _session_or_key(gate: Gate, request: Request) -> Principal:
    """An API key in either header, else a session."""
    given = request.headers.get("x-svc-api-key")
    if given is None and request.headers.get("authorization") is not None:
        given = bearer(request.headers.get("authorization"), "API key")
    if given is None:
        return session_caller(gate, request)
    legacy = gate.services.settings.legacy_key_prefixes
    found = credential(gate.services.store, given.strip(), "api_key", now=request.now, legacy=legacy)
    role = gate.services.store.role(found.org_id, found.owner)
    if role is None:
        raise Unauthorized("The API key belongs to nobody who is a member now.", word="not_a_member")
    return Principal(found.org_id, found.owner, role, found.id)


def _chat_signed(gate: Gate, request: Request) -> None:
    """The chat service; whose click it is, the handler finds out."""
    secrets = gate.services.settings.chat_signing_secret
    check_chat(secrets, request.headers, lambda: request.body, now=request.now)


def _copilot(gate: Gate, request: Request) -> Principal | None:
    """A session where a language model and sessions are both configured; otherwise anybody, limited by address."""
    settings = gate.services.settings
    if settings.llm_api_key and settings.session_auth:
        return session_caller(gate, request)
    try:
        return session_caller(gate, request)
    except Unauthorized:
        return None


NONE = Access("none", _public)
COPILOT = Access("S or limited per address", _copilot, credentials=("session",), optional=True)
S = Access("S", session_caller, credentials=("session",))
ADMINS = _roles(*ADMIN_ROLES)
OPERATORS = _roles(*OPERATOR_ROLES)
ING = Access("ING", _ingest, recheck=_ingest_again, credentials=("ingestToken", "ingestPassword"))
ASR = Access("ASR", check_assessor, note_answer, credentials=("assessorToken", "assessorPassword"))
KEY = Access("KEY", _session_or_key, credentials=("session", "apiKey", "apiKeyHeader"))
PADM = Access("PADM", _platform_admin, credentials=("session",))
PAYPAL_SIG = Access("SIG", check_paypal, credentials=("paypalSignature",))
LEMONSQUEEZY_SIG = Access("SIG", check_lemonsqueezy, credentials=("lemonSqueezySignature",))
CHAT_SIG = Access("SIG", _chat_signed, credentials=("chatSignature",))


def cron(setting: str) -> Access:
    """The bearer secret that ``setting`` holds."""

    def check(gate: Gate, request: Request) -> None:
        check_cron_secret(request.headers.get("authorization"), gate.services.settings.cron_secret(setting))

    return Access(f"CRON({setting})", check, credentials=("cronSecret",))
