from datetime import date

import pytest

from engine.model.document import Coverage
from reports.programme.posture_score import REPORT, build
from tests.factories import ask, rows


def component(name, weight, value, prior=None, **more):
    titles = {"readiness": "Weighted readiness", "freshness": "Evidence freshness", "vendor": "Vendor assurance"}
    return {
        "component": name,
        "title": titles.get(name, name.capitalize()),
        "weight": weight,
        "value": value,
        "prior_value": prior,
        "explanation": "How",
        **more,
    }


def posture(*components, prior_score=None, prior_on=date(2026, 10, 21)):
    total = sum(given["weight"] for given in components if given["value"] is not None)
    shares = [
        {
            "share": given["weight"] / total if given["value"] is not None else None,
            "prior_score": prior_score,
            "prior_on": prior_on if prior_score is not None else None,
        }
        for given in components
    ]
    return rows("posture", *({**share, **given} for share, given in zip(shares, components, strict=True)))


def document(posture_frame=None, readiness=(), gaps=(), controls=()):
    return build(
        rows("posture") if posture_frame is None else posture_frame,
        rows("readiness", *readiness),
        rows("gaps", *gaps),
        rows("control_status", *controls),
        ask(),
    )


SOC2 = {"framework": "soc2", "applicable": 4, "assessed": 3}
GOLDEN = (
    component("readiness", 0.35, 80.0, contribution=31.1),
    component("freshness", 0.20, 70.0, contribution=15.6),
    component("attestation", 0.15, 90.0, contribution=15.0),
    component("vendor", 0.10, None),
    component("remediation", 0.10, 50.0, contribution=5.5),
    component("operations", 0.10, 100.0, contribution=11.1),
)
TWO = (
    component("readiness", 0.35, 80.0, 70.0, contribution=50.9),
    component("freshness", 0.20, 70.0, 80.0, contribution=25.5),
)
CONTROLS = [
    {"framework": "soc2", "control_id": "CC6.1", "weight": 5, "state": "no_data"},
    {"framework": "soc2", "control_id": "CC6.2", "weight": 3, "state": "partial"},
    {"framework": "soc2", "control_id": "CC6.3", "weight": 2, "state": "effective"},
    {"framework": "soc2", "control_id": "CC6.4", "weight": 5, "state": "not_applicable", "applicable": False},
]
GAPS = [
    {"framework": "soc2", "control_id": "CC6.1", "gap_id": "soc2:CC6.1", "weight": 5, "state": "no_data"},
    {"framework": "soc2", "control_id": "CC6.2", "gap_id": "soc2:CC6.2", "weight": 3, "state": "partial"},
]


def test_contributions_sum_to_the_score_and_with_the_points_lost_to_100():
    held = document(posture(*GOLDEN), [SOC2])
    table = held.tables[0].frame
    assert held.summary["score"] == 78.3
    assert round(table["contribution"].sum(), 1) == 78.3
    assert round(table["lost"].sum(), 1) == 21.7


def test_the_costliest_component_stands_first_and_one_without_data_last():
    table = document(posture(*GOLDEN), [SOC2]).tables[0].frame
    assert table.select("component", "share_pct", "value_pct", "contribution", "lost").rows() == [
        ("readiness", 38.9, 80.0, 31.1, 7.8),
        ("freshness", 22.2, 70.0, 15.6, 6.6),
        ("remediation", 11.1, 50.0, 5.5, 5.6),
        ("attestation", 16.7, 90.0, 15.0, 1.7),
        ("operations", 11.1, 100.0, 11.1, 0.0),
        ("vendor", None, None, None, None),
    ]


def test_the_summary_tells_score_change_and_movers():
    held = document(posture(*TWO, prior_score=73.6), [SOC2], GAPS, CONTROLS)
    assert held.summary == {
        "score": 76.4,
        "grade": "C",
        "change": 2.8,
        "prior_score": 73.6,
        "prior_on": date(2026, 10, 21),
        "top_three_gaps_points": 41.36,
        "all_gaps_points": 41.36,
        "series_break": False,
        "movers": [
            {"component": "readiness", "title": "Weighted readiness", "movement": 6.4},
            {"component": "freshness", "title": "Evidence freshness", "movement": -3.6},
        ],
    }
    assert held.coverage == Coverage(3, 4)
    assert held.warnings == []
    assert held.headline == (
        "Posture is 76.4 (C), up 2.8 points in 30 days; weighted readiness costs the most (12.7 points); "
        "closing the 2 gaps SOC 2 CC6.1 and SOC 2 CC6.2 adds 41.36 points."
    )


def test_closing_a_gap_adds_its_part_of_weighted_readiness():
    table = document(posture(*TWO), [SOC2], GAPS, CONTROLS).tables[1].frame
    share = 0.35 / 0.55
    assert table.select("gap_id", "points", "total_points").rows() == [
        ("soc2:CC6.1", round(100 * share * 5 / 10, 2), round(100 * share * 5 / 10, 2)),
        ("soc2:CC6.2", round(100 * share * 1.5 / 10, 2), round(100 * share * 6.5 / 10, 2)),
    ]


@pytest.mark.parametrize("state", ["ineffective", "no_data", "stale", "partial"])
def test_closing_a_gap_never_lowers_the_score(state):
    gap = {**GAPS[0], "state": state}
    assert document(posture(*TWO), [SOC2], [gap], CONTROLS).summary["all_gaps_points"] > 0


def test_movements_sum_to_the_change():
    held = document(posture(*TWO, prior_score=73.6), [SOC2])
    assert round(held.tables[0].frame["movement"].sum(), 1) == held.summary["change"]


def test_a_component_that_appears_breaks_the_series():
    first_vendor = component("vendor", 0.10, 40.0, contribution=6.2)
    before = [
        component("readiness", 0.35, 80.0, 80.0, contribution=43.1),
        component("freshness", 0.2, 70.0, 70.0, contribution=21.5),
    ]
    held = document(posture(*before, first_vendor, prior_score=76.4), [SOC2])
    assert held.summary["series_break"]
    assert held.warnings == [
        "The series breaks: 1 component appeared or disappeared (vendor assurance), so the change is not like for like."
    ]
    assert round(held.tables[0].frame["movement"].sum(), 1) == held.summary["change"] == -5.6


def test_changed_weights_are_not_blamed_on_components():
    held = document(posture(*TWO, prior_score=60.0), [SOC2])
    assert held.summary["movers"] == []
    assert held.tables[0].frame["movement"].to_list() == [None, None]
    assert held.warnings == [
        "The weights changed since the earlier score, so its change is not attributed to components."
    ]


def test_thin_coverage_gets_no_grade():
    held = document(posture(*TWO), [{**SOC2, "assessed": 1}])
    assert held.summary["grade"] == "insufficient_data"
    assert held.headline.startswith(
        "Posture is 76.4 (25.0 % of the controls have evidence, too few for a grade), with no earlier figure to compare"
    )
    assert held.warnings[0] == "Fewer than 50 % of the controls of SOC 2 have any evidence."


def test_an_unmeasured_component_is_named():
    assert (
        "Not measured, so its weight went to the other components: vendor assurance."
        in document(posture(*GOLDEN), [SOC2]).warnings
    )


def test_without_data_there_is_no_score():
    held = document()
    assert held.summary["score"] is None
    assert held.summary["grade"] == "insufficient_data"
    assert held.coverage == Coverage(0, 0)
    assert [table.frame.height for table in held.tables] == [0, 0]
    assert held.headline == (
        "There is no posture score yet, because no component has any data: start with evidence for the controls."
    )


def test_components_that_are_all_without_data_give_no_score():
    held = document(rows("posture", component("readiness", 0.35, None)))
    assert held.summary["score"] is None
    assert held.tables[0].frame.height == 1


def test_a_component_that_the_organization_weighs_nothing_gives_and_costs_nothing():
    unweighed = component("vendor", 0.0, 40.0, contribution=None, share=0.0)
    held = document(posture(*TWO, unweighed), [SOC2])
    assert held.summary["score"] == 76.4
    assert held.tables[0].frame.select("component", "contribution", "lost").row(2) == ("vendor", 0.0, 0.0)


def test_the_report_is_declared_for_its_route():
    assert (REPORT.name, REPORT.formats) == ("posture-score", ("json", "csv", "html", "md"))
