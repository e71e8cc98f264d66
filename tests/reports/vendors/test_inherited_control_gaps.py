"""Inherited controls without evidence, and what to ask for."""

from datetime import date

from reports.vendors.inherited_control_gaps import REPORT
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

VENDOR = {
    "category": "cloud",
    "tier": "high",
    "owner": "ann@acme.example",
    "status": "assessed",
    "inherited": 1,
    "inherited_evidenced": 0,
    "inherited_gaps": 1,
}


def vendor(name, **given):
    return {**VENDOR, "vendor_id": name.lower(), "name": name, **given}


def inherited_control(name, control_id, gap="missing", evidence="soc2_type2", **given):
    return {
        "vendor_id": name.lower(),
        "vendor": name,
        "tier": "high",
        "category": "cloud",
        "framework": "soc2",
        "control_id": control_id,
        "title": f"Control {control_id}",
        "expected_evidence": evidence,
        "gap": gap,
        "severity_score": 3.0,
        **given,
    }


def report(vendors, controls, status=(), exceptions=()):
    return document(REPORT, **frames(vendors, controls, status, exceptions))


def frames(vendors, controls, status=(), exceptions=()):
    return {
        "vendor_controls": rows("vendor_controls", *controls),
        "vendors": rows("vendors", *vendors),
        "control_status": rows("control_status", *status),
        "exceptions": rows("exceptions", *exceptions),
    }


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def test_what_to_ask_for_is_grouped_by_vendor_document_and_gap_the_worst_vendor_first():
    held = report(
        [vendor("Ample"), vendor("Brisk", tier="critical")],
        [
            inherited_control("Ample", "CC6.4"),
            inherited_control("Ample", "CC6.5"),
            inherited_control("Ample", "CC9.2", "none"),
            inherited_control("Ample", "A.7.1", "expired", "iso27001_certificate", framework="iso27001"),
            inherited_control("Brisk", "CC6.4", "cuec_unmapped", tier="critical", severity_score=8.0),
        ],
    )
    assert table(held, "actions").select("vendor", "action", "controls", "severity_score").rows() == [
        ("Brisk", "map what the SOC 2 type II report expects of us (its user-entity controls) to our controls", 1, 8.0),
        ("Ample", "ask for the SOC 2 type II report", 2, 6.0),
        ("Ample", "ask for a current ISO/IEC 27001 certificate", 1, 3.0),
    ]
    assert lead(held) == (
        "4 of 5 inherited controls are without evidence that counts, at 2 vendors.",
        "Begin with Brisk, first in the register (tier critical; with ann@acme.example): map what the SOC 2 type II "
        "report expects of us (its user-entity controls) to our controls, which would evidence 1 control.",
    )
    assert (held.summary["inherited_evidenced_pct"], held.summary["inherited_gaps_missing"]) == (20.0, 2)


def test_gaps_show_our_side_and_a_measure_that_stands_in():
    approved = {"kind": "compensating", "framework": "soc2", "control_id": "CC6.4", "standing": "approved"}
    held = report(
        [vendor("Ample")],
        [inherited_control("Ample", "CC6.4"), inherited_control("Ample", "CC6.5")],
        status=[{"framework": "soc2", "control_id": "CC6.4", "state": "partial"}],
        exceptions=[
            {**approved, "id": "x1", "compensating": "Guard on site", "expires_on": date(2026, 12, 1)},
            {**approved, "id": "x2", "compensating": "Second guard", "expires_on": date(2027, 1, 1)},
            {**approved, "id": "x3", "compensating": None, "expires_on": date(2027, 5, 1)},
            {**approved, "id": "x4", "compensating": "Old", "standing": "expired", "expires_on": date(2027, 6, 1)},
        ],
    )
    found = table(held, "gaps").select("control_id", "our_state", "compensating", "exception_id").rows()
    assert found == [("CC6.4", "partial", "Second guard", "x2"), ("CC6.5", None, None, None)]
    assert (held.summary["inherited_gaps_compensated"], held.summary["inherited_gaps"]) == (1, 2)


def test_gaps_stand_by_severity_and_then_in_the_order_of_the_standard():
    held = report(
        [vendor("Ample")],
        [
            inherited_control("Ample", "CC6.10"),
            inherited_control("Ample", "CC6.2"),
            inherited_control("Ample", "CC9.1", severity_score=9.0),
        ],
    )
    assert table(held, "gaps")["control_id"].to_list() == ["CC9.1", "CC6.2", "CC6.10"]


def test_vendors_and_frameworks_add_up_to_the_gaps():
    held = report(
        [vendor("Ample"), vendor("Brisk"), vendor("Calm")],
        [
            inherited_control("Ample", "CC6.4"),
            inherited_control("Ample", "CC6.5", "expired"),
            inherited_control("Brisk", "CC6.4", "none"),
            inherited_control("Brisk", "A.7.1", "wrong_scope", framework="iso27001"),
        ],
    )
    by_vendor = table(held, "vendors").select("name", "inherited", "gaps", "evidenced_pct", "missing", "expired")
    assert by_vendor.rows() == [("Ample", 2, 2, 0.0, 1, 1), ("Brisk", 2, 1, 50.0, 0, 0)]
    assert table(held, "frameworks").rows() == [("iso27001", 1, 0, 1, 1, 0.0), ("soc2", 3, 1, 2, 1, 33.3)]
    assert held.warnings == [
        "1 vendor inherits no control of a framework in scope, so nothing is said about them here."
    ]


def test_full_evidence_still_leaves_our_side():
    held = report([vendor("Ample")], [inherited_control("Ample", "CC6.4", "none")])
    assert lead(held) == ("1 of 1 inherited control is evidenced.", "Keep our own side of them working.")
    assert held.summary["inherited_evidenced_pct"] == 100.0


def test_no_vendor_is_not_no_gap():
    held = report([], [])
    assert lead(held) == (
        "No vendor is registered, so nothing is known about controls that others operate for you.",
        "Import vendors.csv with hq import, or post to /api/governance/third-party/vendors, to fill this report.",
    )
    assert held.summary["inherited_evidenced_pct"] is None
    assert all(table.frame.is_empty() for table in held.tables)


def test_vendors_outside_the_scope_are_said():
    assert lead(report([vendor("Ample")], [])) == (
        "No registered vendor carries a control of a framework in scope.",
        "Import control_profiles.csv with hq import to fill this report.",
    )


def test_every_figure_is_what_its_rows_give():
    controls = [
        inherited_control("Ample", "CC6.4"),
        inherited_control("Ample", "CC6.5", "expired"),
        inherited_control("Brisk", "CC6.4", "none"),
    ]
    given = frames([vendor("Ample"), vendor("Brisk")], controls)
    values_follow(REPORT)
    values_follow(REPORT, **given)
    assert explained_rows(REPORT, "inherited_gaps_severity", **given).select(
        "control_id", "reason", "amount"
    ).rows() == [("CC6.4", "tier high", 3.0), ("CC6.5", "tier high", 3.0)]
