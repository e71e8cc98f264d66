"""One operation: a route in OpenAPI's words."""

import re
from collections.abc import Iterable, Mapping

from engine.model.declarations.as_of import PAST_PARAMETERS
from engine.model.declarations.ask import Parameter
from engine.model.declarations.report import Report
from engine.web.bodies import Body, RawBody
from engine.web.handlers.evidence.assessors import EXPORTS
from engine.web.handlers.evidence.assessors import export as assessor_export
from engine.web.handlers.reports import ReportHandler
from engine.web.openapi.examples import body_example
from engine.web.openapi.report_schemas import Object, formats_of, plan_parameters, report_filters
from engine.web.openapi.responses import responses
from engine.web.openapi.schemas import Schemas
from engine.web.openapi.security import security
from engine.web.routes import Route

REST: Object = {
    "name": "rest",
    "in": "path",
    "required": True,
    "description": "The path at the backend; it may have several segments. The query goes along.",
    "schema": {"type": "string", "minLength": 1},
}
IF_NONE_MATCH: Object = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of what the caller has.",
    "schema": {"type": "string"},
}
_PAST: tuple[Object, ...] = tuple({"$ref": f"#/components/parameters/{one.name}"} for one in PAST_PARAMETERS)


def common_parameters() -> Object:
    """The parameters of all reports, by name."""
    return {parameter.name: _parameter(parameter) for parameter in PAST_PARAMETERS}


def path_template(path: str) -> str:
    """The path with its last part named where it is whatever follows."""
    return path.replace("/*", "/{rest}")


def operation(route: Route, chapter: str, catalogue: Mapping[str, Report], schemas: Schemas) -> Object:
    """The operation of a route in a chapter."""
    described: Object = {
        "operationId": _operation_id(route),
        "summary": _summary(route, catalogue),
        "tags": [chapter],
        "parameters": [*_path(route), *_query(route, catalogue), *_headers(route)],
        "responses": responses(route, catalogue, schemas),
        "security": security(route.access),
    }
    if route.access.code not in ("none", "S"):
        described["description"] = f"Access: {route.access.code}."
    if route.body is not None:
        described["requestBody"] = _body(route, route.body, schemas)
    return described


def _operation_id(route: Route) -> str:
    """Method and path as one word: ``get_admin_leads_by_id``."""
    words = route.path.removeprefix("/api/").replace("{id}", "by-id").replace("*", "rest")
    return re.sub(r"[^a-z0-9]+", "_", f"{route.method} {words}".lower())


def _summary(route: Route, catalogue: Mapping[str, Report]) -> str:
    handler = route.handler
    return catalogue[handler.report].description if isinstance(handler, ReportHandler) else route.summary


def _path(route: Route) -> list[Object]:
    if route.forwards:
        return [REST]
    if "{id}" not in route.path:
        return []
    schema: Object = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}
    if route.handler is assessor_export:
        schema = {"type": "string", "enum": list(EXPORTS)}
    return [{"name": "id", "in": "path", "required": True, "schema": schema}]


def _query(route: Route, catalogue: Mapping[str, Report]) -> list[Object]:
    handler = route.handler
    if isinstance(handler, ReportHandler):
        return [*map(_parameter, _of_report(handler, catalogue)), *_PAST]
    if handler is assessor_export:
        return [*map(_parameter, _of_exports(catalogue)), *_PAST]
    return list(map(_parameter, route.parameters or ()))


def _headers(route: Route) -> list[Object]:
    known = [IF_NONE_MATCH] if 304 in route.statuses else []
    return [*known, *({**_parameter(header), "in": "header"} for header in route.headers)]


def _of_report(handler: ReportHandler, catalogue: Mapping[str, Report]) -> list[Parameter]:
    report = catalogue[handler.report]
    own = [one for one in report.parameters if not (handler.of_caller and one.name == "actor")]
    explain = [report.explain] if report.figures else []
    return [
        *own,
        *report_filters(report),
        *plan_parameters(report),
        *explain,
        Parameter("format", report.formats[0], "the report's format", choices=formats_of(report)),
    ]


def _of_exports(catalogue: Mapping[str, Report]) -> Iterable[Parameter]:
    """What any export takes; those of one name differ in what is allowed, and the export itself says which."""
    parameters: dict[str, Parameter] = {}
    for export in EXPORTS.values():
        inside = export.handler
        own = _of_report(inside, catalogue) if isinstance(inside, ReportHandler) else (export.parameters or ())
        for parameter in own:
            parameters.setdefault(parameter.name, Parameter(parameter.name, None, parameter.help))
    return parameters.values()


def _parameter(parameter: Parameter) -> Object:
    schema: Object
    if parameter.minimum is not None:
        schema = {"type": "integer", "minimum": parameter.minimum, "maximum": parameter.maximum}
    elif parameter.choices:
        schema = {"type": "string", "enum": list(parameter.choices)}
    elif parameter.is_day:
        schema = {"type": "string", "format": "date"}
    else:
        schema = {"type": "string", "minLength": 1, "maxLength": 200}
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {"name": parameter.name, "in": "query", "description": parameter.help, "schema": schema}


def _body(route: Route, body: Body, schemas: Schemas) -> Object:
    kinds = body.kind if isinstance(body.kind, tuple) else (body.kind,)
    texts = body.texts if isinstance(body, RawBody) else ()
    content: Object = {}
    for media_type in body.media_types:
        held: Object = {"schema": {"type": "string"} if media_type in texts else schemas.of(*kinds)}
        example = body_example(route, media_type)
        if example is not None:
            held["example"] = example
        content[media_type] = held
    return {"required": body.required, "content": content}
