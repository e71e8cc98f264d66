"""Findings that say which vendor they are about."""

import polars as pl

from engine.model.poam import STANDING

VENDOR = ["org_id", "vendor_id"]


def count_findings(findings: pl.DataFrame) -> pl.DataFrame:
    """How many findings about each vendor are not closed."""
    standing = findings.filter(pl.col("status").is_in(STANDING) & pl.col("vendor_id").is_not_null())
    return standing.group_by(VENDOR).agg(open_findings=pl.len().cast(pl.Int64))


def organizations_naming_vendors(findings: pl.DataFrame) -> pl.DataFrame:
    """Organizations that say of a finding which vendor it is about; of others nothing is known."""
    return findings.drop_nulls("vendor_id").select("org_id", naming=pl.lit(True)).unique()
