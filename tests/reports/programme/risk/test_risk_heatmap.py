from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.risk.risk_heatmap import REPORT
from tests import factories
from tests.factories import lead, rows
from tests.reports.explanations import values_follow


def gap(framework, control_id, severity, weight=3, **more):
    score = {"critical": 5, "high": 4, "medium": 3, "low": 2}[severity]
    return {
        **{"framework": framework, "control_id": control_id, "gap_id": f"{framework}:{control_id}"},
        **{"severity": severity, "severity_score": score, "weight": weight, **more},
    }


def risk(key, likelihood, impact, **more):
    cell = None if likelihood is None or impact is None else likelihood * impact
    return {
        **{"id": key, "title": f"Risk {key}", "likelihood": 5, "impact": 4, "inherent": 20, "status": "open"},
        **{"residual_likelihood": likelihood, "residual_impact": impact, "residual": cell or 25, "previous": cell},
        **{"level": "high", "appetite": 9, "over_appetite": (cell or 25) > 9, "unknown": cell is None},
        **{"inherent_unknown": False, "residual_unknown": cell is None, **more},
    }


def document(gaps=(), readiness=(), vendors=(), risks=()):
    return factories.document(REPORT, **frames(gaps, readiness, vendors, risks))


def frames(gaps=(), readiness=(), vendors=(), risks=()):
    return {
        "gaps": rows("gaps", *gaps),
        "readiness": rows("readiness", *readiness),
        "vendors": rows("vendors", *vendors),
        "risks": rows("risks", *risks),
    }


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


SCOPE = [{"framework": name, "applicable": 10, "assessed": 9} for name in ("soc2", "iso27001", "hipaa", "gdpr-art32")]
TEN = [
    *(gap("hipaa", str(number), "medium") for number in range(6)),
    *(gap("soc2", f"CC6.{number}", "high", group_id="CC6", group_title="Access") for number in range(3)),
    gap("iso27001", "A.5.1", "critical", weight=5, group_id="A.5", group_title="Organizational controls"),
]


def test_gaps_are_counted_by_framework_and_severity_worst_first():
    held = document(TEN, SCOPE)
    assert table(held, "framework_severity").rows() == [
        ("iso27001", "ISO 27001", 1, 0, 0, 0, 1, 10.0),
        ("soc2", "SOC 2", 0, 3, 0, 0, 3, 30.0),
        ("hipaa", "HIPAA", 0, 0, 6, 0, 6, 60.0),
        ("gdpr-art32", "GDPR Article 32", 0, 0, 0, 0, 0, 0.0),
    ]


def test_the_heatmap_sums_to_the_number_of_gaps():
    held = document(TEN, SCOPE)
    frame = table(held, "framework_severity")
    assert frame["total"].sum() == held.summary["gaps_open"] == len(TEN)
    assert sum(frame[severity].sum() for severity in ("critical", "high", "medium", "low")) == len(TEN)
    assert table(held, "hotspots")["gaps"].sum() == len(TEN)


def test_the_summary_has_the_concentration_of_the_gaps():
    held = document(TEN, SCOPE, risks=[risk("R1", 4, 4), risk("R2", None, None), risk("R3", 1, 2, status="closed")])
    assert held.summary == {
        "gaps_open": 10,
        "gaps_critical": 1,
        "gaps_high": 3,
        "gaps_medium": 6,
        "gaps_low": 0,
        "gap_concentration_hhi": 0.46,
        "vendors": 0,
        "vendors_assured": 0,
        "vendors_assurance_lapsed": 0,
        "vendors_not_assessed": 0,
        "risks": 2,
        "risks_over_appetite": 2,
        "risks_unrated": 1,
        "risks_accepted_unapproved": 0,
        "risk_appetite": 9,
    }
    assert held.coverage == Coverage(36, 40)
    assert lead(held) == (
        "2 of 2 open risks exceed the appetite, 1 of them not rated; 10 gaps are open, 6 of them in HIPAA.",
        "Rate Risk R2 (nobody owns it): it counts as 25 until it is rated. Of the gaps close first HIPAA 0 A control "
        "(nobody owns it, not planned yet).",
    )
    assert held.warnings == [
        "1 risk without a full rating: what is missing counts as 5; 1 of those over the appetite may be so for that alone."
    ]


def test_hotspots_weigh_severity_by_criticality():
    held = document([gap("soc2", "CC6.1", "low", weight=5), gap("soc2", "CC7.1", "critical", weight=3, group_id="H")])
    assert table(held, "hotspots").select("group_id", "severity_weight", "worst").rows() == [
        ("H", 15, "critical"),
        ("G", 10, "low"),
    ]


def test_vendors_stand_by_tier_and_assurance():
    vendors = [
        {"vendor_id": "v1", "tier": "critical", "assurance": "lapsed"},
        {"vendor_id": "v2", "tier": "critical", "assurance": "assured"},
        {"vendor_id": "v3", "tier": "low", "assurance": "not_assessed"},
    ]
    held = document(vendors=vendors)
    assert table(held, "vendor_tiers").rows() == [
        ("critical", 1, 0, 1, 0, 2),
        ("high", 0, 0, 0, 0, 0),
        ("medium", 0, 0, 0, 0, 0),
        ("low", 0, 0, 0, 1, 1),
    ]
    assert [held.summary[f"vendors_{name}"] for name in ("assured", "assurance_lapsed", "not_assessed")] == [1, 1, 1]


def test_the_grid_holds_the_rated_risks_and_the_unrated_stand_outside():
    held = document(risks=[risk("R1", 4, 4), risk("R2", 4, 4), risk("R3", 1, 2), risk("R4", None, 3)])
    assert table(held, "grid").rows() == [
        ("5 almost certain", 5, 0, 0, 0, 0, 0),
        ("4 likely", 4, 0, 0, 0, 2, 0),
        ("3 possible", 3, 0, 0, 0, 0, 0),
        ("2 unlikely", 2, 0, 0, 0, 0, 0),
        ("1 rare", 1, 0, 1, 0, 0, 0),
    ]
    assert table(held, "cells").rows() == [
        (5, 4, 20, "critical", None, ["R1", "R2", "R3"]),
        (4, 4, 16, "high", ["R1", "R2"], None),
        (1, 2, 2, "low", ["R3"], None),
    ]
    assert table(held, "unrated")["id"].to_list() == ["R4"]
    assert table(held, "unrated")["counted_as"].to_list() == [25]


def test_a_risk_that_is_not_fully_rated_says_what_its_cell_is_worth():
    notes = [
        next(
            one.note
            for one in document(risks=[risk("R1", 3, 3, unknown=unknown, residual_unknown=unknown)]).tables
            if one.name == "risks"
        )
        for unknown in (False, True)
    ]
    assert notes[0] == ""
    assert notes[1].startswith("Where likelihood or impact is missing, 5 counts for it: such a cell is not rated.")


def test_each_risk_shows_how_it_moved():
    given = [
        risk("R1", 4, 4, previous=12),
        risk("R2", 3, 4, previous=20),
        risk("R3", 2, 2, reviewed_on=date(2026, 9, 1)),
        risk("R4", 1, 1, previous=None),
        risk("R5", 5, 5, previous=6, unknown=True, residual_unknown=True),
    ]
    assert table(document(risks=given), "risks").select(
        "id", "residual", "residual_cell", "movement", "change", "over_appetite"
    ).rows() == [
        ("R5", 25, "not rated (counts as 25)", "not rated", None, True),
        ("R1", 16, "16", "↑ up 4", 4, True),
        ("R2", 12, "12", "↓ down 8", -8, True),
        ("R3", 4, "4", "→ unchanged", 0, False),
        ("R4", 1, "1", "new", None, False),
    ]


def test_without_anything_nothing_is_claimed():
    held = document()
    assert lead(held) == (
        "No control is in scope and no risk is registered, so there is nothing to place on a heatmap.",
        "Import organization_frameworks.csv or risks.csv with hq import to fill this report.",
    )
    assert held.summary["gap_concentration_hhi"] is None
    assert {table.name: table.frame.height for table in held.tables} == {
        "framework_severity": 0,
        "vendor_tiers": 4,
        "hotspots": 0,
        "grid": 5,
        "cells": 0,
        "risks": 0,
        "unrated": 0,
    }
    assert held.warnings == ["The risk register is empty: that no risk is shown does not mean that there is none."]


def test_without_gaps_the_headline_says_so():
    assert lead(document(readiness=SCOPE, risks=[risk("R1", 4, 4)])) == (
        "No gap is open; 1 of 1 open risk exceeds the appetite.",
        "Treat, transfer or accept Risk R1 (nobody owns it), at 16 against an appetite of 9.",
    )


def test_without_controls_in_scope_no_gap_is_called_closed():
    assert lead(document(risks=[risk("R1", 4, 4)])) == (
        "No control is in scope; 1 of 1 open risk exceeds the appetite.",
        "Treat, transfer or accept Risk R1 (nobody owns it), at 16 against an appetite of 9.",
    )


def test_the_concentration_can_be_recomputed_from_the_gaps_of_each_framework():
    frame = factories.explained_rows(REPORT, "gap_concentration_hhi", **frames(TEN, SCOPE))
    assert frame.select("framework", "reason", "numerator", "denominator").rows() == [
        ("iso27001", "10.0 % of all gaps", 0.1, 1),
        ("soc2", "30.0 % of all gaps", 0.9, 3),
        ("hipaa", "60.0 % of all gaps", 3.6, 6),
    ]


def test_the_rows_that_explain_a_figure_give_its_value():
    vendors = [{"vendor_id": name, "tier": "low", "assurance": name} for name in ("assured", "lapsed", "not_assessed")]
    values_follow(REPORT, **frames(TEN, SCOPE, vendors, [risk("R1", 4, 4), risk("R2", None, None)]))


def test_the_picture_is_the_grid_of_what_is_fully_rated():
    held = document(TEN, SCOPE, risks=[risk("R-1", 5, 5), risk("R-2", 1, 2), risk("R-3", 1, 2), risk("R-4", None, 2)])
    (picture,) = held.pictures
    assert picture.cells["5 almost certain", "5"] == ("1", "alarm")
    assert picture.cells["1 rare", "2"] == ("2", "calm")
    assert picture.cells["3 possible", "3"] == ("·", "mild")
    assert (held.tables[0].name, list(held.charts)) == ("risks", [])


def test_without_a_rated_risk_the_picture_is_of_the_gaps():
    held = document(TEN, SCOPE)
    assert list(held.pictures) == []
    assert held.charts[0].frame.rows()[0] == (54, "HIPAA Group")


def test_a_cell_of_which_a_rating_is_missing_is_never_a_plain_number():
    given = [
        risk("R1", 5, 5, level="critical", unknown=True, residual_unknown=True),
        risk("R2", 2, 2, inherent=25, unknown=True, inherent_unknown=True),
    ]
    assert table(document(risks=given), "risks").select(
        "id", "residual_cell", "level", "rated_level", "inherent_cell"
    ).rows() == [
        ("R1", "not rated (counts as 25)", "critical", "not_rated", "20"),
        ("R2", "4", "high", "high", "not rated (counts as 25)"),
    ]
