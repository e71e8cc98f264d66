"""From what is claimed of a control back to the event that put its evidence on record, and to that event's hash."""

import polars as pl

from engine.reporting.facts.bundle_leaves import proofs as merkle_proofs
from engine.reporting.facts.chain_check import hash_holds
from engine.reporting.facts.expressions import local_day, shape

_KEY = ["org_id", "framework", "control_id"]
_CLAIM = ["org_id", "source", "evidence_id"]
LOG = "audit_log.jsonl"  # the file of a bundle that holds its events


def claim_evidence(control_evidence: pl.DataFrame) -> pl.DataFrame:
    """The evidence that claims rest on: the newest of each control and source."""
    wanted = control_evidence.filter(pl.col("last_id").is_not_null())
    return wanted.select("org_id", "source", evidence_id="last_id").unique().sort(_CLAIM)


def bundle_proofs(bundle_files_rows: pl.DataFrame) -> pl.DataFrame:
    """The Merkle proof of the audit log of each bundle that was sealed here."""
    frame = merkle_proofs(bundle_files_rows, LOG).with_columns(file=pl.lit(LOG))
    return shape("bundle_proofs", frame).sort("org_id", "bundle_id")


def claims(
    control_evidence: pl.DataFrame,
    control_status: pl.DataFrame,
    proofs_rows: pl.DataFrame,
    sealed_bundles_rows: pl.DataFrame,
    bundle_proofs: pl.DataFrame,
) -> pl.DataFrame:
    """Each applicable control by source of its evidence with the event behind it, and whether the chain holds there.

    A claim stands in the first bundle whose window has the day of the evidence, and whose log has the event.
    """
    about = control_status.filter("applicable").select(*_KEY, "title", "position", control_state="state")
    found = proofs_rows.with_columns(holds=hash_holds(proofs_rows)).rename({"hash": "event_hash"})
    frame = (
        control_evidence.filter(pl.col("last_id").is_not_null())
        .select(*_KEY, "source", evidence_id="last_id", evidence_on="last_on")
        .join(about, on=_KEY)
        .join(found.drop("controls"), on=_CLAIM, how="left")
    )
    bundled = _bundled(frame, sealed_bundles_rows).join(
        bundle_proofs.select("org_id", "bundle_id", "merkle_leaf"), on=["org_id", "bundle_id"], how="left"
    )
    frame = frame.join(bundled, on=["org_id", "evidence_on", "seq"], how="left").with_columns(
        problem=pl.when(pl.col("record").is_null()).then(pl.lit("evidence not found"))
        .when(pl.col("event_hash").is_null()).then(pl.lit("event no longer in the log"))
        .when(pl.col("holds").is_null()).then(pl.lit("hash before the event unknown"))
        .when(~pl.col("holds")).then(pl.lit("event differs from its hash"))
        .when((pl.col("source") == "item") & pl.col("location").is_null() & (pl.col("record") == "evidence item"))
        .then(pl.lit("no place where the item is kept")),
    )  # fmt: skip
    state = (
        pl.when(pl.col("problem").is_null()).then(pl.lit("complete"))
        .when(pl.col("holds").not_().fill_null(False)).then(pl.lit("hash_mismatch"))
        .otherwise(pl.lit("broken"))
    )  # fmt: skip
    return shape("claims", frame.with_columns(state=state)).sort("org_id", "framework", "position", "source")


def _bundled(claims: pl.DataFrame, bundles: pl.DataFrame) -> pl.DataFrame:
    key = ["org_id", "evidence_on", "seq"]
    return (
        claims.select(key)
        .unique()
        .join(bundles, on="org_id")
        .filter(
            pl.col("evidence_on").is_between("window_start_on", "window_end_on"),
            pl.col("seq").is_between(pl.col("first_seq").fill_null(0), "sealed_seq"),
        )
        .sort("sealed_at", "id")
        .group_by(key, maintain_order=True)
        .agg(bundle_id=pl.col("id").first())
    )


def orphan_evidence(unlinked_items_rows: pl.DataFrame, policies: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Evidence that supports no control: items without a link, and accepted policies without a control."""
    loose = unlinked_items_rows.with_columns(kind=pl.lit("evidence item"), dated_on=local_day("captured_at", asked))
    idle = policies.filter(pl.col("control_id").is_null()).with_columns(
        kind=pl.lit("policy version"), id="policy_id", dated_on="accepted_on"
    )
    frame = pl.concat([loose, idle], how="diagonal_relaxed")
    return shape("orphan_evidence", frame).sort("org_id", "kind", "id")
