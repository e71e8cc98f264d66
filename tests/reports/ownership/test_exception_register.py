"""What the exception register says."""

from datetime import date

import pytest

from reports.ownership.exception_register import REPORT
from tests.factories import ask, rows

ANN, EVE = "ann@acme.example", "eve@acme.example"
GOOD = {
    "id": "E1", "kind": "accepted_risk", "framework": "soc2", "control_id": "A1", "reason": "Cost", "residual": "low",
    "approver": EVE, "approved_on": date(2026, 3, 1), "expires_on": date(2027, 3, 1), "days_left": 101, "renewals": 0,
    "standing": "approved",
}  # fmt: skip
SHEET = (
    '{"constraint":"c","objective":"o","risk":"r","definition":"d","validation":"v","maintenance":"m"}'
)  # fmt: skip


def report(*exceptions, state="partial", gaps=()):
    status = rows("control_status", *(
        {"framework": framework, "control_id": "A1", "state": state, "owner": ANN} for framework in ("soc2", "pci-dss")
    ))  # fmt: skip
    return REPORT.build(rows("exceptions", *exceptions), status, rows("gaps", *gaps), ask())


def frame(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def flags(*exceptions, **more):
    return frame(report(*exceptions, **more), "flags").select("flag", "id").rows()


def test_a_sound_exception_has_no_flag():
    document = report(GOOD)
    assert frame(document, "flags").is_empty()
    row = frame(document, "register").row(0, named=True)
    assert (row["standing"], row["in_use"], row["control_state"], row["flags"]) == ("approved", True, "partial", [])
    assert document.headline == "1 exception, 1 of them in force."


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"standing": "expired", "days_left": -1}, "expired_in_use"),
        ({"approver": None}, "no_approver"),
        ({"approved_on": None}, "no_approver"),
        ({"evidence_freshness": "missing"}, "evidence_missing"),
        ({"evidence_freshness": "stale"}, "evidence_stale"),
        ({"expires_on": date(2027, 3, 2)}, "too_long"),
        ({"renewals": 3}, "too_many_renewals"),
        ({"approver": ANN}, "own_approval"),
        ({"kind": "compensating", "framework": "pci-dss", "worksheet": '{"risk":"r"}'}, "worksheet_incomplete"),
        ({"kind": "compensating", "framework": "pci-dss"}, "worksheet_incomplete"),
        ({"residual": None}, "no_residual"),
    ],
)
def test_each_fault_has_its_flag(change, flag):
    assert flags({**GOOD, **change}) == [(flag, "E1")]


@pytest.mark.parametrize("standing", ["draft", "in_review", "rejected", "resolved"])
def test_what_is_not_in_force_has_no_flags(standing):
    assert flags({**GOOD, "standing": standing, "approver": None, "renewals": 9}) == []


def test_twelve_months_and_two_renewals_are_allowed():
    assert flags({**GOOD, "renewals": 2}) == []


def test_an_exception_on_an_effective_control_can_go():
    assert flags(GOOD, state="effective") == [("no_longer_needed", "E1")]
    assert flags({**GOOD, "standing": "expired"}, state="effective") == []


def test_an_expired_exception_in_use_is_the_headline():
    expired = {**GOOD, "standing": "expired", "expires_on": date(2026, 11, 1), "days_left": -19}
    document = report(expired, {**GOOD, "id": "E2"})
    assert document.headline == (
        "2 exceptions, 1 of them in force; 1 expired one is still relied on: renew or close E1 (SOC 2 A1, expired "
        "2026-11-01)."
    )
    assert document.warnings == ["1 exception: expired and still relied on."]
    assert frame(document, "register")["id"].to_list() == ["E1", "E2"]


def test_the_worksheet_of_a_pci_compensating_control_is_shown_field_by_field():
    pci = {**GOOD, "kind": "compensating", "framework": "pci-dss", "evidence_freshness": "fresh"}
    document = report({**pci, "worksheet": SHEET}, {**pci, "id": "E2", "worksheet": '{"objective":"o","risk":""}'})
    assert frame(document, "worksheets").rows() == [
        ("E1", "A1", "c", "o", "r", "d", "v", "m", 0), ("E2", "A1", None, "o", None, None, None, None, 5)
    ]  # fmt: skip
    assert frame(document, "flags").select("flag", "id").rows() == [("worksheet_incomplete", "E2")]


def test_a_measure_in_use_without_an_approved_exception_is_named():
    gaps = [
        {"gap_id": f"soc2:{name}", "framework": "soc2", "control_id": name, "compensating": measure}
        for name, measure in [("A1", "Manual review"), ("A2", "Weekly check"), ("A3", None)]
    ]
    document = report(GOOD, gaps=gaps)
    assert frame(document, "undeclared")["gap_id"].to_list() == ["soc2:A2"]
    assert report(gaps=gaps[:2]).headline == (
        "No exception is on record, yet 2 compensating measures replace controls: have them approved with an end date."
    )


def test_the_empty_register_is_not_praised():
    document = report()
    assert document.headline == (
        "No exception is on record: either every departure is being fixed, or nobody has written one down."
    )
    assert set(document.summary.values()) == {0}
    assert document.charts == []
