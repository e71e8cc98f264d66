"""Attestations: who must sign what by when, and whether the evidence was good when it was signed."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import (
    SIGNED_DAYS,
    SUPPORTING,
    days_between,
    freshness,
    has_happened,
    local_day,
    plus_days,
    shape,
    window_of,
)

_KEY = ["org_id", "framework", "control_id"]
_OPERATING = ("operation", "incident", "test")
# what a duty that nobody signed yet does not have
_OF_A_SIGNATURE = ("outcome", "attestor", "statement", "attested_at", "attested_on", "signed_until", "withdrawn_on")


def attestation_duties(
    attestations_rows: pl.DataFrame, attestation_days_rows: pl.DataFrame, controls: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Every duty as it stands, withdrawn ones too, and the next one of a control where none is planned.

    That one is due when the newest signature lapses. A signed duty stays signed: what is open is the next.
    """
    written = (
        attestations_rows.join(attestation_days_rows, on=["org_id", "id"])
        .join(asked.select("org_id", "as_of"), on="org_id")
        .join(controls.filter("assessable").select(_KEY), on=_KEY)
        .with_columns(
            withdrawn=has_happened("withdrawn_on"), done=pl.col("outcome").is_not_null() & has_happened("attested_on")
        )
        .with_columns(pl.when("done").then(pl.col("attested_at", "attested_on", "outcome")))
    )
    standing = written.filter(~pl.col("withdrawn"))
    following = (
        standing.filter(pl.col("outcome") == "attested")
        .join(standing.filter(~pl.col("done")).select(_KEY).unique(), on=_KEY, how="anti")
        .sort("attested_at", "id")
        .group_by(_KEY, maintain_order=True)
        .last()
        .with_columns(
            id=pl.format("{}-next", "id"),
            due_on=plus_days("attested_on", pl.lit(SIGNED_DAYS)),
            done=pl.lit(False),
            moves=0,
            **{name: pl.lit(None) for name in _OF_A_SIGNATURE},
        )
    )
    return pl.concat([written, following.select(written.columns)], how="vertical_relaxed").sort(
        "org_id", "due_on", "framework", "control_id", "id"
    )


def signature_duties(attestation_duties: pl.DataFrame) -> pl.DataFrame:
    """The duties that stand, done or not."""
    frame = attestation_duties.filter(~pl.col("withdrawn"))
    return shape("signature_duties", frame).sort("org_id", "due_on", "id")


def attestations(
    attestation_duties: pl.DataFrame,
    evidence_counts: pl.DataFrame,
    signed_freshness: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every duty that was not withdrawn. A signature lapses after the annual window (380 days).

    ``current`` marks the duty that decides today: one that is overdue and newer than the last decided, else the last
    decided whose signature has not lapsed, else the next due.
    """
    overdue, lapsed = pl.col("status") == "overdue", days_between("as_of", "attested_on") > SIGNED_DAYS
    frame = (
        attestation_duties.filter(~pl.col("withdrawn"))
        .join(asked.select("org_id", "due_soon_days"), on="org_id")
        .join(controls.select(*_KEY, "title", "group_id", "cadence"), on=_KEY)
        .with_columns(covered_until=pl.col("due_on").filter("done").max().over(_KEY))
        .with_columns(status=_status(), days_left=days_between("due_on", "as_of"))
        .join(signed_freshness, on=["org_id", "id"], how="left")
        .join(evidence_counts, on=_KEY, how="left")
        .with_columns(
            rank=pl.when(overdue & _newer_than_signed())
            .then(0)
            .when(pl.col("done") & ~((pl.col("outcome") == "attested") & lapsed))
            .then(1)
            .when(~pl.col("done") & ~overdue)
            .then(2)
            .when(~pl.col("done"))
            .then(3)
            .otherwise(4),
            order=pl.when("done")
            .then(-pl.col("attested_at").dt.epoch("us"))
            .otherwise(pl.col("due_on").cast(pl.Int64)),
        )
        .sort(*_KEY, "rank", "order", "id")
        .with_columns(
            current=pl.int_range(pl.len()).over(_KEY) == 0,
            evidence_links=pl.col("items").fill_null(0),
            unsupported=(pl.col("status") == "attested")
            & pl.col("evidence_freshness").is_in(["stale", "missing"]).fill_null(False),
        )
    )
    return shape("attestations", frame).sort("org_id", "due_on", "framework", "control_id", "id")


def _newer_than_signed() -> pl.Expr:
    return pl.col("covered_until").is_null() | (pl.col("due_on") > pl.col("covered_until"))


def _status() -> pl.Expr:
    left = days_between("due_on", "as_of")
    return (
        pl.when("done")
        .then(pl.col("outcome"))
        .when(left < 0)
        .then(pl.lit("overdue"))
        .when(left <= pl.col("due_soon_days"))
        .then(pl.lit("due_7"))
        .when(left <= 30)
        .then(pl.lit("due_30"))
        .otherwise(pl.lit("not_due"))
    )


def _signatures(duties: pl.DataFrame, controls: pl.DataFrame) -> pl.DataFrame:
    """Signatures up to the day, of controls that require evidence of operation."""
    operational = controls.filter(
        "assessable", pl.col("evidence_kinds").list.set_intersection(["operation", "test"]).list.len() > 0
    )
    return (
        duties.filter(pl.col("outcome") == "attested")
        .join(operational.select(*_KEY, "cadence"), on=_KEY)
        .select("org_id", "id", "framework", "control_id", "cadence", "attested_on", "signed_until")
    )


def days_until_signed(audit_days_rows: pl.DataFrame, attestation_duties: pl.DataFrame) -> pl.DataFrame:
    """``audit_days_rows`` up to the newest signature: what happens after it moves none of them."""
    last = attestation_duties.group_by("org_id").agg(until=pl.col("signed_until").max())
    known = audit_days_rows.join(last, on="org_id").filter(pl.col("first_at") < pl.col("until"))
    return known.drop("until").sort("first_at", "action", "org_id")


def signed_freshness(
    attestation_duties: pl.DataFrame,
    days_until_signed: pl.DataFrame,
    named_when_signed_rows: pl.DataFrame,
    record_days: pl.DataFrame,
    own_rules: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Freshness (F1) on the day of signing of what was known by then of the control's operation."""
    known, signed = catalogue(), _signatures(attestation_duties, controls)
    supporting = known.actions.filter(pl.col("effect").is_in(SUPPORTING), pl.col("kind").is_in(_OPERATING)).select(
        "action"
    )
    pair = ["org_id", "action", "framework", "control_id"]
    usual = signed.join(known.action_controls.join(supporting, on="action"), on=["framework", "control_id"])
    ruled = own_rules.filter(
        pl.col("effect") == "supports", pl.col("outcome") == "success", pl.col("kind").is_in(_OPERATING)
    ).select(pair)
    mapped = pl.concat([usual.join(own_rules, on=pair, how="anti"), signed.join(ruled, on=_KEY).select(usual.columns)])
    evidence = pl.concat(
        [
            last_success(mapped, days_until_signed, asked),
            _last_record(signed, record_days),
            named_when_signed_rows.join(supporting, on="action").select(
                "org_id", "id", happened_on=local_day("happened_at", asked)
            ),
        ]
    )
    last = evidence.group_by("org_id", "id").agg(last_on=pl.col("happened_on").max())
    age = days_between("attested_on", "last_on")
    return (
        signed.join(last, on=["org_id", "id"], how="left")
        .select("org_id", "id", evidence_freshness=freshness(age, window_of("cadence")))
        .sort("org_id", "id")
    )


def last_success(signed: pl.DataFrame, audit_days: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The last day on which each signature's ``action`` succeeded before ``signed_until``.

    Where a day of UTC goes on after that midnight, its first instant stands for what came before.
    """
    at = pl.when(pl.col("last_at") < pl.col("signed_until")).then("last_at").otherwise("first_at")
    return (
        signed.sort("signed_until")
        .join_asof(
            audit_days.sort("first_at"),
            left_on="signed_until",
            right_on="first_at",
            by=["org_id", "action"],
            strategy="backward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .with_columns(at=at)
        .select("org_id", "id", happened_on=local_day("at", asked))
    )


def _last_record(signed: pl.DataFrame, record_days: pl.DataFrame) -> pl.DataFrame:
    """The last day up to each signature on which a record of the control arose."""
    return (
        signed.sort("attested_on")
        .join_asof(
            record_days.sort("happened_on"),
            left_on="attested_on",
            right_on="happened_on",
            by=_KEY,
            strategy="backward",
            check_sortedness=False,
        )
        .select("org_id", "id", "happened_on")
    )
