"""Figures of the NIST CSF profile."""

import polars as pl

from engine.model.figures.aggregates import Count
from engine.model.figures.figure import Figure
from reports.frameworks.nist.nist_profile import profile

APPLICABLE, AT_TARGET = pl.col("applicable"), pl.col("at_target")
GAP = "{current_pct} now, {target_pct} wanted"

FIGURES = (
    Figure(
        "csf_outcomes",
        "NIST CSF outcomes",
        "count",
        "neither",
        "Outcomes of NIST CSF 2.0, in the profile or not.",
        profile,
        Count(),
        reason="{state}",
    ),
    Figure(
        "csf_in_scope",
        "NIST CSF outcomes in the profile",
        "count",
        "neither",
        "Outcomes of NIST CSF 2.0 that are not excluded from the profile.",
        profile,
        Count(),
        APPLICABLE,
        "{state}",
    ),
    Figure(
        "csf_at_target",
        "NIST CSF outcomes at target",
        "count",
        "more",
        "Outcomes in the profile whose current state is at or above their target; without a target all is wanted.",
        profile,
        Count(),
        APPLICABLE & AT_TARGET,
        GAP,
    ),
    Figure(
        "csf_below_target",
        "NIST CSF outcomes below target",
        "count",
        "less",
        "Outcomes in the profile whose current state is below their target; without a target all is wanted.",
        profile,
        Count(),
        APPLICABLE & ~AT_TARGET,
        GAP,
    ),
    Figure(
        "csf_target_not_set",
        "NIST CSF outcomes without a target",
        "count",
        "less",
        "Outcomes in the profile for which nobody set a target, which counts as if all were wanted.",
        profile,
        Count(),
        APPLICABLE & ~pl.col("target_set"),
        "no target",
    ),
    Figure(
        "csf_actions_planned",
        "NIST CSF outcomes with a planned action",
        "count",
        "neither",
        "Outcomes below their target whose remediation has a date, a part of those below it.",
        profile,
        Count(),
        (pl.col("gap_points") > 0) & pl.col("due_on").is_not_null(),
        "remediation due {due_on}",
    ),
)
