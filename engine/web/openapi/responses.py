"""Every status that a route can give, and what it holds."""

from collections.abc import Mapping

from engine.model.declarations.declaration import HEAVY
from engine.model.declarations.report import Report
from engine.render import RENDERERS
from engine.web.answers.shape import Failure, OscalDocument, ReportEnvelope
from engine.web.bodies import JSON
from engine.web.handlers.reports import ReportHandler
from engine.web.openapi.examples import answer_example, report_example
from engine.web.openapi.report_schemas import Object
from engine.web.openapi.schemas import Schemas
from engine.web.routes import ANYTHING, WITH_BODY, MediaContent, Route

JSON_FORMATS: Mapping[str, type] = {"json": ReportEnvelope, "oscal": OscalDocument}
WITHOUT_CONTENT = (303, 304)
FAILURES: Mapping[int, tuple[str, str]] = {
    400: ("BadRequest", "A parameter or the body is malformed, unknown or out of range."),
    401: ("Unauthorized", "The credential is missing, wrong, expired, revoked or of another kind."),
    403: ("Forbidden", "The role, the plan or the origin of the request does not allow this."),
    404: ("NotFound", "The organization has no such record."),
    409: ("Conflict", "The record is not in a state that allows this, or exists already."),
    413: ("TooLarge", "The body is over the limit."),
    429: ("TooManyRequests", "The rate limit is used up."),
    500: ("InternalError", "Something went wrong on our side; the log has it under the request's identifier."),
    502: ("UpstreamFailure", "The backend cannot be reached, or answered what it should not."),
    503: ("Unavailable", "Something that this needs is not configured or not there."),
    504: ("UpstreamTimeout", "The backend did not answer in time."),
}
SUCCESSES: Mapping[int, str] = {
    200: "Done.",
    201: "Made.",
    202: "Accepted.",
    303: "The page where the buyer approves.",
    304: "What If-None-Match names is still the same.",
}
REQUEST_ID: Object = {"description": "The request's identifier in the log.", "schema": {"type": "string"}}


def failures(route: Route) -> list[int]:
    """The statuses of error that the route can give."""
    access, session = route.access, "session" in route.access.credentials
    found = {
        400: True,
        401: bool(access.credentials),
        403: True,  # in session-mode for one local user, to whoever is not on this machine
        404: session or "{id}" in route.path,
        413: route.method in WITH_BODY,
        429: route.limit is not None,
        500: True,
        503: True,
    }
    return sorted({status for status, possible in found.items() if possible} | set(route.errors))


def failure_response(status: int, schemas: Schemas) -> Object:
    """The component that describes a status."""
    text = FAILURES[status][1]
    headers: Object = {"X-Request-Id": REQUEST_ID}
    if status == 429:
        headers["Retry-After"] = {"required": True, "description": "Seconds to wait.", "schema": {"type": "string"}}
    content: Object = {JSON: {"schema": schemas.of(Failure)}}
    if status == 401:  # a browser that asks for a page is told in one
        content["text/html"] = {"schema": {"type": "string"}}
    return {"description": text, "headers": headers, "content": content}


def responses(route: Route, catalogue: Mapping[str, Report], schemas: Schemas) -> Object:
    """By status."""
    described: Object = {str(status): _success(route, status, catalogue, schemas) for status in route.statuses}
    if route.answers == (ANYTHING,):
        described["default"] = {"description": "Whatever the backend answers.", "content": {"*/*": {"schema": {}}}}
    for status in failures(route):
        described[str(status)] = {"$ref": f"#/components/responses/{FAILURES[status][0]}"}
    return described


def _success(route: Route, status: int, catalogue: Mapping[str, Report], schemas: Schemas) -> Object:
    headers: Object = {"X-Request-Id": REQUEST_ID}
    if 304 in route.statuses:
        headers["ETag"] = {"description": "Names exactly these bytes.", "schema": {"type": "string"}}
    if status == 303:
        headers["Location"] = {"required": True, "schema": {"type": "string", "format": "uri"}}
    success: Object = {"description": SUCCESSES[status], "headers": headers}
    if status not in WITHOUT_CONTENT and route.method != "HEAD":
        success["content"] = _report(route.handler, catalogue, schemas) or _content(route, schemas)
    return success


def _report(handler: object, catalogue: Mapping[str, Report], schemas: Schemas) -> Object | None:
    """The formats of a report; None for a handler that answers with something else."""
    if not isinstance(handler, ReportHandler):
        return None
    report = catalogue[handler.report]
    content: Object = {}
    for form in report.formats:
        if form not in JSON_FORMATS:
            media = RENDERERS[form].content_type.partition(";")[0]
            content[media] = {"schema": {} if form in HEAVY else {"type": "string"}}
    kinds = [JSON_FORMATS[form] for form in report.formats if form in JSON_FORMATS]
    if kinds:
        others = [kind for kind in kinds if kind is not ReportEnvelope]
        example = report_example(report)
        content[JSON] = {
            "schema": schemas.of_report(report, *others),
            **({} if example is None else {"example": example}),
        }
    return content


def _content(route: Route, schemas: Schemas) -> Object:
    content: Object = {}
    for answer in route.answers:
        if isinstance(answer, MediaContent):
            content[answer.media_type] = {"schema": {"type": "string"} if answer.text else {}}
    kinds = [answer for answer in route.answers if not isinstance(answer, MediaContent)]
    if kinds:
        example = answer_example(route)
        content[JSON] = {"schema": schemas.of(*kinds), **({} if example is None else {"example": example})}
    return content
