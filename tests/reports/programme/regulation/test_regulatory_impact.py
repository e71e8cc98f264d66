from datetime import date

import pytest

from engine.catalogue.scenarios import scenarios as shipped
from reports.programme.regulation.regulatory_impact import REPORT, SCENARIOS
from tests import factories
from tests.factories import ask, lead, rows
from tests.reports.explanations import values_follow

LAW = {
    **{"scenario": "law", "title": "The law", "authority": "State", "framework": "hipaa", "status": "final"},
    **{"effective_on": date(2026, 12, 7), "status_as_of": date(2026, 11, 1), "position": 0},
}
DECISION = {"framework": "hipaa", "decision": "alternative", "rationale": "As good here.", "decision_approved": True}
READY = {"framework": "hipaa", "applicable": 2, "assessed": 2, "strict_pct": 50.0, "weighted_pct": 75.0}


def delta(requirement, change, position=0, **more):
    given = {"scenario": "law", "framework": "hipaa", "requirement": requirement, "title": requirement.upper()}
    own = {} if change == "new" else {"control_id": requirement}
    return {**given, "change": change, **own, "position": position, **more}


def new(requirement="new", **more):
    return delta(requirement, "new", weight=3, effort_hours=6.0, **more)


def state(control_id, word="effective", framework="hipaa", **more):
    return {"framework": framework, "control_id": control_id, "state": word, **more}


def answer(control_id, coverage="full", framework="soc2", position=0):
    return {
        "scenario": "law",
        "requirement": "new",
        "framework": framework,
        "control_id": control_id,
        "coverage": coverage,
        "position": position,
    }


def frames(deltas=(), states=(), answers=(), profiles=(), scenario=LAW, frameworks=("hipaa",), ready=(READY,)):
    return {
        "organization": rows("organization", {"frameworks": list(frameworks)}),
        "scenarios": rows("scenarios", scenario),
        "scenario_requirements": rows("scenario_requirements", *deltas),
        "scenario_answers": rows("scenario_answers", *answers),
        "readiness": rows("readiness", *ready),
        "control_status": rows("control_status", *states),
        "control_profiles": rows("control_profiles", *profiles),
    }


def document(*given, **more):
    return factories.document(REPORT, **frames(*given, **more))


def standing(held):
    return dict(held.tables[1].frame.select("requirement", "standing").iter_rows())


def effect(held, *names):
    (row,) = held.tables[0].frame.select(names).rows()
    return row if len(names) > 1 else row[0]


def test_a_new_requirement_that_nothing_answers_is_a_gap_with_its_effort():
    held = document([new()], [state("a"), state("b", "partial")])
    assert effect(held, "new_gap", "effort_hours", "weeks_to_effective", "hours_a_week") == (1, 6.0, 3, 2.5)
    assert effect(held, "strict_now", "strict_after", "strict_delta") == (50.0, 33.3, -16.7)
    assert effect(held, "weighted_now", "weighted_after", "weighted_delta") == (75.0, 50.0, -25.0)
    assert lead(held) == (
        "The law takes effect in 17 days: 1 of 1 requirement is a new gap.",
        "Plan 6 hours of work by 7 Dec 2026, first on new NEW (nobody owns it, so name an owner first).",
    )


def test_an_effective_control_of_another_framework_answers_it_fully():
    held = document([new()], [state("a"), state("b", "partial"), state("CC6.1", framework="soc2")], [answer("CC6.1")])
    assert standing(held) == {"new": "satisfied"}
    assert held.tables[1].frame["answered_by"].to_list() == ["soc2:CC6.1"]
    assert effect(held, "satisfied", "effort_hours", "weighted_after") == (1, 0.0, 83.3)


@pytest.mark.parametrize(("word", "coverage"), [("effective", "part"), ("partial", "full")])
def test_an_answer_in_part_counts_half_and_leaves_a_gap(word, coverage):
    states = [state("a"), state("b", "partial"), state("CC6.1", word, framework="soc2")]
    held = document([new()], states, [answer("CC6.1", coverage)])
    assert standing(held) == {"new": "new_gap"}
    assert effect(held, "weighted_after") == 66.7


def test_the_best_answer_counts():
    states = [state("X", "no_data", "soc2"), state("Y", framework="soc2")]
    held = document([new()], states, [answer("X"), answer("Y", position=1)])
    assert held.tables[1].frame.select("standing", "answered_by").rows() == [("satisfied", "soc2:Y")]


def test_an_alternative_no_longer_suffices():
    deltas = [delta(name, "mandatory", place, effort_hours=8.0) for place, name in enumerate("abcd")]
    states = [state("a"), state("b"), state("c", "stale"), state("d", "not_applicable", applicable=False)]
    profiles = [{**DECISION, "control_id": "a"}]
    held = document(deltas, states, profiles=profiles)
    assert standing(held) == {"a": "new_gap", "b": "satisfied", "c": "existing_gap", "d": "not_applicable"}
    assert effect(held, "strict_after", "weighted_after") == (33.3, 41.7)
    assert held.summary == {
        **{"regulatory_scenarios": 1, "regulatory_scenarios_in_scope": 1, "regulatory_requirements": 4},
        **{"regulatory_new_gaps": 1, "regulatory_existing_gaps": 1, "regulatory_satisfied": 1},
        **{"regulatory_not_applicable": 1, "regulatory_falls_away": 0, "regulatory_effort_hours": 8.0},
        **{"regulatory_next_on": date(2026, 12, 7)},
    }
    values_follow(REPORT, **frames(deltas, states, profiles=profiles))


@pytest.mark.parametrize("less", [{"decision_approved": False}, {"decision_approved": None}, {"rationale": " "}])
@pytest.mark.parametrize("word", ["effective", "partial"])
def test_a_decision_that_nobody_approved_or_gave_a_reason_for_is_a_gap_already(word, less):
    deltas = [delta("a", "mandatory", effort_hours=8.0)]
    held = document(deltas, [state("a", word)], profiles=[{**DECISION, "control_id": "a", **less}])
    assert standing(held) == {"a": "existing_gap"}
    assert (held.summary["regulatory_new_gaps"], held.summary["regulatory_existing_gaps"]) == (0, 1)
    assert effect(held, "weighted_after") == 0.0


def test_without_an_organization_no_scenario_is_in_scope():
    values_follow(REPORT)
    summary = factories.document(REPORT).summary
    assert (summary["regulatory_scenarios_in_scope"], summary["regulatory_next_on"]) == (0, None)


def test_one_scenario_can_be_asked_about_alone():
    given = frames([new(), {**new(), "scenario": "other"}], scenario=LAW)
    given["scenarios"] = rows("scenarios", LAW, {**LAW, "scenario": "other", "position": 1})
    held = factories.document(REPORT, ask(scenario="other"), **given)
    assert (held.summary["regulatory_scenarios"], held.summary["regulatory_requirements"]) == (1, 1)
    assert factories.document(REPORT, **given).summary["regulatory_requirements"] == 2


def test_a_rewritten_control_counts_half_until_it_is_signed_again():
    past = {**LAW, "effective_on": date(2026, 10, 1)}
    deltas = [delta("a", "extended", effort_hours=2.0)]
    before, after = state("a", attested_on=date(2026, 9, 30)), state("a", attested_on=date(2026, 10, 1))
    assert standing(document(deltas, [before], scenario=past)) == {"a": "new_gap"}
    assert lead(document(deltas, [before], scenario=past)) == (
        "The law already asks for more than there is: 1 of 1 requirement is a new gap.",
        "Plan 2 hours of work, first on a A (with ann@acme.example).",
    )
    assert standing(document(deltas, [after], scenario=past)) == {"a": "satisfied"}
    assert standing(document(deltas, [after])) == {"a": "new_gap"}
    assert effect(document(deltas, [before], scenario=past), "weighted_after") == 50.0


def test_a_merged_control_falls_away_and_its_target_is_as_good_as_the_worst():
    deltas = [delta("a", "merged", into=["b"]), delta("c", "withdrawn", 1)]
    held = document(deltas, [state("a", "no_data"), state("b"), state("c", "no_data"), state("d")])
    assert standing(held) == {"a": "falls_away", "c": "falls_away"}
    assert effect(held, "strict_after", "weighted_after") == (50.0, 50.0)


def test_a_merged_control_that_does_not_apply_harms_nothing():
    deltas = [delta("a", "merged", into=["b"])]
    held = document(deltas, [state("a", "not_applicable", applicable=False), state("b")])
    assert effect(held, "strict_after") == 100.0


def test_controls_merged_into_a_new_requirement_answer_it():
    deltas = [delta("a", "merged", into=["new"]), delta("b", "merged", 1, into=["new"]), new(position=2)]
    assert standing(document(deltas, [state("a"), state("b")]))["new"] == "satisfied"
    assert standing(document(deltas, [state("a"), state("b", "stale")]))["new"] == "new_gap"


def test_what_is_in_force_changes_no_readiness():
    past = {**LAW, "effective_on": date(2025, 3, 31)}
    held = document(
        [delta("a", "in_force"), delta("b", "in_force", 1)], [state("a"), state("b", "partial")], scenario=past
    )
    assert standing(held) == {"a": "satisfied", "b": "existing_gap"}
    assert effect(held, "in_force", "weeks_to_effective", "strict_delta", "weighted_delta") == (True, -85, 0.0, 0.0)
    assert lead(held) == (
        "The scenarios in scope add no gap: everything that they ask for is met or already a known gap.",
        "",
    )


def test_a_scenario_without_a_date_has_no_weeks_and_says_what_it_would_cost():
    held = document([new()], [state("a"), state("b", "partial")], scenario={**LAW, "effective_on": None})
    assert effect(held, "weeks_to_effective", "hours_a_week", "in_force") == (None, None, False)
    assert lead(held) == ("The law would lower weighted HIPAA readiness from 75.0 % to 50.0 % (1 new gap).", "")


def test_an_old_status_is_warned_of_until_the_scenario_is_in_force():
    old = {**LAW, "status_as_of": date(2026, 8, 21)}
    assert document(scenario=old).warnings == [
        "The law: its status is that of 2026-08-21; look at the source before you decide."
    ]
    assert document(scenario={**old, "effective_on": date(2026, 11, 20)}).warnings == []
    assert document(scenario={**old, "status_as_of": date(2026, 8, 22)}).warnings == []


def test_a_pack_without_readiness_still_has_gaps():
    held = document(
        [{**new(), "framework": "fedramp-poam"}],
        scenario={**LAW, "framework": "fedramp-poam"},
        frameworks=("fedramp-poam",),
        ready=(),
    )
    assert effect(held, "new_gap", "weighted_now", "weighted_after") == (1, None, None)
    undated = {**LAW, "framework": "fedramp-poam", "effective_on": None}
    held = document([{**new(), "framework": "fedramp-poam"}], scenario=undated, frameworks=("fedramp-poam",), ready=())
    assert lead(held) == (
        "The law asks for more than there is: 1 of 1 requirement is a new gap.",
        "Plan 6 hours of work, first on new NEW (nobody owns it, so name an owner first).",
    )


def test_a_scenario_out_of_scope_is_listed_without_figures():
    held = document([new()], frameworks=("soc2",))
    assert effect(held, "in_scope", "requirements", "new_gap", "effort_hours") == (False, 1, None, None)
    assert held.tables[1].frame.is_empty()
    assert held.headline.startswith("No scenario touches a framework in scope")


def test_the_parameter_names_every_scenario_that_ships():
    assert shipped().scenarios["scenario"].to_list() == list(SCENARIOS)


def test_hours_a_week_add_up_to_the_effort_on_the_day_and_are_said_of_distant_changes_alone():
    distant = {**LAW, "effective_on": date(2027, 1, 29)}  # seventy days ahead
    held = document([new()], scenario=distant)
    assert effect(held, "weeks_to_effective", "hours_a_week") == (10, 0.6)
    assert lead(held)[0].startswith("The law takes effect in 10 weeks: ")
    assert lead(held)[1].startswith("Plan 0.5 hours of work a week from now until 29 Jan 2027")
    tomorrow = document([new()], scenario={**LAW, "effective_on": date(2026, 11, 21)})
    assert effect(tomorrow, "hours_a_week") == 6.0
    assert lead(tomorrow)[0].startswith("The law takes effect in 1 day: ")
