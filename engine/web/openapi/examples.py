"""Examples of bodies and answers: what the tests send and get, and for reports what they declare."""

import json
from functools import cache
from importlib.resources import files

from engine.model.report import Report
from engine.web.routes import Route

KNOWN = "examples.json"


def body_example(route: Route) -> object:
    """A body that the route accepts; None where there is none."""
    return recorded_examples("bodies").get(f"{route.method} {route.path}")


def answer_example(route: Route) -> object:
    """An answer of the route; None where there is none."""
    return recorded_examples("answers").get(f"{route.method} {route.path}")


def report_example(report: Report) -> dict[str, object]:
    """The envelope of a report, without its tables."""
    return {
        "report": report.name,
        "title": report.title,
        "schema_version": report.schema_version,
        "organization": {"id": "aurora", "name": "Aurora Health"},
        "as_of": "2026-11-20",
        "revision": {"seq": 812, "hash": "9f2c" * 16},
        "parameters": {parameter.name: parameter.default for parameter in report.parameters},
        "settings_version": 3,
        "coverage": {"assessed": 45, "total": 61, "pct": 73.8},
        "headline": report.description,
        "summary": {},
        "definitions": {},
        "footnotes": [],
        "warnings": [],
    }


@cache
def recorded_examples(part: str) -> dict[str, object]:
    """The examples of a part, ``bodies`` or ``answers``, by method and path."""
    known: dict[str, dict[str, object]] = json.loads(files(__package__).joinpath(KNOWN).read_text("utf-8"))
    return known[part]
