"""What the PCI DSS assessment says."""

from datetime import date

import pytest

from reports.frameworks.pci.pci_dss import REPORT
from tests.factories import document as document_of
from tests.factories import lead, rows

PCI = {"framework": "pci-dss"}
HEADINGS = (
    {**PCI, "control_id": "1", "title": "Network security", "assessable": False, "level": "principal", "position": 0},
    {**PCI, "control_id": "1.2", "title": "Configuration", "assessable": False, "level": "section", "position": 1},
)
PROVEN = {"justification": "No wireless", "approved_by": "bob@acme.example", "approved_on": date(2026, 3, 1)}
EXCLUDED = {"applicable": False, "state": "not_applicable"}
WORKSHEET = {
    **PCI,
    "control_id": "1.2.1",
    "id": "X-1",
    "kind": "compensating",
    "standing": "approved",
    "worksheet": "{}",
}


def requirement(control_id, position=2, flags=()):
    return {
        **PCI,
        "control_id": control_id,
        "title": f"Title {control_id}",
        "assessable": True,
        "level": "requirement",
        "flags": list(flags),
        "position": position,
    }


def status(control_id, state="effective", **given):
    return {**PCI, "control_id": control_id, "state": state, **given}


def profile(control_id, **given):
    return {**PCI, "control_id": control_id, **given}


def report(requirements, statuses, profiles=(), exceptions=(), gaps=()):
    return document_of(
        REPORT,
        requirements=rows("requirements", *HEADINGS, *requirements) if requirements else rows("requirements"),
        control_assessments=rows("control_assessments", *statuses),
        control_profiles=rows("control_profiles", *profiles),
        exceptions=rows("exceptions", *exceptions),
        gaps=rows("gaps", *gaps),
    )


def one(state="effective", profiles=(), exceptions=(), **given):
    return report([requirement("1.2.1")], [status("1.2.1", state, **given)], profiles, exceptions)


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


REQUIREMENTS = [requirement(f"1.2.{n}", n + 1) for n in (1, 2, 3, 10)]
STATUSES = [
    status("1.2.1"),
    status("1.2.2", "no_data", weight=4),
    status("1.2.3", **EXCLUDED, **PROVEN),
    status("1.2.10", "stale"),
]


def test_the_summary_counts_findings_in_the_words_of_the_standard():
    document = report(REQUIREMENTS, STATUSES, [profile("1.2.10", tested=False)])
    assert dict(document.summary) == {
        "pci_overall": "non_compliant",
        "pci_assessment": "partial",
        "pci_requirements": 4,
        "pci_requirements_in_place": 1,
        "pci_requirements_not_applicable": 1,
        "pci_requirements_not_tested": 1,
        "pci_requirements_not_in_place": 1,
        "pci_in_place_pct": 33.3,
        "pci_compensating": 0,
        "pci_customised": 0,
        "pci_principals_met": 0,
    }
    assert lead(document) == (
        "Not compliant: 1 of 4 requirements is Not in Place.",
        "Start with 1.2.2 Title 1.2.2 (no evidence of a required kind; with ann@acme.example, not planned yet).",
    )
    assert (document.coverage.assessed, document.coverage.total) == (2, 3)
    assert document.warnings == ["1 requirement Not Tested: this is a partial assessment."]


@pytest.mark.parametrize(
    ("given", "own", "finding", "why"),
    [
        ({}, {}, "In Place", None),
        ({"state": "no_data"}, {}, "Not in Place", "no evidence of a required kind"),
        ({"state": "stale"}, {}, "Not in Place", "a required kind of evidence lapsed"),
        ({"state": "partial"}, {}, "Not in Place", "some kinds of evidence are lacking"),
        ({"state": "ineffective"}, {}, "Not in Place", "an event contradicts it"),
        ({**EXCLUDED, **PROVEN}, {}, "Not Applicable", None),
        (
            {**EXCLUDED, **PROVEN, "approved_on": None},
            {},
            "Not in Place",
            "not applicable without justification, approver and date",
        ),
        ({**EXCLUDED, **PROVEN}, {"tested": False}, "Not Tested", "excluded from testing"),
        ({"state": "no_data"}, {"tested": True}, "Not in Place", "no evidence of a required kind"),
        ({}, {"method": "customised", "risk_ref": "TRA-1"}, "In Place", None),
        ({}, {"method": "customised"}, "Not in Place", "customised approach without its risk analysis"),
        ({}, {"method": "compensating"}, "Not in Place", "compensating control without an approved worksheet in force"),
    ],
)
def test_a_finding_follows_from_evidence_and_proof(given, own, finding, why):
    row = table(one(**given, profiles=[profile("1.2.1", **own)]), "requirements")
    assert row.select("finding", "why").rows() == [(finding, why)]


@pytest.mark.parametrize(
    ("worksheet", "finding"),
    [
        ({}, "In Place"),
        ({"standing": "expired"}, "Not in Place"),
        ({"worksheet": None}, "Not in Place"),
        ({"kind": "accepted_risk"}, "Not in Place"),
    ],
)
def test_a_compensating_control_needs_an_approved_worksheet_in_force(worksheet, finding):
    document = one(profiles=[profile("1.2.1", method="compensating")], exceptions=[{**WORKSHEET, **worksheet}])
    assert table(document, "requirements")["finding"].to_list() == [finding]


def test_planned_work_does_not_put_a_requirement_in_place():
    gap = {
        **PCI,
        "control_id": "1.2.1",
        "gap_id": "pci-dss:1.2.1",
        "status": "in_progress",
        "due_on": date(2026, 12, 1),
    }
    document = report([requirement("1.2.1")], [status("1.2.1", "partial")], gaps=[gap])
    assert table(document, "not_in_place").select("control_id", "status", "due_on").rows() == [
        ("1.2.1", "in_progress", date(2026, 12, 1))
    ]
    assert document.summary["pci_overall"] == "non_compliant"


def test_compliant_means_all_in_place_or_not_applicable():
    document = report(REQUIREMENTS[:3:2], [STATUSES[0], STATUSES[2]])
    assert document.summary["pci_overall"] == "compliant"
    assert lead(document) == ("Compliant: all 2 requirements are In Place or Not Applicable.", "")
    assert document.summary["pci_in_place_pct"] == 100.0


def test_a_requirement_that_was_not_tested_keeps_the_whole_from_being_compliant():
    document = report(REQUIREMENTS[:2], [status("1.2.1"), status("1.2.2")], [profile("1.2.2", tested=False)])
    assert document.summary["pci_overall"] == "non_compliant"
    assert lead(document) == (
        "Not compliant: 0 of 2 requirements are Not in Place, but 1 was Not Tested.",
        "Test them to complete the assessment.",
    )


def test_nothing_in_place_and_nothing_tested_proves_nothing():
    document = one(profiles=[profile("1.2.1", tested=False)])
    assert document.summary["pci_overall"] == "insufficient_data"


def test_sections_and_principals_add_up_to_the_requirements():
    document = report(REQUIREMENTS, STATUSES)
    for name, key in (("principals", "1"), ("sections", "1.2")):
        rollup = table(document, name)
        assert rollup["requirement"].to_list() == [key]
        assert rollup.drop("requirement", "title").rows() == [("Not in Place", 4, 1, 1, 0, 2, 33.3)]
    assert table(document, "principals")["title"].to_list() == ["Network security"]


def test_a_requirement_that_does_not_apply_stays_listed_and_leaves_the_denominator():
    document = report(REQUIREMENTS, STATUSES)
    assert table(document, "requirements")["control_id"].to_list() == ["1.2.1", "1.2.2", "1.2.3", "1.2.10"]
    assert document.coverage.total == 3


def test_service_provider_requirements_count_until_they_are_recorded_as_not_applicable():
    provider = requirement("1.2.1", flags=["service_provider_only"])
    document = report([provider], [status("1.2.1")])
    assert document.warnings == [
        "1 requirement is for service providers only and treated as applicable; "
        "record them as not applicable, with proof, if the organization is none."
    ]
    assert report([provider], [status("1.2.1", **EXCLUDED, **PROVEN)]).warnings == []


def test_out_of_scope_is_said_and_not_called_compliant():
    document = report([], [])
    assert lead(document) == (
        "PCI DSS is not in scope, so there is nothing to assess.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert (document.summary["pci_overall"], document.summary["pci_assessment"]) == ("insufficient_data", None)
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []
