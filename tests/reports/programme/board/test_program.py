from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.board.program import REPORT
from tests.factories import document, lead, rows

SOC2 = {
    **{"framework": "soc2", "applicable": 5, "effective": 2, "assessed": 4, "strict_pct": 40.0, "weighted_pct": 70.0},
    **{"coverage_pct": 80.0, "prior_strict_pct": 36.0, "prior_weighted_pct": 71.5},
}
HIPAA = {**SOC2, "framework": "hipaa", "effective": 1, "strict_pct": 20.0, "weighted_pct": 30.0}
POSTURE = {"component": "readiness", "value": 43.8, "prior_value": 48.9, "prior_on": date(2026, 10, 21)}


def program(readiness=(), posture=(), gaps=(), attestations=(), vendors=(), obligations=(), risks=(), controls=()):
    return document(
        REPORT,
        control_status=rows("control_status", *controls),
        readiness=rows("readiness", *readiness),
        posture=rows("posture", *posture),
        gaps=rows("gaps", *gaps),
        attestations=rows("attestations", *attestations),
        vendors=rows("vendors", *vendors),
        obligations=rows("obligations", *obligations),
        risks=rows("risks", *risks),
    )


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def gap(control_id, **more):
    return {"framework": "soc2", "control_id": control_id, "gap_id": f"soc2:{control_id}", **more}


def duty(key, due_on, **more):
    return {"obligation_id": key, "due_on": due_on, **more}


def test_the_least_ready_framework_stands_first():
    held = program([SOC2, HIPAA], [POSTURE])
    assert table(held, "readiness").rows() == [
        ("hipaa", "HIPAA", 30.0, -41.5, 20.0, -16.0, 80.0, 5, 4),
        ("soc2", "SOC 2", 70.0, -1.5, 40.0, 4.0, 80.0, 5, 3),
    ]


def test_the_summary_is_one_screen():
    held = program(
        [SOC2, HIPAA],
        [POSTURE],
        [gap("CC6.1", severity="critical"), gap("CC6.2")],
        [{"id": "a", "framework": "soc2", "status": "overdue"}, {"id": "b", "framework": "soc2", "status": "attested"}],
        [
            {
                **{"vendor_id": "v", "tier": "high", "review": "overdue", "assurance": "lapsed"},
                "next_review_on": date(2026, 11, 1),
            }
        ],
        [duty("o1", date(2026, 11, 1), state="overdue"), duty("o2", date(2026, 12, 1))],
        [{"id": "R1", "residual": 16, "over_appetite": True, "status": "open"}],
        [
            {"framework": "soc2", "control_id": "CC6.1", "weight": 3, "state": "effective"},
            {"framework": "soc2", "control_id": "CC6.2", "weight": 1, "state": "partial"},
            {"framework": "hipaa", "control_id": "1", "weight": 4, "state": "no_data"},
            {"framework": "hipaa", "control_id": "2", "applicable": False},
        ],
    )
    assert held.summary == {
        "weighted_pct": 43.8,
        "weighted_change": -5.1,
        "weighted_before_pct": 48.9,
        "snapshot_before_on": date(2026, 10, 21),
        "strict_pct": 33.3,
        "gaps_open": 2,
        "gaps_critical": 1,
        "attestations_current": 1,
        "attestations_not_due": 0,
        "attestations_due_in_30_days": 0,
        "attestations_overdue": 1,
        "attestations_rejected": 0,
        "vendors": 1,
        "vendor_reviews_overdue": 1,
        "obligations_overdue": 1,
        "risks_over_appetite": 1,
    }
    assert held.coverage == Coverage(8, 10)
    assert lead(held) == (
        "Weighted readiness is 43.8 %, down 5.1 points in 30 days; 2 gaps are open, 1 of them critical.",
        "Start with HIPAA, the least ready at 30.0 %.",
    )


def test_gaps_are_counted_by_severity_and_age():
    gaps = [
        gap("1", severity="high", age_days=30, owner="ann@acme.example"),
        gap("2", severity="high", age_days=31),
        gap("3", severity="low", age_days=200),
    ]
    held = program(gaps=gaps)
    assert table(held, "gaps").rows() == [
        ("critical", 0, 0, 0, 0, None, 0),
        ("high", 1, 1, 0, 2, 31, 1),
        ("medium", 0, 0, 0, 0, None, 0),
        ("low", 0, 0, 1, 1, 200, 1),
    ]
    assert table(held, "gaps")["total"].sum() == held.summary["gaps_open"] == 3


def test_of_decided_attestations_only_the_standing_one_counts():
    attestations = [
        {"id": "a", "framework": "soc2", "status": "attested", "current": False},
        {"id": "b", "framework": "soc2", "status": "rejected", "current": True},
        {"id": "c", "framework": "soc2", "status": "overdue", "current": False},
        {"id": "d", "framework": "hipaa", "status": "due_7"},
        {"id": "e", "framework": "hipaa", "status": "due_30"},
        {"id": "f", "framework": "hipaa", "status": "not_due"},
    ]
    assert table(program(attestations=attestations), "attestations").rows() == [
        ("soc2", "SOC 2", 0, 0, 0, 1, 1),
        ("hipaa", "HIPAA", 0, 1, 2, 0, 0),
    ]


def test_a_vendor_that_was_never_reviewed_is_counted_apart():
    vendors = [
        {"vendor_id": "v1", "tier": "critical", "review": "never", "assurance": "not_assessed", "inherited_gaps": 3},
        {
            **{"vendor_id": "v2", "tier": "critical", "review": "overdue", "assurance": "assured", "inherited_gaps": 1},
            "next_review_on": date(2026, 11, 19),
        },
    ]
    assert table(program(vendors=vendors), "vendors").rows() == [
        ("critical", 2, 1, 0, 1, 1, 4),
        ("high", 0, 0, 0, 0, 0, 0),
        ("medium", 0, 0, 0, 0, 0, 0),
        ("low", 0, 0, 0, 0, 0, 0),
    ]


def test_the_next_five_dates_begin_today_and_leave_out_what_is_done():
    obligations = [
        *(duty(f"o{day}", date(2026, 11, day)) for day in (26, 25, 24, 23, 22, 20)),
        duty("late", date(2026, 11, 19), state="overdue"),
        duty("done", date(2026, 11, 21), state="done"),
    ]
    assert table(program(obligations=obligations), "next_dates")["obligation_id"].to_list() == [
        "o20",
        "o22",
        "o23",
        "o24",
        "o25",
    ]


def test_three_risks_stand_by_residual():
    risks = [{"id": f"R{cell}", "residual": cell, "inherent": 20, "status": "open"} for cell in (4, 25, 9, 12)]
    assert table(program(risks=risks), "top_risks")["id"].to_list() == ["R25", "R12", "R9"]


def test_without_data_nothing_is_ready():
    held = program()
    assert lead(held) == (
        "No framework with controls is in scope yet, so there is no programme to report on.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.summary["weighted_pct"] is None
    assert held.summary["strict_pct"] is None
    assert held.coverage == Coverage(0, 0)
    assert held.charts == []
