"""The finding of each PCI DSS requirement: In Place, Not Applicable, Not Tested or Not in Place, and why."""

from typing import Annotated

import polars as pl

from reports.frameworks.assessments import why
from reports.shared.columns import in_order, share_pct

FRAMEWORK = "pci-dss"
IN_PLACE, NOT_APPLICABLE, NOT_TESTED, NOT_IN_PLACE = "In Place", "Not Applicable", "Not Tested", "Not in Place"
COUNTS = {
    "in_place": IN_PLACE,
    "not_applicable": NOT_APPLICABLE,
    "not_tested": NOT_TESTED,
    "not_in_place": NOT_IN_PLACE,
}


def findings(
    requirements: pl.DataFrame,
    control_assessments: pl.DataFrame,
    control_profiles: pl.DataFrame,
    exceptions: pl.DataFrame,
) -> pl.DataFrame:
    """One row for each requirement with its finding, and why it is not In Place."""
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
        .join(control_assessments.drop("title", "org_id", "position"), on=key, how="left")
        .join(control_profiles.select(*key, "method", "tested", "implementation", "risk_ref"), on=key, how="left")
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
            .otherwise(pl.lit(NOT_APPLICABLE))
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
        .then(why().fill_null("not shown to be met"))
        .when(applicable & (method == "compensating") & pl.col("compensating_control").is_null())
        .then(pl.lit("compensating control without an approved worksheet in force"))
        .when(applicable & (method == "customised") & pl.col("risk_ref").is_null())
        .then(pl.lit("customised approach without its risk analysis"))
        .alias("why")
    )


def rollup(rows: pl.DataFrame, requirements: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Counts for each heading whose number is the ``prefix`` of the requirement's; its finding is the worst inside."""
    headings = requirements.filter(pl.col("framework") == FRAMEWORK).select(requirement="control_id", title="title")
    total = pl.col("requirements")
    return (
        rows.group_by(requirement=pl.col("control_id").str.extract(prefix))
        .agg(
            requirements=pl.len().cast(pl.Int64),
            **{name: (pl.col("finding") == finding).sum().cast(pl.Int64) for name, finding in COUNTS.items()},
        )
        .join(headings, on="requirement", how="left")
        .select(
            "requirement",
            "title",
            finding=pl.when(pl.col("not_in_place") > 0)
            .then(pl.lit(NOT_IN_PLACE))
            .when(pl.col("not_tested") > 0)
            .then(pl.lit(NOT_TESTED))
            .when(pl.col("in_place") > 0)
            .then(pl.lit(IN_PLACE))
            .otherwise(pl.lit(NOT_APPLICABLE)),
            requirements=total,
            **{name: pl.col(name) for name in COUNTS},
            in_place_share_pct=share_pct(pl.col("in_place"), total - pl.col("not_applicable")),
        )
        .sort(in_order("requirement"))
    )


def principals(frame: Annotated[pl.DataFrame, findings], requirements: pl.DataFrame) -> pl.DataFrame:
    """One row for each of the twelve principal requirements."""
    return rollup(frame, requirements, r"^(\d+)")


def verdict(frame: Annotated[pl.DataFrame, findings]) -> pl.DataFrame:
    """One row: how many requirements have which finding, and what that makes of the whole."""
    unmet, untested = pl.col("not_in_place") > 0, pl.col("not_tested") > 0
    return frame.select(
        requirements=pl.len(), **{name: (pl.col("finding") == finding).sum() for name, finding in COUNTS.items()}
    ).with_columns(
        overall=pl.when((pl.col("in_place") == 0) & ~unmet)
        .then(pl.lit("insufficient_data"))
        .when(unmet | untested)
        .then(pl.lit("non_compliant"))
        .otherwise(pl.lit("compliant")),
        assessment=pl.when(pl.col("requirements") > 0).then(
            pl.when(untested).then(pl.lit("partial")).otherwise(pl.lit("full"))
        ),
    )
