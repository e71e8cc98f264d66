"""What a plan promised and could not keep: each of these once made a verdict that was not true on the day."""

from datetime import date, timedelta

import pytest

from engine.facts.expressions import SIGNED_DAYS
from engine.facts.obligations.accepted_plans import hours_to_come
from engine.planning.outlook import make_plan
from engine.planning.question import Goal, PlanQuestion
from engine.planning.verdict.reasons import open_reasons
from tests.factories import DAY
from tests.facts.conftest import control, facts_with, memory, on, replica  # noqa: F401 - fixtures
from tests.planning.doing import carried_out, noon, signatures_beside, with_signatures
from tests.planning.test_law import plan_of, states, with_rows_of

__all__ = ["facts_with", "replica"]
BY = DAY + timedelta(days=60)
SIGNED = ["attestation"]
FRIDAY = 0.8 / 5  # of the hours of a week that are planned with those of its last day
PEOPLE = {"users": [{"email": one, "active": True} for one in ("ann", "ben")]}


def scope(*frameworks, by=BY):
    return [
        {"framework": one, "in_scope": True, "adopted_on": DAY - timedelta(days=400), "target_on": by}
        for one in frameworks
    ]


def owners_of(*names, by="ann", framework="soc2"):
    key = {"framework": framework}
    return [{**key, "control_id": one, "email": by, "raci": role} for one in names for role in ("R", "A")]


def hours(weekly, owner="ann"):
    return {"email": owner, "week": "default", "hours": weekly, "absence_hours": 0.0}


def organization(*controls, **rows):
    names = [row["control_id"] for row in controls]
    given = {"organization_frameworks": scope("soc2"), "control_owners": owners_of(*names), **PEOPLE}
    tables = dict.fromkeys(("attestations", "remediations", "policies", "policy_controls", "test_runs"), ())
    return list(controls), {
        name: list(value) for name, value in {**tables, "owner_capacity": [hours(10.0)], **given, **rows}.items()
    }


def work(name, **more):
    return {
        "id": f"R-{name}",
        **on(name),
        "owner": "ann",
        "opened_on": DAY - timedelta(days=9),
        "status": "open",
        **more,
    }


def late_policies():
    """Forty hours of overdue reviews of ann."""
    row = {"version": 1, "state": "active", "owner": "ann", "accepted_at": noon(DAY - timedelta(days=500))}
    names = [f"p{number}" for number in range(10)]
    return [{"id": name, "policy": name, **row, "review_due_on": DAY - timedelta(days=30)} for name in names]


@pytest.mark.real
def test_accepting_a_plan_takes_its_hours_from_every_other_and_leaves_its_own_verdict(facts_with):
    controls, records = organization(control("X1", evidence_kinds=["operation", *SIGNED], cadence="annual", position=1))
    drawn = (controls, [], records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    taken = with_rows_of(plan, facts, records)
    _, again = plan_of(facts_with, drawn, taken)
    assert (again.is_reached, again.choice.hours, again.available_hours) == (
        True,
        plan.choice.hours,
        plan.available_hours,
    )
    other = [*controls, control("Y1", framework="iso27001", evidence_kinds=SIGNED, cadence="annual", position=2)]
    more = {
        "organization_frameworks": scope("soc2", "iso27001"),
        "control_owners": [*owners_of("X1"), *owners_of("Y1", framework="iso27001")],
    }
    before, after = (
        make_plan(facts_with(controls=other, **{**rows, **more}).__getitem__, PlanQuestion.of("iso27001", 100, BY), DAY)
        for rows in (records, taken)
    )
    assert before.available_hours - after.available_hours == pytest.approx(plan.choice.hours)


@pytest.mark.real
def test_work_that_is_recorded_as_planned_is_as_planned_on_a_later_day(facts_with):
    controls, records = organization(
        control("X1", evidence_kinds=["operation"], cadence="annual", position=1),
        remediations=[work("X1", estimate_hours=40.0)],
    )
    drawn = (controls, [], records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    taken = with_rows_of(plan, facts, records)
    later = DAY + timedelta(days=20)
    done = sum(item.hours for item in plan.items if plan.weeks.mondays[item.week] <= later - timedelta(days=7))
    taken["remediations"][0] |= {"done_hours": done, "left_hours": 40.0 - done}
    then, again = plan_of(facts_with, drawn, taken, as_of=later)
    assert then["accepted_plans"]["standing"].to_list() == ["as_planned"]
    assert again.is_reached
    assert again.choice.hours <= 40.0 - done + 1e-6


@pytest.mark.real
@pytest.mark.parametrize("duties", [[], [{"id": "a", **on("X1"), "owner": "ann", "due_on": DAY + timedelta(days=20)}]])
def test_hours_that_are_said_to_be_left_of_a_signature_are_hours_of_the_plan(facts_with, duties):
    """As the capacity budget has them, in the same week."""
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1), attestations=duties
    )
    drawn = (controls, [], records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    taken = with_rows_of(plan, facts, records)
    taken["remediations"][0] |= {"status": "in_progress", "left_hours": 1.0}
    then, again = plan_of(facts_with, drawn, taken)
    (row,) = then["accepted_plans"].iter_rows(named=True)
    assert again.is_reached
    assert {again.weeks.mondays[item.week]: item.hours for item in again.items} == hours_to_come(row, DAY, False)
    assert sum(item.hours for item in again.items) == 1.0


@pytest.mark.real
def test_a_signature_that_falls_due_again_before_the_day_is_planned(facts_with):
    duties = [{"id": f"d{days}", **on("X1"), "owner": "ann", "due_on": DAY + timedelta(days=days)} for days in (10, 40)]
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="quarterly", position=1), attestations=duties
    )
    _, plan = plan_of(facts_with, (controls, [], records, BY, 100))
    assert [step.duty for step in plan.steps] == ["d10", "d40"]
    _, rows = carried_out(plan, records)
    assert states(facts_with(controls=controls, as_of=BY, **rows)) == {"X1": "effective"}


@pytest.mark.parametrize(("more", "state", "signs"), [(0, "effective", 0), (1, "stale", 1)])
def test_a_plan_counts_a_signature_for_as_many_days_as_the_reports_whatever_the_cadence(facts_with, more, state, signs):
    by = DAY + timedelta(days=10 + more)
    signed = DAY + timedelta(days=10 - SIGNED_DAYS)
    duty = {"id": "a", **on("X1"), "owner": "ann", "due_on": signed, "outcome": "attested", "attested_at": noon(signed)}
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="monthly", position=1), attestations=[duty]
    )
    assert states(facts_with(controls=controls, as_of=by, **records)) == {"X1": state}
    _, plan = plan_of(facts_with, (controls, [], records, by, 100))
    assert (len(plan.steps), plan.is_reached) == (signs, True)


def test_b_after_a_in_one_week_is_planned_and_a_alone_is_not_lost(facts_with):
    two = [
        control(name, evidence_kinds=["operation"], cadence="annual", position=n) for n, name in enumerate(("A1", "B1"))
    ]
    rows = [work("A1", estimate_hours=2.0), work("B1", estimate_hours=2.0, blocked_by="R-A1")]
    by = DAY + timedelta(days=14)
    controls, records = organization(*two, remediations=rows, organization_frameworks=scope("soc2", by=by))
    _, plan = plan_of(facts_with, (controls, [], records, by, 100))
    assert (plan.is_reached, set(plan.choice.done)) == (True, {"soc2:A1", "soc2:B1"})
    rows[1]["estimate_hours"] = 900.0
    _, plan = plan_of(facts_with, (controls, [], {**records, "remediations": rows}, by, 100))
    assert set(plan.choice.done) == {"soc2:A1"}
    assert {one.id: why for one, why in open_reasons(plan)}["soc2:B1"].startswith("ann has ")


def test_what_waits_for_a_remediation_of_another_framework_can_be_planned(facts_with):
    controls = [
        control("B1", evidence_kinds=["operation"], cadence="annual", position=1),
        control("A1", framework="iso27001", evidence_kinds=["operation"], cadence="annual", position=2),
    ]
    first = {**work("A1", estimate_hours=3.0), "framework": "iso27001"}
    _, records = organization(
        *controls[:1],
        remediations=[first, work("B1", estimate_hours=2.0, blocked_by="R-A1")],
        organization_frameworks=scope("soc2", "iso27001"),
        control_owners=[*owners_of("B1"), *owners_of("A1", framework="iso27001")],
    )
    _, plan = plan_of(facts_with, (controls, [], records, BY, 100))
    assert plan.is_reached
    assert set(plan.choice.done) == {"soc2:B1", "iso27001:A1"}
    assert plan.choice.hours == 5.0


def test_overdue_work_comes_first_and_overload_goes_on_into_the_next_week(facts_with):
    controls, records = organization(control("X1", evidence_kinds=["operation"], cadence="annual", position=1))
    late = late_policies()
    _, plan = plan_of(
        facts_with, (controls, [], {**records, "policies": late, "owner_capacity": [hours(2.0)]}, BY, 100)
    )
    people = plan.people["ann"]
    assert people.overdue == 40.0, "four hours for each policy that nobody reviewed"
    assert people.remainder < 0
    assert set(people.free) == {0.0}, "it goes on into each of the weeks"
    assert not plan.is_reached
    assert plan.available_hours == people.remainder


@pytest.mark.parametrize(("owner", "reached"), [("ann", False), ("ben", True)])
def test_a_duty_waits_for_what_its_own_owner_is_behind_with(facts_with, owner, reached):
    duty = {"id": "d", **on("X1"), "owner": owner, "due_on": DAY + timedelta(days=3)}
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        attestations=[duty],
        policies=late_policies(),
        owner_capacity=[hours(2.0), hours(2.0, "ben")],
    )
    _, plan = plan_of(facts_with, (controls, [], records, BY, 100))
    assert (plan.is_reached, [why for _, why in open_reasons(plan)]) == (
        (True, []) if reached else (False, ["its owner is behind with other work until after the day"])
    )


def test_evidence_is_renewed_before_it_lapses_where_hours_allow(facts_with):
    controls, records = organization(control("X1", evidence_kinds=["operation"], cadence="quarterly", position=1))
    events = [("backup.completed", noon(DAY - timedelta(days=80)), {"controls": "soc2:X1"})]
    _, plan = plan_of(facts_with, (controls, events, records, BY, 100))
    days = [DAY + timedelta(days=number) for number in range(61)]
    assert plan.with_plan.failing(list(days)).is_empty()
    assert all(step.done_on <= BY - timedelta(days=5) for step in plan.steps)


def test_renewing_costs_the_same_lapsed_or_not_and_an_own_estimate_comes_first(facts_with):
    for age in (300, 500):
        signed = {"outcome": "attested", "attested_at": noon(DAY - timedelta(days=age))}
        row = {"id": "a", **on("X1"), "owner": "ann", "due_on": DAY - timedelta(days=age), **signed}
        one = control("X1", evidence_kinds=SIGNED, cadence="annual", position=1)
        by = DAY + timedelta(days=100)
        controls, records = organization(one, attestations=[row], organization_frameworks=scope("soc2", by=by))
        assert plan_of(facts_with, (controls, [], records, by, 100))[1].choice.hours == 0.0, "the duty has them"
    records["remediations"] = [work("X1", estimate_hours=2.5)]
    assert plan_of(facts_with, (controls, [], records, by, 100))[1].choice.hours == 2.5


@pytest.mark.parametrize("target", [50, 100])
def test_one_plan_over_two_frameworks_is_never_dearer_than_two(facts_with, target):
    controls = [
        *(control(f"X{n}", evidence_kinds=["operation"], cadence="annual", position=n) for n in (1, 2)),
        *(control(f"Y{n}", framework="iso27001", evidence_kinds=SIGNED, cadence="annual", position=n) for n in (1, 2)),
    ]
    _, records = organization(
        *controls[:2],
        organization_frameworks=scope("soc2", "iso27001"),
        control_owners=[*owners_of("X1", "X2"), *owners_of("Y1", "Y2", framework="iso27001")],
    )
    facts = facts_with(controls=controls, **records)
    goals = (Goal("soc2", target, BY), Goal("iso27001", target, BY - timedelta(days=20)))
    both = make_plan(facts.__getitem__, PlanQuestion(goals), DAY)
    single = [make_plan(facts.__getitem__, PlanQuestion((goal,)), DAY) for goal in goals]
    assert both.is_reached
    assert both.choice.hours <= sum(plan.choice.hours for plan in single)


@pytest.mark.real
def test_work_that_is_done_is_not_asked_again_while_its_evidence_is_to_come(facts_with):
    by = DAY + timedelta(days=60)
    controls, records = organization(
        control("X1", evidence_kinds=["operation"], cadence="monthly", position=1),
        remediations=[work("X1", estimate_hours=8.0)],
        organization_frameworks=scope("soc2", by=by),
    )
    drawn = (controls, [], records, by, 100)
    facts, plan = plan_of(facts_with, drawn)
    (step,) = plan.steps
    taken = with_rows_of(plan, facts, records)
    taken["remediations"][0] |= {"done_hours": 8.0, "left_hours": 0.0}
    _, again = plan_of(facts_with, drawn, taken, as_of=by - timedelta(days=30))
    assert step.done_on < by - timedelta(days=30) < step.ready_on
    assert (again.is_reached, again.choice.hours) == (True, 0.0)
    assert [one.ready_on for one in again.steps] == [step.ready_on]
    taken["remediations"][0] |= {"done_hours": None, "left_hours": None}
    assert not plan_of(facts_with, drawn, taken, as_of=by - timedelta(days=30))[1].is_reached, (
        "what is late is not done"
    )


@pytest.mark.parametrize(
    ("away", "as_of", "left"),
    [
        ([], date(2026, 12, 25), {date(2026, 12, 21): 1.0}),
        (["2026-12-25=1.0"], date(2026, 12, 25), {}),
        (["2026-12-25=1.0"], date(2026, 12, 24), {date(2026, 12, 21): 1.25}),
        (["2026-12-25=1.0"], date(2026, 12, 18), {date(2026, 12, 21): 5.0}),
    ],
    ids=("there", "away", "the day before", "the week before"),
)
def test_a_day_off_that_the_plan_knew_of_has_no_hours_of_its_week(away, as_of, left):
    planned = {"planned_weeks": ["2026-W52=5.0"], "planned_away": away, "planned_due_on": date(2026, 12, 25)}
    recorded = {"work_hours": 5.0, "done_hours": None, "left_hours": None, "made_on": date(2026, 12, 1)}
    assert hours_to_come({**planned, **recorded}, as_of, late=False) == left


@pytest.mark.parametrize("is_played", [True, False])
def test_what_is_overdue_beside_a_plan_is_what_it_counts_first(facts_with, is_played):
    duties = [
        {"id": f"d{name}", **on(name), "owner": "ann", "due_on": DAY - timedelta(days=number)}
        for number, name in enumerate(("X2", "X3", "X4"), 1)
    ]
    kinds = {"X1": ["operation"], **{name: ["test", "attestation"] for name in ("X2", "X3", "X4")}}
    controls, records = organization(
        *(control(name, evidence_kinds=kinds[name], cadence="annual", position=n) for n, name in enumerate(kinds, 1)),
        attestations=duties,
        remediations=[work("X1", estimate_hours=1.0)],
        owner_capacity=[hours(0.5)],
    )
    drawn = (controls, [], records, BY, 25)
    facts, plan = plan_of(facts_with, drawn)
    assert (plan.is_reached, plan.people["ann"].overdue) == (True, 1.5)
    day = plan.weeks.ends[4]
    done, rows = carried_out(plan, with_rows_of(plan, facts, records), until=day)
    beside = signatures_beside(plan, records, day)
    assert [one.duty for one in beside] == ["dX4", "dX3", "dX2"]
    rows = with_signatures(rows, beside) if is_played else rows
    assert plan_of(facts_with, drawn, rows, as_of=day, events=done)[1].is_reached is is_played


@pytest.mark.parametrize(("friday", "reached"), [(1.55, True), (1.45, False)])
def test_who_is_accountable_and_signs_in_place_of_the_owner_has_no_hours_beside_it(facts_with, friday, reached):
    by = DAY + timedelta(days=8)
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        control("X2", evidence_kinds=["operation"], cadence="annual", position=2),
        organization_frameworks=scope("soc2", by=by),
        control_owners=[
            {**on("X1"), "email": "ben", "raci": "R"},
            {**on("X1"), "email": "ann", "raci": "A"},
            *owners_of("X2"),
        ],
        remediations=[work("X2", estimate_hours=1.0)],
        owner_capacity=[
            {"email": "ann", "week": "default", "hours": 0.0, "absence_hours": 0.0},
            {"email": "ann", "week": f"{DAY:%G-W%V}", "hours": friday / FRIDAY, "absence_hours": 0.0},
            hours(0.0, "ben"),
        ],
    )
    drawn = (controls, [], records, by, 100)
    facts, plan = plan_of(facts_with, drawn)
    assert plan.is_reached is reached
    _, again = plan_of(facts_with, drawn, with_rows_of(plan, facts, records))
    assert (again.is_reached, again.choice.done) == (reached, plan.choice.done)


@pytest.mark.parametrize(("target", "done"), [(60, {"soc2:X1"}), (100, {"soc2:X1", "soc2:X2", "soc2:X3"})])
def test_work_on_an_effective_control_is_planned_only_where_something_waits_for_it(facts_with, target, done):
    signed = {"outcome": "attested", "attested_at": noon(DAY - timedelta(days=9))}
    controls, records = organization(
        control("X1", evidence_kinds=["operation"], cadence="annual", position=1),
        control("X2", evidence_kinds=["operation"], cadence="annual", position=2),
        control("X3", evidence_kinds=SIGNED, cadence="annual", position=3),
        attestations=[{"id": "a", **on("X3"), "owner": "ann", "due_on": DAY - timedelta(days=9), **signed}],
        remediations=[
            work("X1", estimate_hours=2.0),
            work("X2", estimate_hours=3.0, blocked_by="R-X3"),
            work("X3", estimate_hours=1.0),
        ],
    )
    _, plan = plan_of(facts_with, (controls, [], records, BY, target))
    assert (plan.effective, plan.effective_with, set(plan.choice.done)) == (1, len(done - {"soc2:X3"}) + 1, done)


def test_hours_beside_an_accepted_signature_move_no_duty_of_whoever_is_accountable(facts_with):
    day = DAY + timedelta(days=14)
    week = {"week": f"{day:%G-W%V}", "absence_hours": 0.0}
    controls, records = organization(
        control("X1", evidence_kinds=SIGNED, cadence="annual", position=1),
        control("X2", evidence_kinds=SIGNED, cadence="annual", position=2),
        attestations=[{"id": "d", **on("X2"), "owner": "ann", "due_on": day}],
        control_owners=[
            {**on("X1"), "email": "ben", "raci": "R"},
            {**on("X1"), "email": "ann", "raci": "A"},
            *owners_of("X2"),
        ],
        owner_capacity=[hours(0.625), hours(0.0, "ben"), {"email": "ben", "hours": 5.0, **week}],
    )
    drawn = (controls, [], records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    assert {(step.work.id, step.owner, step.done_on) for step in plan.steps} == {
        ("soc2:X1", "ben", day),
        ("soc2:X2", "ann", day),
    }
    _, again = plan_of(facts_with, drawn, with_rows_of(plan, facts, records))
    assert plan.people["ann"].due[2] == 0.5, "what lies beside the signature is an eighth of an hour of the plan"
    assert [item.hours for item in plan.items if item.part < 0] == [0.125]
    assert [step.done_on for step in again.steps] == [day, day]
    assert (again.people, again.items) == (plan.people, plan.items)
