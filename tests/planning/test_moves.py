"""What a plan says of agreed work that it moves: each piece of it, and the reason that is true."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.planning.outlook import make_plan
from engine.planning.question import PlanQuestion
from reports.programme.plans.promises import moves
from tests.factories import DAY
from tests.facts.conftest import control, facts_with, memory, on, replica  # noqa: F401 - fixtures
from tests.planning.doing import noon
from tests.planning.test_law import plan_of, with_rows_of
from tests.planning.test_promises import BY, hours, organization, work

__all__ = ["facts_with", "replica"]
EARLIER = "its owner's weeks are laid anew, as not all fits where it was"
MONTHLY = {"evidence_kinds": ["operation"], "cadence": "monthly"}


def with_agreement(facts_with):
    """The records once a plan is accepted, of which X1 is renewed twice until the day."""
    controls, records = organization(
        control("X1", **MONTHLY, position=1),
        control("X2", evidence_kinds=["operation"], cadence="annual", position=2),
        remediations=[work("X2", estimate_hours=4.0)],
        owner_capacity=[hours(5.0), hours(5.0, "ben")],
    )
    events = [("backup.completed", noon(DAY - timedelta(days=9)), {"controls": "soc2:X1"})]
    drawn = (controls, events, records, BY, 100)
    facts, plan = plan_of(facts_with, drawn)
    return controls, events, with_rows_of(plan, facts, records)


def moves_of(facts_with, controls, events, records, by=BY, **more):
    facts = facts_with(controls=controls, events=events, **records)
    plan = make_plan(facts.__getitem__, replace(PlanQuestion.of("soc2", 100, by), **more), DAY)
    frame = moves(plan, facts["accepted_plans"])
    return plan, [(row["control"], row["owner"], row["why"]) for row in frame.iter_rows(named=True)]


def test_what_stays_as_agreed_is_no_move(facts_with):
    assert moves_of(facts_with, *with_agreement(facts_with))[1] == []


def test_work_that_is_left_out_says_that_it_was_asked(facts_with):
    _, rows = moves_of(facts_with, *with_agreement(facts_with), without=frozenset({"soc2:X2"}))
    assert rows == [("soc2:X2", None, "left out, as was asked")]


def test_each_of_several_pieces_of_work_on_a_control_is_told(facts_with):
    controls, events, records = with_agreement(facts_with)
    assert sum(row["control_id"] == "X1" for row in records["remediations"]) == 2
    _, rows = moves_of(facts_with, controls, events, records, by=DAY + timedelta(days=21))
    assert [row for row in rows if row[0] == "soc2:X1"] == [("soc2:X1", None, "it will be effective without")] * 2
    _, rows = moves_of(facts_with, controls, events, records, by=DAY + timedelta(days=42))
    assert rows == [("soc2:X1", None, "what else is done suffices"), ("soc2:X2", "ann", EARLIER)]


@pytest.mark.parametrize(("active", "why"), [(False, "ann has no hours on record any more"), (True, None)])
def test_who_left_is_why_somebody_else_does_it(facts_with, active, why):
    controls, events, records = with_agreement(facts_with)
    records["users"] = [{"email": "ann", "active": active}, {"email": "ben", "active": True}]
    records["control_owners"] = [
        {**on(name), "email": who, "raci": role} for name in ("X1", "X2") for who, role in (("ann", "R"), ("ben", "A"))
    ]
    _, rows = moves_of(facts_with, controls, events, records)
    assert {reason for _, _, reason in rows} == ({why} if why else set())
