from engine.model.document import Coverage
from reports.programme.control_health_scorecard import build
from reports.programme.health import POINTS
from tests.factories import ask, rows


def control(control_id, **more):
    return {"framework": "soc2", "control_id": control_id, "group_id": "CC6", "group_title": "Access", **more}


def document(*controls):
    return build(rows("control_status", *controls), ask())


def families(*controls):
    return document(*controls).tables[0].frame


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
            **{"controls": 2, "health": 100.0, "rag": "green", "state_change": None, "coverage_pct": 100.0},
            **{"worst_control": None, "owner": "bob@acme.example", "note": "Full marks: keep the cadence."},
        }
    ]


def test_each_component_is_measured_on_its_own():
    assert components(*MIXED).select(
        "state_pct", "freshness_pct", "ownership_pct", "tests_pct", "exceptions_pct", "health"
    ).rows() == [(43.8, 50.0, 75.0, 75.0, 75.0, 56.2)]


def test_the_points_of_the_components_sum_to_the_health():
    for given in (MIXED, MIXED[:1], MIXED[1:3], (control("CC1.1", state="stale", weight=1), *MIXED[:2])):
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
    assert held.tables[0].frame["rag"].to_list() == ["insufficient_data"]
    assert held.summary["rating"] == "insufficient_data"
    assert "1 family cannot be rated: too few of their controls have any evidence." in held.warnings


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
    assert held.summary["controls"] == 1
    assert held.coverage == Coverage(1, 1)


def test_the_summary_counts_families_by_colour():
    held = document(*MIXED, control("CC1.1", group_id="CC1", group_title="Environment"))
    assert held.summary == {
        "health": 62.9,
        "rating": "amber",
        "state_change": None,
        "families": 2,
        "red": 1,
        "amber": 0,
        "green": 1,
        "insufficient_data": 0,
        "controls": 5,
    }
    assert held.headline == (
        "Control health is 62.9 of 100 over 2 families, 1 of them red or without enough evidence to rate: "
        "begin with SOC 2 Access at 56.2 (3 of 4 controls not effective: costs 22.5 points)."
    )


def test_without_controls_there_is_no_health():
    held = document()
    assert held.summary == {
        "health": None,
        "rating": "insufficient_data",
        "state_change": None,
        "families": 0,
        "red": 0,
        "amber": 0,
        "green": 0,
        "insufficient_data": 0,
        "controls": 0,
    }
    assert [table.frame.height for table in held.tables] == [0, 0, 0]
    assert held.headline == "No control applies, so there is no control health to report."
    assert held.charts == []
