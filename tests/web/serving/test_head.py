"""HEAD answers as GET does on every route of the table, with the same headers and no body."""

import pytest

import api
from engine.web.handlers.reports import ReportHandler

GETS = [route for route in api.ROUTES if route.method == "GET"]
REPORTS = ["/api/governance/compliance/summary", "/api/governance/compliance/workbook"]
ID = "same-for-both"


def both(client, path, **headers):
    """Status and headers of GET and of HEAD; HEAD has no body whatever comes."""
    of_get = client.call("GET", path, x_request_id=ID, **headers)
    of_head = client.call("HEAD", path, x_request_id=ID, **headers)
    assert of_head.body == b"", path
    assert len(of_get.body) == int(of_get.headers.get("content-length", len(of_get.body)))
    return (of_get.status, of_get.headers), (of_head.status, of_head.headers)


def path_of(route):
    return route.path.replace("{id}", "some").replace("*", "some/where")


def test_head_is_get_without_its_body_on_every_route_that_a_stranger_may_ask(sign_in):
    different = {}
    for route in GETS:
        of_get, of_head = both(sign_in(None), path_of(route))
        if of_get != of_head:
            different[route.path] = of_get, of_head
    assert different == {}


@pytest.mark.real
def test_head_is_get_without_its_body_on_every_route_of_a_session(sign_in):
    """Reports have one handler, and a test of their own; each caller has a limit of its own."""
    different = {}
    for number, route in enumerate(route for route in GETS if not isinstance(route.handler, ReportHandler)):
        who = ("owner", "admin", "operator", "member")[number % 4] if "/admin/" not in route.path else "owner"
        of_get, of_head = both(sign_in(f"{who}@acme.example"), path_of(route))
        if of_get != of_head:
            different[route.path] = of_get, of_head
    assert different == {}


@pytest.mark.real
@pytest.mark.parametrize("path", REPORTS)
def test_head_has_the_length_and_the_etag_of_a_report_and_answers_304(path, sign_in):
    client = sign_in()
    of_get, of_head = both(client, path)
    assert of_get == of_head
    status, headers = of_head
    assert (status, bool(headers["etag"]), int(headers["content-length"]) > 100) == (200, True, True)
    unchanged = both(client, path, if_none_match=headers["etag"])
    assert unchanged[0] == unchanged[1]
    assert unchanged[1][0] == 304


@pytest.mark.parametrize(
    ("path", "status"), [("/api/nothing", 404), ("/", 404), ("/api/contact", 405), ("/api/health/x", 404)]
)
def test_what_does_not_exist_has_the_headers_that_get_has(path, status, sign_in):
    of_get, of_head = both(sign_in(), path)
    assert of_get == of_head
    assert of_head[0] == status
    assert of_head[1].get("allow") == ("POST" if status == 405 else None)


def test_head_of_health_has_the_length_of_the_body_that_get_sends(sign_in):
    of_get, of_head = both(sign_in(None), "/api/health")
    assert of_get == of_head
    assert of_head[1]["content-type"] == "application/json"
    assert int(of_head[1]["content-length"]) > 0
