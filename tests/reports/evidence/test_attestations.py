"""What the attestation board says."""

from datetime import date

from reports.evidence.attestations import REPORT
from tests.factories import ask, rows


def duty(control_id, **given):
    return {
        "framework": "soc2",
        "control_id": control_id,
        "id": f"a-{control_id}",
        "due_on": date(2026, 12, 31),
        **given,
    }


def control(control_id, **given):
    return {"framework": "soc2", "control_id": control_id, **given}


def report(duties, controls=()):
    return REPORT.build(rows("attestations", *duties), rows("control_status", *controls), ask())


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


DUTIES = (
    duty("CC1.1", status="attested", evidence_freshness="fresh"),
    duty("CC1.2", status="attested", evidence_freshness="stale", unsupported=True),
    duty("CC1.3", status="overdue", due_on=date(2026, 11, 1)),
    duty("CC1.4", status="due_7", due_on=date(2026, 11, 25), delegated_to="joe@acme.example"),
    duty("CC1.1", id="next", status="due_30", due_on=date(2026, 12, 10), current=False),
    duty("CC1.1", id="old", status="attested", due_on=date(2025, 11, 10), current=False),
)


def test_the_board_counts_what_decides_and_what_is_open():
    controls = [control(f"CC1.{n}") for n in range(1, 6)]
    document = report(DUTIES, controls)
    assert dict(document.summary) == {
        "attestations": 5, "overdue": 1, "rejected": 0, "due_within_7_days": 1, "due_in_8_to_30_days": 1, "not_due": 0,
        "attested": 2, "deciding": 4, "attested_now": 2, "current_pct": 50.0, "unsupported": 1, "delegated": 1,
        "controls_without_attestation": 1,
    }  # fmt: skip
    assert document.headline == (
        "2 of 4 attestations are current (50.0 %); 1 overdue and 1 due within 7 days: "
        "start with SOC 2 CC1.3 (ann@acme.example, due 2026-11-01)."
    )
    assert (document.coverage.assessed, document.coverage.total) == (4, 5)


def test_overdue_comes_first_and_attested_last():
    board = table(report(DUTIES), "attestations")
    assert board["id"].to_list() == ["a-CC1.3", "a-CC1.4", "next", "a-CC1.1", "a-CC1.2"]


def test_a_replaced_attestation_leaves_the_board_and_stays_in_the_report():
    document = report(DUTIES)
    assert table(document, "earlier")["id"].to_list() == ["old"]
    assert table(document, "attestations").height + table(document, "earlier").height == len(DUTIES)


def test_a_signature_on_stale_evidence_is_flagged():
    assert report(DUTIES).warnings == ["Signed on stale or missing evidence, so unsupported: SOC 2 CC1.2."]


def test_a_control_without_a_duty_is_listed_unless_it_does_not_apply():
    document = report([], [control("CC1.1"), control("CC1.2", applicable=False)])
    assert table(document, "without_attestation")["control_id"].to_list() == ["CC1.1"]
    assert document.warnings == ["1 of 1 applicable control has no attestation duty."]


def test_frameworks_and_owners_add_up_to_the_board():
    document = report((*DUTIES, duty("A.5.1", framework="iso27001", status="rejected", owner="eve@acme.example")))
    for name in ("frameworks", "owners"):
        part = table(document, name)
        assert part["attestations"].sum() == document.summary["attestations"]
        assert part["unsupported"].sum() == document.summary["unsupported"]
        assert part.select("overdue", "rejected", "due_7", "due_30", "not_due", "attested").sum().row(0) == (
            1, 1, 1, 1, 0, 2,
        )  # fmt: skip


def test_a_board_where_all_is_attested_asks_for_nothing():
    document = report([duty("CC1.1", status="attested")], [control("CC1.1")])
    assert document.headline == "1 of 1 attestation is current (100.0 %); nothing is open."
    assert document.warnings == []


def test_an_empty_board_is_not_current():
    document = report([])
    assert document.headline == "No attestation has been set up, so nobody vouches for any control yet."
    assert document.summary["current_pct"] is None
    assert document.coverage.total == 0
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []
