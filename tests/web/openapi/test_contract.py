"""The interface is exactly the documented one."""

import inspect
import re
from collections import Counter
from pathlib import Path

import pytest

import api
from engine.copilot.answers.sources import route_of
from engine.web.bodies import JsonMembers, RawBody
from engine.web.handlers.approvals import Click, Interaction
from engine.web.handlers.digests import DeliveryHandler, ScheduledHandler
from reports import CATALOGUE
from tests.contract import REPORT_ROUTES

# bodies that reach their handler as something else than what is declared of them
READ_AS = {JsonMembers: dict[str, object], Interaction: Click | None}
GOLDEN = Path(__file__).parents[2] / "golden" / "routes.txt"


def lines():
    return [f"{route.method} {route.path} {route.access.code}" for route in api.ROUTES]


def test_the_route_table_is_the_golden_one():
    """`hq routes > tests/golden/routes.txt` accepts a change of the contract."""
    assert lines() == GOLDEN.read_text().splitlines()


def test_there_are_172_routes_and_none_twice():
    pairs = Counter((route.method, route.path) for route in api.ROUTES)
    assert (len(api.ROUTES), max(pairs.values())) == (172, 1)


def test_every_scheduled_route_has_a_secret_of_its_own():
    scheduled = [route for route in api.ROUTES if route.path.endswith("/scheduled")]
    codes = {route.access.code for route in scheduled}
    assert (len(scheduled), len(codes)) == (14, 14)
    assert all(re.fullmatch(r"CRON\(SVC_[A-Z_]+_CRON_SECRET\)", code) for code in codes)


@pytest.mark.parametrize("route", api.ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_answers_and_asks_for_its_credential(route, sign_in):
    path = route.path.replace("{id}", "unknown").replace("*", "some/where")
    answer = sign_in(None).call(route.method, path)
    if route.access.code == "none":
        assert answer.status == (400 if route.path == "/api/contact" else 200)
    elif route.access.code == "S or limited per address":
        assert answer.status == 400
    else:
        assert (answer.status, "error" in answer.json) == (401, True)


def test_every_report_route_has_a_report():
    """A report without one is printed by `hq report` and in the pages: a route of its own changes the contract."""
    assert set(REPORT_ROUTES) - set(CATALOGUE) == set()


def test_answers_cite_the_route_of_each_report():
    assert {name: route_of(name) for name in REPORT_ROUTES} == REPORT_ROUTES


def test_every_preview_is_of_the_digest_that_its_route_delivers():
    previews = {r.path: r.handler.outlook.digest for r in api.ROUTES if getattr(r.handler, "outlook", None)}
    delivered = {r.path: r.handler.digest for r in api.ROUTES if isinstance(r.handler, DeliveryHandler)}
    by_cron = {
        r.path.removesuffix("/scheduled"): r.handler.digest
        for r in api.ROUTES
        if isinstance(r.handler, ScheduledHandler)
    }
    assert delivered == by_cron
    assert previews == {path: digest for path, digest in delivered.items() if digest.route != "digest"}


def test_handlers_take_the_body_that_their_route_declares():
    for route in api.ROUTES:
        taken = list(inspect.signature(route.handler, eval_str=True).parameters.values())[1:]
        if route.body is None or isinstance(route.body, RawBody):
            assert taken == [], route.path
        else:
            (body,) = taken
            assert body.annotation == READ_AS.get(type(route.body), route.body.kind), route.path
