"""What a subscription gives, and what an amount is."""

import pytest

from engine.model.errors import Unavailable, Usage
from engine.runtime.settings import Settings
from engine.sales.billing.tiers import Price, best_plan, offer, variants
from tests.conftest import NOW


def row(tier, status, renews_at=None):
    return {"tier": tier, "status": status, "renews_at": renews_at}


@pytest.mark.parametrize(
    ("rows", "plan"),
    [
        ([], "free"),
        ([row("pro", "active")], "pro"),
        ([row("pro", "past_due")], "pro"),
        ([row("pro", "cancelled", NOW)], "pro"),
        ([row("pro", "cancelled")], "free"),
        ([row("pro", "paused", NOW)], "free"),
        ([row("team", "expired", NOW)], "free"),
        ([row("pro", "active"), row("team", "active")], "team"),
        ([row("team", "paused"), row("pro", "active")], "pro"),
    ],
)
def test_the_best_plan_that_is_given_counts(rows, plan):
    assert best_plan(rows) == plan


@pytest.mark.parametrize(
    ("value", "currency", "same"),
    [
        ("50.00", "EUR", True),
        ("50.0", "EUR", True),
        ("50", "EUR", True),
        ("50.00", "USD", False),
        ("49.99", "EUR", False),
        (None, "EUR", False),
        ("NaN", "EUR", False),
        ("fifty", "EUR", False),
        ({}, None, False),
    ],
)
def test_amounts_are_compared_as_numbers(value, currency, same):
    assert Price("50.00", "EUR").equals(value, currency) is same


def test_cents_are_exact():
    assert [Price(value, "EUR").cents for value in ("0.29", "1234567.89", "5000")] == [29, 123456789, 500000]


def test_what_is_on_sale_comes_from_the_settings():
    sold = offer(Settings.of({"SVC_PAYPAL_PLANS": "pro=P-1,team=P-2", "SVC_TOP_UP_PRICE": "50.00 EUR"}))
    assert (sold.tier_of("P-2"), sold.tier_of("P-3"), sold.tier_of(None)) == ("team", None, None)
    assert sold.top_up == Price("50.00", "EUR")
    assert variants(Settings.of({"SVC_LEMONSQUEEZY_VARIANTS": "pro=11"})) == {"11": "pro"}


@pytest.mark.parametrize("tier", ["pro", "team", "top_up"])
def test_what_is_not_on_sale_says_which_setting_is_missing(tier):
    with pytest.raises(Unavailable, match="SVC_"):
        offer(Settings()).check(tier)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SVC_PAYPAL_PLANS", "gold=P-1"),
        ("SVC_PAYPAL_PLANS", "pro"),
        ("SVC_TOP_UP_PRICE", "0.00 EUR"),
        ("SVC_TOP_UP_PRICE", "50 euros"),
        ("SVC_TOP_UP_PRICE", "-5.00 EUR"),
        ("SVC_PAYPAL_VERIFY", "trust"),
    ],
)
def test_settings_that_cannot_be_read_are_named(name, value):
    with pytest.raises(Usage, match=name):
        Settings.of({name: value})
