"""An organization's own rules: exact before longer before shorter, its own before those of the catalogue."""

import polars as pl
import pytest

from engine.facts.controls.own_rules import own_rules
from engine.model.figures.figure import OWN_RULE
from tests.factories import ORG

SOC2 = {"organization_frameworks": [{"framework": "soc2"}]}
CONTROLS = [{"framework": "soc2", "control_id": "CC6.1", "evidence_kinds": ["operation"], "cadence": "monthly"}]


def rule(pattern, effect="supports", outcome="any", **more):
    return {
        "pattern": pattern,
        "outcome": outcome,
        "framework": "soc2",
        "control_id": "CC6.1",
        "effect": effect,
        **more,
    }


def at(day):
    return f"2026-11-{day:02d}T09:00:00"


def state(facts_with, rules, *events):
    facts = facts_with(**SOC2, organization_rules=rules, events=events, controls=CONTROLS)
    row = facts["control_status"].filter(control_id="CC6.1").row(0, named=True)
    return row["state"], row[OWN_RULE]


def test_an_action_that_nobody_knows_counts_by_a_rule(facts_with):
    event = ("acme.door.locked", at(10))
    assert state(facts_with, [], event) == ("no_data", None)
    assert state(facts_with, [rule("acme.door.locked")], event) == (
        "effective",
        "acme.door.locked (any) supports soc2:CC6.1",
    )


def test_a_contradiction_lasts_until_a_supporting_event_of_the_family(facts_with):
    rules = [rule("acme.door.*", family="door"), rule("acme.door.open", "contradicts", family="door")]
    locked, opened = ("acme.door.locked", at(10)), ("acme.door.open", at(11))
    assert state(facts_with, rules, locked, opened) == ("ineffective", "acme.door.open (any) contradicts soc2:CC6.1")
    assert state(facts_with, rules, locked, opened, ("acme.door.locked", at(12)))[0] == "effective"
    other = [rule("acme.door.*", family="walls"), rules[1]]
    assert state(facts_with, other, locked, opened, ("acme.door.locked", at(12)))[0] == "ineffective"


def test_the_first_day_of_a_contradiction_is_told(facts_with):
    rules = [rule("acme.door.open", "contradicts", "failure")]
    events = [("acme.door.open", at(day), {"outcome": outcome}) for day, outcome in ((8, "success"), (10, "failure"))]
    facts = facts_with(**SOC2, organization_rules=rules, events=events, controls=CONTROLS)
    (row,) = facts["control_evidence"].filter(control_id="CC6.1").iter_rows(named=True)
    assert (str(row["contradicted_since"]), row["contradicted_rule"]) == (
        "2026-11-10",
        "acme.door.open (failure) contradicts soc2:CC6.1",
    )


def test_what_supports_contradicts_when_it_failed_and_what_records_does_not(facts_with):
    failed = ("acme.door.locked", at(10), {"outcome": "failure"})
    assert state(facts_with, [rule("acme.door.locked")], failed)[0] == "ineffective"
    assert state(facts_with, [rule("acme.door.locked", "records")], failed)[0] == "effective"
    assert state(facts_with, [rule("acme.door.locked", "supports", "failure")], failed)[0] == "effective"


def test_an_own_rule_comes_before_the_catalogue(facts_with):
    granted = ("access.granted", at(10))
    assert state(facts_with, [], granted)[0] == "effective"
    assert state(facts_with, [rule("access.granted", "contradicts")], granted)[0] == "ineffective"
    assert state(facts_with, [rule("access.granted", "contradicts", "denied")], granted) == ("effective", None)


@pytest.mark.parametrize(
    ("patterns", "applied"),
    [
        (("acme.*", "acme.door.*", "acme.door.locked"), "acme.door.locked"),
        (("acme.*", "acme.door.*", "acme.door.lock"), "acme.door.*"),
        (("acme.*", "acme.wall.*"), "acme.*"),
    ],
)
def test_exact_comes_before_longer_before_shorter(patterns, applied):
    rules = pl.DataFrame([{"org_id": ORG, "family": None, **rule(pattern)} for pattern in patterns])
    counts = pl.DataFrame([{"org_id": ORG, "action": "acme.door.locked", "outcome": "success"}])
    (found,) = own_rules(rules, counts).iter_rows(named=True)
    assert found["own_rule"].split()[0] == applied


def test_a_rule_makes_evidence_recur_and_dates_a_criterion(facts_with):
    events = [
        ("acme.door.locked", f"2026-{month:02d}-{day:02d}T09:00:00") for month in (9, 10) for day in range(1, 29, 2)
    ]
    events += [("acme.door.locked", at(day)) for day in range(1, 20, 2)]
    facts = facts_with(**SOC2, organization_rules=[rule("acme.door.*")], events=events, controls=CONTROLS)
    assert facts["control_horizons"].filter(control_id="CC6.1")["operation_recurs"].to_list() == [True]
    days = facts["criteria_days"].filter(control_id="CC6.1")["happened_on"]
    assert (days.len(), str(days.max())) == (38, "2026-11-19")
    over = [rule("acme.door.*", "contradicts")]
    facts = facts_with(**SOC2, organization_rules=over, events=events, controls=CONTROLS)
    assert facts["criteria_days"].is_empty()
