"""Orders and subscriptions as recorded here, and the plan that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engine.model.errors import Conflict
from engine.sales.billing.tiers import RANK, Price, best_plan
from engine.store import Revision, Store
from engine.store.ids import new_id
from engine.store.queries.billing import with_lapsed
from engine.store.queries.organizations import plan_of
from engine.store.rows import many, one
from engine.store.schema.commerce import orders, subscriptions
from engine.store.schema.organizations import organizations

REUSE = timedelta(hours=3)  # as long as a provider waits for a buyer's approval, and within its memory of repeats
_FORWARD = ("created", "approved", "failed", "completed", "refunded")


@dataclass(frozen=True)
class Standing:
    """A subscription as its provider describes it at the provider's time ``at``; ``id`` is ours."""

    id: str
    provider: str
    ref: str
    tier: str
    status: str
    at: datetime
    renews_at: datetime | None = None
    refunded: bool = False


def open_order(revision: Revision, tier: str, price: Price | None) -> Mapping[str, Any]:
    """The buyer's order of a tier: one that was begun a moment ago and not yet approved, else a new one.

    Conflict when the organization has that plan or a better one already.
    """
    plan = plan_of(revision.connection, revision.org_id)
    if tier in RANK and RANK[plan] >= RANK[tier]:
        raise Conflict(f"The plan here is {plan} already; {tier} would add nothing.", word="plan_in_force")
    cents, currency = (price.cents, price.currency) if price else (None, None)
    begun = many(
        revision.connection, orders, revision.org_id, tier=tier, provider="paypal", status="created",
        created_by=revision.actor, order=("-created_at",), limit=1,
    )  # fmt: skip
    for row in begun:
        same = (row["amount_cents"], row["currency"]) == (cents, currency)
        if same and timedelta() <= revision.now - row["created_at"] < REUSE:
            return row
    identifier = new_id("ord")
    made = {
        "id": identifier, "tier": tier, "provider": "paypal", "provider_ref": None, "status": "created",
        "amount_cents": cents, "currency": currency, "created_by": revision.actor, "created_at": revision.now,
    }  # fmt: skip
    revision.insert(orders, [made])
    _note(revision, "billing.checkout.started", "order", identifier, tier=tier)
    return made


def note_order(revision: Revision, order_id: str, provider_ref: str) -> None:
    """Note what the provider calls an order."""
    row = one(revision.connection, orders, revision.org_id, id=order_id)
    if row["provider_ref"] != provider_ref:
        revision.update(orders, {"id": order_id}, {"provider_ref": provider_ref})
        _note(revision, "billing.checkout.offered", "order", order_id, provider_ref=provider_ref)


def advance(revision: Revision, order_id: str, status: str) -> bool:
    """Move an order forward; False when it is there or further already."""
    row = one(revision.connection, orders, revision.org_id, id=order_id)
    if _FORWARD.index(status) <= _FORWARD.index(row["status"]):
        return False
    revision.update(orders, {"id": order_id}, {"status": status})
    facts = {"tier": row["tier"], "amount_cents": row["amount_cents"], "currency": row["currency"]}
    _note(revision, f"billing.order.{status}", "order", order_id, **facts)
    return True


def apply(revision: Revision, standing: Standing) -> bool:
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
        "id": standing.id, "provider": standing.provider, "provider_ref": standing.ref, "tier": standing.tier,
        "status": standing.status, "event_at": standing.at, "renews_at": paid_until,
        "cancelled_at": ((old and old["cancelled_at"]) or standing.at) if ended else None,
    }  # fmt: skip
    before = best_plan(known)
    revision.upsert(subscriptions, [row])
    if old is None or (old["status"], old["tier"]) != (row["status"], row["tier"]):
        _note(revision, "billing.subscription.changed", "subscription", standing.id, provider=standing.provider,
              tier=standing.tier, status=standing.status)  # fmt: skip
    elif {**old, **row} != old:
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
    """``lapse`` wherever it is due; says in a line what was done."""
    with store.reader() as connection:
        due = with_lapsed(connection, now)
    ended = sum(store.write(org_id, "system:billing", lapse, now=now) for org_id in due)
    return f"{ended} cancelled subscriptions ended"


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


def _follow(revision: Revision, before: str) -> None:
    """Set the plan that the subscriptions give. A plan that was agreed on otherwise is never lowered."""
    after = best_plan(many(revision.connection, subscriptions, revision.org_id))
    plan = plan_of(revision.connection, revision.org_id)
    if after != plan and (plan == before or RANK[after] > RANK[plan]):
        revision.update(organizations, {}, {"plan": after})
        _note(revision, "billing.plan.changed", "organization", revision.org_id, before=plan, after=after)


def _note(revision: Revision, action: str, kind: str, identifier: str, **details: Any) -> None:
    revision.record(action, object_type=kind, object_id=identifier, details=details)
