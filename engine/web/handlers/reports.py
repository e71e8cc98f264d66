"""Handlers that answer with a report: format, entity tag, download name, access log."""

from dataclasses import dataclass
from typing import Protocol

from engine.model.declarations.as_of import AsOf
from engine.model.declarations.filters import Filters
from engine.model.errors import BadRequest
from engine.render import CONTENT_SECURITY_POLICY, RENDERERS, download_name
from engine.reporting.index import resolve_report
from engine.web.admission.access import Access
from engine.web.admission.access_log import head_headers, note_access
from engine.web.answers.shape import ReportEnvelope
from engine.web.http import REVALIDATE, Question, Request, Response
from engine.web.lanes import REPORTS
from engine.web.negotiation import preferred_format
from engine.web.routes import Route


class ExtraHeaders(Protocol):
    """Headers that are computed for each request and are not part of the ETag."""

    def headers(self, request: Request, content_hash: str) -> dict[str, str]:
        """The headers; ``content_hash`` is that of what the report says."""


@dataclass(frozen=True)
class ReportHandler:
    """Answers ``GET`` with the report of that name.

    ``of_caller`` fixes the report's parameter ``actor`` to whoever asks: the route speaks of nobody else.
    """

    report: str
    of_caller: bool = False
    outlook: ExtraHeaders | None = None

    def __call__(self, request: Request) -> Response:
        """The report, in the format that is asked for."""
        query = dict(request.query)
        if self.of_caller:
            if "actor" in query:
                raise BadRequest(
                    "The parameter 'actor' is not known here: the report is about yourself.",
                    word="invalid_parameter",
                    details=[{"parameter": "actor", "expected": "nothing", "got": "unknown parameter"}],
                )
            query["actor"] = request.caller.actor
        return _report(request, self.report, query, self.outlook)


def report_route(
    method: str, path: str, access: Access, name: str, *, of_caller: bool = False, outlook: ExtraHeaders | None = None
) -> Route:
    """The route of a report: its parameters and formats are those that the report declares."""
    handler = ReportHandler(name, of_caller, outlook)
    return Route(
        method,
        path,
        access,
        handler,
        parameters=None,
        answer=ReportEnvelope,
        status=(200, 304),
        lane=REPORTS,
        from_memory=True,
    )


def _report(request: Request, name: str, query: dict[str, str], outlook: ExtraHeaders | None) -> Response:
    services, caller = request.services, request.caller
    at, query = AsOf.take(query)
    form = query.pop("format", None)
    declared, asked = resolve_report(services.snapshots.report(name), query)
    form = form or preferred_format(request.headers.get("accept", ""), declared.formats_of(asked))
    parameters = declared.parse(asked)
    form = declared.format(form, parameters)
    filters = Filters.of(parameters, declared.parameters)
    if at is not None or filters or asked is not query:  # what is to be sent next does not follow from it
        outlook = None
    hashed = outlook is not None and form == "json"
    question = Question(caller.org_id, name, tuple(query.items()), form, hashed, at)
    artifact, content_hash = request.computing.report(request, question, caller.head)
    renderer = RENDERERS[artifact.name.format]
    headers = {"ETag": f'"{artifact.etag}"', **head_headers(request)}
    if not_changed(request.headers.get("if-none-match", ""), artifact.etag):
        return Response(status=304, headers=headers, content_type=renderer.content_type, cache=REVALIDATE)
    if outlook is not None and content_hash is not None:
        headers |= outlook.headers(request, content_hash)
    kind = "attachment" if renderer.attachment else "inline"
    what = f"{declared.name} {filters.file_words}" if filters else declared.name
    file = download_name(caller.org_id, what, artifact.name.as_of, artifact.name.format)
    headers["Content-Disposition"] = f'{kind}; filename="{file}"'
    if artifact.name.format == "html":
        headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    if renderer.attachment:
        note_access(request, artifact.name.format)
    return Response(artifact.data, renderer.content_type, headers=headers, cache=REVALIDATE)


def not_changed(header: str, etag: str) -> bool:
    """Whether ``If-None-Match`` names the present entity tag, weakly compared (RFC 9110, 13.1.2)."""
    return header.strip() == "*" or any(tag.strip().removeprefix("W/") == f'"{etag}"' for tag in header.split(","))
