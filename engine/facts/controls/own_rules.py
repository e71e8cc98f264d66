"""An organization's own rules: what its events say of controls, before what the catalogue says of the same."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.columns import EVIDENCE_ACTIONS
from engine.catalogue.patterns import fits
from engine.facts.expressions import SUPPORTING

_KEY = ["org_id", "framework", "control_id"]
NUMBERS = ("events", "events_before", "events_ever", "events_future")
RULE = (*_KEY, "action", "outcome", "effect", "family", "kind", "own_rule")


def outcome_counts(audit_action_counts_rows: pl.DataFrame) -> pl.DataFrame:
    """Events of each action and outcome, as ``audit_by_action`` has them of each action."""
    past = pl.col("period") != "future"
    periods = {"events": "now", "events_before": "before", "events_future": "future"}
    return (
        audit_action_counts_rows.sort("last_at", "last_seq")
        .group_by("org_id", "action", "outcome")
        .agg(
            **{name: pl.col("events").filter(pl.col("period") == period).sum() for name, period in periods.items()},
            events_ever=pl.col("events").filter(past).sum(),
            last_at=pl.col("last_at").filter(past).last(),
            last_seq=pl.col("last_seq").filter(past).last(),
        )
        .sort("org_id", "action", "outcome")
    )


def recorded_outcomes(outcome_counts: pl.DataFrame) -> pl.DataFrame:
    """The outcomes that actions on record had, however often."""
    return outcome_counts.select("org_id", "action", "outcome")


def own_rules(organization_rules_rows: pl.DataFrame, recorded_outcomes: pl.DataFrame) -> pl.DataFrame:
    """For each action, outcome and control that an own rule is about, the one that applies, with what it says.

    An exact pattern comes before a longer beginning, that before a shorter one, and a rule for the outcome before one
    for any. Of any outcome, what supports a control contradicts it where the outcome is not success.
    """
    known = {row["action"]: row for row in catalogue().actions.iter_rows(named=True)}
    rules = {key[0]: frame.to_dicts() for key, frame in organization_rules_rows.group_by("org_id")}
    there = recorded_outcomes
    if rules:
        there = there.filter(pl.col("org_id").is_in(list(rules)))
    rows = list(_apply(rules, there, known)) if rules else []
    schema = dict.fromkeys(RULE, pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row").sort(*_KEY, "action", "outcome")


def _apply(
    rules: Mapping[object, list[dict[str, Any]]], there: pl.DataFrame, known: Mapping[str, dict[str, Any]]
) -> Iterator[tuple[str, ...]]:
    for org_id, action, outcome in there.iter_rows():
        closest = closest_rules(rules[org_id], action, outcome)
        usual = known.get(action, {})
        kind = usual.get("kind")
        for (framework, control), rule in closest.items():
            yield (
                *(org_id, framework, control, action, outcome, effect_of(rule, outcome)),
                rule["family"] or usual.get("family") or action,
                kind if kind in EVIDENCE_ACTIONS else "operation",  # bookkeeping, too, where a rule says so
                f"{rule['pattern']} ({rule['outcome']}) {rule['effect']} {framework}:{control}",
            )


Rule = TypeVar("Rule", bound=Mapping[str, Any])


def closest_rules(rules: Iterable[Rule], action: str, outcome: str) -> dict[tuple[str, str], Rule]:
    """Of rules of one organization those that apply to an event, by framework and control."""
    fitting = (rule for rule in rules if fits(rule["pattern"], action) and rule["outcome"] in ("any", outcome))
    return {(rule["framework"], rule["control_id"]): rule for rule in sorted(fitting, key=_closeness)}


def _closeness(rule: Mapping[str, Any]) -> tuple[bool, int, bool]:
    return not rule["pattern"].endswith("*"), len(rule["pattern"]), rule["outcome"] != "any"


def effect_of(rule: Mapping[str, Any], outcome: str) -> str:
    """Whether an event of that outcome supports or contradicts by a rule."""
    if rule["effect"] == "records":
        return "supports"
    if rule["effect"] == "supports" and rule["outcome"] == "any" and outcome != "success":
        return "contradicts"
    return str(rule["effect"])


def usual_events(mapped: pl.DataFrame, own_rules: pl.DataFrame, outcome_counts: pl.DataFrame) -> pl.DataFrame:
    """``mapped`` without the controls of an action that an own rule is about, and these by the outcomes that it is not
    about."""
    pair = ["org_id", "action", "framework", "control_id"]
    if own_rules.is_empty():
        return mapped
    known = catalogue()
    recording = known.actions.filter(pl.col("effect") == "records")["action"]
    rest = (
        outcome_counts.join(known.action_controls, on="action")
        .join(own_rules, on=pair, how="semi")
        .join(own_rules, on=[*pair, "outcome"], how="anti")
        .filter(pl.col("last_seq").is_not_null() | (pl.col("events_future") > 0))
        .with_columns(good=(pl.col("outcome") == "success") | pl.col("action").is_in(recording.implode()))
    )
    return pl.concat([mapped.join(own_rules, on=pair, how="anti"), rest.select(mapped.columns)], how="vertical_relaxed")


def usual_names(named: pl.DataFrame, own_rules: pl.DataFrame) -> pl.DataFrame:
    """Events that name a control themselves, without those that own rules are about: what they say comes first."""
    if own_rules.is_empty():
        return named
    pair = ["org_id", "action", "framework", "control_id"]
    covered = own_rules.group_by(pair).agg(
        good=(pl.col("outcome") == "success").any(), bad=(pl.col("outcome") != "success").any()
    )
    halves = pl.concat(
        [
            covered.filter("good").select(*pair, good=pl.lit(True)),
            covered.filter("bad").select(*pair, good=pl.lit(False)),
        ]
    )
    return named.join(halves, on=[*pair, "good"], how="anti")


def own_events(own_rules: pl.DataFrame, outcome_counts: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Events that own rules are about, as ``tagged_events`` has them."""
    return (
        own_rules.join(outcome_counts, on=["org_id", "action", "outcome"])
        .join(wanted, on=_KEY, how="semi")
        .filter(pl.col("last_seq").is_not_null() | (pl.col("events_future") > 0))
        .sort("last_at", "last_seq")
        .group_by(*_KEY, "action", "kind", "effect", "family", maintain_order=True)
        .agg(
            pl.col(NUMBERS).sum(),
            at=pl.col("last_at").last(),
            seq=pl.col("last_seq").last(),
            own_rule=pl.col("own_rule").last(),
        )
    )


def supported_controls(frame: pl.DataFrame, own_rules: pl.DataFrame) -> pl.DataFrame:
    """Rows of actions (``org_id``, ``action``) with the controls that a success of the action supports, and the kind of
    evidence that it is."""
    known = catalogue()
    supporting = known.actions.filter(pl.col("effect").is_in(SUPPORTING)).select("action", "kind")
    usual = frame.join(known.action_controls, on="action").join(supporting, on="action")
    if own_rules.is_empty():
        return usual
    pair = ["org_id", "action", "framework", "control_id"]
    own = own_rules.filter(pl.col("effect") == "supports", pl.col("outcome") == "success").select(*pair, "kind")
    ruled = frame.join(own, on=["org_id", "action"])
    return pl.concat([usual.join(own_rules, on=pair, how="anti"), ruled.select(usual.columns)])
