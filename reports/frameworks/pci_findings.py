"""The finding of each PCI DSS requirement: In Place, Not Applicable, Not Tested or Not in Place, and why."""

import polars as pl

from reports.frameworks.assessments import WHY

FRAMEWORK = "pci-dss"
IN_PLACE, NOT_APPLICABLE, NOT_TESTED, NOT_IN_PLACE = "In Place", "Not Applicable", "Not Tested", "Not in Place"
COUNTS = {
    "in_place": IN_PLACE,
    "not_applicable": NOT_APPLICABLE,
    "not_tested": NOT_TESTED,
    "not_in_place": NOT_IN_PLACE,
}


def findings(
    requirements: pl.DataFrame, status: pl.DataFrame, profiles: pl.DataFrame, exceptions: pl.DataFrame
) -> pl.DataFrame:
    key = ["framework", "control_id"]
    worksheets = (
        exceptions.filter(
            (pl.col("kind") == "compensating") & (pl.col("standing") == "approved") & pl.col("worksheet").is_not_null()
        )
        .group_by(key)
        .agg(compensating_control=pl.col("id").min())
    )
    return (
        requirements.filter((pl.col("framework") == FRAMEWORK) & pl.col("assessable"))
        .select(*key, "title", "position", service_provider_only=pl.col("flags").list.contains("service_provider_only"))
        .join(status.drop("title", "org_id", "position"), on=key, how="left")
        .join(profiles.select(*key, "method", "tested", "implementation", "risk_ref"), on=key, how="left")
        .join(worksheets, on=key, how="left")
        .with_columns(
            pl.col("applicable", "tested").fill_null(True),
            pl.col("state").fill_null("no_data"),
            pl.col("method").fill_null("defined"),
        )
        .with_columns(_why())
        .with_columns(
            finding=pl.when(~pl.col("tested"))
            .then(pl.lit(NOT_TESTED))
            .when(pl.col("why").is_not_null())
            .then(pl.lit(NOT_IN_PLACE))
            .when(pl.col("applicable"))
            .then(pl.lit(IN_PLACE))
            .otherwise(pl.lit(NOT_APPLICABLE)),
        )
        .sort("position", "control_id")
    )


def _why() -> pl.Expr:
    """What keeps a requirement from being In Place or Not Applicable; null when nothing does."""
    text = pl.col("justification").str.strip_chars().str.len_chars().fill_null(0) > 0
    proven = text & pl.col("approved_by").is_not_null() & pl.col("approved_on").is_not_null()
    method, applicable, tested = pl.col("method"), pl.col("applicable"), pl.col("tested")
    return (
        pl.when(~tested)
        .then(pl.lit("excluded from testing"))
        .when(~applicable & ~proven)
        .then(pl.lit("not applicable without justification, approver and date"))
        .when(applicable & (pl.col("state") != "effective"))
        .then(pl.col("state").replace_strict(WHY, default="not shown to be met"))
        .when(applicable & (method == "compensating") & pl.col("compensating_control").is_null())
        .then(pl.lit("compensating control without an approved worksheet in force"))
        .when(applicable & (method == "customised") & pl.col("risk_ref").is_null())
        .then(pl.lit("customised approach without its risk analysis"))
        .alias("why")
    )
