"""Contributing factors and the findings of an incident in its documents."""

from datetime import timedelta

from engine.incidents.review.export import export
from engine.incidents.review.factors import factors
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
        "**Changes in the 24 hours before, of the service and of those that it needs:**",
        "No change of the service or of those that it needs went live in that time.",
        PROMPT,
    ]


def test_earlier_incidents_and_findings_are_tables():
    earlier = {"id": "inc-0", "title": "Checkout was slow", "root_cause": None, "opened_at": OPENED}
    assert list(factors(record(earlier=[earlier], findings=[FINDING])))[4:] == [
        "**Earlier incidents with the same key, within a year:**",
        "| Detected at | Id | Title | Established cause |\n| --- | --- | --- | --- |\n"
        "| 2026-11-20 08:00:00 | inc-0 | Checkout was slow | – |",
        "**Findings of this incident:**",
        FINDING_TABLE,
        PROMPT,
    ]


def test_changes_of_the_service_and_of_what_it_needs_are_a_table_those_of_others_a_number():
    deploy = {
        "id": "d1",
        "service_id": "checkout",
        "deployed_at": OPENED - timedelta(minutes=15),
        "version": "1.2",
        "change_ref": None,
        "status": "rolled_back",
        "actor": "ci",
        "revision": 1,
    }
    needed = {**deploy, "id": "d2", "service_id": "ledger", "deployed_at": OPENED - timedelta(minutes=5)}
    record_ = record(deploys=[needed, deploy], hops={"checkout": 0, "ledger": 1}, elsewhere=3)
    rows = (
        "| 2026-11-20 07:45:00 | 15 min | d1 | checkout | the service | 1.2 | – | rolled back | ci |\n"
        "| 2026-11-20 07:55:00 | 5 min | d2 | ledger | needed | 1.2 | – | rolled back | ci |"
    )
    text = list(factors(record_))[3]
    assert text.split("\n", 2)[2] == f"{rows}\n\n3 more went live on other services."
    assert f"\n\n## Deploys in the 24 hours before\n\n{text}\n\n## Follow-up actions" in export(record_).decode()


def test_the_file_of_an_incident_lists_its_findings():
    text = export(record(findings=[FINDING])).decode()
    assert "\n\n## Findings\n\n| Id | Finding | Severity | Status | CVE | Due |\n" in text
    assert "\n| f1 | Old &#124; library | high | open | CVE-2026-0001 | – |\n" in text
    assert "## Findings" not in export(record()).decode()


def test_the_review_and_the_file_list_what_speaks_for_and_against_a_candidate_with_rows():
    candidate = {
        "rank": 1,
        "hypothesis": "A change went live: DEP-1.",
        "confidence": 0.27,
        "band": "low",
        "evidence_ids": ["deploys:DEP-1"],
        "grounds_for": [{"sentence": "It is on the service itself.", "evidence_ids": ["deploys:DEP-1"], "factor": 1.0}],
        "grounds_against": [{"sentence": "far failed, too.", "evidence_ids": ["incidents:far"], "factor": 0.4}],
    }
    run = {
        "id": "rca_1",
        "model_version": "rca-3",
        "hypothesis": "inconclusive",
        "confidence": 0.27,
        "candidates": {"band": "low", "conclusive": False, "reason": "Too little.", "candidates": [candidate]},
        "revision": 1,
    }
    rows = (
        "| 1 | against | far failed, too. | incidents:far | 0.400 |\n"
        "| 1 | for | It is on the service itself. | deploys:DEP-1 | 1.000 |"
    )
    assert any(block.endswith(rows) for block in factors(record(rca_runs=[run])))
    text = export(record(rca_runs=[run])).decode()
    assert "far failed, too. (incidents:far)" in text
    assert "It is on the service itself. (deploys:DEP-1)" in text
