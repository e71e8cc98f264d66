"""NIST CSF 2.0: current and target profile, gaps, roll-up."""

import pytest

from reports.frameworks.nist.nist_csf import REPORT
from tests.factories import lead
from tests.reports.frameworks.packs import one, pack, report, table

OUTCOME = "PR.AA-01"


def profile_report(but=None, profiles=(), default="effective", **facts):
    rows = [{"framework": "nist-csf", **profile} for profile in profiles]
    return report(REPORT, *pack("nist-csf", default=default, but=but or {}), control_profiles=rows, **facts)


@pytest.mark.parametrize(
    ("state", "profile", "expected"),
    [
        ("effective", {"target_pct": 80}, (100, 80, 0, True)),
        ("partial", {"target_pct": 75}, (50, 75, 25, True)),
        ("partial", {"target": "partial"}, (50, 50, 0, True)),
        ("stale", {"target": "partial", "target_pct": 90}, (25, 90, 65, True)),
        ("ineffective", {"target": "none"}, (0, 0, 0, True)),
        ("no_data", {}, (0, 100, 100, False)),
        ("not_applicable", {"target_pct": 80}, (None, None, None, True)),
    ],
)
def test_the_gap_is_the_target_less_the_current_state(state, profile, expected):
    document = profile_report({OUTCOME: state}, [{"control_id": OUTCOME, **profile}])
    columns = ("current_pct", "target_pct", "gap_points", "target_set")
    assert one(document, "profile", OUTCOME, *columns) == expected


def test_functions_count_outcomes_and_average_nothing():
    targets = [{"control_id": row["control_id"], "target_pct": 100} for row in pack("nist-csf")[0]]
    document = profile_report({OUTCOME: "stale"}, targets)
    functions = table(document, "functions")
    assert functions.select("function_id", "outcomes", "at_target", "below_target").rows() == [
        ("GV", 31, 31, 0),
        ("ID", 21, 21, 0),
        ("PR", 22, 21, 1),
        ("DE", 11, 11, 0),
        ("RS", 13, 13, 0),
        ("RC", 8, 8, 0),
    ]
    categories = table(document, "categories")
    assert (categories.height, categories["outcomes"].sum(), categories["below_target"].sum()) == (22, 106, 1)
    assert not [name for name in functions.columns if "tier" in name]
    assert document.warnings == []


def test_the_list_begins_with_the_gap_that_the_next_step_names():
    """Of equal gain by name; an outcome at its target is in neither, whatever its gap would gain."""
    names = ("GV.OC-01", "GV.OC-02", "GV.OC-03")
    gaps = [
        {"framework": "nist-csf", "control_id": name, "gap_id": f"nist-csf:{name}", "priority": priority}
        for name, priority in zip(names, (2.0, 2.0, 9.0), strict=True)
    ]
    profiles = [{"framework": "nist-csf", "control_id": "GV.OC-03", "target_pct": 0}]
    states = {"GV.OC-01": "stale", "GV.OC-02": "no_data", "GV.OC-03": "stale"}
    document = profile_report(states, profiles, gaps=gaps)
    assert table(document, "actions")["control_id"].to_list() == ["GV.OC-01", "GV.OC-02"]
    assert lead(document)[1].startswith("Close first NIST CSF GV.OC-01 ")


def test_actions_come_by_priority_with_what_is_planned():
    gaps = [
        {"framework": "nist-csf", "control_id": control, "priority": priority, "action": f"Do {control}"}
        for control, priority in (("GV.OC-01", 1.0), (OUTCOME, 7.5))
    ]
    document = profile_report(dict.fromkeys(("GV.OC-01", OUTCOME), "no_data"), gaps=gaps)
    assert table(document, "actions").select("control_id", "priority", "action").rows() == [
        (OUTCOME, 7.5, f"Do {OUTCOME}"),
        ("GV.OC-01", 1.0, "Do GV.OC-01"),
    ]
    assert " ".join(lead(document)).startswith(
        f"104 of 106 outcomes are at target (98.1 %); 2 of 2 gaps have no planned day. Close first NIST CSF {OUTCOME}"
    )
    assert document.warnings == ["106 outcomes in scope without a target: counted as if all were wanted."]


def test_without_evidence_nothing_is_at_target():
    document = profile_report(default="no_data")
    assert (document.summary["csf_at_target"], document.coverage.assessed) == (0, 0)


def test_out_of_scope_is_said():
    document = report(REPORT)
    assert lead(document) == (
        "NIST CSF 2.0 is not in scope, so there is no profile.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []
