"""What changed since a day, over HTTP: on every report route, in every format that tables have, with who did it."""

from datetime import date, timedelta
from itertools import cycle

import pytest

from engine.copilot.answers.sources import route_of
from engine.store.schema.controls import attestations
from tests.conftest import NOW
from tests.contract import REPORT_ROUTES
from tests.laws import WHOLE
from tests.web.client import Client
from tests.web.handlers.test_report_routes import BASE, TYPES

PATH = f"{BASE}attestations"
DAY = timedelta(days=1)
DUTY = {"id": "att-1", "framework": "soc2", "control_id": "CC6.1", "owner": "ann@acme.example"}


@pytest.fixture
def later(console, with_people, clock):
    """Two days later somebody signed what was due."""
    with with_people.revision("acme", "ann", now=NOW) as revision:
        revision.upsert(attestations, [{**DUTY, "due_on": date(2026, 11, 19)}])
        revision.record("attestation.opened", object_id="att-1")
    at = NOW + 2 * DAY
    clock.tick(2 * DAY)
    with with_people.revision("acme", "bob@acme.example", now=at) as revision:
        revision.upsert(
            attestations, [{**DUTY, "due_on": date(2026, 11, 19), "outcome": "attested", "attested_at": at}]
        )
        revision.record("attestation.attested", object_id="att-1")
    return Client(console, console.gate.sessions.issue("owner@acme.example", "acme", now=at))


@pytest.mark.real
def test_the_write_that_did_it_is_told_with_actor_and_time(later, with_people):
    answer = later.get(f"{PATH}?since=2026-11-20").json
    seq = with_people.head("acme").seq
    assert (answer["title"], answer["as_of"]) == ("Attestation board: what changed", "2026-11-22")
    assert answer["parameters"]["since"] == "2026-11-20"
    (write,) = answer["writes"]
    assert (write["actor"], write["on"], write["revision"], write["event_id"]) == (
        "bob@acme.example",
        "2026-11-22",
        seq,
        f"hq:{seq}",
    )
    (row,) = [row for row in answer["attestations_rows"] if row["change"] == "changed"]
    assert row["event_ids"] == [f"hq:{seq}"]
    assert ("status", "overdue", "attested") in zip(row["columns"], row["before"], row["after"], strict=True)


# each report in one of the formats, which take turns; in the weekly job each of them in all
ONE_EACH = list(zip(REPORT_ROUTES, cycle(TYPES)))
ASKED = [(name, form) for name in REPORT_ROUTES for form in TYPES] if WHOLE else ONE_EACH


@pytest.mark.real
def test_every_report_route_can_be_asked_in_every_format_of_tables(later):
    assert {form for _, form in ASKED} == set(TYPES)
    for name, form in ASKED:
        answer = later.get(f"{route_of(name)}?since=2026-11-20&format={form}")
        assert (answer.status, answer.headers["content-type"]) == (200, TYPES[form]), (name, answer.body[:300])


@pytest.mark.real
def test_the_same_question_has_the_same_bytes_and_tag(later):
    one, other = later.get(f"{PATH}?since=2026-11-20"), later.get(f"{PATH}?since=2026-11-20")
    assert (one.body, one.headers["etag"]) == (other.body, other.headers["etag"])
    assert one.headers["etag"] not in (
        later.get(PATH).headers["etag"],
        later.get(f"{PATH}?since=2026-11-21").headers["etag"],
    )
    known = later.get(f"{PATH}?since=2026-11-20", if_none_match=one.headers["etag"])
    assert (known.status, known.body) == (304, b"")


@pytest.mark.real
def test_a_past_day_is_compared_with_an_earlier_one(later):
    answer = later.get(f"{PATH}?since=2026-11-20&asOf=2026-11-21").json
    assert (answer["as_of"], answer["writes"]) == ("2026-11-21", [])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("since=yesterday", "The parameter since must be a day as YYYY-MM-DD; got 'yesterday'."),
        (
            "since=2026-11-22",
            "The parameter since must be a day before 2026-11-22, which it is compared with; got '2026-11-22'.",
        ),
        (
            "since=2026-11-21&revision=2&asOf=2026-11-22",
            "The parameter since must be a day that ended before revision 2, which it is compared with; got '2026-11-21'.",
        ),
        (
            "since=2020-01-01",
            "The parameter since must be a day from 2026-11-20 to 2026-11-22: the records begin then; "
            "got '2020-01-01'.",
        ),
    ],
)
def test_what_cannot_be_asked_is_said(later, query, message):
    answer = later.get(f"{PATH}?{query}")
    assert (answer.status, answer.json["error"], answer.json["message"]) == (400, "invalid_parameter", message)


def test_formats_that_make_no_sense_of_a_difference_are_refused(later):
    answer = later.get(f"{route_of('obligation-ics')}?since=2026-11-20&format=ics")
    assert (answer.status, answer.json["error"]) == (400, "unknown_format")
    assert answer.json["message"] == "The report obligation-ics comes as json, csv, html, md, xlsx; got 'ics'."
