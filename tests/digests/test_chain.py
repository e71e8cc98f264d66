"""Rollup, SLA digest, escalation: in this order, once a day, under one run id; and the clock between them."""

from datetime import date, timedelta

import pytest

from engine.digests import deliver, run_chain
from engine.model.errors import Problem, Unavailable
from engine.store.schema.outputs import deliveries
from engine.store.schema.work import committees
from tests.digests.conftest import NOW, action, staffing_actions
from tests.digests.registry import CHAIN, DIGEST

ROLLUP, BREACHES, ESCALATION = (digest.name for digest in CHAIN)
MONDAY = NOW + timedelta(days=3)


@pytest.fixture
def late(house):
    """One action three weeks past its peak week, and a committee that could decide."""
    house.write(
        (staffing_actions, [action(1)]),
        (
            committees,
            [
                {
                    "id": "C",
                    "name": "Steering",
                    "chair": "chair@acme.example",
                    "members": "bob@acme.example",
                    "cadence": "monthly",
                    "first_meeting_on": date(2026, 1, 5),
                    "effort_hours": 1.0,
                }
            ],
        ),
    )
    return house


def run(house, now=NOW):
    return run_chain(house.services, CHAIN, "acme", "cron", now=now)


def accept_deliveries(house, at):
    """The other side took everything that waited."""
    with house.store.revision("acme", "delivery", now=at) as revision:
        for row in house.rows(status="pending"):
            revision.update(deliveries, {"id": row["id"]}, {"status": "sent", "sent_at": at})
        revision.record("digest.delivered")


def outcomes(found):
    return [(step.digest, step.outcome) for step in found.steps]


@pytest.mark.real
def test_the_rollup_starts_the_clock_of_the_escalation(late):
    first = run(late)
    assert outcomes(first) == [(ROLLUP, "delivered"), (BREACHES, "delivered"), (ESCALATION, "empty")]
    accept_deliveries(late, NOW)
    days = {}
    for number in range(1, 6):
        process = run(late, NOW + timedelta(days=number))
        days[number] = process.steps[2].outcome
    assert days == {1: "empty", 2: "empty", 3: "empty", 4: "delivered", 5: "already_delivered"}
    recipients = {row["recipient"] for row in late.rows(kind=ESCALATION)}
    assert recipients == {f"{name}@acme.example" for name in ("chair", "ann", "owner", "admin")}


@pytest.mark.real
def test_a_rollup_that_nobody_received_starts_no_clock(late):
    run(late)
    with late.store.revision("acme", "delivery", now=NOW) as revision:
        for row in late.rows():
            revision.update(deliveries, {"id": row["id"]}, {"status": "failed"})
        revision.record("delivery.failed")
    assert run(late, NOW + timedelta(days=2)).steps[2].outcome == "empty"


@pytest.mark.real
def test_the_same_day_again_is_a_no_op(late):
    first, head = run(late), late.store.head("acme")
    again = run(late, NOW + timedelta(hours=9))
    assert (again.outcome, again.run_id, outcomes(again)) == ("already_delivered", first.run_id, outcomes(first))
    assert late.store.head("acme") == head
    assert run(late, NOW + timedelta(days=1)).run_id != first.run_id


@pytest.mark.real
def test_a_failed_step_stops_the_later_ones_and_the_next_call_goes_on(late, monkeypatch):
    from engine.digests import chain

    def refuse(services, digest, *args, **options):
        if digest.name == BREACHES:
            raise Unavailable("The disk is full.", word="disk_full")
        return deliver(services, digest, *args, **options)

    monkeypatch.setattr(chain, "deliver", refuse)
    with pytest.raises(
        Problem, match=r"The step staffing-sla-breach-digest of the chain failed: The disk is full\."
    ) as caught:
        run(late)
    steps = [(step["digest"], step["outcome"]) for step in caught.value.details]
    assert steps == [(ROLLUP, "delivered"), (BREACHES, "failed")]
    assert late.rows(kind=ESCALATION) == []
    monkeypatch.undo()
    sent = len(late.rows(kind=ROLLUP))
    process = run(late, NOW + timedelta(minutes=5))
    assert outcomes(process) == [(ROLLUP, "delivered"), (BREACHES, "delivered"), (ESCALATION, "empty")]
    assert {step["run_id"] for step in caught.value.details} == {process.run_id}
    assert len(late.rows(kind=ROLLUP)) == sent


@pytest.mark.real
def test_a_weekly_rollup_with_nothing_to_tell_is_not_asked_again_every_day(house):
    assert outcomes(run(house, MONDAY)) == [(ROLLUP, "empty"), (BREACHES, "empty"), (ESCALATION, "empty")]
    tuesday = run(house, MONDAY + timedelta(days=1))
    assert outcomes(tuesday) == [(ROLLUP, "not_due"), (BREACHES, "empty"), (ESCALATION, "empty")]
    assert run(house, MONDAY + timedelta(days=7)).steps[0].outcome == "empty"


@pytest.mark.real
def test_by_itself_a_digest_of_the_chain_is_the_same_delivery(late):
    found = deliver(late.services, DIGEST[ROLLUP], "acme", "admin@acme.example", now=NOW)
    assert found.outcome == "delivered"
    assert run(late).steps[0].outcome == "already_delivered"
