"""PayPal's webhooks: an event says what to look at, PayPal's interface says how it stands.

What an event itself holds is never believed beyond that, so a replayed, invented or late one can only bring the truth.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec

from engine.model.records import OrderRow
from engine.model.vocabulary import OrderStatus, PaymentProvider, SubscriptionStatus
from engine.sales.billing import ledger
from engine.sales.billing.events import ignore, once
from engine.sales.billing.instants import instant
from engine.sales.billing.ledger import SubscriptionState
from engine.sales.billing.paypal import Paypal, PaypalAnswer, ProviderRefusal
from engine.sales.billing.tiers import Offer, Price
from engine.store import Revision, Store
from engine.store.queries.sales.billing import order_of, running_before, was_applied

SOURCE: PaymentProvider = "paypal"
SUBSCRIPTION_EVENTS = tuple(
    f"BILLING.SUBSCRIPTION.{word}"
    for word in (
        "CREATED",
        "ACTIVATED",
        "UPDATED",
        "SUSPENDED",
        "RE-ACTIVATED",
        "CANCELLED",
        "EXPIRED",
        "PAYMENT.FAILED",
    )
)
RETURNED = ("PAYMENT.SALE.REFUNDED", "PAYMENT.SALE.REVERSED")
SALE_EVENTS = ("PAYMENT.SALE.COMPLETED", *RETURNED)
ORDER_EVENTS = ("CHECKOUT.ORDER.APPROVED", "CHECKOUT.ORDER.COMPLETED")
CAPTURE_EVENTS = tuple(
    f"PAYMENT.CAPTURE.{word}" for word in ("COMPLETED", "PENDING", "DENIED", "DECLINED", "REFUNDED", "REVERSED")
)
_STATES: Mapping[str, SubscriptionStatus] = {
    "ACTIVE": "active",
    "SUSPENDED": "paused",
    "CANCELLED": "cancelled",
    "EXPIRED": "expired",
}
_CAPTURES: Mapping[str, OrderStatus] = {
    "COMPLETED": "completed",
    "PENDING": "approved",
    "DECLINED": "failed",
    "FAILED": "failed",
    "REFUNDED": "refunded",
    "PARTIALLY_REFUNDED": "completed",
}
_ORDERS: Mapping[str, OrderStatus] = {"APPROVED": "approved", "COMPLETED": "approved", "VOIDED": "failed"}
_REF = re.compile(r"[A-Za-z0-9-]{3,64}")
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=99)]


class PayPalEvent(msgspec.Struct):
    """A webhook's envelope, as far as it matters here."""

    id: Word
    event_type: Word
    resource: dict[str, object] = {}

    @property
    def key(self) -> str:
        """What a repeat has in common with the first: PayPal's simulator uses an id for several types."""
        return f"{self.id} {self.event_type}"


@dataclass(frozen=True)
class PaypalContext:
    """What an event is handled with."""

    store: Store
    paypal: Paypal
    offer: Offer
    now: datetime


def handle(context: PaypalContext, event: PayPalEvent) -> str:
    """Apply an event once; says ``applied``, ``repeated`` or ``ignored``.

    It raises when PayPal cannot be asked now: nothing is noted then, and PayPal sends the event again.
    """
    with context.store.reader() as connection:
        if was_applied(connection, SOURCE, event.key):
            return "repeated"
    kind, resource = event.event_type, event.resource
    if kind in SUBSCRIPTION_EVENTS:
        return _subscription(context, event, resource.get("id"))
    if kind in SALE_EVENTS:
        return _subscription(context, event, resource.get("billing_agreement_id"))
    if kind in ORDER_EVENTS:
        return _order(context, event, resource.get("id"))
    if kind in CAPTURE_EVENTS:
        return _order(context, event, _inside(resource, "supplementary_data", "related_ids", "order_id"))
    return _ignore(context, event, "unknown_kind")


def _subscription(context: PaypalContext, event: PayPalEvent, ref: object) -> str:
    if not isinstance(ref, str) or not _REF.fullmatch(ref):
        return _ignore(context, event, "names_nothing")
    subscription = context.paypal.subscription(ref, now=context.now)
    order = None if subscription is None else _our_order(context, ref, subscription.get("custom_id"))
    if subscription is None or order is None:
        return _ignore(context, event, "not_ours")
    tier = context.offer.tier_of(subscription.get("plan_id"))
    if tier is None:
        return _ignore(context, event, "unknown_tier")
    status = _STATES.get(str(subscription.get("status")))
    if status == "active" and _count(_inside(subscription, "billing_info", "failed_payments_count")):
        status = "past_due"
    if status == "active":
        _end_earlier(context, order)
    at = instant(subscription.get("update_time")) or instant(subscription.get("status_update_time")) or context.now
    paid_until = instant(_inside(subscription, "billing_info", "next_billing_time"))
    refunded = event.event_type in RETURNED
    reached: OrderStatus = "completed" if status in ("active", "past_due") else "approved"

    def change(revision: Revision) -> None:
        ledger.note_order(revision, order["id"], ref)
        if status in ("active", "past_due") or subscription.get("status") == "APPROVED":
            ledger.advance(revision, order["id"], reached)
        if status is not None:
            ledger.apply(revision, SubscriptionState(order["id"], SOURCE, ref, tier, status, at, paid_until, refunded))

    return _apply(context, event, order["org_id"], change)


def _end_earlier(context: PaypalContext, order: OrderRow) -> None:
    """A buyer of a better plan pays for it alone: what was ordered before it ends at the provider."""
    with context.store.reader() as connection:
        earlier = running_before(connection, order["org_id"], SOURCE, order["id"])
    for ref in earlier:
        context.paypal.cancel(ref, "Replaced by another plan.", now=context.now)


def _order(context: PaypalContext, event: PayPalEvent, ref: object) -> str:
    if not isinstance(ref, str) or not _REF.fullmatch(ref):
        return _ignore(context, event, "names_nothing")
    found = context.paypal.order(ref, now=context.now)
    order = None if found is None else _our_order(context, ref, _inside(found, "purchase_units", 0, "custom_id"))
    if found is None or order is None or order["tier"] != "top_up":
        return _ignore(context, event, "not_ours")
    if not _price(order).equals(*_amount(_inside(found, "purchase_units", 0))):
        return _ignore(context, event, "wrong_amount")
    declined = False
    if found.get("status") == "APPROVED":
        try:
            context.paypal.capture(ref, order["id"], now=context.now)
        except ProviderRefusal:
            declined = True  # unless somebody else captured it: what is read next tells
        found = context.paypal.order(ref, now=context.now) or found
    reached = _order_status(found)
    if declined and reached == "approved":
        reached = "failed"

    def change(revision: Revision) -> None:
        ledger.note_order(revision, order["id"], ref)
        ledger.advance(revision, order["id"], reached)

    return _apply(context, event, order["org_id"], change)


def _order_status(found: PaypalAnswer) -> OrderStatus:
    """How far an order is by PayPal's account of it. Approved is not paid: only a completed capture is."""
    capture = _inside(found, "purchase_units", 0, "payments", "captures", 0)
    status = found.get("status")
    if isinstance(capture, dict):
        return _CAPTURES.get(str(capture.get("status")), "approved")
    return _ORDERS.get(str(status), "created")


def _our_order(context: PaypalContext, ref: str, custom_id: object) -> OrderRow | None:
    with context.store.reader() as connection:
        return order_of(connection, SOURCE, ref, custom_id if isinstance(custom_id, str) else None)


def _price(order: OrderRow) -> Price:
    """What was asked for a top-up."""
    return Price(f"{(order['amount_cents'] or 0) / 100:.2f}", order["currency"] or "")


def _apply(context: PaypalContext, event: PayPalEvent, org_id: str, change: Callable[[Revision], None]) -> str:
    return once(context.store, org_id, SOURCE, event.key, event.event_type, change, now=context.now)


def _ignore(context: PaypalContext, event: PayPalEvent, reason: str) -> str:
    return ignore(context.store, SOURCE, event.key, event.event_type, reason, now=context.now)


def _amount(unit: object) -> tuple[object, object]:
    return _inside(unit, "amount", "value"), _inside(unit, "amount", "currency_code")


def _inside(value: object, *path: str | int) -> object:
    """A member of a member; None where the way does not exist."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value


def _count(value: object) -> int:
    return value if isinstance(value, int) else int(value) if isinstance(value, str) and value.isdecimal() else 0
