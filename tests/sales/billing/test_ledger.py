"""Orders and subscriptions in the store, on each engine."""

from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from engine.model.errors import Conflict
from engine.sales.billing import ledger
from engine.sales.billing.events import ignore, once
from engine.sales.billing.ledger import SubscriptionState
from engine.sales.billing.tiers import Price
from engine.store.queries.sales.billing import order_of, running_before, subscription_of, was_applied
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.commerce import orders, subscriptions
from engine.store.schema.organizations import organizations
from tests.conftest import NOW

ANN = "ann@acme.example"
NOTED = "billing.plan.agreed"


def write(store, change, *, now=NOW, org="acme"):
    return store.write(org, ANN, change, now=now)


def standing(status="active", *, minutes=0, **values):
    given = {"id": "ord_1", "provider": "paypal", "ref": "I-1", "tier": "pro", **values}
    return SubscriptionState(status=status, at=NOW + timedelta(minutes=minutes), **given)


def ledger_state(store, *standings):
    for one in standings:
        write(store, lambda revision, one=one: (revision.record("billing.event.received"), ledger.apply(revision, one)))
    with store.reader() as connection:
        rows = many(connection, subscriptions, "acme")
    return [row["status"] for row in rows], store.plan("acme")


def test_a_subscription_gives_and_takes_its_plan(any_store):
    assert ledger_state(any_store, standing()) == (["active"], "pro")
    assert ledger_state(any_store, standing("paused", minutes=1)) == (["paused"], "free")
    assert ledger_state(any_store, standing(minutes=2, tier="team")) == (["active"], "team")


def test_what_is_older_than_what_is_known_changes_nothing(any_store):
    assert ledger_state(any_store, standing("expired", minutes=5), standing(minutes=4)) == (["expired"], "free")
    assert ledger_state(any_store, standing(minutes=5)) == (["active"], "pro")


def test_a_cancelled_plan_runs_to_the_end_of_what_is_paid(any_store):
    until = NOW + timedelta(days=30)
    assert ledger_state(any_store, standing(renews_at=until), standing("cancelled", minutes=1)) == (
        ["cancelled"],
        "pro",
    )
    assert ledger.lapse_all(any_store, now=until - timedelta(seconds=1)) == "0 cancelled subscriptions ended"
    assert ledger.lapse_all(any_store, now=until) == "1 cancelled subscriptions ended"
    assert ledger_state(any_store) == (["expired"], "free")
    assert ledger.lapse_all(any_store, now=until) == "0 cancelled subscriptions ended"


def test_a_cancellation_without_paid_time_ends_at_once(any_store):
    assert ledger_state(any_store, standing(), standing("cancelled", minutes=1)) == (["cancelled"], "free")


def test_a_cancellation_that_comes_after_the_paid_time_is_the_end(any_store):
    paid = standing(renews_at=NOW - timedelta(days=1))
    assert ledger_state(any_store, paid, standing("cancelled", minutes=1)) == (["expired"], "free")


def agree(store, plan):
    """Somebody sets the plan by hand."""
    write(store, lambda revision: (revision.update(organizations, {}, {"plan": plan}), revision.record("x")))


@pytest.mark.parametrize(
    ("agreed", "tier", "meanwhile"),
    [("pro", "team", "team"), ("team", "team", "team"), ("team", "pro", "team"), ("free", "pro", "pro")],
)
def test_a_plan_that_was_agreed_on_returns_when_a_subscription_ends(agreed, tier, meanwhile, any_store):
    agree(any_store, agreed)
    assert ledger_state(any_store, standing(tier=tier)) == (["active"], meanwhile)
    assert ledger_state(any_store, standing("paused", tier=tier, minutes=1)) == (["paused"], agreed)
    assert ledger_state(any_store, standing(tier=tier, minutes=2)) == (["active"], meanwhile)
    assert ledger_state(any_store, standing("expired", tier=tier, minutes=3)) == (["expired"], agreed)
    assert any_store.verify("acme").ok


def test_a_plan_that_was_agreed_on_returns_when_paid_time_is_over(any_store):
    until = NOW + timedelta(days=30)
    agree(any_store, "pro")
    paid = standing(tier="team", renews_at=until)
    assert ledger_state(any_store, paid, standing("cancelled", tier="team", minutes=1)) == (["cancelled"], "team")
    assert ledger.lapse_all(any_store, now=until) == "1 cancelled subscriptions ended"
    assert ledger_state(any_store) == (["expired"], "pro")


def test_what_was_agreed_on_last_counts_whenever_that_was(any_store):
    agree(any_store, "pro")
    assert ledger_state(any_store, standing(tier="team")) == (["active"], "team")
    agree(any_store, "free")
    assert ledger_state(any_store, standing(tier="team", minutes=1, renews_at=NOW)) == (["active"], "team")
    assert ledger_state(any_store, standing("expired", tier="team", minutes=2)) == (["expired"], "free")
    agree(any_store, "team")
    assert ledger_state(any_store, standing(tier="pro", minutes=3)) == (["active"], "team")
    assert ledger_state(any_store, standing("expired", tier="pro", minutes=4)) == (["expired"], "team")
    with any_store.reader() as connection:
        noted = [row for row in many(connection, audit_log, "acme", order=("seq",)) if row["action"] == NOTED]
    assert [row["details"]["plan"] for row in noted] == ["pro", "free", "team"]


def test_of_two_subscriptions_the_one_that_goes_on_counts_and_then_what_was_agreed_on(any_store):
    agree(any_store, "pro")
    both = standing(), standing(id="ord_2", ref="I-2", tier="team")
    assert ledger_state(any_store, *both) == (["active", "active"], "team")
    assert ledger_state(any_store, standing("expired", minutes=1, id="ord_2", ref="I-2", tier="team"))[1] == "pro"
    assert ledger_state(any_store, standing("expired", minutes=2))[1] == "pro"


def test_a_second_click_finds_the_order_of_the_first(any_store):
    def order(tier="pro", price=None, now=NOW):
        return write(any_store, lambda revision: ledger.open_order(revision, tier, price), now=now)["id"]

    first = order()
    assert order(now=NOW + timedelta(hours=2, minutes=59)) == first
    later = order(now=NOW + timedelta(hours=3))
    assert len({first, later, order("team"), order("top_up", Price("5.00", "EUR"))}) == 4
    assert order("top_up", Price("5.00", "EUR")) != order("top_up", Price("6.00", "EUR"))


def test_nobody_orders_the_plan_that_is_there(any_store):
    ledger_state(any_store, standing(tier="team"))
    with pytest.raises(Conflict, match="team already"):
        write(any_store, lambda revision: ledger.open_order(revision, "pro", None))


def test_an_order_only_moves_forward(any_store):
    made = write(any_store, lambda revision: ledger.open_order(revision, "top_up", Price("5.00", "EUR")))["id"]
    steps = ("approved", "completed", "approved", "completed", "failed", "refunded", "completed")
    moved = [write(any_store, lambda revision, step=step: ledger.advance(revision, made, step)) for step in steps]
    assert moved == [True, True, False, False, False, True, False]


def test_an_order_is_found_by_the_providers_name_and_by_ours_while_it_has_none(any_store):
    made = write(any_store, lambda revision: ledger.open_order(revision, "pro", None))["id"]
    with any_store.reader() as connection:
        assert order_of(connection, "paypal", "I-1", made)["id"] == made
        assert order_of(connection, "paypal", "I-1", None) is None
    write(any_store, lambda revision: ledger.note_order(revision, made, "I-1"))
    with any_store.reader() as connection:
        assert order_of(connection, "paypal", "I-1", None)["org_id"] == "acme"
        assert order_of(connection, "paypal", "I-2", made) is None
        assert subscription_of(connection, "paypal", "I-1") is None


def test_a_providers_name_belongs_to_one_order_of_one_organization(any_store):
    with any_store.revision("other", "setup", now=NOW, create={"name": "Other"}) as revision:
        revision.record("organization.created")
    for org in ("acme", "other"):
        made = write(any_store, lambda revision: ledger.open_order(revision, "pro", None), org=org)["id"]
        if org == "acme":
            write(any_store, lambda revision, made=made: ledger.note_order(revision, made, "I-1"), org=org)
    with pytest.raises(IntegrityError):
        write(any_store, lambda revision: ledger.note_order(revision, made, "I-1"), org="other")


def test_what_runs_since_before_an_order_is_found(any_store):
    for number, status in enumerate(("active", "past_due", "cancelled", "active")):
        row = {
            "id": f"ord_{number}",
            "tier": "pro",
            "provider": "paypal",
            "created_by": ANN,
            "created_at": NOW + timedelta(minutes=number),
        }
        write(any_store, lambda revision, row=row: (revision.insert(orders, [row]), revision.record("x")))
        ledger_state(any_store, standing(status, id=row["id"], ref=f"I-{number}"))
    with any_store.reader() as connection:
        assert running_before(connection, "acme", "paypal", "ord_3") == ["I-0", "I-1"]
        assert running_before(connection, "acme", "paypal", "ord_0") == []


def test_an_event_is_applied_once_and_not_at_all_when_it_fails(any_store):
    calls = []

    def fails(revision):
        raise Conflict("no")

    with pytest.raises(Conflict):
        once(any_store, "acme", "paypal", "WH-1", "X", fails, now=NOW)
    outcomes = [once(any_store, "acme", "paypal", "WH-1", "X", calls.append, now=NOW) for _ in range(2)]
    assert (outcomes, len(calls)) == (["applied", "repeated"], 1)
    with any_store.reader() as connection:
        assert was_applied(connection, "paypal", "WH-1")
        assert not was_applied(connection, "lemonsqueezy", "WH-1")


def test_an_event_without_effect_is_recorded_once_with_the_platform(any_store):
    outcomes = [ignore(any_store, "paypal", "WH-1", "X", "unknown_kind", now=NOW) for _ in range(2)]
    assert outcomes == ["ignored", "repeated"]
    assert (any_store.head("platform").seq, any_store.verify("platform").ok) == (2, True)
