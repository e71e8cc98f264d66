from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.health.control_health_scorecard import REPORT
from reports.programme.health.health import POINTS
from tests import factories
from tests.factories import lead, rows
from tests.reports.explanations import values_follow


def control(control_id, **more):
    return {"framework": "soc2", "control_id": control_id, "group_id": "CC6", "group_title": "Access", **more}


def document(*controls, gaps=(), posture=(), readiness=()):
    return factories.document(
        REPORT,
        control_status=rows("control_status", *controls),
        gaps=rows("gaps", *gaps),
        posture=rows("posture", *posture),
        readiness=rows("readiness", *readiness),
    )


def families(*controls):
    return document(*controls).table("families").frame


def components(*controls):
    return document(*controls).tables[2].frame


MIXED = (
    control("CC6.1", weight=5, state="no_data", freshness="missing", ownership_complete=False, title="Logical access"),
    control("CC6.2", weight=5, tests_performed=4, tests_passed=3),
    control("CC6.3", weight=5, state="partial", freshness="due_soon", exception_id="EX-1"),
    control("CC6.10", weight=5, state="stale", freshness="stale"),
)


def test_a_family_in_perfect_order_has_full_health():
    assert families(control("CC6.1"), control("CC6.2")).to_dicts() == [
        {
            **{"framework": "soc2", "framework_name": "SOC 2", "group_id": "CC6", "group_title": "Access"},
            **{"controls": 2, "health": 100.0, "rag": "green", "critical_gaps": 0},
            **{"state_change": None, "coverage_pct": 100.0},
            **{"worst_control": None, "owner": "bob@acme.example", "note": "Full marks: keep the cadence."},
        }
    ]


def test_each_component_is_measured_on_its_own():
    assert components(*MIXED).select(
        "state_pct", "freshness_pct", "ownership_pct", "tests_pct", "exceptions_pct", "health"
    ).rows() == [(43.8, 50.0, 75.0, 75.0, 75.0, 56.2)]


def test_the_points_of_the_components_sum_to_the_health():
    for given in (MIXED, MIXED[1:2], MIXED[1:3], (control("CC1.1", state="stale", weight=1), *MIXED[:2])):
        row = components(*given).row(0, named=True)
        assert round(sum(row[name] or 0.0 for name in POINTS), 1) == row["health"]


def test_the_weakest_control_and_the_costliest_component_are_named():
    row = families(*MIXED).row(0, named=True)
    assert row["worst_control"] == "CC6.1 Logical access (no data)"
    assert row["note"] == "3 of 4 controls not effective: costs 22.5 points."
    assert row["rag"] == "red"


def test_a_required_test_that_was_never_performed_counts_as_failed():
    required = control("CC6.1", kinds_required=["test"], kinds_present=[])
    tested = control("CC6.2", kinds_required=["test"], kinds_present=["test"], tests_performed=3, tests_passed=3)
    assert components(required)["tests_pct"].to_list() == [0.0]
    assert components(required, tested)["tests_pct"].to_list() == [75.0]
    assert components(control("CC6.1"))["tests_pct"].to_list() == [None]


def test_the_note_tells_failed_and_missing_tests_apart():
    row = families(control("CC6.1", kinds_required=["test"], kinds_present=[])).row(0, named=True)
    assert row["note"] == "1 required test never performed: costs 10.0 points."


def test_fewer_than_half_with_evidence_gets_no_colour():
    held = document(MIXED[0], control("CC6.4", state="no_data"), MIXED[1])
    assert held.table("families").frame["rag"].to_list() == ["insufficient_data"]
    assert held.summary["control_health_rating"] == "insufficient_data"
    assert "1 family cannot be rated: too few of their controls have evidence that counts." in held.warnings


def test_the_state_moves_against_the_controls_known_before():
    held = families(
        control("CC6.1", previous_state="no_data"),
        control("CC6.2", previous_state="effective"),
        control("CC6.3", previous_state=None, state="no_data"),
    )
    assert held["state_change"].to_list() == [50.0]


def test_the_state_does_not_move_when_most_controls_were_unknown():
    held = families(control("CC6.1", previous_state="no_data"), control("CC6.2"), control("CC6.3"))
    assert held["state_change"].to_list() == [None]


def test_families_stand_worst_first_and_in_the_order_of_the_standard():
    held = families(
        control("CC10.1", group_id="CC10"), control("CC9.1", group_id="CC9"), control("CC6.1", state="ineffective")
    )
    assert held["group_id"].to_list() == ["CC6", "CC9", "CC10"]


def test_controls_that_do_not_apply_are_left_out():
    held = document(control("CC6.1"), control("CC6.2", applicable=False, state="not_applicable"))
    assert held.summary["controls_applicable"] == 1
    assert held.coverage == Coverage(1, 1)


def test_the_summary_counts_families_by_colour():
    held = document(*MIXED, control("CC1.1", group_id="CC1", group_title="Environment"))
    assert held.summary == {
        "control_health": 62.9,
        "control_health_rating": "amber",
        "control_state_change": None,
        "control_families": 2,
        "control_families_red": 1,
        "control_families_amber": 0,
        "control_families_green": 1,
        "control_families_insufficient_data": 0,
        "controls_applicable": 5,
        "gaps_critical": 0,
        "attestation_control_pct": None,
        "posture_score": None,
        "posture_grade": "insufficient_data",
        "posture_before_score": None,
        "posture_change": None,
        "snapshot_before_on": None,
    }
    assert lead(held) == (
        "Control health is 62.9 (amber); 1 of 2 families is red or unrated.",
        "Start with SOC 2 Access, the lowest at 56.2: SOC 2 CC6.1 Logical access (no data) costs most; "
        "bob@acme.example is accountable for most of the family.",
    )


LOW = {
    "component": "readiness",
    "title": "Weighted readiness",
    "weight": 0.35,
    "share": 1.0,
    "value": 75.1,
    "contribution": 75.1,
    "prior_value": 81.5,
    "prior_score": 81.5,
    "prior_on": date(2026, 10, 17),
}
SCOPE = {"framework": "soc2", "applicable": 2, "assessed": 2}
CRITICAL = {
    "framework": "soc2",
    "control_id": "CC6.1",
    "gap_id": "soc2:CC6.1",
    "group_id": "CC6",
    "severity": "critical",
}


def test_green_health_beside_a_low_posture_is_explained():
    held = document(control("CC6.1"), control("CC6.2"), gaps=[CRITICAL], posture=[LOW], readiness=[SCOPE])
    assert lead(held) == (
        "Control health is 100.0 (green) while posture is 75.1 (C); 1 critical gap is open.",
        "Start with SOC 2 Access, the lowest at 100.0.",
    )
    assert held.warnings[:2] == [
        "Health is green, but posture is 75.1 (C), down 6.4 points in 34 days: health also rewards ownership, passed tests "
        "and controls without exception; posture also counts attestations, vendors, remediations and services.",
        "A critical gap is open in a family that is green as a whole, close it: SOC 2 Access "
        "(bob@acme.example is accountable).",
    ]


def test_green_health_beside_a_good_posture_needs_no_explanation():
    good = {**LOW, "value": 95.0, "contribution": 95.0}
    held = document(control("CC6.1"), posture=[good], readiness=[SCOPE])
    assert lead(held) == ("Control health is 100.0 (green); no family is red.", "")
    assert held.warnings == ["1 family without any required or performed test: health rests on the other components."]


def test_a_family_without_data_has_no_health_however_well_it_is_owned():
    held = document(control("CC1.1", state="no_data", freshness="missing", group_id="CC1"), control("CC6.1"))
    assert held.table("families").frame.select("group_id", "health", "rag", "note").rows() == [
        ("CC1", None, "insufficient_data", "No control has any evidence: there is no health to tell."),
        ("CC6", 100.0, "green", "Full marks: keep the cadence."),
    ]
    assert [held.summary[f"control_families_{word}"] for word in ("green", "insufficient_data")] == [1, 1]
    assert held.tables[2].frame.filter(group_id="CC1").select(*POINTS).row(0) == (None,) * 5


def test_an_organization_without_any_evidence_has_no_health():
    held = document(control("CC1.1", state="no_data"), control("CC6.1", state="no_data"))
    assert held.summary["control_health"] is None
    assert lead(held) == (
        "No applicable control has any evidence, so there is no control health to tell.",
        "Import audit_log.csv, evidence_items.csv or attestations.csv with hq import to fill this report.",
    )


def test_one_signature_over_many_controls_is_told_with_its_population():
    needs = {"kinds_required": ["operation", "attestation"]}
    held = document(*(control(f"CC6.{n}", attested=n == 0, **needs) for n in range(866)))
    assert held.summary["attestation_control_pct"] == 0.1
    assert held.warnings[-1] == "1 of the 866 controls that need an attestation has a signature in force."


def test_the_rows_that_explain_a_figure_give_its_value():
    values_follow(
        REPORT,
        control_status=rows("control_status", *MIXED, control("CC1.1", group_id="CC1")),
        gaps=rows("gaps", CRITICAL),
        posture=rows("posture", LOW),
        readiness=rows("readiness", SCOPE),
    )
    frame = factories.explained_rows(REPORT, "control_health", control_status=rows("control_status", *MIXED))
    assert frame.select("component", "contribution").rows() == [
        ("state", 17.5),
        ("freshness", 12.5),
        ("ownership", 11.2),
        ("tests", 7.5),
        ("exceptions", 7.5),
    ]


def test_without_controls_there_is_no_health():
    held = document()
    assert held.summary["control_health"] is None
    assert held.summary["control_health_rating"] == "insufficient_data"
    assert held.summary["control_families"] == 0
    assert [table.frame.height for table in held.tables] == [0, 0, 0]
    assert lead(held) == (
        "No control applies, so there is no control health to report.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.charts == []
