"""What is sold, and the plan that an organization has from its subscriptions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from engine.model.errors import Unavailable
from engine.model.vocabulary import BILLING_TIERS, PAID_PLANS, PLANS, BillingTier, PaidPlan, Plan
from engine.runtime.settings import Settings

TIERS = BILLING_TIERS
RANK: Mapping[str, int] = {plan: rank for rank, plan in enumerate(PLANS)}


@dataclass(frozen=True)
class Price:
    """An amount as payment providers write it: ``50.00`` and ``EUR``."""

    value: str
    currency: str

    @property
    def cents(self) -> int:
        """Hundredths of the currency's unit, whatever the currency."""
        return int(Decimal(self.value) * 100)

    def equals(self, value: object, currency: object) -> bool:
        """Whether a provider names the same amount: ``50.0`` and ``50.00`` are one."""
        try:
            return currency == self.currency and Decimal(str(value)) == Decimal(self.value)
        except InvalidOperation:
            return False


@dataclass(frozen=True)
class Offer:
    """What can be bought at PayPal: its plan for each tier, and the price of a top-up."""

    plans: Mapping[PaidPlan, str]
    top_up: Price | None

    def tier_of(self, plan_id: object) -> PaidPlan | None:
        """The tier of a provider's plan; None for one that we do not sell."""
        return next((tier for tier, sold in self.plans.items() if sold == plan_id), None)

    def top_up_price(self) -> Price:
        """The price of a top-up; Unavailable where none is set."""
        if self.top_up is None:
            raise Unavailable("Top-ups are not sold here; SVC_TOP_UP_PRICE sets a price.", word="tier_not_configured")
        return self.top_up

    def check(self, tier: BillingTier) -> None:
        """Unavailable for a tier that has no plan or price yet."""
        if tier == "top_up":
            self.top_up_price()
        elif tier not in self.plans:
            raise Unavailable(
                f"The tier {tier} is not sold here; SVC_PAYPAL_PLANS names its plan at the payment provider.",
                word="tier_not_configured",
            )


def offer(settings: Settings) -> Offer:
    """What the settings put on sale."""
    price = settings.top_up_price
    return Offer(_by_plan(settings.paypal_plans), Price(*price.split(" ")) if price else None)


def variants(settings: Settings) -> dict[str, PaidPlan]:
    """The tier of each variant at Lemon Squeezy."""
    return {name: tier for tier, name in _by_plan(settings.lemonsqueezy_variants).items()}


def _by_plan(entries: Iterable[str]) -> dict[PaidPlan, str]:
    """The settings have checked that each entry is ``plan=name``."""
    return {
        plan: entry.removeprefix(f"{plan}=") for entry in entries for plan in PAID_PLANS if entry.startswith(f"{plan}=")
    }


def grants(subscription: Mapping[str, object]) -> bool:
    """Whether a subscription gives its plan now.

    A failed payment is chased first; a cancelled subscription runs to the end of what is paid, where that is known.
    """
    status = subscription["status"]
    return status in ("active", "past_due") or (status == "cancelled" and subscription["renews_at"] is not None)


def best_plan(subscriptions: Iterable[Mapping[str, object]]) -> Plan:
    """The best plan that the subscriptions give; ``free`` without any."""
    given = {row["tier"] for row in subscriptions if grants(row)}
    return next((plan for plan in reversed(PLANS) if plan in given), "free")


def better_plan(one: Plan, other: Plan) -> Plan:
    """The one of two plans that is worth more."""
    return max(one, other, key=RANK.__getitem__)
