"""Whatever goes wrong has one shape, the right status, and no inside."""

import logging

import pytest

from engine.model.errors import Problem
from engine.web.admission.access import NONE
from engine.web.app import Console
from engine.web.http import MAX_BODY
from engine.web.routes import Route
from tests.web.client import Client

REPORT = "/api/governance/compliance/summary"
BUNDLES = "/api/governance/compliance/bundles"


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/", 404, "no_such_route"),
        ("GET", "/api", 404, "no_such_route"),
        ("GET", "/api/health/", 404, "no_such_route"),
        ("GET", "/API/health", 404, "no_such_route"),
        ("GET", "/api/incidents/a/b/export", 404, "no_such_route"),
        ("POST", "/api/health", 405, "method_not_allowed"),
        ("HEAD", "/api/contact", 405, "method_not_allowed"),
        ("HEAD", "/api/nothing", 404, "no_such_route"),
        ("OPTIONS", REPORT, 405, "method_not_allowed"),
        ("DELETE", "/api/robot", 404, "no_such_route"),
        ("GET", "/\xff", 404, "no_such_route"),
    ],
)
def test_what_does_not_exist(method, path, status, error, sign_in):
    answer = sign_in().call(method, path)
    assert answer.status == status
    if method != "HEAD":
        assert set(answer.json) == {"error", "message"}
        assert answer.json["error"] == error
    if status == 405:
        assert answer.headers["allow"]


def test_405_names_the_methods(sign_in):
    answer = sign_in().call("PUT", BUNDLES)
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert answer.json["message"] == "This path answers GET, HEAD and POST; got PUT."


def test_a_body_over_one_mebibyte_is_413(sign_in):
    answer = sign_in().post(BUNDLES, b"x" * (2 * MAX_BODY))
    assert (answer.status, answer.json["error"]) == (413, "body_too_large")
    assert answer.json["message"] == "The body may have 1,048,576 bytes; it has 2,097,152."


def test_an_unauthenticated_large_body_is_401_first(sign_in):
    assert sign_in(None).post(BUNDLES, b"x" * (2 * MAX_BODY)).status == 401


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("periodDays=0", "periodDays"),
        ("periodDays=731", "periodDays"),
        ("periodDays=x", "periodDays"),
        ("periodDays=1e3", "periodDays"),
        ("periodDays=", "periodDays"),
        ("periodDays=%C2%B2", "periodDays"),
        ("perioddays=30", "perioddays"),
        ("format=xml", "format"),
        ("x%00y=1", "x\x00y"),
    ],
)
def test_a_bad_parameter_is_named_with_what_is_allowed(query, parameter, sign_in):
    answer = sign_in().get(f"{REPORT}?{query}")
    assert answer.status == 400
    assert answer.json["details"][0]["parameter"] == parameter


def test_a_parameter_may_come_once(sign_in):
    answer = sign_in().get(f"{REPORT}?periodDays=3&periodDays=4")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")


def test_a_query_that_is_no_utf8_is_400(sign_in):
    assert sign_in().get(f"{REPORT}?periodDays=%ff").status == 400


def test_every_answer_has_a_request_id_and_security_headers(sign_in):
    for answer in (sign_in().get(REPORT), sign_in(None).get(REPORT), sign_in().get("/nope")):
        assert len(answer.headers["x-request-id"]) == 24
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-frame-options"] == "DENY"


def test_a_request_id_is_kept_when_it_is_well_formed(sign_in):
    assert sign_in().get(REPORT, x_request_id="trace-0123456789").headers["x-request-id"] == "trace-0123456789"
    assert sign_in().get(REPORT, x_request_id="bad id\n").headers["x-request-id"] != "bad id\n"


def test_a_fault_of_ours_shows_no_inside_and_is_logged(console, caplog):
    def broken(request):
        raise ZeroDivisionError("secret detail")

    client = Client(Console((*console.routes, Route("GET", "/broken", NONE, broken)), console.services))
    with caplog.at_level(logging.ERROR):
        answer = client.get("/broken")
    assert (answer.status, answer.json["error"]) == (500, "internal_error")
    assert "secret detail" not in answer.body.decode()
    assert "secret detail" in caplog.text
    assert answer.headers["x-request-id"] in caplog.text


def test_retry_after_is_in_header_and_body(console):
    def raise_problem(request):
        problem = Problem("Too fast.", word="rate_limited", headers={"Retry-After": "7"})
        problem.status = 429
        raise problem

    client = Client(Console((*console.routes, Route("GET", "/limited", NONE, raise_problem)), console.services))
    answer = client.get("/limited")
    assert (answer.status, answer.headers["retry-after"], answer.json["retry_after"]) == (429, "7", 7)


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/", "/nothing/<b>here", "/api/nothing"])
def test_a_browser_at_a_path_without_a_route_gets_a_page_and_programs_the_error(path, sign_in):
    page = sign_in(None).get(path, accept=BROWSER)
    assert (page.status, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"hq session --email you@example.com --link" in page.body
    assert (b"<b>" in page.body, b"script" in page.headers["content-security-policy"].encode()) == (False, False)
    for accept in ("*/*", "application/json", "text/html;q=0.1, application/json"):
        assert sign_in(None).get(path, accept=accept).json["error"] == "no_such_route"


def test_a_browser_without_a_session_is_told_how_to_sign_in(sign_in):
    page = sign_in(None).get(REPORT, accept=BROWSER)
    assert (page.status, b"hq session --email you@example.com --link" in page.body) == (401, True)
