"""Proposals are functions of their inputs."""

from datetime import date, timedelta

import pytest

from engine.model.errors import Usage
from engine.render.text.proposal import draft_note, money
from engine.sales.prices import BUILT_IN, Charge, PriceLine, PriceTable, charges, price_table
from engine.sales.proposals import CRITERIA, framework_names, proposal
from tests.conftest import NOW
from tests.sales.factories import lead

AS_OF = date(2026, 11, 20)
PRICES = PriceTable(
    version="1",
    currency="EUR",
    valid_days=30,
    default_weeks=6,
    tax_note="Net.",
    payment_note="Later.",
    lines=(PriceLine("Set-up", "pilot", 10_000), PriceLine("Pack", "framework", 2_000), PriceLine("Week", "week", 300)),
)
KICKOFF = NOW + timedelta(days=11)


def pilot(**fields):
    return {
        "name": "Pilot",
        "owner": "ben@hq.example",
        "scope": None,
        "discovery_at": None,
        "kickoff_at": None,
        "review_at": None,
        **fields,
    }


def facts(prices=PRICES, as_of=AS_OF, **fields):
    return proposal(pilot(**fields), lead("1", name="Ana"), prices, "HQ", as_of)


def test_the_same_inputs_give_the_same_facts_and_any_other_another_hash():
    first = facts()
    assert facts() == first
    others = [
        facts(name="Other"),
        facts(as_of=AS_OF + timedelta(days=1)),
        facts(scope={"goal": "x"}),
        facts(kickoff_at=KICKOFF),
        facts(price_table(None)),
        proposal(pilot(), lead("1", name="Ben"), PRICES, "HQ", AS_OF),
        proposal(pilot(), lead("1", name="Ana"), PRICES, "Other", AS_OF),
    ]
    assert len({one["inputs_sha256"] for one in (first, *others)}) == len(others) + 1


def test_nothing_agreed_is_a_draft_with_our_own_texts():
    one = facts()
    assert (one["status"], one["weeks"], one["success_criteria"], one["frameworks"]) == ("draft", 6, list(CRITERIA), [])
    assert draft_note(one) == (
        "Draft. Still to be agreed: the frameworks in scope, the date of the kickoff and the date of the review."
    )
    assert {step["on"] for step in one["timeline"]} == {None}


def test_the_timeline_follows_the_dates():
    one = facts(scope={"frameworks": ["soc2"]}, kickoff_at=KICKOFF, review_at=KICKOFF + timedelta(days=40))
    assert [(step["step"], step["on"], step["minutes"]) for step in one["timeline"]] == [
        ("discovery", None, 30),
        ("kickoff", "2026-12-01", 60),
        ("first_reports", "2026-12-15", None),
        ("review", "2027-01-10", 60),
        ("decision", "2027-01-17", None),
    ]
    assert (one["weeks"], one["status"], draft_note(one)) == (6, "final", None)
    whole = facts(kickoff_at=KICKOFF, review_at=KICKOFF + timedelta(days=42, hours=4))
    assert whole["weeks"] == 6
    short = facts(kickoff_at=KICKOFF, review_at=KICKOFF + timedelta(days=8))
    assert (short["weeks"], [step["step"] for step in short["timeline"]]) == (
        2,
        ["discovery", "kickoff", "review", "decision"],
    )


def test_the_price_is_counted_from_the_table():
    one = facts(scope={"frameworks": ["soc2", "iso27001"], "weeks": 4})
    assert [(line["title"], line["quantity"], line["cents"]) for line in one["price"]["lines"]] == [
        ("Set-up", 1, 10_000),
        ("Pack", 2, 4_000),
        ("Week", 4, 1_200),
    ]
    assert one["price"]["total_cents"] == 15_200
    assert charges(PRICES, 0, 1) == [Charge("Set-up", "pilot", 1, 10_000, 10_000), Charge("Week", "week", 1, 300, 300)]


def test_money_reads_the_same_everywhere():
    assert [money(cents, "EUR") for cents in (0, 5, 240_000, 123_456_789)] == [
        "EUR 0.00",
        "EUR 0.05",
        "EUR 2,400.00",
        "EUR 1,234,567.89",
    ]


def test_frameworks_are_named_as_people_know_them():
    assert framework_names()["pci-dss"] == "PCI DSS, 4.0.1"


def test_a_price_table_of_ones_own_counts(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(BUILT_IN.read_text().replace("EUR", "USD"))
    assert (price_table(path).currency, price_table(None).currency) == ("USD", "EUR")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('currency = "EUR"', 'currency = "euro"', "currency"),
        ("cents = 240000", "cents = 2400.5", "int"),
        ('per = "week"', 'per = "day"', "day"),
        ("version =", "versions =", "versions"),
        ("[[lines]]", "[[lines]", "Expected"),
    ],
)
def test_a_price_table_that_does_not_hold_is_said(old, new, told, tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(BUILT_IN.read_text().replace(old, new))
    with pytest.raises(Usage, match="SVC_PILOT_PRICES must be a price table") as caught:
        price_table(path)
    assert told in caught.value.message


def test_a_price_table_that_is_not_there_is_said(tmp_path):
    with pytest.raises(Usage, match="No such file"):
        price_table(tmp_path / "none.toml")
