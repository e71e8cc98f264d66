"""Controls that vendors carry for us without evidence that counts."""

import polars as pl

from engine.model.vocabulary import VENDOR_DOCUMENT_NAMES, VENDOR_TIERS
from reports.shared.columns import in_order
from reports.shared.ordering import rank

ACTIONS = {
    "missing": "ask for the {}",
    "expired": "ask for a current {}",
    "wrong_scope": "ask for a {} that covers the service we use",
    "qualified_opinion": "judge the findings of the {} and record a compensating control",
    "cuec_unmapped": "map what the {} expects of us (its user-entity controls) to our controls",
}
GAPS = tuple(ACTIONS)


def what_to_ask(controls: pl.DataFrame, *of: str) -> pl.DataFrame:
    """What to ask vendors for, by document and gap (``action``), and how many inherited ``controls`` it would evidence.

    What settles most by severity comes first of each vendor. ``of`` are further columns that tell vendors apart.
    """
    by = ["vendor", "vendor_id", *of, "expected_evidence", "gap"]
    document = pl.col("expected_evidence").replace(VENDOR_DOCUMENT_NAMES)
    what = pl.coalesce(pl.when(pl.col("gap") == gap).then(pl.format(words, document)) for gap, words in ACTIONS.items())
    return (
        controls.group_by(by)
        .agg(
            held_until=pl.col("held_until").max(),
            controls=pl.len().cast(pl.Int64),
            frameworks=pl.col("framework").unique().sort(),
            severity_score=pl.col("severity_score").sum().round(1),
        )
        .with_columns(action=what)
        .sort("severity_score", *by, descending=[True, *[False] * len(by)], nulls_last=True)
    )


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
