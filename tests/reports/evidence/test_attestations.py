"""What the attestation board says."""

from datetime import date

import pytest

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage
from engine.model.thresholds import Thresholds
from reports.evidence.attestations import REPORT
from tests.factories import DAY, document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

NEEDED = ["operation", "attestation"]


def duty(control_id, **given):
    return {
        "framework": "soc2",
        "control_id": control_id,
        "id": f"a-{control_id}",
        "due_on": date(2026, 12, 31),
        "days_left": (given.get("due_on", date(2026, 12, 31)) - DAY).days,
        **given,
    }


def control(control_id, **given):
    return {"framework": "soc2", "control_id": control_id, "kinds_required": NEEDED, "attested": False, **given}


def facts(duties, controls=()):
    return {"attestations": rows("attestations", *duties), "control_status": rows("control_status", *controls)}


def report(duties, controls=(), question=None):
    return document(REPORT, question, **facts(duties, controls))


def table(found, name):
    return found.table(name).frame


DUTIES = (
    duty("CC1.1", status="attested", evidence_freshness="fresh"),
    duty("CC1.2", status="attested", evidence_freshness="stale", unsupported=True),
    duty("CC1.3", status="overdue", due_on=date(2026, 11, 1)),
    duty("CC1.4", status="due_7", due_on=date(2026, 11, 25), delegated_to="joe@acme.example"),
    duty("CC1.1", id="next", status="due_30", due_on=date(2026, 12, 10), current=False),
    duty("CC1.1", id="old", status="attested", due_on=date(2025, 11, 10), current=False),
)
CONTROLS = (
    *(control(f"CC1.{n}", attested=n < 3) for n in range(1, 6)),
    control("CC1.6", applicable=False, state="not_applicable"),
    control("CC1.7", kinds_required=["operation"], state="no_data"),
)


def test_the_board_counts_what_decides_and_what_is_open():
    found = report(DUTIES, CONTROLS)
    assert dict(found.summary) == {
        "controls_applicable": 6,
        "controls_to_attest": 5,
        "controls_unattested": 3,
        "attestation_control_pct": 40.0,
        "attestation_duty_pct": 50.0,
        "attestations_deciding": 4,
        "attestations_current": 2,
        "attestations_on_board": 5,
        "attestations_overdue": 1,
        "attestations_rejected": 0,
        "attestations_due_soon": 1,
        "attestations_due_in_30_days": 2,
        "attestations_not_due": 0,
        "attestations_unsupported": 1,
        "attestations_delegated": 1,
        "controls_without_attestation_duty": 2,
    }
    assert lead(found) == (
        "2 of 5 controls that need an attestation have one in force, 3 have none.",
        "1 attestation is overdue: start with SOC 2 CC1.3 A control (with ann@acme.example, due 1 Nov 2026).",
    )


def test_coverage_is_that_of_all_reports_and_not_the_share_of_duties():
    assert report(DUTIES, CONTROLS).coverage == Coverage(5, 6)


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(DUTIES, CONTROLS))
    values_follow(REPORT)


def test_an_overdue_attestation_says_since_when():
    frame = explained_rows(REPORT, "attestations_overdue", **facts(DUTIES))
    assert frame.select("control_id", "reason").rows() == [("CC1.3", "due 2026-11-01, not decided since")]


def test_a_delegated_attestation_says_to_whom():
    frame = explained_rows(REPORT, "attestations_delegated", **facts(DUTIES))
    assert frame.select("control_id", "reason").rows() == [("CC1.4", "delegated to joe@acme.example, due 2026-11-25")]


def test_overdue_comes_first_and_attested_last():
    board = table(report(DUTIES), "attestations")
    assert board["id"].to_list() == ["a-CC1.3", "a-CC1.4", "next", "a-CC1.1", "a-CC1.2"]


def test_a_replaced_attestation_leaves_the_board_and_stays_in_the_report():
    found = report(DUTIES)
    assert table(found, "earlier")["id"].to_list() == ["old"]
    assert table(found, "attestations").height + table(found, "earlier").height == len(DUTIES)


def test_a_signature_on_stale_evidence_is_flagged():
    assert report(DUTIES).warnings == [
        "Renew the evidence and sign again what was signed on stale or missing evidence: SOC 2 CC1.2 A control "
        "(with ann@acme.example)."
    ]


def test_a_control_without_a_duty_is_listed_unless_it_does_not_apply():
    found = report([], [control("CC1.1"), control("CC1.2", applicable=False)])
    assert table(found, "without_attestation")["control_id"].to_list() == ["CC1.1"]
    assert found.warnings == ["1 of 1 applicable control has no attestation duty."]


def test_frameworks_and_owners_add_up_to_the_board():
    found = report((*DUTIES, duty("A.5.1", framework="iso27001", status="rejected", owner="eve@acme.example")))
    for name in ("frameworks", "owners"):
        part = table(found, name)
        assert part["attestations"].sum() == found.summary["attestations_on_board"]
        assert part["unsupported"].sum() == found.summary["attestations_unsupported"]
        assert part.select("overdue", "rejected", "due_soon", "due_30", "not_due", "attested").sum().row(0) == (
            1,
            1,
            1,
            1,
            0,
            2,
        )


@pytest.mark.parametrize(
    ("days", "title", "headings"),
    [
        (7, "Attestations due within 7 days", ("Within 7 days", "8 to 30 days")),
        (14, "Attestations due within 14 days", ("Within 14 days", "15 to 30 days")),
        (1, "Attestations due within 1 days", ("Within 1 day", "2 to 30 days")),
        (45, "Attestations due within 45 days", ("Within 45 days", "Later")),
    ],
)
def test_what_is_due_soon_says_the_days_that_the_organization_set(days, title, headings):
    found = report(DUTIES, CONTROLS, Ask(DAY, 30, Thresholds(1, {"due_soon_days": days})))
    labels = found.table("frameworks").labels
    assert (found.titles["attestations_due_soon"], (labels["due_soon"], labels["due_30"])) == (title, headings)
    (chart,) = found.charts
    assert f"due {headings[0][0].lower()}{headings[0][1:]}" in chart.frame["status"].to_list()


SIGNED = (duty("CC1.1", status="attested"),)


@pytest.mark.parametrize(
    ("duties", "controls", "headline"),
    [
        (
            SIGNED,
            [control("CC1.1", attested=True)],
            "1 of 1 control that needs an attestation has one in force. Nothing is open.",
        ),
        (
            SIGNED,
            [control(f"CC1.{n}", attested=n == 1) for n in range(1, 867)],
            "1 of 866 controls that need an attestation has one in force, 865 have none. 865 controls have no duty to "
            "sign: ask for those first.",
        ),
        (
            [duty("CC1.1", status="rejected")],
            [control("CC1.1")],
            "0 of 1 control that needs an attestation has one in force, 1 has none. 1 was rejected: renew SOC 2 CC1.1 "
            "A control first (with ann@acme.example, due 31 Dec 2026).",
        ),
        (
            [*SIGNED, duty("CC1.1", id="next", status="not_due", current=False)],
            [control("CC1.1", attested=True)],
            "1 of 1 control that needs an attestation has one in force. None is overdue, SOC 2 CC1.1 A control comes "
            "next (with ann@acme.example, due 31 Dec 2026).",
        ),
        (
            [],
            [control("CC1.1"), control("CC1.2")],
            "No attestation was ever asked for: nobody vouches for any of 2 controls that need an attestation. "
            "Import attestations.csv with hq import to fill this report.",
        ),
    ],
)
def test_the_headline_counts_controls_and_not_only_signatures(duties, controls, headline):
    found = report(duties, controls)
    assert " ".join(lead(found)) == headline
    assert len(found.headline.split()) <= 30


def test_an_empty_board_is_not_current():
    found = report([])
    assert lead(found) == (
        "No control in scope needs an attestation, and none was asked for.",
        "Import attestations.csv with hq import to fill this report.",
    )
    assert (found.summary["attestation_duty_pct"], found.summary["attestation_control_pct"]) == (None, None)
    assert found.coverage == Coverage(0, 0)
    assert all(part.frame.is_empty() for part in found.tables)
    assert found.charts == []
