"""A plan that was accepted and is asked for again on the same day is the same plan, whoever its work was before."""

from datetime import timedelta

import pytest

from engine.planning.agreed import Agreement, in_pairs
from engine.planning.outlook import make_plan
from engine.planning.problem import WorkPart
from engine.planning.question import PlanQuestion
from engine.planning.signatures import NEXT_DUTY
from engine.planning.verdict.reasons import open_reasons
from reports.programme.plans import plan_people
from tests.factories import DAY
from tests.facts.conftest import control, facts_with, memory, on, replica  # noqa: F401 - fixtures
from tests.planning.doing import noon
from tests.planning.test_law import plan_of, with_rows_of
from tests.planning.test_promises import BY, SIGNED, hours, late_policies, organization, work

__all__ = ["facts_with", "replica"]
OPERATED = {"evidence_kinds": ["operation"], "cadence": "annual"}
WEEK = {"absence_hours": 0.0}


def owner_rows(name, responsible, accountable):
    return [{**on(name), "email": who, "raci": role} for who, role in ((responsible, "R"), (accountable, "A"))]


def in_week(number, weekly, owner):
    return {"email": owner, "week": f"{DAY + timedelta(weeks=number):%G-W%V}", "hours": weekly, **WEEK}


def before_and_after(facts_with, controls, records):
    """The plan, and the one that is made once its rows are imported."""
    drawn = (controls, [], records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    return plan, plan_of(facts_with, drawn, with_rows_of(plan, facts, records))[1]


def sayings(plan):
    """What a plan says of work, hours and what is missing."""
    work_steps = [(step.work.id, step.part, step.owner, step.done_on, step.hours, step.kinds) for step in plan.steps]
    whys = [(one.id, why) for one, why in open_reasons(plan)]
    return work_steps, plan.items, plan.people, plan.first_short, whys, plan_people.people(plan).rows()


@pytest.mark.parametrize(
    ("due", "is_behind", "steps"),
    [
        (
            20,
            False,
            [("soc2:X1", "ben", 2.0)],
        ),  # six hours are those of its milestone, in the week in which that is due
        (55, False, [("soc2:X1", "ben", 2.0)]),
        (59, False, [("soc2:X1", "ben", 8.0)]),  # the milestone is later than work should end
        (20, True, []),  # who has it is behind with other work until after the day
    ],
)
def test_work_with_a_milestone_on_the_plan_of_action_is_done_by_whose_duty_that_is(facts_with, due, is_behind, steps):
    controls, records = organization(
        control("X1", **OPERATED, position=1),
        control_owners=owner_rows("X1", "ben", "ann"),
        remediations=[work("X1", owner="ben", estimate_hours=8.0)],
        owner_capacity=[hours(3.0), hours(3.0, "ben")],
        policies=[{**row, "owner": "ben"} for row in late_policies()] if is_behind else [],
        poam_items=[
            {
                "id": "V-1",
                "weakness_key": "soc2:X1",
                "detected_on": DAY - timedelta(days=9),
                "due_on": DAY + timedelta(days=due),
                "status": "open",
            }
        ],
    )
    plan, again = before_and_after(facts_with, controls, records)
    assert [(step.work.id, step.owner, step.hours) for step in plan.steps] == steps
    assert sayings(again) == sayings(plan)


def test_a_signature_lies_where_who_is_accountable_has_hours_beside_it(facts_with):
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        control_owners=owner_rows("X1", "ben", "ann"),
        owner_capacity=[
            hours(0.0),
            in_week(1, 1.0, "ann"),
            hours(0.0, "ben"),
            in_week(1, 10.0, "ben"),
            in_week(3, 10.0, "ben"),
        ],
    )
    plan, again = before_and_after(facts_with, controls, records)
    assert [(item.owner, item.week, item.hours) for item in plan.items] == [("ann", 1, 0.125), ("ben", 1, 0.5)]
    assert sayings(again) == sayings(plan)


def test_hours_beside_a_signature_may_come_later_than_it_once_it_was_agreed_too(facts_with):
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        control_owners=owner_rows("X1", "ben", "ann"),
        owner_capacity=[hours(0.0), in_week(3, 1.0, "ann"), hours(0.0, "ben"), in_week(1, 10.0, "ben")],
    )
    plan, again = before_and_after(facts_with, controls, records)
    assert [(item.owner, item.week, item.hours) for item in plan.items] == [("ben", 1, 0.5), ("ann", 3, 0.125)]
    assert sayings(again) == sayings(plan)


def test_who_lacks_hours_is_the_same_once_somebody_else_took_the_work(facts_with):
    controls, records = organization(
        control("X1", **OPERATED, position=1),
        control("X2", **OPERATED, position=2),
        control_owners=[*owner_rows("X1", "ann", "ben"), *owner_rows("X2", "ann", "ann")],
        remediations=[work("X1", estimate_hours=4.0), work("X2", estimate_hours=6.0)],
        owner_capacity=[hours(0.0), hours(5.0, "ben")],
    )
    plan, again = before_and_after(facts_with, controls, records)
    assert [(step.work.id, step.owner) for step in plan.steps] == [("soc2:X1", "ben")]
    missing = dict(plan_people.people(plan).select("owner", "missing_hours").iter_rows())
    assert (missing, plan.first_short.owner) == ({"ann": 6.0, "ben": 0.0}, "ann")
    assert sayings(again) == sayings(plan)


def test_agreed_work_is_beside_what_yields_the_same_evidence():
    def agreement(name, *kinds):
        return Agreement(name, "ann", "", kinds, 1.0, (), None)

    tested, operated, other = agreement("a", "test"), agreement("b", "operation"), agreement("c", "policy")
    operation, test = WorkPart(1.0, 0, 1, ("operation",)), WorkPart(1.0, 0, 2, ("test",))
    assert in_pairs([tested, operated], [operation, test]) == [(operated, operation), (tested, test)]
    assert in_pairs([other, operated], [operation, test, test]) == [(operated, operation), (other, test), (None, test)]


def test_work_that_keeps_evidence_good_leaves_a_weakness_on_the_control_with_whose_it_is(facts_with):
    weakness = {"id": "V-1", "weakness_key": "soc2:X1", "detected_on": DAY - timedelta(days=9), "status": "open"}
    controls, records = organization(
        control("X1", evidence_kinds=["operation"], cadence="quarterly", position=1),
        owner_capacity=[hours(3.0), hours(3.0, "ben")],
        poam_items=[{**weakness, "due_on": DAY + timedelta(days=20), "details": '{"point_of_contact": "ben"}'}],
    )
    events = [("backup.completed", noon(DAY - timedelta(days=60)), {"controls": "soc2:X1"})]
    drawn = (controls, events, records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    assert [(step.work.id, step.owner) for step in plan.steps] == [("soc2:X1", "ann")]
    taken = with_rows_of(plan, facts, records)
    after, again = plan_of(facts_with, drawn, taken)
    assert sayings(again) == sayings(plan)
    assert after["poam"]["owner"].to_list() == ["ben"]
    taken["remediations"][0]["owner"] = "cid"  # given to somebody else since
    assert plan_of(facts_with, drawn, taken)[0]["poam"]["owner"].to_list() == ["cid"]


@pytest.mark.parametrize(
    ("due", "signed", "sign"),
    [
        ((30, 70), None, [("X1", "d30"), ("X1", "d70")]),  # each duty on record in its week, and none beside them
        ((), 340, [("X1", NEXT_DUTY)]),  # the one that follows by itself, 25 days from now
        ((400,), 340, [("X1", "d400")]),  # the one that falls due later, before the last signature lapses
    ],
)
def test_a_plan_for_a_period_signs_what_is_on_record_and_is_the_same_once_it_is_accepted(facts_with, due, signed, sign):
    done_on = DAY - timedelta(days=signed or 10)
    last = {
        "id": "last",
        **on("X1"),
        "owner": "ann",
        "due_on": done_on,
        "outcome": "attested",
        "attested_at": noon(done_on),
    }
    duties = [{"id": f"d{days}", **on("X1"), "owner": "ann", "due_on": DAY + timedelta(days=days)} for days in due]
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        owner_capacity=[hours(3.0)],
        attestations=[last, *duties],
    )
    start, by = DAY + timedelta(days=50), DAY + timedelta(days=120)
    question = PlanQuestion.of("soc2", 100, by, start)
    facts = facts_with(controls=controls, as_of=DAY, **records)
    plan = make_plan(facts.__getitem__, question, DAY)
    assert [(step.work.control_id, step.duty) for step in plan.steps] == sign
    days = [DAY + timedelta(days=number) for number in range(50, 121)]
    assert plan.with_plan.readiness(days)["strict_pct"].unique().to_list() == [100.0]
    taken = with_rows_of(plan, facts, records)
    again = make_plan(facts_with(controls=controls, as_of=DAY, **taken).__getitem__, question, DAY)
    kept = [(step.done_on, step.owner, step.hours) for step in plan.steps]
    assert [(step.done_on, step.owner, step.hours) for step in again.steps] == kept
    assert sayings(again)[1:] == sayings(plan)[1:]
