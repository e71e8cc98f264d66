from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.packs.baseline_comparison import REPORT
from tests import factories
from tests.factories import lead, rows
from tests.reports.explanations import values_follow

SOC2 = {
    "framework": "soc2",
    "name": "SOC 2 Trust Services Criteria",
    **{"total": 6, "applicable": 5, "effective": 2, "partial": 1, "stale": 1, "ineffective": 0, "no_data": 1},
    **{"not_applicable": 1, "assessed": 4, "strict_pct": 40.0, "weighted_pct": 70.0, "coverage_pct": 80.0},
    **{"prior_on": date(2026, 10, 21), "prior_strict_pct": 36.0, "prior_weighted_pct": 71.5},
}
HIPAA = {
    **SOC2,
    **{"framework": "hipaa", "name": "HIPAA Security Rule", "effective": 1, "strict_pct": 20.0, "weighted_pct": 30.0},
    **{"prior_strict_pct": 20.0, "prior_weighted_pct": 28.0},
}


def frames(frameworks, *readiness, controls=(), evidence=(), gaps=()):
    return {
        "organization": rows("organization", {"frameworks": frameworks}),
        "readiness": rows("readiness", *readiness),
        "control_status": rows("control_status", *controls),
        "control_evidence": rows("control_evidence", *evidence),
        "gaps": rows("gaps", *gaps),
    }


def document(*given, **more):
    return factories.document(REPORT, **frames(*given, **more))


def packs(held):
    return held.tables[0].frame


def test_all_nine_packs_stand_side_by_side_least_ready_first():
    table = packs(document(["soc2", "hipaa"], SOC2, HIPAA))
    assert table.select("framework", "in_scope", "weighted_pct").rows() == [
        ("hipaa", True, 30.0),
        ("soc2", True, 70.0),
        ("iso27001", False, None),
        ("pci-dss", False, None),
        ("nist-csf", False, None),
        ("cis-v8", False, None),
        ("cmmc-l2", False, None),
        ("gdpr-art32", False, None),
        ("fedramp-poam", False, None),
    ]


def test_a_pack_in_scope_has_its_counts_and_changes():
    row = packs(document(["soc2"], SOC2)).row(0, named=True)
    assert row == {
        **{"framework": "soc2", "name": "SOC 2", "in_scope": True, "applicable": 5, "effective": 2, "partial": 1},
        **{"stale": 1, "ineffective": 0, "no_data": 1, "not_applicable": 1, "open_weaknesses": 3},
        **{"strict_pct": 40.0, "weighted_pct": 70.0, "prior_on": date(2026, 10, 21), "prior_strict_pct": 36.0},
        **{"prior_formula_change": None},
        **{"prior_weighted_pct": 71.5, "strict_change": 4.0, "weighted_change": -1.5, "coverage_pct": 80.0},
        **{"evidence_reuse_pct": None, "biggest_mover": None},
    }


def test_the_summary_counts_packs_that_moved():
    controls = [
        {"framework": "soc2", "control_id": "CC6.1", "state": "effective"},
        {"framework": "soc2", "control_id": "CC6.2", "state": "stale"},
        {"framework": "hipaa", "control_id": "a", "applicable": False},
    ]
    gaps = [{"framework": "soc2", "control_id": "CC6.2", "gap_id": "soc2:CC6.2"}]
    held = document(["soc2", "hipaa"], SOC2, HIPAA, controls=controls, gaps=gaps)
    assert held.summary == {
        "packs_in_scope": 2,
        "controls_applicable": 2,
        "controls_effective": 1,
        "packs_improved": 1,
        "packs_declined": 1,
        "gaps_open": 1,
    }
    assert held.coverage == Coverage(8, 10)
    assert lead(held) == (
        "1 of 2 frameworks has declined; HIPAA is least ready at 30.0 % weighted readiness, up 2.0 points in 30 days.",
        "Start with its 4 controls that are not effective yet.",
    )
    assert held.warnings == []


def test_every_number_follows_from_its_rows():
    gaps = [{"framework": "soc2", "control_id": "CC6.2", "gap_id": "soc2:CC6.2"}]
    values_follow(REPORT, **frames(["soc2", "hipaa", "fedramp-poam"], SOC2, HIPAA, gaps=gaps))
    values_follow(REPORT)


def test_evidence_that_serves_two_packs_is_reused():
    evidence = [
        {"framework": "soc2", "control_id": "CC6.1", "source": "operation", "last_id": "e1"},
        {"framework": "soc2", "control_id": "CC6.2", "source": "operation", "last_id": "e2"},
        {"framework": "soc2", "control_id": "CC6.3", "source": "operation", "last_id": None},
        {"framework": "hipaa", "control_id": "164.312(a)(1)", "source": "operation", "last_id": "e1"},
    ]
    table = packs(document(["soc2", "hipaa"], SOC2, HIPAA, evidence=evidence))
    assert dict(table.select("framework", "evidence_reuse_pct").head(2).rows()) == {"hipaa": 100.0, "soc2": 50.0}


def test_the_biggest_mover_is_the_control_with_the_most_weighted_movement():
    controls = [
        {"framework": "soc2", "control_id": "CC6.1", "weight": 5, "state": "stale", "previous_state": "partial"},
        {"framework": "soc2", "control_id": "CC6.2", "weight": 3, "state": "no_data", "previous_state": "effective"},
        {"framework": "soc2", "control_id": "CC6.3", "weight": 5, "state": "effective", "previous_state": None},
    ]
    assert packs(document(["soc2"], SOC2, controls=controls))["biggest_mover"][0] == "CC6.2: effective → no data"


def test_the_poam_has_open_weaknesses_and_no_readiness():
    gaps = [{"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1"}]
    row = packs(document(["soc2", "fedramp-poam"], SOC2, gaps=gaps)).row(1, named=True)
    assert {name: row[name] for name in ("name", "in_scope", "open_weaknesses", "strict_pct", "applicable")} == {
        "name": "FedRAMP POA&M",
        "in_scope": True,
        "open_weaknesses": 1,
        "strict_pct": None,
        "applicable": None,
    }


def test_a_framework_without_snapshot_has_no_change_and_a_warning():
    held = document(["soc2"], {**SOC2, "prior_on": None, "prior_strict_pct": None, "prior_weighted_pct": None})
    assert packs(held)["weighted_change"][0] is None
    assert held.warnings == [
        "No snapshot to compare with for SOC 2. Leave hq scheduler running, which records one each week, or import "
        "readiness_snapshots.csv with hq import."
    ]
    assert (held.summary["packs_improved"], held.summary["packs_declined"]) == (None, None)
    assert lead(held) == (
        "Nothing can be compared: SOC 2, the only framework with controls in scope, is at 70.0 % weighted readiness, "
        "with no snapshot before 2026-10-22.",
        "Start with its 3 controls that are not effective yet.",
    )


def test_of_several_frameworks_without_snapshot_none_is_said_to_have_moved_or_not():
    unknown = {"prior_on": None, "prior_strict_pct": None, "prior_weighted_pct": None}
    assert lead(document(["soc2", "hipaa"], {**SOC2, **unknown}, {**HIPAA, **unknown}))[0] == (
        "Nothing can be compared: HIPAA is least ready at 30.0 % weighted readiness, with no snapshot before 2026-10-22."
    )
    one_known = document(["soc2", "hipaa"], {**SOC2, **unknown}, HIPAA)
    assert (one_known.summary["packs_improved"], one_known.summary["packs_declined"]) == (1, 0)


def test_with_nothing_in_scope_nothing_is_compared():
    held = document([])
    assert lead(held) == (
        "No framework with a catalogue of controls is in scope, so there is no readiness to compare.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert packs(held).height == 9
    assert held.summary["packs_in_scope"] == 0
    assert held.coverage == Coverage(0, 0)
    assert packs(factories.document(REPORT)).height == 9
