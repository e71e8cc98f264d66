"""Examples of bodies and answers: what the tests send and get, and what reports say of a demo organization."""

import json
from functools import cache
from importlib.resources import files

from engine.model.declarations.report import Report
from engine.web.routes import Route

ROUTES, REPORTS = "examples.json", "report_examples.json"


def body_example(route: Route, media_type: str) -> object:
    """A body that the route accepts, one of its own for a media type that has one; None where there is none."""
    named = f"{route.method} {route.path}"
    own = recorded_examples("documents").get(named)
    return own[media_type] if isinstance(own, dict) and media_type in own else recorded_examples("bodies").get(named)


def answer_example(route: Route) -> object:
    """An answer of the route; None where there is none."""
    return recorded_examples("answers").get(f"{route.method} {route.path}")


def report_example(report: Report) -> object:
    """What the report says of a demo organization, its lists cut short; None where nothing was recorded yet."""
    return _file(REPORTS).get(report.name)


def recorded_examples(part: str) -> dict[str, object]:
    """The examples of a part, ``bodies`` or ``answers``, by method and path."""
    known = _file(ROUTES)[part]
    return known if isinstance(known, dict) else {}


@cache
def _file(name: str) -> dict[str, object]:
    known: dict[str, object] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return known
