"""OSCAL: the structure that the public schema asks for, and identities that stay.

The plans of the demo, open and closed, were validated with the JSON schemas of NIST OSCAL 1.0.4 and 1.0.6 (package
jsonschema, formats included) and with the models of OSCAL 1.2.1 in compliance-trestle 5.2. ``check`` holds what those
ask of the members that are written here.
"""

import json
import re
from dataclasses import replace
from datetime import date
from uuid import UUID

from engine.model.documents.document import Document
from engine.render.text import oscal
from reports.frameworks.poam.fedramp_poam import REPORT
from tests.factories import ask, rows
from tests.render.editions import edition

TOKEN = re.compile(r"[^\W\d][\w.\-]*")
LINE = re.compile(r"\S(.*\S)?")
ZONED = re.compile(r"\d{4}-\d\d-\d\dT00:00:00Z")
GAP = {
    "framework": "soc2",
    "control_id": "CC6.1",
    "gap_id": "soc2:CC6.1",
    "state": "no_data",
    "severity": "high",
    "detected_on": date(2026, 11, 1),
    "title": "Logical\n access",
    "action": "Review access",
}
LINES = {
    "id": "V-7",
    "weakness_key": "soc2:CC6.1",
    "detected_on": date(2026, 10, 1),
    "due_on": date(2026, 12, 30),
    "scheduled_on": date(2026, 12, 30),
    "details": '{"controls":"AC-2"}',
}


def plan(gaps=(), poam=(), sheet="open"):
    frames = {"organization": [{"frameworks": ["fedramp-poam"]}], "gaps": gaps, "poam": poam}
    document = REPORT.document({name: rows(name, *frames.get(name, ())) for name in REPORT.facts}, ask(sheet=sheet))
    return edition(document, title=REPORT.title, report=REPORT.name)


def render_poam(given):
    return json.loads(oscal.render(given))["plan-of-action-and-milestones"]


def check(made):
    """The required members and forms of the public schema for what is written here."""
    assert set(made) <= {"uuid", "metadata", "system-id", "observations", "risks", "poam-items"}
    assert set(made["metadata"]) >= {"title", "last-modified", "version", "oscal-version"}
    assert ZONED.fullmatch(made["metadata"]["last-modified"])
    for item in made["poam-items"]:
        assert set(item) >= {"uuid", "title", "description"}
        assert set(item) <= {
            "uuid",
            "title",
            "description",
            "props",
            "related-observations",
            "related-risks",
            "remarks",
        }
    for observation in made.get("observations", []):
        assert set(observation) >= {"uuid", "description", "methods", "collected"}
        assert set(observation["methods"]) <= {"EXAMINE", "INTERVIEW", "TEST", "UNKNOWN"}
        assert ZONED.fullmatch(observation["collected"])
    for risk in made.get("risks", []):
        assert set(risk) >= {"uuid", "title", "description", "statement", "status"}
        assert TOKEN.fullmatch(risk["status"])
        assert ZONED.fullmatch(risk["deadline"])
    for name, value in members(made):
        assert value not in ([], {}, None), name
        if name == "uuid" or name.endswith("-uuid"):
            assert UUID(value).version == 5
        if name == "props":
            assert all(TOKEN.fullmatch(prop["name"]) and LINE.fullmatch(prop["value"]) for prop in value)


def members(value):
    for name, part in value.items() if isinstance(value, dict) else ():
        yield name, part
        yield from members(part)
    for part in value if isinstance(value, list) else ():
        yield from members(part)


def test_an_item_has_its_observation_and_its_risk():
    made = render_poam(plan([GAP], [{**LINES, "status": "open"}]))
    check(made)
    (item,), (observation,), (risk,) = made["poam-items"], made["observations"], made["risks"]
    assert item["related-observations"] == [{"observation-uuid": observation["uuid"]}]
    assert item["related-risks"] == [{"risk-uuid": risk["uuid"]}]
    assert {prop["name"]: prop["value"] for prop in item["props"]}["POAM-ID"] == "V-7"
    assert (risk["status"], risk["deadline"]) == ("open", "2026-12-30T00:00:00Z")
    assert [part["lifecycle"] for part in risk["remediations"]] == ["planned"]


def test_closed_and_accepted_risks_have_their_status():
    closed = {**LINES, "status": "completed", "closed_on": date(2026, 11, 2)}
    made = render_poam(plan([GAP], [closed], sheet="closed"))
    check(made)
    assert made["risks"][0]["status"] == "closed"
    assert render_poam(plan([GAP], [{**LINES, "status": "accepted"}]))["risks"][0]["status"] == "deviation-approved"


def test_a_deviation_that_is_asked_for_has_its_status():
    asked = {**LINES, "status": "open", "details": '{"controls":"AC-2","false_positive":"Pending"}'}
    assert render_poam(plan([GAP], [asked]))["risks"][0]["status"] == "deviation-requested"


def test_open_and_closed_items_are_two_documents():
    given = plan([GAP])
    names = {render_poam(replace(given, parameters={"sheet": sheet}))["uuid"] for sheet in ("open", "closed")}
    assert len(names) == 2


def test_identities_are_the_same_in_every_revision_and_differ_between_organizations():
    first = plan([GAP])
    later = replace(first, as_of=date(2026, 12, 1), revision=replace(first.revision, seq=99, hash="ff"))
    other = replace(first, organization=replace(first.organization, id="acme"))

    def identities(given):
        return [value for name, value in members(render_poam(given)) if name == "uuid"]

    assert identities(first) == identities(later)
    assert len(set(identities(first))) == len(identities(first))
    assert not set(identities(first)) & set(identities(other))


def test_a_plan_without_weaknesses_says_so_in_the_one_item_that_the_schema_asks_for():
    made = render_poam(plan())
    check(made)
    assert [item["title"] for item in made["poam-items"]] == ["No weakness on record"]
    assert "risks" not in made


def test_any_other_report_is_a_plan_without_weaknesses():
    check(render_poam(edition(Document("Nothing to say.", summary={}))))
