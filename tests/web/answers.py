"""Holds an answer against what its route declares: status, media type, content."""

import re

import msgspec

import api
from engine.render import RENDERERS
from engine.web.answers.shape import Failure, OscalDocument, ReportEnvelope
from engine.web.handlers.reports import ReportHandler
from engine.web.openapi.responses import failures
from engine.web.routes import ANYTHING, MediaContent
from reports import CATALOGUE

PATTERNS = [
    (route, re.compile(re.escape(route.path).replace(r"\{id\}", "[^/]+").replace(r"/\*", "/.+")))
    for route in api.ROUTES
]


def route_of(method, path):
    """The declaration that answers; None where nothing is."""
    exact = [route for route in api.ROUTES if (route.method, route.path) == (method, path)]
    routes = exact or [route for route, pattern in PATTERNS if route.method == method and pattern.fullmatch(path)]
    return routes[0] if routes else None


def check(method, path, status, content_type, body):
    """AssertionError unless the route declares such an answer."""
    route, media = route_of(method, path), content_type.partition(";")[0]
    if route is None or route.answers == (ANYTHING,):
        return
    if status >= 400:
        assert status in failures(route), f"{method} {path} answers {status}, which it does not declare"
        if (status, media) == (401, "text/html"):  # for a person at a browser, who asked for a report as HTML
            return
        msgspec.json.decode(body, type=Failure)
        return
    assert status in route.statuses, f"{method} {path} answers {status}, which it does not declare"
    if status in (303, 304) or method == "HEAD":
        return
    if isinstance(route.handler, ReportHandler):
        formats = CATALOGUE[route.handler.report].formats
        assert media in {RENDERERS[form].content_type.partition(";")[0] for form in formats}
        kinds = [ReportEnvelope, *([OscalDocument] if "oscal" in formats else [])]
    else:
        kinds = [answer for answer in route.answers if not isinstance(answer, MediaContent)]
        if kinds:
            assert media in {
                "application/json",
                *(one.media_type for one in route.answers if isinstance(one, MediaContent)),
            }
        else:
            assert media in {one.media_type for one in route.answers}
    if media == "application/json":
        assert any(_fits(body, kind) for kind in kinds), _why(method, path, body, kinds)


def _fits(body, kind):
    try:
        msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        return False
    return True


def _why(method, path, body, kinds):
    for kind in kinds:
        try:
            msgspec.json.decode(body, type=kind)
        except msgspec.ValidationError as error:
            return f"{method} {path} is no {kind.__name__}: {error}"
    return ""
