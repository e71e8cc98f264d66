"""Attestations: who must sign what by when, and whether the evidence was good when it was signed."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import ANNUAL, days_between, shaped, window_of

_KEY = ["org_id", "framework", "control_id"]


def attestations(
    attestations: pl.DataFrame,
    attestation_days: pl.DataFrame,
    evidence_links: pl.DataFrame,
    audit_days: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every duty that was not withdrawn. The newest signature lapses after the annual window (380 days).

    ``current`` marks the duty that decides today: one that is overdue and newer than the last signed, else the last
    decided, else the next due.
    """
    overdue, decided = pl.col("status") == "overdue", pl.col("status").is_in(["attested", "rejected"])
    frame = (
        attestations.filter(pl.col("withdrawn_on").is_null())
        .join(attestation_days, on=["org_id", "id"])
        .join(asked.select("org_id", "as_of", "due_soon_days"), on="org_id")
        .join(controls.filter("assessable").select(*_KEY, "title", "group_id", "cadence"), on=_KEY)
        .with_columns(done=pl.col("outcome").is_not_null() & (pl.col("attested_on") <= pl.col("as_of")))
        .with_columns(newest_on=pl.col("attested_on").filter("done").max().over(_KEY))
        .with_columns(covered_until=pl.col("due_on").filter("done").max().over(_KEY))
        .with_columns(status=_status(), days_left=days_between("due_on", "as_of"))
        .join(
            _evidence_when_signed(attestations, attestation_days, audit_days, controls), on=["org_id", "id"], how="left"
        )
        .join(evidence_links, on=_KEY, how="left")
        .with_columns(
            rank=pl.when(overdue & (pl.col("done") | _newer_than_signed())).then(0).when(decided).then(1)
            .when(~overdue).then(2).otherwise(3),
            order=pl.when("done").then(-pl.col("attested_at").dt.epoch("us")).otherwise(
                pl.col("due_on").cast(pl.Int64)
            ),
        )
        .sort(*_KEY, "rank", "order", "id")
        .with_columns(
            current=pl.int_range(pl.len()).over(_KEY) == 0,
            evidence_links=pl.col("items").fill_null(0),
            unsupported=(pl.col("status") == "attested")
            & pl.col("evidence_freshness").is_in(["stale", "missing"]).fill_null(False),
        )
    )  # fmt: skip
    return shaped("attestations", frame).sort("org_id", "due_on", "framework", "control_id", "id")


def _newer_than_signed() -> pl.Expr:
    return pl.col("covered_until").is_null() | (pl.col("due_on") > pl.col("covered_until"))


def _status() -> pl.Expr:
    left = days_between("due_on", "as_of")
    lapsed = (pl.col("attested_on") == pl.col("newest_on")) & (days_between("as_of", "attested_on") > ANNUAL)
    return (
        pl.when(pl.col("done"), pl.col("outcome") == "attested", lapsed).then(pl.lit("overdue"))
        .when("done").then(pl.col("outcome"))
        .when(left < 0).then(pl.lit("overdue"))
        .when(left <= pl.col("due_soon_days")).then(pl.lit("due_7"))
        .when(left <= 30).then(pl.lit("due_30"))
        .otherwise(pl.lit("not_due"))
    )  # fmt: skip


def _evidence_when_signed(
    attestations: pl.DataFrame, attestation_days: pl.DataFrame, audit_days: pl.DataFrame, controls: pl.DataFrame
) -> pl.DataFrame:
    """Freshness (F1) of the operational evidence on the day of signing, for controls that require such evidence."""
    known = catalogue()
    supporting = known.actions.filter(
        pl.col("effect") == "supports", pl.col("kind").is_in(["operation", "incident", "test"])
    ).select("action")
    operational = controls.filter(
        "assessable", pl.col("evidence_kinds").list.set_intersection(["operation", "test"]).list.len() > 0
    )
    signed = (
        attestations.join(attestation_days, on=["org_id", "id"])
        .filter(pl.col("outcome") == "attested")
        .join(operational.select(*_KEY, "cadence"), on=_KEY)
    )
    by_action = signed.join(known.action_controls.join(supporting, on="action"), on=["framework", "control_id"]).sort(
        "attested_on"
    )
    days = audit_days.join(supporting, on="action").sort("happened_on")
    last = (
        by_action.join_asof(
            days, left_on="attested_on", right_on="happened_on", by=["org_id", "action"], strategy="backward",
            check_sortedness=False,
        )
        .group_by("org_id", "id")
        .agg(last_on=pl.col("happened_on").max())
    )  # fmt: skip
    ratio = days_between("attested_on", "last_on") / window_of("cadence")
    return (
        signed.join(last, on=["org_id", "id"], how="left")
        .select(
            "org_id",
            "id",
            evidence_freshness=pl.when(pl.col("last_on").is_null()).then(pl.lit("missing"))
            .when(ratio <= 0.8).then(pl.lit("fresh"))
            .when(ratio <= 1).then(pl.lit("due_soon"))
            .otherwise(pl.lit("stale")),
        )
        .sort("org_id", "id")
    )  # fmt: skip
