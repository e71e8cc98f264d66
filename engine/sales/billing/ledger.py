"""Orders and subscriptions as recorded here, and the plan that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.model.errors import Conflict
from engine.model.every_organization import for_every_organization, noted_reason
from engine.model.vocabulary import BillingTier, OrderStatus, PaidPlan, PaymentProvider, Plan, SubscriptionStatus
from engine.sales.billing.tiers import RANK, Price, best_plan, better_plan
from engine.sales.history import differences
from engine.store import Revision, Store
from engine.store.ids import new_id
from engine.store.queries.accounts.organizations import agreed_plan_of, plan_of
from engine.store.queries.sales.billing import with_lapsed
from engine.store.queries.sending.digests import record_run
from engine.store.rows import many, one
from engine.store.schema.commerce import orders, subscriptions
from engine.store.schema.organizations import organizations

REUSE = timedelta(hours=3)  # as long as a provider waits for a buyer's approval, and within its memory of repeats
RUN = "billing:lapse"  # an organization's run, apart from the scheduler's job of that name
_FORWARD: tuple[OrderStatus, ...] = ("created", "approved", "failed", "completed", "refunded")


@dataclass(frozen=True)
class SubscriptionState:
    """A subscription as its provider describes it at the provider's time ``at``; ``id`` is ours."""

    id: str
    provider: PaymentProvider
    ref: str
    tier: PaidPlan
    status: SubscriptionStatus
    at: datetime
    renews_at: datetime | None = None
    refunded: bool = False


def open_order(revision: Revision, tier: BillingTier, price: Price | None) -> Mapping[str, object]:
    """The buyer's order of a tier: one that was begun a moment ago and not yet approved, else a new one.

    Conflict when the organization has that plan or a better one already.
    """
    plan = plan_of(revision.connection, revision.org_id)
    if tier in RANK and RANK[plan] >= RANK[tier]:
        raise Conflict(f"The plan here is {plan} already; {tier} would add nothing.", word="plan_in_force")
    cents, currency = (price.cents, price.currency) if price else (None, None)
    begun = many(
        revision.connection,
        orders,
        revision.org_id,
        tier=tier,
        provider="paypal",
        status="created",
        created_by=revision.actor,
        order=("-created_at",),
        limit=1,
    )
    for row in begun:
        same = (row["amount_cents"], row["currency"]) == (cents, currency)
        if same and timedelta() <= revision.now - row["created_at"] < REUSE:
            return row
    order = {
        "id": new_id("ord"),
        "tier": tier,
        "provider": "paypal",
        "provider_ref": None,
        "status": "created",
        "amount_cents": cents,
        "currency": currency,
        "created_by": revision.actor,
        "created_at": revision.now,
    }
    revision.insert(orders, [order])
    _note(revision, "billing.checkout.started", "order", str(order["id"]), tier=tier)
    return order


def note_order(revision: Revision, order_id: str, provider_ref: str) -> None:
    """Note what the provider calls an order."""
    row = one(revision.connection, orders, revision.org_id, id=order_id)
    if row["provider_ref"] != provider_ref:
        revision.update(orders, {"id": order_id}, {"provider_ref": provider_ref})
        _note(revision, "billing.checkout.offered", "order", order_id, provider_ref=provider_ref)


def advance(revision: Revision, order_id: str, status: OrderStatus) -> bool:
    """Move an order forward; False when it is there or further already."""
    row = one(revision.connection, orders, revision.org_id, id=order_id)
    if _FORWARD.index(status) <= _FORWARD.index(row["status"]):
        return False
    revision.update(orders, {"id": order_id}, {"status": status})
    facts = {"tier": row["tier"], "amount_cents": row["amount_cents"], "currency": row["currency"]}
    _note(revision, f"billing.order.{status}", "order", order_id, **facts)
    return True


def apply(revision: Revision, standing: SubscriptionState) -> bool:
    """Take over what a provider says of a subscription, and the plan with it; False where we know something newer."""
    known = many(revision.connection, subscriptions, revision.org_id)
    old = next((row for row in known if row["id"] == standing.id), None)
    if old is not None and standing.at < old["event_at"]:
        return False
    paid_until = standing.renews_at or (old["renews_at"] if old else None)
    if standing.refunded and standing.status != "active":
        paid_until = None
    ended = standing.status in ("cancelled", "expired")
    row = {
        "id": standing.id,
        "provider": standing.provider,
        "provider_ref": standing.ref,
        "tier": standing.tier,
        "status": standing.status,
        "event_at": standing.at,
        "renews_at": paid_until,
        "cancelled_at": ((old and old["cancelled_at"]) or standing.at) if ended else None,
    }
    before = best_plan(known)
    revision.upsert(subscriptions, [row])
    if old is None or (old["status"], old["tier"]) != (row["status"], row["tier"]):
        _note(
            revision,
            "billing.subscription.changed",
            "subscription",
            standing.id,
            provider=standing.provider,
            tier=standing.tier,
            status=standing.status,
        )
    elif differences(old, row):
        _note(revision, "billing.subscription.confirmed", "subscription", standing.id, status=standing.status)
    _expire(revision)
    _follow(revision, before)
    return True


def lapse(revision: Revision) -> int:
    """End the cancelled subscriptions whose paid time is over; returns how many."""
    before = best_plan(many(revision.connection, subscriptions, revision.org_id))
    ended = _expire(revision)
    _follow(revision, before)
    return ended


def lapse_all(store: Store, *, now: datetime) -> str:
    """``lapse`` wherever it is due; says in a line what was done.

    Problem, in the end, when it failed for any; an organization that it failed for has a run with the reason.
    """
    with store.reader() as connection:
        due = with_lapsed(connection, now)
    went = for_every_organization("billing", due, lambda org_id: lapse_of(store, org_id, now=now))
    for failure in went.failures:
        reason = noted_reason(failure.error)
        record_run(store, failure.org_id, RUN, started_at=now, finished_at=now, outcome="failed", message=reason)
    return went.message(f"{sum(went.results.values())} cancelled subscriptions ended")


def lapse_of(store: Store, org_id: str, *, now: datetime) -> int:
    """``lapse`` in one organization, by the job."""
    return store.write(org_id, "system:billing", lapse, now=now)


def _expire(revision: Revision) -> int:
    over = [
        row
        for row in many(revision.connection, subscriptions, revision.org_id, status="cancelled")
        if row["renews_at"] is not None and row["renews_at"] <= revision.now
    ]
    for row in over:
        revision.update(subscriptions, {"id": row["id"]}, {"status": "expired"})
        _note(revision, "billing.subscription.expired", "subscription", row["id"], tier=row["tier"])
    return len(over)


def _follow(revision: Revision, before: Plan) -> None:
    """Set the better of the plan that the subscriptions give and the one that was agreed on otherwise.

    A plan that neither of them explains was set by hand since: it is what is agreed on from now on.
    """
    after = best_plan(many(revision.connection, subscriptions, revision.org_id))
    plan, agreed = plan_of(revision.connection, revision.org_id), agreed_plan_of(revision.connection, revision.org_id)
    if plan != better_plan(agreed, before):
        agreed = plan
        revision.update(organizations, {}, {"agreed_plan": agreed})
        _note(revision, "billing.plan.agreed", "organization", revision.org_id, plan=agreed)
    due = better_plan(agreed, after)
    if due != plan:
        revision.update(organizations, {}, {"plan": due})
        _note(revision, "billing.plan.changed", "organization", revision.org_id, before=plan, after=due)


def _note(revision: Revision, action: str, kind: str, identifier: str, **details: object) -> None:
    revision.record(action, object_type=kind, object_id=identifier, details=details)
