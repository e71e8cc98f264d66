"""`hq openapi` describes the whole interface, in a document that others' tools accept."""

import json
from dataclasses import replace

import jsonschema
import pytest
from click.testing import CliRunner
from openapi_spec_validator import OpenAPIV31SpecValidator

import api
from engine.cli import commands
from engine.web.answers.shape import ReportEnvelope
from engine.web.handlers.reports import ReportHandler
from engine.web.openapi import document
from engine.web.openapi.examples import recorded_examples, report_example
from engine.web.openapi.operations import path_template
from engine.web.openapi.security import SCHEMES
from engine.web.routes import MediaContent
from reports import CATALOGUE, REPORTS
from tests.web.interface import interface


def operation_of(route):
    return interface()["paths"][path_template(route.path)][route.method.lower()]


def operations():
    return [operation for methods in interface()["paths"].values() for operation in methods.values()]


def validator(schema):
    return jsonschema.Draft202012Validator({**schema, "components": interface()["components"]})


@pytest.mark.real
def test_the_document_is_valid_openapi():
    assert list(OpenAPIV31SpecValidator(interface()).iter_errors()) == []


@pytest.mark.real
def test_the_command_prints_it(monkeypatch):
    monkeypatch.setenv("SVC_BASE_URL", "https://console.example")
    printed = CliRunner().invoke(commands, ["openapi"], catch_exceptions=False)
    assert json.loads(printed.output) == {**interface(), "servers": [{"url": "https://console.example"}]}


def test_every_route_is_an_operation_and_nothing_else_is():
    assert len(operations()) == len(api.ROUTES) == sum(len(methods) for methods in interface()["paths"].values())
    assert len({operation["operationId"] for operation in operations()}) == len(api.ROUTES)
    assert [operation_of(route)["tags"] for route in api.ROUTES] == [
        [chapter] for chapter, routes in api.CHAPTERS.items() for _ in routes
    ]


def test_every_operation_says_in_a_sentence_what_it_does():
    summaries = [operation["summary"] for operation in operations()]
    assert [text for text in summaries if not (10 < len(text) < 160 and text[0].isupper() and text.endswith("."))] == []
    assert [text for text in summaries if "``" in text or "/api/" in text] == []


def test_what_needs_a_credential_says_which_and_answers_401():
    for route in api.ROUTES:
        operation = operation_of(route)
        assert [name for one in operation["security"] for name in one] == list(route.access.credentials), route.path
        assert ("401" in operation["responses"]) == (route.access.code != "none"), route.path
    assert {name for route in api.ROUTES for name in route.access.credentials} == set(SCHEMES)


def test_every_route_may_answer_403():
    """For want of a role; in session-mode for one local user, to whoever is not on this machine."""
    assert [route.path for route in api.ROUTES if "403" not in operation_of(route)["responses"]] == []


def test_every_error_has_the_one_shape():
    schemas = {
        name: response["content"]["application/json"]["schema"]
        for name, response in interface()["components"]["responses"].items()
    }
    assert set(map(str, schemas.values())) == {"{'$ref': '#/components/schemas/Failure'}"}
    assert interface()["components"]["schemas"]["Failure"]["required"] == ["error", "message"]


def test_a_report_has_its_own_parameters_formats_and_media_types():
    (route,) = (r for r in api.ROUTES if getattr(r.handler, "report", None) == "fedramp-poam")
    operation = operation_of(route)
    assert [one["name"] for one in operation["parameters"] if one.get("in") == "query"] == [
        "periodDays",
        "template",
        "sheet",
        "scans",
        "control",
        "table",
        "rows",
        "explain",
        "format",
    ]
    assert operation["parameters"][-5]["schema"]["enum"] == ["json", "csv", "html", "md", "xlsx", "oscal"]
    common = interface()["components"]["parameters"]
    assert operation["parameters"][-4:-1] == [{"$ref": f"#/components/parameters/{name}"} for name in common]
    assert [one["schema"] for one in common.values()] == [
        {"type": "string", "format": "date"},
        {"type": "integer", "minimum": 1, "maximum": 999_999_999},
        {"type": "string", "format": "date"},
    ]
    assert list(operation["responses"]["200"]["content"]) == [
        "text/csv",
        "text/html",
        "text/markdown",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/json",
    ]


def test_a_report_about_the_caller_takes_no_other_actor():
    (route,) = (r for r in api.ROUTES if getattr(r.handler, "of_caller", False))
    assert "actor" in [one.name for one in CATALOGUE[route.handler.report].parameters]
    assert "actor" not in [one.get("name") for one in operation_of(route)["parameters"]]


def test_every_body_and_every_answer_has_an_example_that_fits():
    without, wrong = [], []
    for route in api.ROUTES:
        operation = operation_of(route)
        held = [operation["requestBody"]["content"]] if route.body is not None and not route.forwards else []
        typed = any(not isinstance(one, MediaContent) for one in route.answers)
        held += [operation["responses"][str(route.statuses[0])].get("content", {})] if typed else []
        for media, content in ((media, one) for contents in held for media, one in contents.items()):
            if "example" not in content and media in ("application/json", "application/x-www-form-urlencoded"):
                without.append(route.path)
            elif "example" in content:
                errors = validator(content["schema"]).iter_errors(content["example"])
                wrong += [(route.path, error.message) for error in errors]
    assert (without, wrong) == ([], [])


def test_every_recorded_example_is_shown():
    routes = {f"{route.method} {route.path}" for route in api.ROUTES}
    assert {*recorded_examples("bodies"), *recorded_examples("answers")} - routes == set()


@pytest.mark.parametrize("member", ["headline", "organization", "revision"])
def test_a_report_without_its_envelope_does_not_fit(member):
    schema = {"$ref": f"#/components/schemas/{ReportEnvelope.__name__}"}
    (route,) = (r for r in api.ROUTES if isinstance(r.handler, ReportHandler) and r.handler.report == "summary")
    example = operation_of(route)["responses"]["200"]["content"]["application/json"]["example"]
    assert validator(schema).is_valid({**example, "frameworks": [{"framework": "soc2"}]})
    assert not validator(schema).is_valid({**example, "frameworks": ["soc2"]})
    assert not validator(schema).is_valid({name: value for name, value in example.items() if name != member})


def test_every_report_has_an_example_in_its_own_words():
    report_examples = {report.name: report_example(report) for report in REPORTS}
    assert {name: example["title"] for name, example in report_examples.items()} == {
        report.name: report.title for report in REPORTS
    }
    assert [
        name for name, example in report_examples.items() if not example["headline"] or not example["summary"]
    ] == []


def test_a_report_whose_example_is_not_recorded_yet_is_described_without_one(monkeypatch):
    monkeypatch.setattr("engine.web.openapi.responses.report_example", lambda report: None)
    described = document(api.CHAPTERS, CATALOGUE, "http://localhost:8080")
    content = described["paths"]["/api/governance/compliance/summary"]["get"]["responses"]["200"]["content"]
    assert set(content["application/json"]) == {"schema"}
    assert report_example(replace(REPORTS[0], name="not-recorded")) is None
