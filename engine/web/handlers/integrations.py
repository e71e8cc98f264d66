"""Integrations: connections that name other systems, and deploy events."""

from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from engine.accounts import connections as kept
from engine.accounts.chat_members import CHAT_MEANING, SETTINGS_SCHEMA, check_chat_settings, without_effect
from engine.incidents.alerts import deploys
from engine.model.errors import BadRequest
from engine.model.vocabulary import ConnectionKind, DeployStatus
from engine.store import Revision
from engine.web.answers.integrations import Arrivals
from engine.web.http import Question, Request, Response, answer

Short = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ARRIVALS_REPORT = "scope-boundary"
FIRST_YEAR = 2000
AHEAD = timedelta(minutes=10)  # how far a sender's clock may be ahead of ours


class NewConnection(msgspec.Struct, forbid_unknown_fields=True):
    """A connection to record. A member that is not known is refused: it might be a credential.

    The settings of a connection of kind ``chat`` that exists take the place of those that it has.
    """

    kind: ConnectionKind
    name: Short
    settings: Annotated[dict[str, object], msgspec.Meta(extra_json_schema=SETTINGS_SCHEMA)] | None = None


class NewDeploy(msgspec.Struct):
    """A deploy event; ``service`` is a name, ``service_id`` an identifier."""

    service: Short | None = None
    service_id: Short | None = None
    version: Short | None = None
    environment: Short = "production"
    deployed_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    status: DeployStatus = "succeeded"
    rolled_back_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    change_ref: Short | None = None
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)] | None = None
    id: Short | None = None


def connections(request: Request) -> Response:
    """GET /api/integrations/connections: the organization's connections, which kinds there are, and what arrived."""
    with request.services.store.reader() as connection:
        listed = kept.list_connections(connection, request.caller.org_id)
    return answer({"connections": listed, "kinds": kept.KINDS, "note": kept.MEANING, "arrivals": _arrivals(request)})


def _arrivals(request: Request) -> dict[str, object]:
    """What the report on the scope says of it today: one computation, one answer."""
    caller = request.caller
    question = Question(caller.org_id, ARRIVALS_REPORT, (), "json", hashed=False, at=None)
    artifact, _ = request.computing.report(request, question, caller.head)
    report = msgspec.json.decode(artifact.data)
    names = [field.name for field in msgspec.structs.fields(Arrivals)]
    return {name: (report | report["summary"]).get(name) for name in names}


def create_connection(request: Request, body: NewConnection) -> Response:
    """POST /api/integrations/connections: records which other system is meant; nothing is contacted.

    Of a chat connection that exists, owners and administrators change the settings, ``members`` included.
    """
    name, settings = _printable("name", body.name.strip()), body.settings
    if settings is not None:
        kept.check_settings(settings)
        if body.kind == "chat":
            check_chat_settings(settings)
    caller = request.caller

    def write(revision: Revision) -> tuple[str, dict[str, object], str]:
        row = kept.find(revision.connection, caller.org_id, body.kind, name)
        effect = without_effect(revision.connection, caller.org_id, settings or {}, caller.actor)
        if row is None or body.kind != "chat" or settings is None:
            return "created", kept.create(revision, body.kind, name, settings), effect
        return "changed", kept.change(revision, row, settings, caller.role), effect

    result, made, effect = request.services.store.write(caller.org_id, caller.actor, write, now=request.now)
    note = f"{CHAT_MEANING}{effect}" if body.kind == "chat" else kept.MEANING
    return answer({"result": result, "connection": made, "note": note}, status=201 if result == "created" else 200)


def deploy_event(request: Request, body: NewDeploy) -> Response:
    """POST /api/integrations/deploy-events: records a change that went live; the same again is no news.

    Nor is what was said of it before it was rolled back.
    """
    if body.service is None and body.service_id is None:
        raise _invalid("service", "service (a name) or service_id", "neither")
    for name in ("service", "service_id", "version", "environment", "change_ref", "id"):
        if (text := getattr(body, name)) is not None:
            _printable(name, text)
    if body.url is not None:
        _check_url(body.url)
    at = _moment("deployed_at", body.deployed_at, request.now)
    taken_back = None
    if body.rolled_back_at is not None:
        taken_back = _moment("rolled_back_at", body.rolled_back_at, request.now)
        if body.status != "rolled_back":
            raise _invalid("status", "rolled_back beside rolled_back_at", body.status)
    caller = request.caller

    def change(revision: Revision) -> tuple[str, dict[str, object]]:
        service_id = deploys.find_service(revision.connection, caller.org_id, body.service_id, body.service)
        return deploys.record(
            revision,
            deploys.DeployEvent(
                service_id,
                body.version,
                body.environment,
                at,
                body.status,
                body.change_ref,
                body.url,
                body.id,
                taken_back,
                body.deployed_at is not None,
            ),
        )

    result, deploy = request.services.store.write(caller.org_id, caller.actor, change, now=request.now)
    return answer({"result": result, "deploy": deploy}, status=201 if result == "created" else 200)


def _moment(field: str, given: datetime | None, now: datetime) -> datetime:
    if given is None:
        return now
    if given.year < FIRST_YEAR or given.year > now.year + 1 or given - now > AHEAD:
        raise _invalid(field, f"a time from {FIRST_YEAR} to now", given.isoformat())
    return given


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        sound = False
    if not sound or not url.isprintable() or " " in url:
        raise _invalid("url", "an http or https address without a password", url[:80])


def _printable(name: str, text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise _invalid(name, "1 to 200 printable characters", text[:80])
    return text


def _invalid(field: str, expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The body does not fit: {field} must be {expected}; got {got!r}.",
        word="invalid_body",
        details=[{"field": field, "expected": expected, "got": got}],
    )
