"""HIPAA: required and addressable apart, decisions, and business associates."""

from datetime import date

import pytest

from reports.frameworks.hipaa.hipaa import REPORT
from tests.factories import lead
from tests.reports.frameworks.packs import one, pack, report, table

REQUIRED, ADDRESSABLE = "164.308(a)(1)(ii)(A)", "164.308(a)(3)(ii)(A)"
DAY = date(2026, 3, 1)
DECIDED = {
    "framework": "hipaa",
    "rationale": "Too small for a separate role",
    "decided_on": DAY,
    "risk_ref": "RA-1",
    "decision_approved": True,
}
ALL_DECIDED = [
    {**DECIDED, "control_id": row["control_id"], "decision": "implemented"}
    for row in pack("hipaa")[0]
    if "addressable" in row["flags"]
]


def assess(but=None, decisions=ALL_DECIDED, **facts):
    return report(REPORT, *pack("hipaa", but=but or {}), control_profiles=decisions, **facts)


def test_required_and_addressable_are_scored_apart():
    document = assess({REQUIRED: "stale"})
    assert {
        name: document.summary[name]
        for name in (
            "hipaa_required",
            "hipaa_required_met",
            "hipaa_required_met_pct",
            "hipaa_addressable",
            "hipaa_addressable_met",
            "hipaa_addressable_met_pct",
            "hipaa_violations",
        )
    } == {
        "hipaa_required": 33,
        "hipaa_required_met": 32,
        "hipaa_required_met_pct": 97.0,
        "hipaa_addressable": 22,
        "hipaa_addressable_met": 22,
        "hipaa_addressable_met_pct": 100.0,
        "hipaa_violations": 0,
    }
    assert lead(document) == (
        "32 of 33 required and 22 of 22 addressable specifications and standards are met.",
        "Start with 164.308(a)(1)(ii)(A) Risk analysis (a required kind of evidence lapsed; with "
        "ann@acme.example, not planned yet).",
    )


@pytest.mark.parametrize(
    ("state", "decision", "finding", "met"),
    [
        ("effective", {"decision": "implemented"}, "implemented", True),
        ("partial", {"decision": "implemented"}, "not shown", False),
        ("effective", {"decision": "alternative"}, "equivalent alternative", True),
        ("no_data", {"decision": "alternative"}, "not shown", False),
        ("effective", {"decision": "alternative", "rationale": " "}, "undocumented", False),
        ("no_data", {"decision": "not_implemented"}, "not implemented, reason documented", True),
        ("no_data", {"decision": "not_implemented", "decision_approved": False}, "undocumented", False),
        ("effective", {"decision": None}, "implemented", True),
        ("stale", {"decision": None}, "undocumented", False),
        ("not_applicable", {}, "not applicable", False),
    ],
)
def test_addressable_means_decided(state, decision, finding, met):
    own = [{**DECIDED, **decision, "control_id": ADDRESSABLE}]
    others = [row for row in ALL_DECIDED if row["control_id"] != ADDRESSABLE]
    document = assess({ADDRESSABLE: state}, own + others)
    assert one(document, "specifications", ADDRESSABLE, "finding") == (finding,)
    assert document.summary["hipaa_addressable_met"] == 21 + met
    assert document.summary["hipaa_violations"] == (finding == "undocumented")


def test_a_decision_does_not_help_a_required_specification():
    own = {**DECIDED, "control_id": REQUIRED, "decision": "not_implemented"}
    document = assess({REQUIRED: "no_data"}, [*ALL_DECIDED, own])
    assert one(document, "specifications", REQUIRED, "finding") == ("not shown",)


def test_business_associates_need_an_agreement_that_flows_down():
    def vendor(name, **given):
        return {"vendor_id": name, "name": name, "tier": "high", "handles_phi": True, **given}

    def baa(name, **given):
        return {
            "vendor_id": name,
            "kind": "baa",
            "document_id": f"D-{name}",
            "issued_on": DAY,
            "flows_down": True,
            **given,
        }

    document = assess(
        vendors=[
            vendor("a"),
            vendor("b"),
            vendor("c"),
            vendor("d"),
            vendor("e", handles_phi=None),
            vendor("f", handles_phi=False),
        ],
        agreements=[
            baa("a"),
            baa("b", valid_until=date(2026, 11, 19)),
            baa("c", flows_down=None),
            {**baa("d"), "kind": "dpa"},
        ],
        vendor_controls=[{"framework": "hipaa", "vendor_id": "a", "control_id": REQUIRED, "gap": "expired"}],
    )
    assert table(document, "business_associates").select("name", "finding", "inherits", "inherits_open").rows() == [
        ("d", "no agreement on file", 0, 0),
        ("b", "agreement expired", 0, 0),
        ("c", "flow-down to subcontractors not confirmed", 0, 0),
        ("e", "not known whether it handles health information", 0, 0),
        ("a", None, 1, 1),
    ]
    assert one(document, "specifications", REQUIRED, "inherited_from", "inherited_open") == (1, 1)
    assert "2 business associates have no valid agreement" in document.headline
    assert document.warnings == [
        "No valid business associate agreement: sign one with d (nobody owns it), b (nobody owns it)."
    ]


def test_an_agreement_is_good_on_its_last_day():
    vendor = {"vendor_id": "a", "name": "a", "tier": "low", "handles_phi": True}
    last = {"vendor_id": "a", "kind": "baa", "document_id": "D", "flows_down": True, "valid_until": date(2026, 11, 20)}
    assert assess(vendors=[vendor], agreements=[last]).summary["hipaa_associates_without_agreement"] == 0


def test_safeguards_and_standards_add_up():
    document = assess()
    assert table(document, "safeguards")["applicable"].sum() == 55
    standards = table(document, "standards")
    assert (standards["required"].sum(), standards["addressable"].sum()) == (33, 22)
    assert standards.filter(standard="Access control").row(0)[:6] == (
        "164.312(a)(1)",
        "Access control",
        "technical",
        2,
        2,
        2,
    )
    assert standards.height == standards["citation"].n_unique() == 22


def test_out_of_scope_is_said_and_no_vendor_is_blamed():
    document = report(REPORT, vendors=[{"vendor_id": "a", "name": "a", "handles_phi": True}])
    assert lead(document) == (
        "The HIPAA Security Rule is not in scope, so there is nothing to assess.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert document.summary["hipaa_required_met_pct"] is None
    assert all(table.frame.is_empty() for table in document.tables)
