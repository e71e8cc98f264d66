"""The claims of the lineage as a reader follows them: by source, by framework, and the controls that claim nothing."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.columns import share_pct
from reports.shared.packs import pack_name

STATES = ("hash_mismatch", "broken", "complete")


def with_files(claims: pl.DataFrame) -> pl.DataFrame:
    """Claims with where they stand in the workbook, and ``not bundled`` where no sealed bundle has them."""
    return claims.with_columns(
        bundle=pl.col("bundle_id").fill_null("not bundled"),
        file=pl.format("{}.csv", "framework"),
        row=pl.col("control_id"),
    )


def orphans(control_status: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls that no claim is about."""
    return (
        control_status.filter("applicable")
        .join(claims, on=["framework", "control_id"], how="anti")
        .sort("framework", "position", "control_id")
    )


def proofs(bundle_proofs: pl.DataFrame) -> pl.DataFrame:
    """Merkle proofs of the events that claims rest on."""
    return bundle_proofs.rename({"bundle_id": "bundle", "file": "log"}).drop("org_id").sort("bundle", "seq")


def _measures() -> dict[str, pl.Expr]:
    states = {state: (pl.col("state") == state).sum().cast(pl.Int64) for state in reversed(STATES)}
    return {
        "claims": pl.len().cast(pl.Int64),
        **states,
        "complete_pct": share_pct((pl.col("state") == "complete").sum(), pl.len()),
        "bundled": pl.col("bundle_id").count().cast(pl.Int64),
    }


def by_source(claims: pl.DataFrame) -> pl.DataFrame:
    """Claims by source of evidence and kind of record."""
    return claims.group_by("source", "record").agg(**_measures()).sort("source", "record", nulls_last=True)


def by_framework(claims: pl.DataFrame, bare: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Claims by framework, beside the controls that claim nothing."""
    orphan = bare.group_by("framework").agg(orphan_controls=pl.len().cast(pl.Int64))
    return (
        claims.group_by("framework")
        .agg(**_measures())
        .join(orphan, on="framework", how="full", coalesce=True)
        .with_columns(pl.col("claims", *STATES, "bundled", "orphan_controls").fill_null(0))
        .sort("framework")
        .with_columns(framework=pack_name(ask))
    )
