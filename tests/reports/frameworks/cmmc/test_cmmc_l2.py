"""CMMC Level 2: results, the SPRS score, and what a conditional status needs."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalogue import catalogue
from reports.frameworks.cmmc.cmmc_l2 import REPORT
from tests.factories import assessment_facts, explained_rows, lead, rows
from tests.laws import examples
from tests.reports.frameworks.packs import one, pack, report, table

CONTROLS = catalogue().details("cmmc-l2")
POINTS = dict(CONTROLS.select("control_id", "sprs_points").iter_rows())
ONE_POINTERS = [
    control
    for control, points, eligible in CONTROLS.select("control_id", "sprs_points", "poam_eligible").iter_rows()
    if points == 1 and eligible == "yes"
]
FIVES = [control for control, points in POINTS.items() if points == 5 and not control.endswith(("3.5.3", "3.13.11"))]
THREES = [control for control, points in POINTS.items() if points == 3]
PLAN = "CA.L2-3.12.4"
APPROVED = {"framework": "cmmc-l2", "id": "X-1", "standing": "approved"}


def score_report(but, default="effective", **facts):
    return report(REPORT, *pack("cmmc-l2", default=default, but=but), **facts)


def standing(document):
    return document.summary["sprs_score"], document.summary["cmmc_status"]


def test_the_points_are_those_of_the_methodology():
    points = [value for value in POINTS.values() if value is not None]
    assert (len(POINTS), points.count(5), points.count(3), points.count(1), sum(points)) == (110, 44, 14, 51, 313)


def test_a_perfect_score_is_110_and_allows_the_final_status():
    document = score_report({})
    assert standing(document) == (110, "Final Level 2")
    assert lead(document) == ("SPRS score 110 of 110: every requirement is MET or N/A, which allows Final Level 2.", "")
    assert document.coverage.pct == 100.0


def test_the_floor_is_minus_203():
    assert standing(score_report({PLAN: "effective"}, "no_data")) == (-203, "No status")


def test_open_five_three_one_one_is_100_and_no_status_because_of_the_five():
    but = dict.fromkeys([FIVES[0], THREES[0], *ONE_POINTERS[:2]], "ineffective")
    document = score_report(but)
    assert standing(document) == (100, "No status")
    assert document.summary["cmmc_barred_from_poam"] == 2
    assert table(document, "not_met")["points_lost"].to_list() == [5, 3, 1, 1]


def test_22_open_one_pointers_are_88_and_conditional():
    document = score_report(dict.fromkeys(ONE_POINTERS[:22], "stale"))
    assert standing(document) == (88, "Conditional Level 2")
    assert document.summary["cmmc_close_out_on"] == date(2027, 5, 19)
    assert standing(score_report(dict.fromkeys(ONE_POINTERS[:23], "stale"))) == (87, "No status")


@pytest.mark.parametrize("number", ["3.1.20", "3.1.22", "3.10.3", "3.10.4", "3.10.5", "3.12.4"])
def test_some_requirements_never_stand_on_a_poam(number):
    control = next(control for control in POINTS if control.endswith(f"-{number}"))
    document = score_report({control: "stale"})
    assert document.summary["cmmc_status"] == "No status"
    assert one(document, "not_met", control, "on_poam", "close_out_by", "in_time") == (False, None, None)


@pytest.mark.parametrize(
    ("control", "state", "recorded", "lost", "on_poam"),
    [
        ("IA.L2-3.5.3", "partial", True, 3, False),
        ("IA.L2-3.5.3", "ineffective", True, 3, False),
        ("IA.L2-3.5.3", "partial", None, 5, False),
        ("IA.L2-3.5.3", "partial", False, 5, False),
        ("SC.L2-3.13.11", "partial", True, 3, True),
        ("SC.L2-3.13.11", "partial", None, 5, False),
        ("SC.L2-3.13.11", "no_data", True, 5, False),
    ],
)
def test_two_requirements_have_partial_credit_for_a_recorded_fact_alone(control, state, recorded, lost, on_poam):
    profile = {"framework": "cmmc-l2", "control_id": control, "sprs_partial": recorded}
    document = score_report({control: state}, control_profiles=[profile])
    assert document.summary["sprs_score"] == 110 - lost
    assert one(document, "not_met", control, "points_lost", "on_poam") == (lost, on_poam)
    assert document.summary["cmmc_status"] == ("Conditional Level 2" if on_poam else "No status")


@pytest.mark.parametrize("state", ["no_data", "not_applicable"])
def test_without_a_system_security_plan_nothing_can_be_scored(state):
    document = score_report({PLAN: state})
    assert standing(document) == (None, "Cannot be scored")
    assert document.headline.startswith("No SPRS score can be given, because there is no evidence of a system security")


def test_what_does_not_apply_costs_nothing():
    document = score_report({FIVES[0]: "not_applicable"})
    assert standing(document) == (110, "Final Level 2")
    assert one(document, "requirements", FIVES[0], "result", "points_lost") == ("N/A", 0)


def test_an_enduring_exception_counts_as_met_when_it_is_mitigated_and_something_is_shown():
    mitigated = {**APPROVED, "control_id": FIVES[0], "kind": "accepted_risk", "compensating": "Isolated network"}
    document = score_report({FIVES[0]: "ineffective"}, exceptions=[mitigated])
    assert one(document, "requirements", FIVES[0], "result", "basis", "exception_id") == (
        "MET",
        "enduring exception",
        "X-1",
    )
    assert document.warnings == [f"MET by enduring exception, which an assessor will want to see: {FIVES[0]}."]
    assert score_report({FIVES[0]: "no_data"}, exceptions=[mitigated]).summary["cmmc_not_met"] == 1
    assert (
        score_report({FIVES[0]: "ineffective"}, exceptions=[{**mitigated, "compensating": " "}]).summary["cmmc_not_met"]
        == 1
    )
    assert (
        score_report({FIVES[0]: "ineffective"}, exceptions=[{**mitigated, "standing": "expired"}]).summary[
            "cmmc_not_met"
        ]
        == 1
    )


def test_no_enduring_exception_makes_encryption_met():
    mitigated = {**APPROVED, "control_id": "SC.L2-3.13.11", "kind": "accepted_risk", "compensating": "Isolated network"}
    document = score_report({"SC.L2-3.13.11": "partial"}, exceptions=[mitigated])
    assert one(document, "requirements", "SC.L2-3.13.11", "result", "basis", "points_lost") == ("NOT MET", None, 5)


def test_a_temporary_deficiency_worked_before_and_is_being_repaired():
    excused = {**APPROVED, "control_id": FIVES[0], "kind": "gap"}
    work = {"framework": "cmmc-l2", "control_id": FIVES[0], "status": "in_progress", "due_on": date(2026, 12, 1)}
    before = {"state": "stale", "previous_state": "effective"}
    document = score_report({FIVES[0]: before}, exceptions=[excused], gaps=[work])
    assert one(document, "requirements", FIVES[0], "result", "basis") == ("MET", "temporary deficiency")
    assert score_report({FIVES[0]: before}, exceptions=[excused]).summary["cmmc_not_met"] == 1
    assert score_report({FIVES[0]: "stale"}, exceptions=[excused], gaps=[work]).summary["cmmc_not_met"] == 1


def test_the_exception_that_is_named_is_the_one_that_counts():
    excused = {**APPROVED, "control_id": FIVES[0], "kind": "gap"}
    mitigated = {**excused, "id": "X-2", "kind": "accepted_risk", "compensating": "Isolated network"}
    document = score_report({FIVES[0]: "ineffective"}, exceptions=[excused, mitigated])
    assert one(document, "requirements", FIVES[0], "basis", "exception_id") == ("enduring exception", "X-2")


def test_the_clock_says_whether_the_plan_is_in_time():
    gaps = [
        {"framework": "cmmc-l2", "control_id": control, "status": "open", "due_on": due}
        for control, due in zip(ONE_POINTERS, (date(2027, 5, 19), date(2027, 5, 20)), strict=False)
    ]
    rows = table(score_report(dict.fromkeys(ONE_POINTERS[:3], "stale"), gaps=gaps), "not_met")
    assert rows.select("due_on", "close_out_by", "in_time").rows() == [
        (date(2027, 5, 19), date(2027, 5, 19), True),
        (date(2027, 5, 20), date(2027, 5, 19), False),
        (None, date(2027, 5, 19), False),
    ]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.sampled_from(sorted(POINTS)), unique=True))
def test_removing_evidence_never_raises_the_score(lost):
    score = score_report(dict.fromkeys(lost, "no_data")).summary["sprs_score"]
    expected = None if PLAN in lost else 110 - sum(POINTS[control] or 0 for control in lost)
    assert score == expected
    assert score is None or -203 <= score <= 110


def test_domains_add_up_to_the_whole():
    document = score_report(dict.fromkeys([FIVES[0], ONE_POINTERS[0]], "stale"))
    domains = table(document, "domains")
    assert domains["domain"].to_list()[0] == "AC"
    assert (domains.height, domains["requirements"].sum(), domains["points_lost"].sum()) == (14, 110, 6)


def test_out_of_scope_is_said_and_gives_no_score():
    document = report(REPORT)
    assert lead(document) == (
        "CMMC Level 2 is not in scope, so there is nothing to score.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert standing(document) == (None, None)
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []


def test_the_score_is_the_sum_of_110_and_of_what_each_requirement_costs():
    requirements, statuses = pack("cmmc-l2", but={FIVES[0]: "ineffective", ONE_POINTERS[0]: "stale"})
    facts = {"requirements": rows("requirements", *requirements), **assessment_facts(*statuses)}
    frame = explained_rows(REPORT, "sprs_score", **facts)
    assert set(frame.select("control_id", "contribution").rows()) == {
        (None, 110),
        (FIVES[0], -5),
        (ONE_POINTERS[0], -1),
    }
    assert explained_rows(REPORT, "sprs_score").is_empty()
