"""Filters over HTTP: rows that name one thing, one table alone, and never the bytes of the whole report for it."""

from datetime import date

import pytest

from engine.copilot.answers.sources import route_of
from engine.model.declarations.filters import NAMING
from engine.render import links
from engine.store.schema.controls import attestations
from engine.store.schema.risk import vendors
from reports import CATALOGUE
from tests.conftest import NOW
from tests.contract import REPORT_ROUTES
from tests.web.handlers.test_report_routes import BASE
from tests.web.interface import interface

BOARD = f"{BASE}attestations"
PEOPLE = ("owner@acme.example", "member@acme.example")
NAMES = {"control": "soc2:CC6.1", "owner": PEOPLE[0], "framework": "soc2", "vendor": "ven-1"}


@pytest.fixture
def duties(with_people):
    """Each of two people signs for a control; a vendor is reviewed."""
    with with_people.revision("acme", "ann", now=NOW) as revision:
        revision.upsert(
            attestations,
            [
                {
                    "id": f"att-{number}",
                    "framework": "soc2",
                    "control_id": f"CC6.{number}",
                    "owner": owner,
                    "due_on": date(2026, 12, number),
                }
                for number, owner in enumerate(PEOPLE, 1)
            ],
        )
        revision.upsert(
            vendors,
            [
                {
                    "id": "ven-1",
                    "name": "Okta",
                    "category": "saas",
                    "tier": "critical",
                    "next_review_on": date(2026, 12, 9),
                }
            ],
        )
        revision.record("attestation.opened", object_id="att-1")
    return with_people


def test_rows_are_those_that_name_the_person_and_figures_those_of_the_whole_report(duties, sign_in):
    whole, mine = (sign_in().get(f"{BOARD}{query}").json for query in ("", f"?owner={PEOPLE[0]}"))
    assert {row["owner"] for row in whole["attestations"]} == set(PEOPLE)
    assert [row["control_id"] for row in mine["attestations"]] == ["CC6.1"]
    assert mine["summary"] == whole["summary"]
    assert mine["title"] == f"{whole['title']}: owner {PEOPLE[0]}"
    assert mine["parameters"] == {**whole["parameters"], "owner": PEOPLE[0]}
    assert any(whole["headline"] in warning for warning in mine["warnings"])
    assert "frameworks" not in mine


def test_a_filtered_report_has_an_entity_tag_and_a_file_name_of_its_own(duties, sign_in):
    client = sign_in()
    answers = [client.get(f"{BOARD}?format=csv{query}") for query in ("", f"&owner={PEOPLE[0]}", f"&owner={PEOPLE[1]}")]
    tags = [answer.headers["etag"] for answer in answers]
    assert len(set(tags)) == 3
    assert [answer.headers["content-disposition"].partition("acme-")[2] for answer in answers] == [
        'attestations-2026-11-20.csv"',
        'attestations-owner-owner-acme-example-2026-11-20.csv"',
        'attestations-owner-member-acme-example-2026-11-20.csv"',
    ]
    again = {tag: client.get(f"{BOARD}?format=csv&owner={PEOPLE[0]}", if_none_match=tag).status for tag in tags}
    assert again == {tags[0]: 200, tags[1]: 304, tags[2]: 200}


def test_one_table_as_csv_has_plain_headings_and_no_section(duties, sign_in):
    client = sign_in()
    whole = client.get(f"{BOARD}?format=csv").body.decode().splitlines()
    assert whole[0].startswith("section,")
    (text,) = [table for table in ("without_attestation",) if f"\r\n{table}," in "\r\n".join(whole)] or ["attestations"]
    lines = client.get(f"{BOARD}?format=csv&table={text}").body.decode().splitlines()
    rows = client.get(f"{BOARD}?table={text}").json
    assert lines[0] == ",".join(rows[text][0])
    assert len(lines) - 1 == len(rows[text]) == sum(line.startswith(f"{text},") for line in whole)
    assert [name for name in rows if isinstance(rows[name], list)] == [text, "footnotes", "warnings"]


def test_a_feed_has_the_entries_of_the_rows_that_are_left(duties, sign_in):
    path = f"{BASE}obligation-ics"
    whole, mine = (sign_in().get(f"{path}?format=ics{query}").body.decode() for query in ("", f"&owner={PEOPLE[1]}"))
    counts = [
        len(sign_in().get(f"{path}?format=json{query}").json["obligations"]) for query in ("", f"&owner={PEOPLE[1]}")
    ]
    assert [feed.count("BEGIN:VEVENT") for feed in (whole, mine)] == counts
    assert 0 < counts[1] < counts[0]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            f"{BOARD}?table=board",
            "The parameter table must be one of owners, attestations, frameworks, "
            "without_attestation, earlier; got 'board'.",
        ),
        (
            f"{BOARD}?vendor=ven-1",
            "This report can be filtered by control, owner, framework: nothing in it names any vendor.",
        ),
        (
            f"{route_of('third-party-vendors')}?vendor=Okta",
            "The parameter vendor must be the identifier of one of the organization's vendors; Okta is ven-1; got 'Okta'.",
        ),
        (f"{BOARD}?owner=", "The parameter owner must be a text of 1 to 200 characters; got ''."),
    ],
)
def test_what_cannot_be_filtered_is_said(duties, sign_in, path, message):
    answer = sign_in().get(path)
    assert (answer.status, answer.json["error"], answer.json["message"]) == (400, "invalid_parameter", message)


@pytest.mark.real
def test_a_parameter_that_a_report_declares_itself_means_what_the_report_says(duties, sign_in):
    answer = sign_in().get(f"{BASE}obligation-whatif?shiftWeeks=2&framework=soc2").json
    assert answer["title"] == f"{CATALOGUE['obligation-whatif'].title}: duties move 2 weeks later"
    assert not any("whole report" in warning for warning in answer["warnings"])


def test_an_explanation_is_filtered_too(duties, sign_in):
    rows = sign_in().get(f"{BASE}program?explain=gaps_open&control=soc2:CC6.1").json["rows"]
    assert {(row["framework"], row["control_id"]) for row in rows} <= {("soc2", "CC6.1")}


@pytest.fixture(scope="module", autouse=True)
def _described_before_the_clock_stops():
    """A schema knows a datetime by its class, and a stopped clock has another."""
    interface()


@pytest.mark.real
def test_every_report_takes_the_filters_that_the_interface_says_and_no_others(duties, sign_in):
    client = sign_in()
    for name, path in REPORT_ROUTES.items():
        report = CATALOGUE[name]
        listed = {one["name"] for one in interface()["paths"][path]["get"]["parameters"] if "name" in one}
        taken = {}
        for kind in set(NAMING) - {parameter.name for parameter in report.parameters}:
            answer = client.get(f"{path}?format=json&{kind}={NAMES[kind]}")
            assert answer.status in (200, 400), answer.body
            taken[kind] = answer.status == 200 or "must be" in answer.json["message"]
        assert (name, taken) == (name, {kind: kind in listed for kind in taken})
        assert "table" in listed


@pytest.mark.real
def test_names_on_pages_lead_to_reports_that_take_them_as_filters(duties, sign_in):
    for kind in NAMING:
        address = links.route_of(kind, NAMES[kind])
        assert sign_in().get(address).status == 200, address


@pytest.mark.real
def test_all_rows_are_open_where_they_are_asked_for(duties, sign_in):
    client = sign_in()
    usual, every = (client.get(f"{BASE}type-ii?format=html{more}") for more in ("", "&rows=all"))
    assert (usual.body.count(b'<details class="rest">'), usual.body.count(b'<details class="rest" open>')) == (1, 0)
    assert (every.body.count(b'<details class="rest">'), every.body.count(b'<details class="rest" open>')) == (0, 1)
    assert usual.headers["etag"] != every.headers["etag"]
    assert client.get(f"{BASE}type-ii?format=html&rows=some").status == 400
