"""The interface as an OpenAPI 3.1 document: what the route table declares, in the words of that standard.

Nothing here is written by hand for a route: paths, parameters, bodies, answers and credentials all follow from
``Route``, and those of a report from what the report declares.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

import msgspec

from engine.model.declarations.report import Report
from engine.web.openapi.operations import common_parameters, operation, path_template
from engine.web.openapi.report_schemas import Object
from engine.web.openapi.responses import FAILURES, failure_response
from engine.web.openapi.schemas import Schemas
from engine.web.openapi.security import SCHEMES
from engine.web.routes import Route

ABOUT = (
    "Compliance reports, incidents, automations and their evidence. Every error has one shape: a word for machines and "
    "a sentence for people. Only the organization of the credential is ever seen."
)


def document(chapters: Mapping[str, Sequence[Route]], catalogue: Mapping[str, Report], server: str) -> Object:
    """The whole interface; ``server`` is where it is served."""
    schemas = Schemas()
    paths: dict[str, Object] = {}
    for chapter, routes in chapters.items():
        for route in routes:
            methods = paths.setdefault(path_template(route.path), {})
            methods[route.method.lower()] = operation(route, chapter, catalogue, schemas)
    responses = {name: failure_response(status, schemas) for status, (name, _) in FAILURES.items()}
    described = {
        "openapi": "3.1.0",
        "info": {"title": "HQ Operations Console", "version": version("hq-console"), "description": ABOUT},
        "servers": [{"url": server}],
        "tags": [{"name": chapter} for chapter in chapters],
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "parameters": common_parameters(),
            "responses": responses,
            "securitySchemes": dict(SCHEMES),
        },
    }
    plain: Object = msgspec.json.decode(msgspec.json.encode(described))  # defaults of structs hold tuples
    return plain
