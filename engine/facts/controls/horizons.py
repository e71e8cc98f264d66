"""Until when each control stays as good as it is if nothing is done, and whose evidence goes on by itself.

A horizon holds every day that the state of a control (F2) depends on, so its state on any day to come is read off it
without computing facts for that day. What is dated after the day is not counted upon.
"""

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.facts.controls.own_rules import supported_controls
from engine.facts.controls.status import last_by_kind
from engine.facts.expressions import ANNUAL, days_between, local_day, plus_days, shape

_KEY = ["org_id", "framework", "control_id"]
ENDS_SOON = 30  # days
RATE_DAYS = 90  # over which the rate of a source is taken
RECURRING_DAYS = 12  # with evidence, of those: about weekly, or more often
_KIND_OF_ACTION = {"operation": "operation", "incident": "operation", "test": "test"}
_DAY_BEFORE = pl.duration(days=1)


def recurring_actions(audit_days_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Actions that succeeded about weekly or more often of late, and the longest time between two successes, in days.

    The time since the last one counts as well: a source that fell silent is given no rate that it does not have.
    """
    return (
        audit_days_rows.with_columns(day=local_day("last_at", asked))
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter(pl.col("day") > plus_days("as_of", pl.lit(-RATE_DAYS)), pl.col("day") <= pl.col("as_of"))
        .select("org_id", "action", "day", "as_of")
        .unique()
        .sort("org_id", "action", "day")
        .group_by("org_id", "action", maintain_order=True)
        .agg(
            days=pl.len(),
            longest=pl.max_horizontal(
                days_between(pl.col("day"), pl.col("day").shift(1)).max().fill_null(0),
                days_between("as_of", "day").last(),
            ),
        )
        .filter(pl.col("days") >= RECURRING_DAYS)
    )


def control_horizons(
    control_terms: pl.DataFrame,
    control_evidence: pl.DataFrame,
    recurring_actions: pl.DataFrame,
    own_rules: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every assessable control in scope with the last day on which evidence of each kind is good.

    ``<kind>_until`` is null where there is none; ``<kind>_goes_on`` where a source that recurs within the window
    renews it. ``opposed_by`` is what speaks against the control until somebody mends it; ``excluded_on`` the day from
    which it is documented as not applicable.
    """
    opposed = (
        pl.when(pl.col("failing_test").is_not_null())
        .then(pl.lit("failing test"))
        .when(pl.col("contradicted_at").is_not_null())
        .then(pl.lit("contradicting event"))
    )
    frame = (
        control_terms.join(last_by_kind(control_evidence), on=_KEY, how="left")
        .join(_going_on(control_terms, recurring_actions, own_rules), on=_KEY, how="left")
        .with_columns(
            **{f"{kind}_on": pl.col(kind).struct.field("last_on") for kind in ("operation", "test", "policy")},
            **{f"{kind}_recurs": pl.col(f"{kind}_recurs").fill_null(False) for kind in ("operation", "test")},
            excluded_on=pl.when(pl.col("excluded").fill_null(False)).then("approved_on"),
            opposed_by=opposed,
        )
        .with_columns(
            operation_until=_unless_changed("operation_on", plus_days("operation_on", "cadence_window")),
            test_until=_unless_changed("test_on", plus_days("test_on", "cadence_window")),
            attestation_until=_signature_until(),
        )
        .with_columns(policy_until=_policy_until())
        .with_columns(
            **{
                f"{kind}_recurs": pl.col(f"{kind}_recurs")
                & (pl.col(f"{kind}_until") >= pl.col("as_of")).fill_null(False)
                for kind in ("operation", "test")
            }
        )
    )
    return shape("control_horizons", frame).sort("org_id", "framework", "position")


def state_on(day: pl.Expr) -> pl.Expr:
    """The state (F2) of a horizon on a day not before that of the facts, if nothing is done until then."""
    present = {kind: pl.col(f"{kind}_until").is_not_null() for kind in KINDS}
    required = {kind: pl.col("kinds_required").list.contains(kind) for kind in KINDS}
    there = pl.sum_horizontal((required[kind] & present[kind]).cast(pl.Int64) for kind in KINDS)
    stale = pl.any_horizontal(required[kind] & lapsed_on(kind, day) for kind in KINDS)
    return (
        pl.when((pl.col("excluded_on") <= day).fill_null(False))
        .then(pl.lit("not_applicable"))
        .when(pl.col("opposed_by").is_not_null())
        .then(pl.lit("ineffective"))
        .when(there == 0)
        .then(pl.lit("no_data"))
        .when(stale)
        .then(pl.lit("stale"))
        .when(there < pl.col("kinds_required").list.len())
        .then(pl.lit("partial"))
        .otherwise(pl.lit("effective"))
    )


def lapsed_on(kind: str, day: pl.Expr) -> pl.Expr:
    """Whether evidence of a kind that is there is past its last good day."""
    over = (pl.col(f"{kind}_until") < day).fill_null(False)
    return over & ~pl.col(f"{kind}_recurs") if kind in ("operation", "test") else over


def evidence_endings(
    control_assessments: pl.DataFrame, control_horizons: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Applicable controls of which evidence that they need ends within ``ENDS_SOON`` days, both days included."""
    applicable = control_assessments.filter("applicable").select(_KEY)
    until = plus_days("as_of", pl.lit(ENDS_SOON))
    needed = {kind: pl.col("kinds_required").list.contains(kind) for kind in KINDS}
    ends = {kind: pl.when(needed[kind]).then(pl.col(f"{kind}_until")) for kind in KINDS}
    soon = {kind: ends[kind].is_between("as_of", until).fill_null(False) for kind in KINDS}
    by_hand = {kind: soon[kind] & lapsed_on(kind, until + pl.duration(days=1)) for kind in KINDS}
    frame = (
        control_horizons.join(applicable, on=_KEY)
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter(pl.any_horizontal(soon.values()))
        .with_columns(
            ends_on=pl.min_horizontal(pl.when(soon[kind]).then(ends[kind]) for kind in KINDS),
            by_hand_on=pl.min_horizontal(pl.when(by_hand[kind]).then(ends[kind]) for kind in KINDS),
            kinds_ending=pl.concat_list(pl.when(soon[kind]).then(pl.lit(kind)) for kind in KINDS).list.drop_nulls(),
        )
    )
    return shape("evidence_endings", frame).sort("org_id", "framework", "position")


def _unless_changed(captured: str, until: pl.Expr) -> pl.Expr:
    """The day before the control changed after the evidence was captured, if that comes first (F1)."""
    changed = pl.when(pl.col("changed_on") > pl.col(captured)).then(pl.col("changed_on") - _DAY_BEFORE)
    return pl.when(pl.col(captured).is_not_null()).then(pl.min_horizontal(until, changed))


def _policy_until() -> pl.Expr:
    due = pl.coalesce("policy_due_on", plus_days("policy_on", pl.lit(ANNUAL)))
    changed = _unless_changed("policy_on", due)
    beside = pl.any_horizontal(
        pl.col(f"{kind}_required") & pl.col(f"{kind}_until").is_not_null() for kind in KINDS if kind != "policy"
    )
    there = pl.col("policy_on").is_not_null() | (pl.col("unaccepted") & beside)
    return pl.when(there).then(pl.when(pl.col("only_policy") & ~pl.col("unaccepted")).then(changed).otherwise(due))


def _signature_until() -> pl.Expr:
    """Past where the newest decision was no signature; alone, a signature ends with a change as other evidence does."""
    until = pl.coalesce("signature_until", plus_days("as_of", pl.lit(-1)))
    changed = _unless_changed("attested_on", until)
    return pl.when(pl.col("signed_at").is_not_null()).then(pl.when("only_signature").then(changed).otherwise(until))


def _going_on(control_terms: pl.DataFrame, recurring_actions: pl.DataFrame, own_rules: pl.DataFrame) -> pl.DataFrame:
    """Controls whose evidence a recurring action renews within the window of their cadence."""
    within = (
        supported_controls(recurring_actions, own_rules)
        .with_columns(kind=pl.col("kind").replace_strict(_KIND_OF_ACTION, default=None))
        .join(control_terms.select(*_KEY, "cadence_window"), on=_KEY)
        .filter(pl.col("longest") <= pl.col("cadence_window"))
    )
    return within.group_by(_KEY).agg(
        operation_recurs=(pl.col("kind") == "operation").any(), test_recurs=(pl.col("kind") == "test").any()
    )
