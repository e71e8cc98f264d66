"""Contributing factors and the findings of an incident in its documents."""

from datetime import timedelta

from engine.incidents.export import export
from engine.incidents.factors import factors
from tests.incidents.records import OPENED, record

FINDING = {
    "id": "f1",
    "title": "Old | library",
    "severity": "high",
    "status": "open",
    "cve": "CVE-2026-0001",
    "due_on": None,
    "revision": 1,
}
FINDING_TABLE = (
    "| Id | Finding | Severity | Status |\n| --- | --- | --- | --- |\n| f1 | Old &#124; library | high | open |"
)
PROMPT = "*To be filled in by the team:* what made it possible, what made it worse, what hid it?"


def test_without_records_each_factor_says_that_there_is_none():
    assert list(factors(record())) == [
        "**Established cause:** blank: none is recorded",
        "No root-cause analysis was run.",
        "No change of the service went live in the 24 hours before it.",
        PROMPT,
    ]


def test_earlier_incidents_and_findings_are_tables():
    earlier = {"id": "inc-0", "title": "Checkout was slow", "root_cause": None, "opened_at": OPENED}
    assert list(factors(record(earlier=[earlier], findings=[FINDING])))[3:] == [
        "**Earlier incidents with the same key, within a year:**",
        "| Detected at | Id | Title | Established cause |\n| --- | --- | --- | --- |\n"
        "| 2026-11-20 08:00:00 | inc-0 | Checkout was slow | – |",
        "**Findings of this incident:**",
        FINDING_TABLE,
        PROMPT,
    ]


def test_changes_of_other_services_are_counted_beside_those_of_its_own():
    deploy = {
        "id": "d1",
        "service_id": "checkout",
        "deployed_at": OPENED - timedelta(minutes=15),
        "version": "1.2",
        "change_ref": None,
        "status": "rolled_back",
        "actor": "ci",
    }
    other = {**deploy, "id": "d2", "service_id": "search"}
    assert list(factors(record(deploys=[other])))[2] == (
        "No change of the service went live in the 24 hours before it. 1 more went live on other services."
    )
    title, table, elsewhere = list(factors(record(deploys=[deploy, other])))[2:5]
    assert title == "**Changes of the service in the 24 hours before:**"
    assert table.splitlines()[2] == "| 2026-11-20 07:45:00 | 15 min | d1 | 1.2 | – | rolled back | ci |"
    assert elsewhere == "1 more went live on other services."


def test_the_file_of_an_incident_lists_its_findings():
    text = export(record(findings=[FINDING])).decode()
    assert "\n\n## Findings\n\n| Id | Finding | Severity | Status | CVE | Due |\n" in text
    assert "\n| f1 | Old &#124; library | high | open | CVE-2026-0001 | – |\n" in text
    assert "## Findings" not in export(record()).decode()
