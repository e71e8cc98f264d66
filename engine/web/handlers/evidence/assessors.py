"""Assessor tokens, and the exports that they open."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated
from urllib.parse import quote

import msgspec
from msgspec import Meta

from engine.accounts import assessors
from engine.accounts.tokens import ASSESSOR
from engine.model.days import local_day
from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest, Forbidden, NotFound
from engine.store import Revision
from engine.store.rows import one
from engine.store.schema.outputs import credentials
from engine.web.handlers.evidence import bundles, evidence_pack
from engine.web.handlers.reports import ReportHandler, not_changed
from engine.web.http import REVALIDATE, Request, Response, answer
from engine.web.parameters import parameters

WATERMARK = "X-Svc-Watermark"
DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90, "365d": 365}
WINDOW = Parameter("window", "30d", "how far back calls are shown", choices=(*DAYS, "all"))
_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '%"')


@dataclass(frozen=True)
class Export:
    """What is behind the name of an export; None where it reads the query itself."""

    handler: Callable[[Request], Response]
    parameters: tuple[Parameter, ...] | None


EXPORTS: dict[str, Export] = {
    "evidence-export": Export(evidence_pack.export, evidence_pack.PARAMETERS),
    "workbook": Export(bundles.workbook, bundles.WORKBOOK),
    **{name: Export(ReportHandler(name), None) for name in assessors.REPORTS},
}


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/governance/compliance/assessor-tokens. ``allowed`` are names or paths of exports."""

    label: Annotated[str, Meta(min_length=1, max_length=100)]
    engagement: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    allowed: Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(max_length=100)] | None = None
    expires_in_days: Annotated[int, Meta(ge=1, le=assessors.MOST_DAYS)] | None = None


def list_tokens(request: Request) -> Response:
    """GET /api/governance/compliance/assessor-tokens: all assessor tokens, what may be allowed, what was read."""
    window = request.options["window"]
    store, org_id = request.services.store, request.caller.org_id
    return answer(
        {
            "assessor_tokens": assessors.list_tokens(store, org_id),
            "exports": [assessors.path(name) for name in assessors.EXPORTS],
            "access_log": {"window": window, **assessors.log(store, org_id, days=DAYS.get(window), now=request.now)},
        }
    )


def create_token(request: Request, body: NewToken) -> Response:
    """POST /api/governance/compliance/assessor-tokens: makes an assessor token; its secret is shown once."""
    label = _printable("label", body.label)
    engagement = None if body.engagement is None else _printable("engagement", body.engagement)

    def issue(revision: Revision) -> dict[str, object]:
        return assessors.issue(revision, label, engagement=engagement, allowed=body.allowed, days=body.expires_in_days)

    return answer(_write(request, issue), status=201)


def revoke_token(request: Request) -> Response:
    """DELETE /api/governance/compliance/assessor-tokens/{id}: revokes an assessor token, at once."""
    token_id = request.arguments["id"]
    return answer(_write(request, lambda revision: assessors.revoke(revision, token_id)))


def export(request: Request) -> Response:
    """GET /api/governance/compliance/assessor/{id}: an export for an assessor, the same bytes as inside."""
    name = request.arguments["id"]
    if name not in EXPORTS:
        raise NotFound(
            f"There is no export {name[:80]!r}; there are: {', '.join(assessors.EXPORTS)}.", word="unknown_export"
        )
    caller = request.caller
    with request.services.store.reader() as connection:
        token = one(connection, credentials, caller.org_id, kind=ASSESSOR.name, id=caller.credential_id)
    if name not in (token["allowed"] or ()):
        raise Forbidden(
            f"This token does not open {name}; it opens: {', '.join(token['allowed'] or ()) or 'nothing'}.",
            word="export_not_allowed",
        )
    inside = EXPORTS[name]
    if inside.parameters is not None:
        request.options = parameters(request, *inside.parameters)
    response = _pack(request) if name == "evidence-export" else inside.handler(request)
    response.headers[WATERMARK] = watermark(token["label"])
    return response


def watermark(label: str) -> str:
    """A label as a header can carry it: what is not plain ASCII is percent-encoded, and so is the percent sign."""
    return quote(label, safe=_PLAIN)


def _pack(request: Request) -> Response:
    """The evidence pack is streamed and has no hash before its end: its tag names what it is made from.

    As an archive it is made first, and its tag is the archive's.
    """
    if evidence_pack.wanted_format(request) == "zip":
        return evidence_pack.export(request)
    from engine.catalogue import catalogue

    store, org_id = request.services.store, request.caller.org_id
    head = store.head(org_id)
    today = local_day(request.now, store.time_zone(org_id))
    window = request.query.get("window", "all")
    moving = "" if window == "all" else request.now.isoformat()
    asked = sorted(request.query.items())
    parts = (org_id, head.hash if head else "", today, moving, asked, request.headers.get("accept", ""))
    etag = sha256(repr((*parts, catalogue().version, evidence_pack.SCHEMA_VERSION)).encode()).hexdigest()[:32]
    if not_changed(request.headers.get("if-none-match", ""), etag):
        return Response(status=304, headers={"ETag": f'W/"{etag}"'}, cache=REVALIDATE)
    response = evidence_pack.export(request)
    response.headers["ETag"] = f'W/"{etag}"'
    response.cache = REVALIDATE
    return response


def _write(request: Request, change: Callable[[Revision], dict[str, object]]) -> dict[str, object]:
    caller = request.caller
    return request.services.store.write(caller.org_id, caller.actor, change, now=request.now)


def _printable(field: str, text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise BadRequest(
            f"The {field} must be printable characters.",
            word="invalid_body",
            details=[{"field": field, "expected": "printable characters"}],
        )
    return text.strip()
