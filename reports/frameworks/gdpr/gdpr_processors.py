"""Processors after Article 28 GDPR with their data processing agreement."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import VENDOR_TIERS
from reports.frameworks.assessments import in_scope
from reports.frameworks.gdpr.gdpr_measures import FRAMEWORK

NO_DPA = "no agreement on file"
EXPIRED = "agreement expired"
NO_FLOW_DOWN = "sub-processors not known to be bound"
DATA_UNKNOWN = "not known which data it handles"
_RANK = {NO_DPA: 0, EXPIRED: 1, NO_FLOW_DOWN: 2, DATA_UNKNOWN: 3}
_TIERS = {tier: place for place, tier in enumerate(VENDOR_TIERS)}


def processors(requirements: pl.DataFrame, vendors: pl.DataFrame, agreements: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Vendors with classes of data, and those of which nothing is known though they have an agreement or handle PHI.

    None where Article 32 is not in scope.
    """
    known = vendors if in_scope(FRAMEWORK, requirements) else vendors.clear()
    dpa = agreements.filter(pl.col("kind") == "dpa").select(
        "vendor_id", "flows_down", "valid_until", dpa="document_id", signed_on="issued_on"
    )
    classes = pl.col("data_classes").fill_null("").str.strip_chars() != ""
    agreed = pl.col("dpa").is_not_null()
    return (
        known.join(dpa, on="vendor_id", how="left")
        .filter(classes | agreed | pl.col("handles_phi").fill_null(False))
        .with_columns(
            finding=pl.when(~agreed)
            .then(pl.lit(NO_DPA))
            .when(pl.col("valid_until") < ask.as_of)
            .then(pl.lit(EXPIRED))
            .when(~pl.col("flows_down").fill_null(False))
            .then(pl.lit(NO_FLOW_DOWN))
            .when(~classes)
            .then(pl.lit(DATA_UNKNOWN))
        )
        .with_columns(
            rank=pl.col("finding").replace_strict(_RANK, default=4, return_dtype=pl.Int64),
            tier_rank=pl.col("tier").replace_strict(_TIERS, default=4, return_dtype=pl.Int64),
        )
        .sort("rank", "tier_rank", "name", "vendor_id")
        .select(
            *("vendor_id", "name", "tier", "data_classes", "region", "finding", "dpa", "signed_on", "valid_until"),
            *("flows_down", "assurance", "owner"),
        )
    )
