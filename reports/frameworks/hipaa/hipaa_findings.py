"""What is found on each HIPAA standard and specification, and on the agreements with business associates."""

import polars as pl

from engine.catalogue import catalogue
from engine.model.declarations.ask import Ask
from engine.model.vocabulary import VENDOR_TIERS
from reports.frameworks.assessments import assessment_rows, in_scope, why, with_remediations
from reports.shared.columns import in_order

FRAMEWORK = "hipaa"
IMPLEMENTED, ALTERNATIVE, REASONED = "implemented", "equivalent alternative", "not implemented, reason documented"
NOT_SHOWN, UNDOCUMENTED, NOT_APPLICABLE = "not shown", "undocumented", "not applicable"
DECIDED = (ALTERNATIVE, REASONED)
MET = (IMPLEMENTED, *DECIDED)
FINDINGS = (*MET, NOT_SHOWN, UNDOCUMENTED, NOT_APPLICABLE)
NO_BAA, EXPIRED, NO_FLOW_DOWN = "no agreement on file", "agreement expired", "flow-down to subcontractors not confirmed"
PHI_UNKNOWN = "not known whether it handles health information"


def findings(
    requirements: pl.DataFrame,
    control_assessments: pl.DataFrame,
    control_profiles: pl.DataFrame,
    gaps: pl.DataFrame,
    vendor_controls: pl.DataFrame,
) -> pl.DataFrame:
    """Required is met by evidence alone; addressable by evidence, or by a documented decision against it.

    An equivalent alternative needs both: the decision, and evidence of the alternative.
    """
    own = catalogue().details(FRAMEWORK).select("control_id", "safeguard", "standard")
    inherited = (
        vendor_controls.filter(pl.col("framework") == FRAMEWORK)
        .group_by("control_id")
        .agg(
            inherited_from=pl.col("vendor_id").n_unique().cast(pl.Int64),
            inherited_open=pl.col("vendor_id").filter(pl.col("gap") != "none").n_unique().cast(pl.Int64),
        )
    )
    return (
        with_remediations(assessment_rows(FRAMEWORK, requirements, control_assessments, control_profiles), gaps)
        .join(own, on="control_id", how="left")
        .join(inherited, on="control_id", how="left")
        .with_columns(
            pl.col("inherited_from", "inherited_open").fill_null(0),
            kind=pl.when(pl.col("flags").list.contains("addressable"))
            .then(pl.lit("addressable"))
            .otherwise(pl.lit("required")),
        )
        .with_columns(finding=_finding())
        .with_columns(_why())
        .with_columns(met=pl.col("finding").is_in(MET))
        .sort("position", "control_id")
    )


def _finding() -> pl.Expr:
    effective = pl.col("state") == "effective"
    decision = pl.col("decision")
    expression = (pl.col("rationale").fill_null("").str.strip_chars() != "") & pl.col("decision_approved").fill_null(
        False
    )
    return (
        pl.when(~pl.col("applicable"))
        .then(pl.lit(NOT_APPLICABLE))
        .when(pl.col("kind") == "required")
        .then(pl.when(effective).then(pl.lit(IMPLEMENTED)).otherwise(pl.lit(NOT_SHOWN)))
        .when(pl.when(decision.is_null()).then(~effective).otherwise((decision != "implemented") & ~expression))
        .then(pl.lit(UNDOCUMENTED))
        .when(decision == "not_implemented")
        .then(pl.lit(REASONED))
        .when(~effective)
        .then(pl.lit(NOT_SHOWN))
        .when(decision == "alternative")
        .then(pl.lit(ALTERNATIVE))
        .otherwise(pl.lit(IMPLEMENTED))
    )


def _why() -> pl.Expr:
    """What keeps it from being met; null when nothing does."""
    return (
        pl.when((pl.col("finding") == UNDOCUMENTED) & pl.col("decision").is_null())
        .then(pl.lit("no decision on record"))
        .when(pl.col("finding") == UNDOCUMENTED)
        .then(pl.lit("decision without rationale, date and approver"))
        .when(pl.col("finding") == NOT_SHOWN)
        .then(why())
        .alias("why")
    )


def business_associates(
    requirements: pl.DataFrame, vendors: pl.DataFrame, agreements: pl.DataFrame, vendor_controls: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Vendors that handle protected health information, or may, with their agreement; what is open first.

    None where the rule is not in scope.
    """
    known = vendors if in_scope(FRAMEWORK, requirements) else vendors.clear()
    baa = agreements.filter(pl.col("kind") == "baa").select(
        "vendor_id", "flows_down", "valid_until", agreement="document_id", signed_on="issued_on"
    )
    inherited = (
        vendor_controls.filter(pl.col("framework") == FRAMEWORK)
        .group_by("vendor_id")
        .agg(inherits=pl.len().cast(pl.Int64), inherits_open=(pl.col("gap") != "none").sum().cast(pl.Int64))
    )
    tiers = {tier: place for place, tier in enumerate(VENDOR_TIERS)}
    return (
        known.filter(pl.col("handles_phi").fill_null(True))
        .join(baa, on="vendor_id", how="left")
        .join(inherited, on="vendor_id", how="left")
        .with_columns(pl.col("inherits", "inherits_open").fill_null(0))
        .with_columns(
            finding=pl.when(pl.col("handles_phi").is_null())
            .then(pl.lit(PHI_UNKNOWN))
            .when(pl.col("agreement").is_null())
            .then(pl.lit(NO_BAA))
            .when(pl.col("valid_until") < ask.as_of)
            .then(pl.lit(EXPIRED))
            .when(~pl.col("flows_down").fill_null(False))
            .then(pl.lit(NO_FLOW_DOWN))
        )
        .with_columns(
            rank=pl.col("finding").replace_strict(
                {NO_BAA: 0, EXPIRED: 1, NO_FLOW_DOWN: 2, PHI_UNKNOWN: 3}, default=4, return_dtype=pl.Int64
            ),
            tier_rank=pl.col("tier").replace_strict(tiers, default=4, return_dtype=pl.Int64),
        )
        .sort("rank", "tier_rank", "name", "vendor_id")
        .select(
            *("vendor_id", "name", "tier", "owner", "finding", "agreement", "signed_on", "valid_until", "flows_down"),
            *("inherits", "inherits_open"),
        )
    )


def standards(rows: pl.DataFrame) -> pl.DataFrame:
    """What is found below each standard; required and addressable are counted apart."""
    needed, asked = pl.col("kind") == "required", pl.col("kind") == "addressable"
    counted = pl.col("applicable")
    cited = (
        catalogue().details(FRAMEWORK).filter(pl.col("level") == "standard").select("standard", citation="control_id")
    )
    return (
        rows.join(cited, on="standard", how="left")
        .group_by("safeguard", "standard", "citation")
        .agg(
            required=(counted & needed).sum().cast(pl.Int64),
            required_met=(needed & pl.col("met")).sum().cast(pl.Int64),
            addressable=(counted & asked).sum().cast(pl.Int64),
            addressable_met=(asked & pl.col("met")).sum().cast(pl.Int64),
            undocumented=(pl.col("finding") == UNDOCUMENTED).sum().cast(pl.Int64),
            position=pl.col("position").min(),
        )
        .sort("position", in_order("standard"))
        .select("citation", "standard", "safeguard", pl.exclude("citation", "standard", "safeguard", "position"))
    )
