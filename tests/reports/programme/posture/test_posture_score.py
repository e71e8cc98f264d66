from datetime import date

import pytest

from engine.model.documents.document import Coverage
from reports.programme.posture.posture_score import REPORT
from tests import factories
from tests.factories import lead, rows
from tests.reports.explanations import values_follow


def component(name, weight, value, prior=None, **more):
    titles = {"readiness": "Weighted readiness", "freshness": "Evidence freshness", "vendor": "Vendor assurance"}
    return {
        "component": name,
        "title": titles.get(name, name.capitalize()),
        "weight": weight,
        "value": value,
        "prior_value": prior,
        "explanation": "How",
        "measured": 0,
        "population": 0,
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


def document(posture_frame=None, readiness=(), gaps=(), controls=(), targets=()):
    given = frames(posture_frame, readiness, gaps, controls)
    return factories.document(REPORT, **given, framework_targets=rows("framework_targets", *targets))


def frames(posture_frame=None, readiness=(), gaps=(), controls=()):
    return {
        "posture": rows("posture") if posture_frame is None else posture_frame,
        "readiness": rows("readiness", *readiness),
        "gaps": rows("gaps", *gaps),
        "control_status": rows("control_status", *controls),
    }


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


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
    component("readiness", 0.35, 80.0, 70.0, contribution=50.9, population=3, measured=2),
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
    assert held.summary["posture_score"] == 78.3
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


def test_the_summary_tells_score_and_change_and_a_table_the_movers():
    held = document(posture(*TWO, prior_score=73.6), [SOC2], GAPS, CONTROLS)
    assert held.summary == {
        "posture_score": 76.4,
        "posture_grade": "C",
        "posture_change": 2.8,
        "posture_before_score": 73.6,
        "snapshot_before_on": date(2026, 10, 21),
        "posture_series_breaks": 0,
        "steps_top_ten_points": 41.4,
        "steps_top_ten_hours": 16.0,
        "gaps_top_three_points": 41.4,
        "gaps_top_ten_points": 41.4,
        "gaps_all_points": 41.4,
        "attestation_control_pct": None,
    }
    assert table(held, "movers").rows() == [
        ("readiness", "Weighted readiness", 6.4),
        ("freshness", "Evidence freshness", -3.6),
    ]
    assert held.coverage == Coverage(3, 4)
    assert held.warnings == []
    assert lead(held) == (
        "Posture is 76.4 (C), up 2.8 points in 30 days; weighted readiness costs the most (12.7 points).",
        "Give the first evidence of SOC 2 CC6.1 A control (nobody owns it). The 2 best steps per hour "
        "add 41.4 points in 16 hours; closing all open gaps adds 41.4.",
    )


def test_where_a_framework_has_a_target_day_it_is_said_that_its_plan_begins_by_that_day():
    said = "The plan of a framework begins with what its target day needs first, which may add fewer points per hour."
    target = {"framework": "soc2", "target_on": date(2027, 3, 1)}
    held = document(posture(*TWO), [SOC2], GAPS, CONTROLS, targets=[target])
    assert lead(held)[1].endswith(f"; closing all open gaps adds 41.4. {said}")
    assert held.table("next_steps").note.endswith(said)


def test_closing_a_gap_adds_its_part_of_weighted_readiness():
    found = table(document(posture(*TWO), [SOC2], GAPS, CONTROLS), "next_gaps")
    share = 0.35 / 0.55
    assert found.select("gap_id", "points", "total_points").rows() == [
        ("soc2:CC6.1", round(100 * share * 5 / 10, 2), round(100 * share * 5 / 10, 2)),
        ("soc2:CC6.2", round(100 * share * 1.5 / 10, 2), round(100 * share * 6.5 / 10, 2)),
    ]


def test_ten_gaps_that_add_next_to_nothing_are_named_as_no_lever():
    controls = [
        {"framework": "soc2", "control_id": f"C{n}", "state": "stale" if n < 10 else "effective"} for n in range(1200)
    ]
    gaps = [{"framework": "soc2", "control_id": f"C{n}", "gap_id": f"soc2:C{n}", "state": "stale"} for n in range(10)]
    big = [
        component("readiness", 0.35, 99.0, contribution=63.0, population=1200),
        component("freshness", 0.20, 70.0, contribution=25.5),
    ]
    held = document(posture(*big), [SOC2], gaps, controls)
    assert held.summary["gaps_top_ten_points"] == 0.4
    assert held.warnings[-1] == (
        "Closing the 10 gaps that would add most gives 0.4 points in all: "
        "see the next steps for what moves the score by the hour."
    )


def test_late_remediations_are_said_to_stay_late():
    late = component("remediation", 0.10, 50.0, contribution=5.5, measured=2, population=4)
    assert document(posture(*TWO, late), [SOC2]).warnings[-1] == (
        "2 of 4 remediations are late and stay so for a quarter after they are closed: "
        "only closing others by their dates raises timeliness."
    )


def test_one_signature_over_many_controls_is_told_with_its_population():
    needs = {"framework": "soc2", "kinds_required": ["operation", "attestation"], "kinds_present": ["operation"]}
    controls = [{**needs, "control_id": f"C{n}", "state": "partial", "attested": n == 0} for n in range(866)]
    held = document(posture(*TWO), [SOC2], controls=controls)
    assert held.summary["attestation_control_pct"] == 0.1
    frame = factories.explained_rows(REPORT, "attestation_control_pct", **frames(posture(*TWO), controls=controls))
    assert (frame.height, frame["flag"].sum()) == (866, 1)


@pytest.mark.parametrize("state", ["ineffective", "no_data", "stale", "partial"])
def test_closing_a_gap_never_lowers_the_score(state):
    gap = {**GAPS[0], "state": state}
    assert document(posture(*TWO), [SOC2], [gap], CONTROLS).summary["gaps_all_points"] > 0


def test_movements_sum_to_the_change():
    held = document(posture(*TWO, prior_score=73.6), [SOC2])
    assert round(held.tables[0].frame["movement"].sum(), 1) == held.summary["posture_change"]


def test_a_component_that_appears_breaks_the_series():
    first_vendor = component("vendor", 0.10, 40.0, contribution=6.2)
    before = [
        component("readiness", 0.35, 80.0, 80.0, contribution=43.1),
        component("freshness", 0.2, 70.0, 70.0, contribution=21.5),
    ]
    held = document(posture(*before, first_vendor, prior_score=76.4), [SOC2])
    assert held.summary["posture_series_breaks"] == 1
    assert held.warnings == [
        "The series breaks: 1 component appeared or disappeared (vendor assurance), so the change is not like for like."
    ]
    assert round(held.tables[0].frame["movement"].sum(), 1) == held.summary["posture_change"] == -5.6


def test_a_component_that_leaves_is_a_break_and_no_rise():
    gone = {**component("vendor", 0.10, None, 40.0), "contribution": None}
    held = document(posture(*TWO, gone, prior_score=70.0), [SOC2])
    assert (held.summary["posture_series_breaks"], held.summary["posture_change"]) == (1, None)
    assert "of fewer components than before, so no change is told" in lead(held)[0]


def test_changed_weights_are_not_blamed_on_components():
    held = document(posture(*TWO, prior_score=60.0), [SOC2])
    assert table(held, "movers").is_empty()
    assert held.tables[0].frame["movement"].to_list() == [None, None]
    assert held.warnings == [
        "The weights changed since the earlier score, so its change is not attributed to components."
    ]


def test_thin_coverage_gets_no_grade():
    held = document(posture(*TWO), [{**SOC2, "assessed": 1}])
    assert held.summary["posture_grade"] == "insufficient_data"
    assert held.headline.startswith(
        "Posture is 76.4 (too thin for a grade: evidence for 25.0 %), with no snapshot before 2026-10-22; "
    )
    assert held.warnings[0] == "Fewer than 50 % of the controls of SOC 2 have evidence that counts."


def test_an_unmeasured_component_is_named():
    assert (
        "Not measured, so its weight went to the other components: vendor assurance."
        in document(posture(*GOLDEN), [SOC2]).warnings
    )


def test_without_data_there_is_no_score():
    held = document()
    assert held.summary["posture_score"] is None
    assert held.summary["posture_grade"] == "insufficient_data"
    assert held.coverage == Coverage(0, 0)
    assert [table.frame.height for table in held.tables] == [0, 0, 0, 0, 0]
    assert lead(held) == (
        "There is no posture score yet, because no component has any data.",
        "Import audit_log.csv, evidence_items.csv or attestations.csv with hq import to fill this report.",
    )


def test_components_that_are_all_without_data_give_no_score():
    held = document(rows("posture", component("readiness", 0.35, None)))
    assert held.summary["posture_score"] is None
    assert held.tables[0].frame.height == 1


def test_a_component_that_the_organization_weighs_nothing_gives_and_costs_nothing():
    unweighed = component("vendor", 0.0, 40.0, contribution=None, share=0.0)
    held = document(posture(*TWO, unweighed), [SOC2])
    assert held.summary["posture_score"] == 76.4
    assert held.tables[0].frame.select("component", "contribution", "lost").row(2) == ("vendor", 0.0, 0.0)


def test_the_rows_that_explain_a_figure_give_its_value():
    values_follow(REPORT, **frames(posture(*TWO, prior_score=73.6), [SOC2], GAPS, CONTROLS))
    values_follow(REPORT, **frames(posture(*GOLDEN), [SOC2], GAPS, CONTROLS))
