"""What the exception register says."""

from datetime import date

import pytest

from reports.ownership.exception_register import REPORT
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

ANN, EVE = "ann@acme.example", "eve@acme.example"
GOOD = {
    "id": "E1", "kind": "accepted_risk", "framework": "soc2", "control_id": "A1", "reason": "Cost", "residual": "low",
    "approver": EVE, "approved_on": date(2026, 3, 1), "expires_on": date(2027, 3, 1), "days_left": 101, "renewals": 0,
    "standing": "approved",
}  # fmt: skip
SHEET = '{"constraint":"c","objective":"o","risk":"r","definition":"d","validation":"v","maintenance":"m"}'


def facts(*exceptions, state="partial", gaps=()):
    status = rows(
        "control_status",
        *(
            {"framework": framework, "control_id": "A1", "state": state, "owner": ANN}
            for framework in ("soc2", "pci-dss")
        ),
    )
    return {"exceptions": rows("exceptions", *exceptions), "control_status": status, "gaps": rows("gaps", *gaps)}


def report(*exceptions, **more):
    return document(REPORT, **facts(*exceptions, **more))


def frame(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def flags(*exceptions, **more):
    return frame(report(*exceptions, **more), "flags").select("flag", "id").rows()


def test_a_sound_exception_has_no_flag():
    held = report(GOOD)
    assert frame(held, "flags").is_empty()
    row = frame(held, "register").row(0, named=True)
    assert (row["standing"], row["in_use"], row["control_state"], row["flags"]) == ("approved", True, "partial", [])
    assert lead(held) == ("1 of 1 exception is in force.", "")


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"standing": "expired", "days_left": -1}, "expired_in_use"),
        ({"standing": "in_review", "unapproved": True, "approver": None}, "no_approver"),
        ({"standing": "in_review", "unapproved": True, "approved_on": None}, "no_approver"),
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
    held = report(expired, {**GOOD, "id": "E2"})
    assert lead(held) == (
        "1 of 2 exceptions is in force; 1 expired one is still relied on.",
        f"Renew or close the exception from SOC 2 A1, which expired on 1 Nov 2026 (E1, with {EVE}).",
    )
    assert held.warnings == [
        f"Expired and still relied on: E1 from SOC 2 A1 (with {EVE}). Renew it with a new approval, or close the gap."
    ]
    assert frame(held, "register")["id"].to_list() == ["E1", "E2"]


def test_an_expired_exception_that_another_replaced_is_not_relied_on():
    expired = {**GOOD, "standing": "expired", "expires_on": date(2026, 11, 1), "days_left": -19, "replaced": True}
    held = report(expired, {**GOOD, "id": "E2"})
    assert lead(held) == ("1 of 2 exceptions is in force.", "")
    assert (held.summary["exceptions_expired"], held.summary["exceptions_expired_in_use"]) == (1, 0)


def test_the_worksheet_of_a_pci_compensating_control_is_shown_field_by_field():
    pci = {**GOOD, "kind": "compensating", "framework": "pci-dss", "evidence_freshness": "fresh"}
    held = report({**pci, "worksheet": SHEET}, {**pci, "id": "E2", "worksheet": '{"objective":"o","risk":""}'})
    assert frame(held, "worksheets").rows() == [
        ("E1", "A1", "c", "o", "r", "d", "v", "m", 0),
        ("E2", "A1", None, "o", None, None, None, None, 5),
    ]
    assert frame(held, "flags").select("flag", "id").rows() == [("worksheet_incomplete", "E2")]


def test_a_measure_in_use_without_an_approved_exception_is_named():
    gaps = [
        {"gap_id": f"soc2:{name}", "framework": "soc2", "control_id": name, "compensating": measure}
        for name, measure in [("A1", "Manual review"), ("A2", "Weekly check"), ("A3", None)]
    ]
    held = report(GOOD, gaps=gaps)
    assert frame(held, "undeclared")["gap_id"].to_list() == ["soc2:A2"]
    assert lead(report(gaps=gaps[:2])) == (
        "No exception is on record, yet 2 compensating measures replace controls.",
        "Have them approved with an end date.",
    )


def test_the_empty_register_is_not_praised():
    held = document(REPORT)
    assert lead(held) == (
        "No exception is on record: either every departure is being fixed, or nobody has written one down.",
        "Import exceptions.csv with hq import to fill this report.",
    )
    assert set(held.summary.values()) == {0}
    assert not held.charts


def test_an_exception_that_ends_soon_is_named_and_counted():
    held = report({**GOOD, "expires_on": date(2026, 12, 20), "days_left": 30}, {**GOOD, "id": "E2", "days_left": 31})
    assert held.summary["exceptions_expiring_in_30_days"] == 1
    assert lead(held) == (
        "2 of 2 exceptions are in force.",
        f"Close the gap of SOC 2 A1 or renew its exception before it ends on 20 Dec 2026 (E1, with {EVE}).",
    )


def test_every_figure_is_what_its_rows_give():
    expired = {**GOOD, "standing": "expired", "expires_on": date(2026, 11, 1), "days_left": -19, "residual": None}
    gap = {"gap_id": "soc2:A9", "framework": "soc2", "control_id": "A9", "compensating": "Weekly check"}
    given = facts(expired, {**GOOD, "id": "E2", "renewals": 3}, gaps=[gap])
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "exceptions_expired_in_use", **given).select("id", "reason").rows() == [
        ("E1", "expired on 2026-11-01")
    ]
    assert explained_rows(REPORT, "exceptions_too_many_renewals", **given)["reason"].to_list() == ["renewed 3 times"]
