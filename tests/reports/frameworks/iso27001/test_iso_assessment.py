"""What the ISO/IEC 27001 assessment says."""

from datetime import date

import pytest

from reports.frameworks.iso27001.iso_assessment import REPORT
from tests.factories import assessment_facts, lead, rows
from tests.factories import document as document_of

ISO = {"framework": "iso27001"}
HEADING = {**ISO, "control_id": "6", "title": "Planning", "assessable": False, "flags": ["clause"], "position": 0}
PROVEN = {"justification": "No own premises", "approved_by": "bob@acme.example", "approved_on": date(2026, 3, 1)}


def requirement(control_id, position=1, **given):
    annex = control_id.startswith("A.")
    group = {"group_id": "A.5", "group_title": "Organizational controls"} if annex else {"group_id": "Clauses"}
    flags = ["annex_a"] if annex else ["clause"]
    return {
        **ISO,
        "control_id": control_id,
        "title": f"Title {control_id}",
        "assessable": True,
        "flags": flags,
        "position": position,
        **group,
        **given,
    }


def status(control_id, state="effective", **given):
    return {**ISO, "control_id": control_id, "state": state, **given}


def report(requirements, statuses, profiles=(), gaps=()):
    return document_of(
        REPORT,
        gaps=rows("gaps", *gaps),
        requirements=rows("requirements", *requirements),
        **assessment_facts(*statuses),
        control_profiles=rows("control_profiles", *profiles),
    )


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


REQUIREMENTS = (
    HEADING,
    *(requirement(name, i) for i, name in enumerate(("6.2", "A.5.1", "A.5.2", "A.5.3", "A.5.4"), 1)),
)
STATUSES = (
    status("6.2", justification="Legal"),
    status("A.5.1", "ineffective", weight=4, justification="Risk treatment"),
    status("A.5.2", "no_data", freshness="missing", last_evidence_id=None, last_evidence_on=None),
    status("A.5.3", "stale", freshness="stale", justification="Contract"),
    status("A.5.4", "not_applicable", applicable=False, **PROVEN),
)


def test_the_next_step_names_the_gravest_finding_too_where_another_gains_more_for_its_hours():
    gains = [
        {**ISO, "control_id": name, "gap_id": f"iso27001:{name}", "priority": priority, "title": f"Title {name}"}
        for name, priority in (("A.5.1", 1.0), ("A.5.3", 9.0))
    ]

    def next_step(*gaps):
        return lead(report(REQUIREMENTS, STATUSES, gaps=gaps))[1]

    said = "Close first ISO 27001 {} Title {} (nobody owns it, not planned yet), which gains most for its hours{}."
    assert next_step(*gains) == said.format("A.5.3", "A.5.3", "; the gravest finding is A.5.1 Title A.5.1")
    assert next_step(gains[0]) == said.format("A.5.1", "A.5.1", "")


def test_an_exclusion_that_nobody_approved_is_a_candidate_whatever_its_evidence():
    declared = [{**ISO, "control_id": name, "exclusion": True} for name in ("6.2", "A.5.3", "A.5.4")]
    document = report(REQUIREMENTS, STATUSES, declared)
    found = {row["control_id"]: (row["finding"], row["why"]) for row in table(document, "findings").to_dicts()}
    lacks = "exclusion lacks justification, approver or date"
    assert (found["A.5.3"], found["6.2"]) == (
        ("minor candidate", lacks),
        ("major candidate", "a clause of 4 to 10 may not be excluded"),
    )
    assert "A.5.4" not in found, "which is approved"
    assert document.summary["iso_minor_candidates"] == 2
    assert document.summary["iso_improvements"] == 0
    assert (
        "Excluded without justification, approver and date: ISO 27001 A.5.3. Their owners (ann@acme.example) have it "
        "approved."
    ) in [str(each) for each in document.warnings]


def test_the_summary_counts_states_and_findings_and_readiness_over_the_same_requirements():
    document = report(REQUIREMENTS, STATUSES)
    assert dict(document.summary) == {
        "iso_requirements": 5,
        "iso_applicable": 4,
        "iso_effective": 1,
        "iso_partial": 0,
        "iso_stale": 1,
        "iso_ineffective": 1,
        "iso_no_data": 1,
        "iso_not_applicable": 1,
        "iso_strict_pct": 25.0,
        "iso_weighted_pct": 28.8,
        "iso_major_candidates": 1,
        "iso_minor_candidates": 1,
        "iso_improvements": 1,
        "iso_annex_a": 4,
        "iso_annex_a_excluded": 1,
        "iso_inclusions_without_justification": 1,
    }
    assert lead(document) == (
        "1 of 4 applicable requirements is effective; an auditor could find 1 major and 1 minor nonconformities.",
        "Start with A.5.1 Title A.5.1 (an event contradicts it; with ann@acme.example).",
    )
    assert (document.coverage.assessed, document.coverage.total) == (3, 4)
    assert document.warnings == ["1 included Annex A control without a justification for inclusion."]


def test_clauses_and_annex_a_stand_apart_in_the_order_of_the_standard():
    document = report(REQUIREMENTS, STATUSES)
    assert table(document, "clauses").select("control_id", "area").rows() == [("6.2", "6 Planning")]
    assert table(document, "annex_a")["control_id"].to_list() == ["A.5.1", "A.5.2", "A.5.3", "A.5.4"]


def test_the_statement_says_why_a_control_is_included_or_excluded():
    profile = {**ISO, "control_id": "A.5.3", "implementation": "WIKI-7", "risk_ref": "R-3"}
    annex = table(report(REQUIREMENTS, STATUSES, [profile]), "annex_a")
    assert annex.select(
        "control_id",
        "applicable",
        "justification_inclusion",
        "justification_exclusion",
        "state",
        "implementation",
        "risk_ref",
        "evidence_id",
        "currentness",
    ).rows() == [
        ("A.5.1", True, "Risk treatment", None, "ineffective", None, None, "e1", "fresh"),
        ("A.5.2", True, None, None, "no_data", None, None, None, "missing"),
        ("A.5.3", True, "Contract", None, "stale", "WIKI-7", "R-3", "e1", "stale"),
        ("A.5.4", False, None, "No own premises", "not_applicable", None, None, "e1", None),
    ]


@pytest.mark.parametrize(
    ("control_id", "given", "finding"),
    [
        ("A.5.1", {"state": "effective"}, None),
        ("A.5.1", {"state": "ineffective", "weight": 4}, "major candidate"),
        ("A.5.1", {"state": "ineffective", "weight": 3}, "minor candidate"),
        ("A.5.1", {"state": "no_data", "weight": 5}, "minor candidate"),
        ("A.5.1", {"state": "partial"}, "improvement"),
        ("A.5.1", {"state": "stale"}, "improvement"),
        ("A.5.1", {"state": "not_applicable", "applicable": False, **PROVEN}, None),
        ("A.5.1", {"state": "not_applicable", "applicable": False}, "minor candidate"),
        ("A.5.1", {"state": "not_applicable", "applicable": False, **PROVEN, "justification": " "}, "minor candidate"),
        ("6.2", {"state": "not_applicable", "applicable": False, **PROVEN}, "major candidate"),
    ],
)
def test_a_finding_follows_the_stated_rule(control_id, given, finding):
    document = report([HEADING, requirement(control_id)], [status(control_id, **given)])
    name = "annex_a" if control_id.startswith("A.") else "clauses"
    assert table(document, name)["finding"].to_list() == [finding]
    assert table(document, "findings").height == (finding is not None)


def test_a_requirement_of_which_nothing_is_known_has_no_data():
    document = report([requirement("A.5.1")], [])
    assert table(document, "annex_a").select("state", "currentness", "finding").rows() == [
        ("no_data", "missing", "minor candidate")
    ]


def test_excluded_clauses_and_unproven_exclusions_are_warnings():
    document = report(
        [HEADING, requirement("6.2"), requirement("A.5.1", 2)],
        [status("6.2", "not_applicable", applicable=False), status("A.5.1", "not_applicable", applicable=False)],
    )
    assert document.warnings == [
        "Clauses 4 to 10 may not be excluded when conformity is claimed: 6.2.",
        "Excluded without justification, approver and date: ISO 27001 A.5.1. Their owners (ann@acme.example) have it "
        "approved.",
    ]


def test_areas_add_up_to_the_whole():
    document = report(REQUIREMENTS, STATUSES)
    areas = table(document, "areas")
    assert areas.select("area", "requirements", "applicable", "strict_pct").rows() == [
        ("6 Planning", 1, 1, 100.0),
        ("Organizational controls", 4, 3, 0.0),
    ]
    for name in ("requirements", "applicable", "effective", "stale", "ineffective", "no_data", "not_applicable"):
        assert areas[name].sum() == document.summary[f"iso_{name}"]
    assert areas["major"].sum() == document.summary["iso_major_candidates"]


def test_other_frameworks_leave_no_trace():
    other = {**requirement("A.5.1"), "framework": "soc2"}
    assert report([other], []).summary["iso_requirements"] == 0


def test_out_of_scope_is_said_and_not_called_conformity():
    document = report([], [])
    assert lead(document) == (
        "ISO/IEC 27001 is not in scope, so there is nothing to assess.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert document.summary["iso_strict_pct"] is None
    assert document.coverage.total == 0
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []
