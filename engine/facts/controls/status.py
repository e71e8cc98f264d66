"""The state of every control: evidence, freshness, scope, ownership, tests (F1, F2)."""

import polars as pl

from engine.facts.approvals import with_approval
from engine.facts.controls.detection import KINDS, signature_until, unsigned_since, with_days
from engine.facts.controls.tests_of_controls import state_of_tests
from engine.facts.expressions import (
    ANNUAL,
    SIGNED_DAYS,
    days_between,
    evidence_note,
    freshness,
    has_happened,
    plus_days,
    shape,
    window_of,
)

_KEY = ["org_id", "framework", "control_id"]
# an evidence item documents operation just as an audit event does
_KIND_OF_SOURCE = {"operation": "operation", "item": "operation", "test": "test", "policy": "policy"}
# the kind by whose evidence a control is fresh or not: the first of these that it needs, else its signature
GOVERNING = ("operation", "test", "policy")
_SOURCES = (*_KIND_OF_SOURCE, "attestation")


def control_terms(
    controls: pl.DataFrame,
    control_profiles_rows: pl.DataFrame,
    attestations: pl.DataFrame,
    policy_terms: pl.DataFrame,
    control_tests: pl.DataFrame,
    control_owners_rows: pl.DataFrame,
    users_rows: pl.DataFrame,
    approvers: pl.DataFrame,
    exceptions: pl.DataFrame,
    control_state_changes_rows: pl.DataFrame,
    leverage: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every assessable control in scope with all that its state follows from but evidence: no event moves it."""
    frame = (
        controls.filter("assessable")
        .rename({"evidence_kinds": "kinds_required"})
        .join(asked.select("org_id", "as_of", "period_start"), on="org_id")
        .join(_scope(control_profiles_rows, approvers), on=_KEY, how="left")
        .join(_attestation_state(attestations), on=_KEY, how="left")
        .join(policy_terms, on=_KEY, how="left")
        .join(state_of_tests(control_tests), on=_KEY, how="left")
        .join(_owners(control_owners_rows, users_rows), on=_KEY, how="left")
        .join(_exceptions(exceptions), on=_KEY, how="left")
        .join(leverage, on=_KEY, how="left")
        .join(unsigned_since(attestations, asked), on=_KEY, how="left")
        .join(signature_until(attestations), on=_KEY, how="left")
        .with_columns(
            pl.col("attested", "ownership_complete", "unaccepted").fill_null(False),
            pl.col("tests_passed", "tests_performed").fill_null(0),
            pl.col("leverage").fill_null(1),
        )
        .with_columns(
            applicable=~(pl.col("excluded").fill_null(False) & has_happened("approved_on")),
            cadence_window=window_of("cadence"),
            **{f"{kind}_required": pl.col("kinds_required").list.contains(kind) for kind in KINDS},
        )
        .with_columns(only_policy=~(pl.col("operation_required") | pl.col("test_required")))
        .with_columns(only_signature=pl.col("only_policy") & ~pl.col("policy_required"))
    )
    return _history(frame, control_state_changes_rows, asked).sort("org_id", "framework", "position")


def control_assessments(
    control_terms: pl.DataFrame,
    control_evidence: pl.DataFrame,
    tagged_events: pl.DataFrame,
    evidence_items_rows: pl.DataFrame,
    known_since: pl.DataFrame,
    organization_frameworks_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every assessable control in scope: ``control_status``, and what each event of it moves."""
    frame = (
        control_terms.join(last_by_kind(control_evidence), on=_KEY, how="left")
        .join(_future(tagged_events, evidence_items_rows, asked), on=_KEY, how="left")
        .join(known_since, on=["org_id", "framework"], how="left")
        .join(
            organization_frameworks_rows.select("org_id", "framework", "adopted_on"),
            on=["org_id", "framework"],
            how="left",
        )
        .with_columns(scope_since=pl.coalesce(pl.when(has_happened("adopted_on")).then("adopted_on"), "known_since"))
        .with_columns(pl.col("future_dated").fill_null(False), pl.col("events").fill_null(0))
        .with_columns(active=pl.col("events") > 0)
    )
    frame = with_days(_state(_other_evidence(_freshness(frame))))
    return shape("control_assessments", frame).sort("org_id", "framework", "position")


def control_status(control_assessments: pl.DataFrame) -> pl.DataFrame:
    """Every assessable control in scope with its state: the same after an event that leaves it fresh as it was."""
    return shape("control_status", control_assessments)


def _scope(profiles: pl.DataFrame, approvers: pl.DataFrame) -> pl.DataFrame:
    """Scope by the organization's word: not applicable only with justification, approver and date (R3)."""
    documented = (pl.col("justification").fill_null("").str.strip_chars() != "") & pl.col("approved")
    # an approval of a day to come holds from that day on, which a horizon looks at
    dated = profiles.with_columns(as_of="approved_on")
    return with_approval(dated, approvers, "approved_by", "approved_on").select(
        *_KEY, "justification", "approved_by", "approved_on", "changed_on", excluded=~pl.col("applicable") & documented
    )


def last_by_kind(evidence: pl.DataFrame) -> pl.DataFrame:
    """One row for each control: counts, and the newest evidence of each mandatory kind."""
    kinds = evidence.with_columns(kind=pl.col("source").replace_strict(_KIND_OF_SOURCE, default=None)).sort(
        "last_on", "last_at", "last_id"
    )
    newest = pl.struct("last_on", "last_at", "last_id", "source", "evidence_place", "own_rule")

    def last(*names: str) -> pl.Expr:
        return newest.filter(pl.col("kind").is_in(names), pl.col("last_on").is_not_null()).last()

    return kinds.group_by(_KEY).agg(
        events=pl.col("events").filter(pl.col("kind").is_not_null()).sum(),
        operation=last("operation"),
        test=last("test"),
        policy=last("policy"),
        signature=newest.filter(pl.col("source") == "attestation", pl.col("last_on").is_not_null()).last(),
        contradicted_at=pl.col("contradicted_at").max(),
        contradicted_since=pl.col("contradicted_since").min(),
        contradicted_rule=pl.col("contradicted_rule").drop_nulls().first(),
        **{f"{source}_ever": pl.col("events_ever").filter(pl.col("source") == source).sum() for source in _SOURCES},
    )


def _other_evidence(frame: pl.DataFrame) -> pl.DataFrame:
    """What is on record beside the mandatory kinds, and whether anything is."""
    ever = {source: pl.col(f"{source}_ever").fill_null(0) for source in _SOURCES}
    against = pl.col("contradicted_at").is_not_null() | (pl.col("tests_performed") > 0)
    notes = frame.filter(pl.col("last_evidence_on").is_null()).select(*_KEY, evidence_note=evidence_note(ever))
    return frame.with_columns(without_evidence=(pl.sum_horizontal(*ever.values()) == 0) & ~against).join(
        notes, on=_KEY, how="left"
    )


def _attestation_state(attestations: pl.DataFrame) -> pl.DataFrame:
    return attestations.group_by(_KEY).agg(
        attested=(pl.col("current") & (pl.col("status") == "attested")).any(),
        signed_at=pl.col("attested_at").filter(pl.col("status") != "rejected").max(),
        attested_on=pl.col("attested_on").filter(pl.col("status") != "rejected").max(),
    )


def _future(tagged_events: pl.DataFrame, evidence_items: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Controls with evidence dated after the day."""
    items = evidence_items.join(asked.select("org_id", "ends_at"), on="org_id")
    late = [
        tagged_events.filter(pl.col("events_future") > 0).select(_KEY),
        items.filter(pl.col("captured_at") >= pl.col("ends_at")).select(_KEY),
    ]
    return pl.concat(late).unique().with_columns(future_dated=pl.lit(True))


def _owners(owners: pl.DataFrame, users: pl.DataFrame) -> pl.DataFrame:
    """Responsible and accountable; complete with at least one R and exactly one A who is an active user."""
    active = users.select("org_id", "email", "active")
    r, a = pl.col("raci") == "R", pl.col("raci") == "A"
    return (
        owners.join(active, on=["org_id", "email"], how="left")
        .group_by(_KEY)
        .agg(
            responsible=pl.col("email").filter(r).min(),
            accountable=pl.col("email").filter(a).min(),
            ownership_complete=(r.sum() >= 1) & (a.sum() == 1) & pl.col("active").filter(a).fill_null(False).any(),
        )
        .with_columns(owner=pl.coalesce("responsible", "accountable"))
    )


def _exceptions(exceptions: pl.DataFrame) -> pl.DataFrame:
    """The exception of a control that lasts longest, one in force before one that is only called approved."""
    return (
        exceptions.filter((pl.col("standing") == "approved") | pl.col("unapproved"))
        .sort("unapproved", "expires_on", "id", descending=[True, False, False])
        .group_by(_KEY, maintain_order=True)
        .agg(exception_id=pl.col("id").last(), exception_expires_on=pl.col("expires_on").last())
    )


def _freshness(frame: pl.DataFrame) -> pl.DataFrame:
    """F1 by the kind that governs the control: operation, else test, else policy, else a signature.

    Policies last until their review, signatures until the next is overdue.
    """
    governing = pl.coalesce(pl.when(f"{kind}_required").then(pl.lit(kind)) for kind in GOVERNING)
    newest = pl.coalesce(
        *(pl.when(governing == kind).then(pl.col(kind)) for kind in GOVERNING),
        pl.when("only_signature").then("signature"),
    )
    policy_on = pl.col("policy").struct.field("last_on")
    frame = frame.with_columns(
        policy_due_on=pl.coalesce("policy_due_on", policy_on.dt.offset_by(f"{ANNUAL}d")),
        last_evidence_on=newest.struct.field("last_on"),
        last_evidence_id=newest.struct.field("last_id"),
        last_source=newest.struct.field("source"),
        evidence_place=newest.struct.field("evidence_place"),
        own_rule=pl.coalesce("contradicted_rule", newest.struct.field("own_rule")),
    ).with_columns(
        window_days=pl.when(governing == "policy")
        .then(pl.coalesce(days_between("policy_due_on", policy_on), pl.lit(ANNUAL)))
        .when("only_signature")
        .then(pl.coalesce(days_between("signature_until", "last_evidence_on"), pl.lit(SIGNED_DAYS)))
        .otherwise("cadence_window"),
        age_days=days_between("as_of", "last_evidence_on"),
        unaccepted_days=pl.when((governing == "policy") & pl.col("unaccepted")).then(
            days_between("as_of", "policy_due_on")
        ),
        change_invalidated=_changed_since("last_evidence_on"),
    )
    word = freshness(pl.col("age_days"), pl.col("window_days"))
    void = pl.col("change_invalidated") | (pl.col("only_signature") & ~pl.col("attested") & (word != "missing"))
    return frame.with_columns(
        age_ratio=(pl.col("age_days") / pl.max_horizontal("window_days", pl.lit(1))).round(2),
        next_due_on=plus_days("last_evidence_on", "window_days"),
        freshness=pl.when(void).then(pl.lit("stale")).otherwise(word),
    )


def _changed_since(day: str | pl.Expr) -> pl.Expr:
    """The second axis of F1: control text, system or implementation changed after evidence of that day."""
    captured = pl.col(day) if isinstance(day, str) else day
    return (has_happened("changed_on") & (pl.col("changed_on") > captured)).fill_null(False)


def _state(frame: pl.DataFrame) -> pl.DataFrame:
    """F2. A mandatory kind is present when it was ever given, stale when it is past its window.

    A policy that nobody accepted is stale beside evidence of another kind, so that to un-accept one that is past its
    review makes nothing better; alone it is no evidence.
    """
    last = {kind: pl.col(kind).struct.field("last_on") for kind in ("operation", "test", "policy")}
    window, as_of = pl.col("cadence_window"), pl.col("as_of")
    present = {
        **{kind: day.is_not_null() for kind, day in last.items()},
        "attestation": pl.col("signed_at").is_not_null(),
    }
    beside = pl.any_horizontal(
        pl.col(f"{kind}_required") & there for kind, there in present.items() if kind != "policy"
    )
    present["policy"] |= pl.col("unaccepted") & beside
    stale = {
        "operation": (days_between("as_of", last["operation"]) > window) | _changed_since(last["operation"]),
        "test": (days_between("as_of", last["test"]) > window) | _changed_since(last["test"]),
        # a changed system does not make a policy void where operation shows that it is followed
        "policy": pl.col("unaccepted")
        | (pl.col("policy_due_on") < as_of)
        | (pl.col("only_policy") & _changed_since(last["policy"])),
        "attestation": ~pl.col("attested") | (pl.col("only_signature") & _changed_since("attested_on")),
    }

    def kinds(word: str) -> pl.Expr:
        return pl.concat_list(pl.when(f"{kind}_{word}").then(pl.lit(kind)) for kind in KINDS).list.drop_nulls()

    frame = frame.with_columns(
        *((pl.col(f"{kind}_required") & present[kind]).alias(f"{kind}_present") for kind in KINDS),
        *(
            (pl.col(f"{kind}_required") & present[kind] & stale[kind]).fill_null(False).alias(f"{kind}_stale")
            for kind in KINDS
        ),
    ).with_columns(kinds_present=kinds("present"), kinds_stale=kinds("stale"))
    complete = pl.col("kinds_present").list.len() == pl.col("kinds_required").list.len()
    opposed = pl.col("failing_test").is_not_null() | pl.col("contradicted_at").is_not_null()
    return frame.with_columns(
        state=pl.when(~pl.col("applicable"))
        .then(pl.lit("not_applicable"))
        .when(opposed)
        .then(pl.lit("ineffective"))
        .when(pl.col("kinds_present").list.len() == 0)
        .then(pl.lit("no_data"))
        .when(pl.col("kinds_stale").list.len() > 0)
        .then(pl.lit("stale"))
        .when(~complete)
        .then(pl.lit("partial"))
        .otherwise(pl.lit("effective"))
    )


def _history(frame: pl.DataFrame, changes: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """State before the period, the state that was last seen, and until when another one was.

    A state is noted on the days on which snapshots are taken, and only where it changed: on a day on which anything was
    noted, each control was still in the state that was noted last of it.
    """
    bounds = asked.select("org_id", start="period_start")
    ordered = changes.sort("observed_on")
    before = (
        ordered.join(bounds, on="org_id")
        .filter(pl.col("observed_on") < pl.col("start"))
        .group_by(_KEY, maintain_order=True)
        .agg(previous_state=pl.col("state").last())
    )
    last = ordered.group_by(_KEY, maintain_order=True).agg(
        seen_state=pl.col("state").last(), seen_on=pl.col("observed_on").last(), changes=pl.len()
    )
    noted = changes.select("org_id", noted_on="observed_on").unique().sort("org_id", "noted_on")
    before_that = noted.with_columns(other_state_on=pl.col("noted_on").shift(1).over("org_id"))
    earlier = last.filter(pl.col("changes") > 1).join(
        before_that, left_on=["org_id", "seen_on"], right_on=["org_id", "noted_on"]
    )
    newest = noted.group_by("org_id").agg(pl.col("noted_on").max())
    return (
        frame.join(before, on=_KEY, how="left")
        .join(last.drop("changes"), on=_KEY, how="left")
        .join(earlier.select(*_KEY, "other_state_on"), on=_KEY, how="left")
        .join(newest, on="org_id", how="left")
    )
