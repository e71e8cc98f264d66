"""Lemon Squeezy's webhooks. Subscriptions that were sold there go on; nothing is sold there any more.

``meta.custom_data.org_id`` of the checkout says whose a subscription is. Events carry the whole subscription with the
time of its last change, so the order in which they come does not matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated

import msgspec

from engine.model.vocabulary import PaidPlan, PaymentProvider, SubscriptionStatus
from engine.sales.billing import ledger
from engine.sales.billing.events import ignore, once
from engine.sales.billing.instants import instant
from engine.sales.billing.ledger import SubscriptionState
from engine.store import PLATFORM, Revision, Store
from engine.store.queries.sales.billing import subscription_of, was_applied

SOURCE: PaymentProvider = "lemonsqueezy"
_STATES: Mapping[str, SubscriptionStatus] = {
    "on_trial": "active",
    "active": "active",
    "past_due": "past_due",
    "unpaid": "past_due",
    "paused": "paused",
    "cancelled": "cancelled",
    "expired": "expired",
}
Short = Annotated[str, msgspec.Meta(max_length=200)]


class LemonSqueezyMeta(msgspec.Struct):
    """What was sent and for whom."""

    event_name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    custom_data: dict[str, object] | None = None
    test_mode: bool | None = None


class LemonSqueezyObject(msgspec.Struct):
    """The object that an event is about."""

    type: Short
    id: Short | int
    attributes: dict[str, object] = {}


class LemonSqueezyEvent(msgspec.Struct):
    """A webhook's body."""

    meta: LemonSqueezyMeta
    data: LemonSqueezyObject


@dataclass(frozen=True)
class Shop:
    """The tiers by variant, and whether what was bought for a test counts."""

    variants: Mapping[str, PaidPlan]
    test_mode: bool


def handle(store: Store, shop: Shop, event: LemonSqueezyEvent, body: bytes, *, now: datetime) -> str:
    """Apply an event once; says ``applied``, ``repeated`` or ``ignored``. A repeat is known by its body."""
    key, kind = sha256(body).hexdigest(), event.meta.event_name
    with store.reader() as connection:
        if was_applied(connection, SOURCE, key):
            return "repeated"
        known = subscription_of(connection, SOURCE, str(event.data.id))
    tier = shop.variants.get(str(event.data.attributes.get("variant_id")))
    status = _STATES.get(str(event.data.attributes.get("status")))
    org_id = known["org_id"] if known else (event.meta.custom_data or {}).get("org_id")
    at = instant(event.data.attributes.get("updated_at"))
    reason = None
    if event.data.type != "subscriptions":
        reason = "unknown_kind"
    elif event.meta.test_mode and not shop.test_mode:
        reason = "test_mode"
    elif tier is None:
        reason = "unknown_tier"
    elif status is None or at is None:
        reason = "unknown_state"
    elif not isinstance(org_id, str) or org_id == PLATFORM or not store.organization_exists(org_id):
        reason = "not_ours"
    if reason is not None or tier is None or status is None or at is None:
        return ignore(store, SOURCE, key, kind, reason or "unknown_state", now=now)
    ref, end = str(event.data.id), "ends_at" if status == "cancelled" else "renews_at"
    standing = SubscriptionState(f"ls_{ref}", SOURCE, ref, tier, status, at, instant(event.data.attributes.get(end)))
    return once(store, str(org_id), SOURCE, key, kind, lambda revision: _apply(revision, standing), now=now)


def _apply(revision: Revision, standing: SubscriptionState) -> None:
    ledger.apply(revision, standing)
