"""The organizational profile of NIST CSF 2.0: current and target state of each outcome."""

import polars as pl

from engine.catalogue import catalogue
from reports.frameworks.assessments import assessment_rows, why, with_remediations

FRAMEWORK = "nist-csf"
CURRENT = {"effective": 100, "partial": 50, "stale": 25, "ineffective": 0, "no_data": 0}
TARGET = {"effective": 100, "partial": 50, "none": 0}


def profile(
    requirements: pl.DataFrame, control_assessments: pl.DataFrame, control_profiles: pl.DataFrame, gaps: pl.DataFrame
) -> pl.DataFrame:
    """One row for each outcome with what it is, what it should be, and the difference in points."""
    own = catalogue().details(FRAMEWORK).select("control_id", "function_id", "function", "category_id", "category_name")
    wanted = pl.coalesce("target_pct", pl.col("target").replace_strict(TARGET, default=None, return_dtype=pl.Int64))
    current = pl.col("state").replace_strict(CURRENT, default=None, return_dtype=pl.Int64)
    return (
        with_remediations(assessment_rows(FRAMEWORK, requirements, control_assessments, control_profiles), gaps)
        .join(own, on="control_id", how="left")
        .with_columns(target_set=wanted.is_not_null(), current_pct=current, practice="implementation", why=why())
        .with_columns(target_pct=pl.when("applicable").then(wanted.fill_null(100)))
        .with_columns(gap_points=(pl.col("target_pct") - pl.col("current_pct")).clip(0))
        .with_columns(
            at_target=(pl.col("gap_points") == 0).fill_null(False),
            action=pl.when(pl.col("gap_points") > 0).then("action"),
            priority=pl.when(pl.col("gap_points") > 0).then("priority"),
        )
        .sort("position", "control_id")
    )
