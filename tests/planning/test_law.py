"""The law of plans: do the plan on its days, and the reports of the day say what the plan said."""

from datetime import timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from engine.facts.obligations.accepted_plans import WORK_KIND
from engine.planning.exports.rows import _rows
from engine.planning.outlook import make_plan
from engine.planning.people import away_by_day
from engine.planning.question import PlanQuestion
from tests.factories import DAY
from tests.facts.conftest import facts_with, memory, replica  # noqa: F401 - fixtures
from tests.laws import examples
from tests.planning.doing import carried_out, signatures_beside, with_signatures
from tests.planning.drawn import organizations

__all__ = ["facts_with", "replica"]
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def plan_of(facts_with, drawn, records=None, as_of=DAY, events=None):
    controls, drawn_events, drawn_records, by, target = drawn
    facts = facts_with(
        controls=controls,
        as_of=as_of,
        events=drawn_events if events is None else events,
        **(drawn_records if records is None else records),
    )
    return facts, make_plan(facts.__getitem__, PlanQuestion.of("soc2", target, by), as_of)


def with_rows_of(plan, facts, records):
    """The records once the rows of a plan were imported."""
    rows = {name: [dict(row) for row in given] for name, given in records.items()}
    away = away_by_day(facts["days_away"], facts["owner_weeks"])
    for row in _rows(plan, away, facts["remediations_rows"], facts["remediation_details_rows"]):
        table = rows[row["table"]]
        new = {name: value for name, value in row.items() if name != "table"}
        known = next((one for one in table if one["id"] == row["id"]), None)
        if known is None:
            table.append({"status": "open", **new} if row["table"] == "remediations" else new)
        else:
            known.update(new)
    return rows


def states(facts):
    rows = facts["control_status"].sort("control_id")
    return dict(rows.select("control_id", "state").iter_rows())


def laid_hours(plan):
    """The work that takes hours: what takes none lies in its last week, which is that of the work that it stands beside."""
    return [item for item in plan.items if item.hours]


def holds(facts_with, drawn):
    """The law on one organization; what it tried."""
    controls, events, records, by, _ = drawn
    facts, plan = plan_of(facts_with, drawn)
    goal = plan.goals[0]
    # doing it makes the reports of the day say what the plan said, control by control
    done, rows = carried_out(plan, records)
    then = facts_with(controls=controls, as_of=by, events=sorted([*events, *done], key=lambda one: one[1]), **rows)
    foreseen = dict(goal.with_plan.on(by).sort("control_id").select("control_id", "state").iter_rows())
    assert states(then) == foreseen
    assert goal.effective_with == sum(state == "effective" for state in states(then).values())
    # nobody's week holds more than the capacity report leaves
    for owner, weeks in plan.problem.capacity.items():
        for week, there in enumerate(weeks):
            used = sum(item.hours for item in plan.items if (item.owner, item.week) == (owner, week))
            assert used <= there + 1e-6
    # accepting it changes nothing, and the capacity report counts its hours in its weeks
    taken = with_rows_of(plan, facts, records)
    again_facts, again = plan_of(facts_with, drawn, taken)
    assert again.is_reached == plan.is_reached
    assert (again.choice.done, laid_hours(again)) == (plan.choice.done, laid_hours(plan))
    assert again.available_hours == plan.available_hours
    load = again_facts["load"].filter(kind=WORK_KIND)
    counted = dict(load.group_by("owner").agg(pl.col("hours").sum().round(6)).iter_rows())
    work = {
        (action.id, number): part for action in plan.chosen for number, part in enumerate(action.parts) if not part.duty
    }
    planned: dict[str, float] = {}
    for item in plan.items:
        if (item.action, item.part) in work and work[item.action, item.part].duty is None and item.hours:
            planned[item.owner] = planned.get(item.owner, 0.0) + item.hours
    assert counted == {owner: round(hours, 6) for owner, hours in planned.items()}
    return plan


@pytest.mark.real
@settings(deadline=None, max_examples=examples(24), suppress_health_check=SLOW)
@given(drawn=organizations(most=6))
def test_a_plan_that_is_done_comes_true_and_accepting_it_changes_nothing(facts_with, drawn):
    holds(facts_with, drawn)


@pytest.mark.real
@settings(deadline=None, max_examples=examples(9), suppress_health_check=SLOW)
@given(drawn=organizations(most=4))
def test_at_a_week_between_planning_again_keeps_what_was_agreed(facts_with, drawn):
    controls, events, records, by, target = drawn
    facts, plan = plan_of(facts_with, drawn)
    if not plan.is_reached or not plan.chosen:
        return
    taken = with_rows_of(plan, facts, records)
    day = DAY + timedelta(days=3 + 7 - DAY.weekday())  # a Thursday
    done, rows = carried_out(plan, taken, until=day)
    rows = with_signatures(rows, signatures_beside(plan, records, day))
    finished = {step.work.id for step in plan.steps if step.ready_on <= day}
    waiting = {step.work.id for step in plan.steps if step.ready_on > day}
    for row in rows["remediations"]:
        if f"soc2:{row['control_id']}" in finished - waiting and "plan" in (row.get("details") or ""):
            row |= {"status": "closed", "closed_on": day}
    then = sorted([*events, *done], key=lambda one: one[1])
    _, again = plan_of(facts_with, (controls, events, records, by, target), rows, as_of=day, events=then)
    assert again.is_reached
    assert {step.work.id for step in again.steps} <= waiting
    owner = {step.work.id: step.owner for step in plan.steps}
    assert all(step.owner == owner[step.work.id] for step in again.steps)
