"""Checkout, and what the payment providers tell afterwards."""

import msgspec

from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest, Unavailable
from engine.model.vocabulary import BillingTier
from engine.sales.billing import lemonsqueezy, paypal_events
from engine.sales.billing.checkout import checkout
from engine.sales.billing.paypal import paypal
from engine.sales.billing.paypal_account import account
from engine.sales.billing.tiers import TIERS, offer, variants
from engine.web.http import Request, Response, answer

TIER = Parameter("tier", None, "what is bought", choices=TIERS)


class Purchase(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/billing/checkout."""

    tier: str


def start_checkout(request: Request) -> Response:
    """GET /api/billing/checkout: redirects to the page where the buyer approves."""
    tier = request.options["tier"]
    if tier is None:
        raise BadRequest(
            f"The parameter tier is missing; it must be {TIER.expectation}.",
            word="invalid_parameter",
            details=[{"parameter": "tier", "expected": TIER.expectation, "got": "nothing"}],
        )
    return Response(status=303, headers={"Location": _begin(request, tier)["approvalUrl"]})


def create_checkout(request: Request, purchase: Purchase) -> Response:
    """POST /api/billing/checkout: begins a checkout, for clients that open the page themselves."""
    tier = purchase.tier
    if tier not in TIERS:
        raise BadRequest(
            f"The tier must be {TIER.expectation}; got {tier[:80]!r}.",
            word="invalid_body",
            details=[{"field": "tier", "expected": TIER.expectation, "got": tier[:80]}],
        )
    return answer(_begin(request, tier), status=201)


def paypal_webhook(request: Request, event: paypal_events.PayPalEvent) -> Response:
    """POST /api/webhooks/paypal: takes what PayPal signed, kinds without effect included."""
    settings, services = request.services.settings, request.services
    configured = account(settings)
    if configured is None:
        raise Unavailable("No payment provider is configured.", word="billing_not_configured")
    desk = paypal_events.PaypalContext(services.store, paypal(configured), offer(settings), request.now)
    return answer({"outcome": paypal_events.handle(desk, event)})


def lemonsqueezy_webhook(request: Request, event: lemonsqueezy.LemonSqueezyEvent) -> Response:
    """POST /api/webhooks/lemonsqueezy: takes what Lemon Squeezy signed, kinds without effect included."""
    settings = request.services.settings
    shop = lemonsqueezy.Shop(variants(settings), settings.lemonsqueezy_test_mode)
    outcome = lemonsqueezy.handle(request.services.store, shop, event, request.body, now=request.now)
    return answer({"outcome": outcome})


def _begin(request: Request, tier: BillingTier) -> dict[str, str]:
    caller, services = request.caller, request.services
    return checkout(services.store, services.settings, caller.org_id, caller.actor, tier, now=request.now)
