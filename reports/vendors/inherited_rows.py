"""Controls that vendors carry for us without evidence that counts."""

import polars as pl

from engine.model.vocabulary import VENDOR_TIERS
from reports.shared.columns import in_order
from reports.shared.ordering import rank

GAPS = ("missing", "expired", "wrong_scope", "qualified_opinion", "cuec_unmapped")


def inherited_gaps(
    vendor_controls: pl.DataFrame, vendors: pl.DataFrame, control_status: pl.DataFrame, exceptions: pl.DataFrame
) -> pl.DataFrame:
    """Inherited controls without evidence that counts, with our side of each and the measure that stands in for it."""
    key = ["framework", "control_id"]
    measures = (
        exceptions.filter(pl.col("standing") == "approved", pl.col("compensating").is_not_null())
        .sort("expires_on", "id")
        .group_by(key, maintain_order=True)
        .agg(pl.col("compensating").last(), exception_id=pl.col("id").last())
    )
    return (
        vendor_controls.filter(pl.col("gap") != "none")
        .join(vendors.select("vendor_id", "owner"), on="vendor_id", how="left")
        .join(control_status.select(*key, our_state="state"), on=key, how="left")
        .join(measures, on=key, how="left")
        .sort(
            "severity_score",
            rank("tier", VENDOR_TIERS),
            "vendor",
            "vendor_id",
            "framework",
            in_order("control_id"),
            descending=[True, False, False, False, False, False],
        )
        .select(
            *("vendor", "tier", "category", "owner", "framework", "control_id", "title", "reason", "expected_evidence"),
            *("held", "held_period_end_on", "held_until", "gap", "our_state", "compensating", "severity_score"),
            *("model", "customer_side", "held_id", "exception_id", "vendor_id"),
        )
    )
