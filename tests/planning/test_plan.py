"""A plan, and that doing it makes the reports say what it promised."""

from dataclasses import replace
from datetime import datetime, time, timedelta
from types import SimpleNamespace

import polars as pl
import pytest

from engine.model.errors import BadRequest
from engine.planning.actions import wanted_count
from engine.planning.outlook import PlanMaker, make_plan
from engine.planning.question import PlanQuestion, plan_question
from engine.planning.verdict.likelihood import Likelihood
from engine.planning.verdict.reasons import open_reasons
from reports.programme.plans import plan_people, plan_rows
from reports.programme.plans.plan_terms import beyond_controls
from reports.programme.plans.plan_words import opening
from tests.factories import DAY, ask, rows
from tests.facts.conftest import control, facts_with, memory, on, replica  # noqa: F401 - fixtures
from tests.planning.doing import carried_out

__all__ = ["facts_with", "replica"]
BY = DAY + timedelta(days=100)
OPERATION, SIGNED = ["operation", "attestation"], ["attestation"]
HOURS = {"ann": 1.0, "ben": 20.0}
FRAMEWORKS = [{"framework": "soc2", "in_scope": True, "adopted_on": DAY - timedelta(days=400), "target_on": BY}]
CONTROLS = [
    control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
    control("X2", evidence_kinds=["operation", "test", "policy", "attestation"], cadence="quarterly", position=2),
    control("X3", evidence_kinds=OPERATION, cadence="monthly", position=3),
    control("X4", evidence_kinds=["test"], cadence="monthly", position=4),
    control("X5", evidence_kinds=SIGNED, cadence="annual", position=5),
]


def ownership_rows(*controls, by="ann"):
    return [{**on(one), "email": by, "raci": role} for one in controls for role in ("R", "A")]


def noon(day):
    return datetime.combine(day, time(12))


SCHEDULES = [
    {"id": f"s-{one}", **on(one), "cadence": "monthly", "starts_on": DAY - timedelta(days=300), "procedure": "p"}
    for one in ("X2", "X4")
]
RECORDS = {
    "organization_frameworks": FRAMEWORKS,
    "users": [{"email": "ann", "active": True}, {"email": "ben", "active": True}],
    "control_owners": [*ownership_rows("X1", "X2", "X3", "X4"), *ownership_rows("X5", by="ben")],
    "owner_capacity": [
        {"email": one, "week": "default", "hours": 20.0, "absence_hours": 0.0} for one in ("ann", "ben")
    ],
    "attestations": [
        # lapses before the day
        {
            "id": "old",
            **on("X5"),
            "owner": "ben",
            "due_on": DAY - timedelta(days=300),
            "outcome": "attested",
            "attested_at": noon(DAY - timedelta(days=330)),
        }
    ],
    "testing_schedules": SCHEDULES,
    "test_runs": [
        {
            "id": "failed",
            "schedule_id": "s-X4",
            "window_open_on": DAY - timedelta(days=20),
            "window_close_on": DAY - timedelta(days=10),
            "performed_on": DAY - timedelta(days=15),
            "outcome": "failed",
        }
    ],
}


def plan(known, target=100, by=BY, start=None, **more):
    facts = known(controls=CONTROLS, **{**RECORDS, **more})
    return make_plan(facts.__getitem__, PlanQuestion.of("soc2", target, by, start), DAY)


@pytest.mark.parametrize("target", [20, 40, 60, 80, 100])
def test_doing_the_plan_reaches_the_target_in_the_reports_themselves(facts_with, target):
    made = plan(facts_with, target)
    assert made.is_reached
    events, rows = carried_out(made, RECORDS)
    then = facts_with(controls=CONTROLS, as_of=BY, events=events, **rows)["control_status"]
    effective = then.filter(pl.col("state") == "effective").height
    assert effective == made.effective_with
    assert effective >= wanted_count(target, len(CONTROLS))


def test_what_is_planned_and_what_it_takes(facts_with):
    made = plan(facts_with)
    assert {one.id: (one.state, one.kinds, one.lead_days) for one in made.mine} == {
        "soc2:X1": ("no_data", ("attestation",), 0),
        "soc2:X2": ("no_data", ("operation", "test", "policy", "attestation"), 92),
        "soc2:X3": ("no_data", ("operation", "attestation"), 31),
        "soc2:X4": ("ineffective", ("test",), 0),
        "soc2:X5": ("stale", ("attestation",), 0),
    }
    assert made.choice.done == {**{f"soc2:X{number}": "ann" for number in (1, 2, 3, 4)}, "soc2:X5#early": "ben"}
    assert made.choice.hours == made.choice.bound == made.needed_hours == 24.5
    assert all(step.ready_on <= BY for step in made.steps)
    (operated,) = [step for step in made.steps if step.work.control_id == "X2" and "operation" in step.kinds]
    assert operated.done_on <= BY - timedelta(days=92 + 5), "the slack before the day included"


def test_a_gap_takes_the_same_hours_in_the_gap_report_and_in_a_plan(facts_with):
    operated = [("backup.completed", noon(DAY - timedelta(days=90)), {"controls": "soc2:X3"})]
    facts = facts_with(controls=CONTROLS, events=operated, **RECORDS)
    made = PlanMaker(facts.__getitem__, DAY).outlook(PlanQuestion.of("soc2", 100, BY))
    hours = {"soc2:X1": 0.5, "soc2:X2": 8.0, "soc2:X3": 2.5, "soc2:X4": 8.0}
    assert {one.id: one.hours for one in made.mine if one.id != "soc2:X5"} == hours, "X5 is good today"
    assert dict(facts["gaps"].select("gap_id", "effort_hours").sort("gap_id").iter_rows()) == hours


def test_without_an_action_the_plan_is_the_projection(facts_with):
    facts = facts_with(controls=CONTROLS, **RECORDS)
    made = PlanMaker(facts.__getitem__, DAY).outlook(PlanQuestion.of("soc2", 100, BY))
    assert made.with_plan.readiness(made.with_plan.days).equals(made.projection.readiness(made.projection.days))
    assert made.projection.readiness([DAY])["strict_pct"].to_list() == facts["readiness"]["strict_pct"].to_list()
    assert made.projection.readiness([DAY])["weighted_pct"].to_list() == facts["readiness"]["weighted_pct"].to_list()


def test_what_needs_evidence_of_an_unknown_kind_stays_open_and_the_plan_is_made(facts_with):
    odd = control("X6", evidence_kinds=["operation", '=HYPERLINK("https://evil.example","x")'], position=6)
    facts = facts_with(controls=[*CONTROLS, odd], **RECORDS)
    made = make_plan(facts.__getitem__, PlanQuestion.of("soc2", 100, BY), DAY)
    assert [(one.control_id, why) for one, why in open_reasons(made)] == [
        ("X6", "it needs evidence of a kind that nothing counts as")
    ]
    assert "soc2:X6" not in made.choice.done


def test_a_control_cannot_be_ready_before_its_evidence_can_be_there(facts_with):
    made = plan(facts_with, by=DAY + timedelta(days=60))
    assert not made.is_reached
    assert {one.id: why for one, why in open_reasons(made)} == {
        "soc2:X2": f"evidence exists later than the day: {made.weeks.end(0) + timedelta(days=92)} at the earliest"
    }


def test_hours_that_nobody_has_are_named(facts_with):
    none = [{"email": "ann", "week": "default", "hours": 0.25, "absence_hours": 0.0}]
    made = plan(
        facts_with,
        owner_capacity=none,
        control_owners=ownership_rows("X1", "X2", "X3", "X4", "X5"),
        attestations=[{**RECORDS["attestations"][0], "owner": "ann"}],
    )
    assert set(made.choice.done) == set(), "overdue tests come first and take every quarter of an hour"
    assert (made.first_short.owner, made.is_reached) == ("ann", False)
    assert {why for _, why in open_reasons(made)} == {
        "ann has 0.24 of the 0.5 hours for it left from 2026-W47 to 2027-W07",
        "ann has 0.04 of the 1.67 hours for it left in 2026-W47",  # what takes months to be evidence
        "ann has 0 of the 7.5 hours for it left from 2026-W52 to 2027-W03",
        "ann has 0 of the 8 hours for it left from 2027-W04 to 2027-W07",
        "its owner is behind with other work until after the day",
    }


def test_the_day_of_a_plan_stands_beside_the_day_on_record(facts_with):
    """A remediation and a signature keep their days; the plan that does them after those says so."""
    made = plan(facts_with)
    step = next(step for step in made.steps if step.duty is None)
    days = {step.work.id: step.done_on - timedelta(days=1)}
    rows = plan_rows.actions(made, days).filter(pl.col("due_on").is_not_null())
    assert rows.select("control_id", "due_on", "against_due").unique().rows() == [
        (step.work.control_id, days[step.work.id], "late")
    ]
    assert plan_rows.actions(made, {step.work.id: BY})["against_due"].null_count() == len(made.steps)


def test_days_on_record_are_those_of_remediations_and_of_signatures():
    gaps = rows("gaps", {"framework": "soc2", "control_id": "X1", "due_on": DAY}, {"control_id": "X2", "due_on": None})
    assert plan_rows.due_days(gaps, rows("signature_duties", {"id": "ATT-1", "due_on": BY})) == {
        **{"soc2:X1": DAY, "ATT-1": BY}
    }


def headline_and_step(made):
    return opening(made, plan_rows.actions(made, {}), [], plan_people.people(made), ask(DAY))


def test_the_next_step_names_the_missing_hours_of_the_table_of_owners(facts_with):
    short = [{"email": who, "week": "default", "hours": left, "absence_hours": 0.0} for who, left in HOURS.items()]
    made = plan(facts_with, owner_capacity=short)
    missing = plan_people.people(made).filter(pl.col("missing_hours") > 0)
    assert missing.select("owner", "missing_hours").rows() == [("ann", 18.44)]
    step = headline_and_step(made)[1]
    assert step.startswith("Decide on a later day or more hours, as 18.5 hours are missing: 18.5 of ann; until then ")


def test_where_no_hours_are_missing_a_later_day_is_all_that_helps(facts_with):
    until = DAY + timedelta(days=60)
    headline, step = headline_and_step(plan(facts_with, 99, until))
    assert headline == (
        "99 % of SOC 2 will not be ready on 19 Jan 2027: at best 80.0 % of controls are effective; "
        "1 control stays open whatever the hours."
    )
    assert step.startswith("Decide on a later day; until then begin with ")


def test_effective_controls_are_promised_and_no_more(facts_with):
    likely = [Likelihood("soc2", 0.995, 0.0, BY)]
    made = plan(facts_with, 20)
    said = opening(made, plan_rows.actions(made, {}), likely, plan_people.people(made), ask(DAY)).headline
    assert said.startswith("20 % of the controls of SOC 2 will be effective on 28 Feb 2027, over 99 % likely, with ")


def test_what_a_framework_asks_for_beyond_controls_is_said_where_they_are_promised():
    told = pl.DataFrame(
        {"moment": ["Today", "1 Mar 2027, the plan done"], "says": ["7 measures are open.", "2 measures are open."]}
    )
    goal = SimpleNamespace(goal=SimpleNamespace(framework="gdpr-art32"))
    reached = SimpleNamespace(is_reached=True, goals=[goal])
    assert beyond_controls(reached, told, ask(DAY)) == [
        "GDPR Article 32 asks for more than effective controls. 1 Mar 2027, the plan done: 2 measures are open."
    ]
    assert beyond_controls(SimpleNamespace(is_reached=False, goals=[goal]), told, ask(DAY)) == []


def test_what_failed_in_a_period_already_cannot_be_cured(facts_with):
    made = plan(facts_with, start=DAY - timedelta(days=30))
    assert {one.id for one, why in open_reasons(made) if "cannot be cured" in why} == {
        f"soc2:X{n}" for n in (1, 2, 3, 4)
    }
    assert made.choice.done == {"soc2:X5": "ben"}


def test_throughout_a_period_evidence_is_renewed_before_it_lapses(facts_with):
    made = plan(facts_with, start=DAY + timedelta(days=40), by=DAY + timedelta(days=300))
    (third,) = [one for one in made.mine if one.id == "soc2:X3"]
    assert len(third.parts) > 7, "once for the beginning, and about every month"
    assert all(part.first <= part.last for part in third.parts)


def test_what_lapses_within_a_period_is_not_promised_however_the_last_day_is(facts_with):
    goal = plan(facts_with, start=DAY + timedelta(days=40), by=DAY + timedelta(days=300)).goals[0]
    simulation = goal.with_plan.simulation
    monthly = [one for one in simulation.evidence if one.control == "soc2:X4"]
    less = replace(simulation, evidence=[one for one in simulation.evidence if one not in monthly[5:9]])
    hole = replace(goal, with_plan=replace(goal.with_plan, simulation=less))
    assert "X4" in hole.with_plan.on(goal.goal.by).filter(state="effective")["control_id"]
    assert (goal.effective_with, hole.effective_with) == (3, 2)


def test_nothing_to_plan():
    targets = rows("framework_targets")
    assert plan_question(targets, {"framework": "soc2"}, DAY) == PlanQuestion.of("soc2", 100, DAY)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "framework must be a framework in scope: soc2"),
        ({"framework": "soc2", "by": "2020-01-01"}, "by must be a day from"),
        ({"framework": "soc2", "by": "2040-01-01"}, "by must be a day from"),
        ({"framework": "soc2"}, "as the framework has no target date then"),
        ({"framework": "soc2", "by": f"{BY}", "from": f"{BY}"}, "from must be a day before"),
    ],
)
def test_a_question_without_an_answer_is_refused(asked, told):
    targets = rows("framework_targets", {"framework": "soc2", "name": "SOC 2"})
    with pytest.raises(BadRequest, match=told):
        plan_question(targets, asked, DAY)


def test_without_a_day_the_period_of_the_next_audit_is_asked_about():
    window = {"audit_from": DAY + timedelta(days=10), "audit_until": BY}
    targets = rows("framework_targets", {"framework": "soc2", "name": "SOC 2", **window})
    assert plan_question(targets, {"framework": "soc2"}, DAY) == PlanQuestion.of("soc2", 100, BY, window["audit_from"])


def test_the_same_facts_give_the_same_plan(facts_with):
    assert plan(facts_with).items == plan(facts_with).items
