"""From a tier to the page on which the buyer approves it."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

from engine.model.errors import Unavailable
from engine.model.vocabulary import BillingTier
from engine.runtime.settings import Settings
from engine.sales.billing import ledger
from engine.sales.billing.paypal import Paypal, PaypalAnswer, ProviderFailure, ProviderRefusal, paypal
from engine.sales.billing.paypal_account import account
from engine.sales.billing.tiers import Offer, offer
from engine.store import Store

DESCRIPTION = "Top-up"
APPROVAL = ("approve", "payer-action")


def checkout(
    store: Store, settings: Settings, org_id: str, buyer: str, tier: BillingTier, *, now: datetime
) -> dict[str, str]:
    """Begin a subscription or a top-up: our order, and ``approvalUrl`` for the buyer.

    A repeat within three hours finds what the first call began, whether or not its answer arrived. Unavailable when
    no provider or no such tier is configured, Conflict when the organization has the plan, 502 when the provider fails.
    """
    provider, sold = _provider(settings), offer(settings)
    sold.check(tier)
    price = sold.top_up_price() if tier == "top_up" else None
    order = store.write(org_id, buyer, lambda revision: ledger.open_order(revision, tier, price), now=now)
    order_id = str(order["id"])
    try:
        made = _begin(provider, sold, tier, order_id, _back(settings), now)
    except ProviderRefusal:
        store.write(org_id, buyer, lambda revision: ledger.advance(revision, order_id, "failed"), now=now)
        raise
    ref, url = made.get("id"), approval_url(made)
    if not isinstance(ref, str) or not 0 < len(ref) <= 200 or url is None:
        raise ProviderFailure("The payment provider's answer has no address to approve at; try again later.")
    store.write(org_id, buyer, lambda revision: ledger.note_order(revision, order_id, ref), now=now)
    return {"orderId": order_id, "tier": tier, "approvalUrl": url}


def _provider(settings: Settings) -> Paypal:
    configured = account(settings)
    if configured is None:
        raise Unavailable(
            "No payment provider is configured; SVC_PAYPAL_CLIENT_ID and SVC_PAYPAL_CLIENT_SECRET name the account.",
            word="billing_not_configured",
        )
    return paypal(configured)


def _begin(
    provider: Paypal, sold: Offer, tier: BillingTier, order_id: str, back: tuple[str, str], now: datetime
) -> PaypalAnswer:
    if tier == "top_up":
        price = sold.top_up_price()
        return provider.create_order(price.value, price.currency, order_id, back, DESCRIPTION, now=now)
    return provider.create_subscription(sold.plans[tier], order_id, back, now=now)


def _back(settings: Settings) -> tuple[str, str]:
    """Where the buyer returns to after approving and after giving up."""
    page = settings.billing_return_url or settings.base_url
    return f"{page}?checkout=approved", f"{page}?checkout=cancelled"


def approval_url(made: Mapping[str, object]) -> str | None:
    """The link that the buyer approves at; PayPal calls it either way."""
    links = made.get("links")
    for link in links if isinstance(links, list) else []:
        if isinstance(link, dict) and link.get("rel") in APPROVAL and _sound(link.get("href")):
            return str(link["href"])
    return None


def _sound(href: object) -> bool:
    if not isinstance(href, str) or not href.isascii() or not href.isprintable() or len(href) > 2000:
        return False
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname)
