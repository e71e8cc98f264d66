"""PayPal's webhooks: an event says what to look at, PayPal's interface says how it stands.

What an event itself holds is never believed beyond that, so a replayed, invented or late one can only bring the truth.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from engine.sales.billing import ledger
from engine.sales.billing.events import ignore, once
from engine.sales.billing.ledger import Standing
from engine.sales.billing.paypal import Paypal, ProviderRefusal
from engine.sales.billing.tiers import Offer, Price
from engine.store import Revision, Store
from engine.store.queries.billing import order_of, running_before, was_seen
from engine.store.schema.records import OrderRow

SOURCE = "paypal"
SUBSCRIPTION_EVENTS = tuple(
    f"BILLING.SUBSCRIPTION.{word}"
    for word in ("CREATED", "ACTIVATED", "UPDATED", "SUSPENDED", "RE-ACTIVATED", "CANCELLED", "EXPIRED",
                 "PAYMENT.FAILED")
)  # fmt: skip
RETURNED = ("PAYMENT.SALE.REFUNDED", "PAYMENT.SALE.REVERSED")
SALE_EVENTS = ("PAYMENT.SALE.COMPLETED", *RETURNED)
ORDER_EVENTS = ("CHECKOUT.ORDER.APPROVED", "CHECKOUT.ORDER.COMPLETED")
CAPTURE_EVENTS = tuple(
    f"PAYMENT.CAPTURE.{word}" for word in ("COMPLETED", "PENDING", "DENIED", "DECLINED", "REFUNDED", "REVERSED")
)
_STATES = {"ACTIVE": "active", "SUSPENDED": "paused", "CANCELLED": "cancelled", "EXPIRED": "expired"}
_CAPTURES = {
    "COMPLETED": "completed", "PENDING": "approved", "DECLINED": "failed", "FAILED": "failed",
    "REFUNDED": "refunded", "PARTIALLY_REFUNDED": "completed",
}  # fmt: skip
_REF = re.compile(r"[A-Za-z0-9-]{3,64}")
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=99)]


class PayPalEvent(msgspec.Struct):
    """A webhook's envelope, as far as it matters here."""

    id: Word
    event_type: Word
    resource: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """What a repeat has in common with the first: PayPal's simulator uses an id for several types."""
        return f"{self.id} {self.event_type}"


@dataclass(frozen=True)
class Desk:
    """What an event is handled with."""

    store: Store
    paypal: Paypal
    offer: Offer
    now: datetime


def handle(desk: Desk, event: PayPalEvent) -> str:
    """Apply an event once; says ``applied``, ``repeated`` or ``ignored``.

    It raises when PayPal cannot be asked now: nothing is noted then, and PayPal sends the event again.
    """
    with desk.store.reader() as connection:
        if was_seen(connection, SOURCE, event.key):
            return "repeated"
    kind, resource = event.event_type, event.resource
    if kind in SUBSCRIPTION_EVENTS:
        return _subscription(desk, event, resource.get("id"))
    if kind in SALE_EVENTS:
        return _subscription(desk, event, resource.get("billing_agreement_id"))
    if kind in ORDER_EVENTS:
        return _order(desk, event, resource.get("id"))
    if kind in CAPTURE_EVENTS:
        return _order(desk, event, _inside(resource, "supplementary_data", "related_ids", "order_id"))
    return _ignored(desk, event, "unknown_kind")


def _subscription(desk: Desk, event: PayPalEvent, ref: object) -> str:
    if not isinstance(ref, str) or not _REF.fullmatch(ref):
        return _ignored(desk, event, "names_nothing")
    found = desk.paypal.subscription(ref, now=desk.now)
    order = None if found is None else _our_order(desk, ref, found.get("custom_id"))
    if found is None or order is None:
        return _ignored(desk, event, "not_ours")
    tier = desk.offer.tier_of(found.get("plan_id"))
    if tier is None:
        return _ignored(desk, event, "unknown_tier")
    status = _STATES.get(str(found.get("status")))
    billing = found.get("billing_info")
    billing = billing if isinstance(billing, dict) else {}
    if status == "active" and _count(billing.get("failed_payments_count")):
        status = "past_due"
    if status == "active":
        _end_earlier(desk, order)
    at = _instant(found.get("update_time")) or _instant(found.get("status_update_time")) or desk.now
    standing = None if status is None else Standing(
        order["id"], SOURCE, ref, tier, status, at, _instant(billing.get("next_billing_time")),
        refunded=event.event_type in RETURNED,
    )  # fmt: skip
    reached = "completed" if status in ("active", "past_due") else "approved"

    def change(revision: Revision) -> None:
        ledger.note_order(revision, order["id"], ref)
        if status in ("active", "past_due") or found.get("status") == "APPROVED":
            ledger.advance(revision, order["id"], reached)
        if standing is not None:
            ledger.apply(revision, standing)

    return _applied(desk, event, order["org_id"], change)


def _end_earlier(desk: Desk, order: OrderRow) -> None:
    """A buyer of a better plan pays for it alone: what was ordered before it ends at the provider."""
    with desk.store.reader() as connection:
        earlier = running_before(connection, order["org_id"], SOURCE, order["id"])
    for ref in earlier:
        desk.paypal.cancel(ref, "Replaced by another plan.", now=desk.now)


def _order(desk: Desk, event: PayPalEvent, ref: object) -> str:
    if not isinstance(ref, str) or not _REF.fullmatch(ref):
        return _ignored(desk, event, "names_nothing")
    found = desk.paypal.order(ref, now=desk.now)
    order = None if found is None else _our_order(desk, ref, _inside(found, "purchase_units", 0, "custom_id"))
    if found is None or order is None or order["tier"] != "top_up":
        return _ignored(desk, event, "not_ours")
    if not _asked(order).equals(*_amount(_inside(found, "purchase_units", 0))):
        return _ignored(desk, event, "wrong_amount")
    declined = False
    if found.get("status") == "APPROVED":
        try:
            desk.paypal.capture(ref, order["id"], now=desk.now)
        except ProviderRefusal:
            declined = True  # unless somebody else captured it: what is read next tells
        found = desk.paypal.order(ref, now=desk.now) or found
    reached = _reached(found)
    if declined and reached == "approved":
        reached = "failed"

    def change(revision: Revision) -> None:
        ledger.note_order(revision, order["id"], ref)
        ledger.advance(revision, order["id"], reached)

    return _applied(desk, event, order["org_id"], change)


def _reached(found: dict[str, Any]) -> str:
    """How far an order is by PayPal's account of it. Approved is not paid: only a completed capture is."""
    capture = _inside(found, "purchase_units", 0, "payments", "captures", 0)
    status = found.get("status")
    if isinstance(capture, dict):
        return _CAPTURES.get(str(capture.get("status")), "approved")
    return {"APPROVED": "approved", "COMPLETED": "approved", "VOIDED": "failed"}.get(str(status), "created")


def _our_order(desk: Desk, ref: str, custom_id: object) -> OrderRow | None:
    with desk.store.reader() as connection:
        return order_of(connection, SOURCE, ref, custom_id if isinstance(custom_id, str) else None)


def _applied(desk: Desk, event: PayPalEvent, org_id: str, change: Any) -> str:
    return once(desk.store, org_id, SOURCE, event.key, event.event_type, change, now=desk.now)


def _ignored(desk: Desk, event: PayPalEvent, reason: str) -> str:
    return ignore(desk.store, SOURCE, event.key, event.event_type, reason, now=desk.now)


def _asked(order: OrderRow) -> Price:
    return Price(f"{(order['amount_cents'] or 0) / 100:.2f}", order["currency"] or "")


def _amount(unit: Any) -> tuple[object, object]:
    return _inside(unit, "amount", "value"), _inside(unit, "amount", "currency_code")


def _inside(value: Any, *path: str | int) -> Any:
    """A member of a member; None where the way does not exist."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value


def _count(value: object) -> int:
    return value if isinstance(value, int) else int(value) if isinstance(value, str) and value.isdecimal() else 0


def _instant(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return at.astimezone(UTC) if at is not None and at.tzinfo else None
    except (ValueError, OverflowError):
        return None
