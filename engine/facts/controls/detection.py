"""Since when a control is in its state: days that records bear, never the day on which somebody asks."""

from datetime import date

import polars as pl

from engine.facts.expressions import SIGNED_DAYS, plus_days

_KEY = ["org_id", "framework", "control_id"]
KINDS = ("operation", "test", "policy", "attestation")


def with_days(frame: pl.DataFrame) -> pl.DataFrame:
    """``detected_on`` of a control that is not effective, and ``state_since``.

    A reason begins on the day after a window ended, on the day of a change, a failure or a contradicting event, or,
    where something was never given or accepted, when the control came into scope (``scope_since``: the day on which
    its framework was adopted, else that of the first record about it). A gap is as old as the earliest reason that
    stands; its state as the earliest of those that make it. Nothing is older than the scope, so that an old event
    dates no gap. Nor is a state older than the last day on which the control was seen in another one: what was wrong
    before made another state, or something else was worse.
    """
    missing = pl.col("kinds_present").list.len() < pl.col("kinds_required").list.len()
    frame = frame.with_columns(
        against_since=pl.min_horizontal("failing_since", "contradicted_since"),
        stale_since=pl.min_horizontal(pl.when(f"{kind}_stale").then(_lapse(kind)) for kind in KINDS),
        absent_since=pl.when(missing).then("scope_since"),
    )
    against, stale, absent = (pl.col(f"{reason}_since") for reason in ("against", "stale", "absent"))
    state = pl.col("state")
    since: pl.Expr = (
        pl.when(state == "ineffective")
        .then(against)
        .when(state == "stale")
        .then(stale)
        .when(state.is_in(["partial", "no_data"]))
        .then(absent)
        .when(state == "not_applicable")
        .then(pl.col("approved_on"))
        .when(pl.col("seen_state") == state)
        .then(pl.col("seen_on"))
    )
    seen = pl.col("seen_state")
    other_on = pl.coalesce(
        pl.when(seen == state).then("other_state_on"), pl.when(seen.is_not_null() & (seen != state)).then("noted_on")
    )
    after = pl.when(other_on < pl.col("as_of")).then(other_on + pl.duration(days=1)).otherwise(other_on)
    since = pl.when(since.is_not_null()).then(pl.max_horizontal(since, after))
    gap = ~state.is_in(["effective", "not_applicable"])
    return frame.with_columns(
        state_since=_clip(since), detected_on=_clip(pl.when(gap).then(pl.min_horizontal(against, stale, absent)))
    )


def _clip(day: pl.Expr) -> pl.Expr:
    return pl.when(day.is_not_null()).then(pl.max_horizontal(day, "scope_since"))


def _lapse(kind: str) -> pl.Expr:
    """The first day on which a kind was past its window, or the day of the change that made it void."""
    last = pl.col("attested_on") if kind == "attestation" else pl.col(kind).struct.field("last_on")
    changed = pl.when(pl.col("changed_on") <= pl.col("as_of"), pl.col("changed_on") > last).then(pl.col("changed_on"))
    if kind == "attestation":
        return pl.min_horizontal("unsigned_since", pl.when("only_signature").then(changed))
    if kind == "policy":
        ended = pl.when("unaccepted").then("scope_since").otherwise(pl.col("policy_due_on") + pl.duration(days=1))
        return _past(ended, pl.when("only_policy").then(changed))
    return _past(last + pl.duration(days=pl.col("cadence_window") + 1), changed)


def _past(ended: pl.Expr, changed: pl.Expr) -> pl.Expr:
    return pl.min_horizontal(pl.when(ended <= pl.col("as_of")).then(ended), changed)


def unsigned_since(attestations: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The day from which a control that was signed once no longer is.

    Its signature lapsed, it was rejected since, or a duty newer than every decision ran out of time.
    """
    signed = (
        attestations.filter(pl.col("status") == "attested").group_by(_KEY).agg(signed_at=pl.col("attested_at").max())
    )
    decided = (
        attestations.filter(pl.col("status").is_in(["attested", "rejected"]))
        .group_by(_KEY)
        .agg(covered_until=pl.col("due_on").max())
    )
    rejected = (pl.col("status") == "rejected") & (pl.col("attested_at") > pl.col("signed_at"))
    late = (pl.col("status") == "overdue") & (pl.col("due_on") > pl.col("covered_until"))
    return (
        attestations.join(signed, on=_KEY)
        .join(decided, on=_KEY)
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(
            lost_on=pl.when(rejected).then("attested_on").when(late).then(plus_days("due_on", pl.lit(1))),
            lapse_on=pl.when(pl.col("attested_at") == pl.col("signed_at")).then(
                plus_days("attested_on", pl.lit(SIGNED_DAYS + 1))
            ),
        )
        .with_columns(lapse_on=pl.when(pl.col("lapse_on") <= pl.col("as_of")).then("lapse_on"))
        .group_by(_KEY)
        .agg(unsigned_since=pl.min_horizontal(pl.col("lost_on").min(), pl.col("lapse_on").min()))
    )


def signature_until(attestations: pl.DataFrame) -> pl.DataFrame:
    """The last day on which the newest signature holds: a year of it, or until a later duty is overdue.

    Null where the newest decision was no signature.
    """
    done = pl.col("status").is_in(["attested", "rejected"])
    newest = pl.col("status").filter(done).sort_by(pl.col("attested_at").filter(done)).last()
    signed_on = pl.col("attested_on").filter(done).sort_by(pl.col("attested_at").filter(done)).last()
    covered = pl.col("due_on").filter(done).max()
    following = pl.col("due_on").filter(~done & (pl.col("due_on") > covered.fill_null(date.min))).min()
    return attestations.group_by(_KEY).agg(
        signature_until=pl.when(newest == "attested").then(
            pl.min_horizontal(signed_on + pl.duration(days=SIGNED_DAYS), following)
        )
    )
