"""Figures of benchmarking: which reference programmes are compared with, and on which side of their median."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, First, Maximum
from engine.model.figures.figure import Figure
from reports.programme.packs.cohorts import cohort_choice, cohort_comparison, cohort_members

_RANKED = pl.col("percentile").is_not_null()
_MISSING = "{name} at {strict_pct} strict, median {median_pct}: {gap_controls} controls short"

FIGURES = (
    Figure(
        "benchmark_cohort",
        "Size of the reference cohort",
        "word",
        "neither",
        "The size of the programmes that are compared with: as asked, else that of the organization's headcount, "
        "all where it is not known.",
        cohort_choice,
        First("size"),
        reason="headcount {headcount}",
    ),
    Figure(
        "benchmark_cohort_kind",
        "Kind of the cohort",
        "word",
        "neither",
        "Reference: model programmes of the catalogue, not organizations.",
        cohort_members,
        First("cohort_kind"),
        reason="{member}, {provenance}",
    ),
    Figure(
        "benchmark_programmes",
        "Reference programmes",
        "count",
        "neither",
        "Different model programmes of the cohort, each of one size.",
        cohort_members,
        Distinct("member"),
        reason="{member}: {programme_title}",
    ),
    Figure(
        "organization_headcount",
        "Headcount",
        "count",
        "neither",
        "People of the organization, as it recorded.",
        "organization",
        First("headcount"),
        reason="as recorded",
    ),
    Figure(
        "organization_sector",
        "Sector",
        "word",
        "neither",
        "Sector of the organization, as it recorded.",
        "organization",
        First("sector"),
        reason="as recorded",
    ),
    Figure(
        "benchmark_at_or_above_median",
        "Frameworks at or above the reference median",
        "count",
        "more",
        "Frameworks in scope whose strict readiness needs no further control to reach the median of the cohort.",
        cohort_comparison,
        Count(),
        _RANKED & (pl.col("gap_controls") == 0),
        _MISSING,
    ),
    Figure(
        "benchmark_below_median",
        "Frameworks below the reference median",
        "count",
        "less",
        "Frameworks in scope in which further controls have to become effective to reach the median of the cohort.",
        cohort_comparison,
        Count(),
        _RANKED & (pl.col("gap_controls") > 0),
        _MISSING,
    ),
    Figure(
        "benchmark_without_percentile",
        "Frameworks that are not compared",
        "count",
        "less",
        "Frameworks in scope without readiness, or whose cohort has fewer than {cohort_min_n} members.",
        cohort_comparison,
        Count(),
        ~_RANKED,
        "{name}: {reason}",
    ),
    Figure(
        "benchmark_dated_on",
        "Day of the cohort",
        "date",
        "neither",
        "The latest day of which the members of the cohort are.",
        cohort_members,
        Maximum("dated_on"),
        reason="{member} of {dated_on}",
    ),
)
