"""Handlers that answer with a report: format, entity tag, download name, access log."""

from collections.abc import Callable
from typing import Any

from engine.model.errors import BadRequest
from engine.model.report import Report
from engine.reporting.render import RENDERERS, download_name
from engine.reporting.render.html import CONTENT_SECURITY_POLICY
from engine.web.access_log import note_access
from engine.web.http import (
    REVALIDATE,
    Handler,
    Request,
    Response,
)

Outlook = Callable[[Request, Any], dict[str, str]]
_TYPES = {
    "application/json": "json",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/calendar": "ics",
}


def report(name: str, *, of_caller: bool = False, outlook: Outlook | None = None) -> Handler:
    """A handler for ``GET`` of the report of that name.

    ``of_caller`` fixes the report's parameter ``actor`` to whoever asks: the route speaks of nobody else. ``outlook``
    makes headers of what the report says as JSON.
    """

    def handler(request: Request) -> Response:
        query = dict(request.query)
        if of_caller:
            if "actor" in query:
                raise BadRequest(
                    "The parameter 'actor' is not known here: the report is about yourself.",
                    word="invalid_parameter",
                    details=[{"parameter": "actor", "expected": "nothing", "got": "unknown parameter"}],
                )
            query["actor"] = request.caller.actor
        response = _report(request, name, query)
        if outlook is not None and response.body and response.content_type == RENDERERS["json"].content_type:
            response.headers |= outlook(request, response.body)
        return response

    return handler


def _report(request: Request, name: str, query: dict[str, str]) -> Response:
    services, caller = request.services, request.caller
    declared = services.snapshots.report(name)
    form = query.pop("format", None) or preferred_format(request.headers.get("accept", ""), declared)
    with services.snapshots.open(caller.org_id, now=request.now, head=caller.head) as snapshot:
        artifact = snapshot.bytes(name, query, form)
    renderer = RENDERERS[artifact.name.format]
    headers = {"ETag": f'"{artifact.etag}"'}
    if not_changed(request.headers.get("if-none-match", ""), artifact.etag):
        return Response(status=304, headers=headers, content_type=renderer.content_type, cache=REVALIDATE)
    kind = "attachment" if renderer.attachment else "inline"
    file = download_name(caller.org_id, name, artifact.name.as_of, artifact.name.format)
    headers["Content-Disposition"] = f'{kind}; filename="{file}"'
    if artifact.name.format == "html":
        headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    if renderer.attachment:
        note_access(request, artifact.name.format)
    return Response(artifact.data, renderer.content_type, headers=headers, cache=REVALIDATE)


def preferred_format(accept: str, declared: Report) -> str | None:
    """The format of the most wanted media type that the report has; None leaves the choice to the report."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept.split(",")):
        media, *options = (piece.strip() for piece in part.split(";"))
        form = _TYPES.get(media.lower())
        if form in declared.formats:
            weight = next((option[2:] for option in options if option.startswith("q=")), "1")
            try:
                wanted.append((-float(weight), place, form))
            except ValueError:
                continue
    best = min(wanted, default=None)
    return best[2] if best and best[0] < 0 else None


def not_changed(header: str, etag: str) -> bool:
    """Whether ``If-None-Match`` names the present entity tag, weakly compared (RFC 9110, 13.1.2)."""
    return header.strip() == "*" or any(
        tag.strip().removeprefix("W/") == f'"{etag}"' for tag in header.split(",")
    )  # fmt: skip
