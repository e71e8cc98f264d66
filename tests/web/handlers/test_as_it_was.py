"""Reports as they were, over HTTP: in every format, for every report route, with the entity tag of then."""

from datetime import timedelta

import pytest

from tests.conftest import NOW
from tests.contract import REPORT_ROUTES
from tests.web.client import Client
from tests.web.handlers.test_report_routes import BASE, TYPES

PATH = f"{BASE}attestations"
DAY = timedelta(days=1)


@pytest.fixture
def later(console, sign_in, with_people, clock):
    """Reports of NOW with their tags, two days and a write later."""
    client = sign_in()
    then = {form: client.get(f"{PATH}?format={form}") for form in TYPES}
    clock.tick(2 * DAY)
    with with_people.revision("acme", "ann", now=NOW + 2 * DAY) as revision:
        revision.record("access.granted")
    return Client(console, console.gate.sessions.issue("owner@acme.example", "acme", now=NOW + 2 * DAY)), then


def test_every_format_has_the_bytes_and_the_tag_that_it_had(later, with_people):
    client, then = later
    seq = with_people.head("acme").seq - 1
    for form, answer in then.items():
        for query in ("asOf=2026-11-20", f"revision={seq}", f"revision={seq}&asOf=2026-11-20"):
            again = client.get(f"{PATH}?format={form}&{query}")
            assert (again.status, again.body, again.headers["etag"]) == (200, answer.body, answer.headers["etag"])
            assert again.headers["content-disposition"] == answer.headers["content-disposition"]
        known = client.get(f"{PATH}?format={form}&asOf=2026-11-20", if_none_match=answer.headers["etag"])
        assert (known.status, known.body) == (304, b"")
    assert client.get(PATH).headers["etag"] != then["json"].headers["etag"]


def test_today_is_the_plain_request(later):
    client, _ = later
    plain, today = client.get(PATH), client.get(f"{PATH}?asOf=2026-11-22")
    assert (today.body, today.headers["etag"]) == (plain.body, plain.headers["etag"])


@pytest.mark.real
def test_every_report_route_has_a_past(later):
    client, _ = later
    for path in REPORT_ROUTES.values():
        answer = client.get(f"{path}?asOf=2026-11-20&format=json")
        assert (answer.status, answer.json.get("as_of")) == (200, "2026-11-20"), (path, answer.body[:300])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("asOf=yesterday", "The parameter asOf must be a day as YYYY-MM-DD; got 'yesterday'."),
        ("asOf=2026-02-30", "The parameter asOf must be a day as YYYY-MM-DD; got '2026-02-30'."),
        ("asOf=", "The parameter asOf must be a day as YYYY-MM-DD; got ''."),
        ("revision=0", "The parameter revision must be an integer from 1 to 999999999; got '0'."),
        ("revision=x", "The parameter revision must be an integer from 1 to 999999999; got 'x'."),
        ("revision=99", "The parameter revision must be an integer from 1 to 3: the head is 3; got '99'."),
        (
            "asOf=2026-11-23",
            "The parameter asOf must be a day from 2026-11-20 to 2026-11-22: "
            "later days are still to come; got '2026-11-23'.",
        ),
        (
            "asOf=2020-01-01",
            "The parameter asOf must be a day from 2026-11-20 to 2026-11-22: the records begin then; got '2020-01-01'.",
        ),
        (
            "asof=2026-11-20",
            "The parameter 'asof' is not known to attestations; it accepts periodDays, control, "
            "owner, framework, vendor, table, rows, explain, asOf, revision, since and format.",
        ),
    ],
)
def test_what_cannot_be_asked_is_said(later, query, message):
    answer = later[0].get(f"{PATH}?{query}")
    assert (answer.status, answer.json["error"], answer.json["message"]) == (400, "invalid_parameter", message)
