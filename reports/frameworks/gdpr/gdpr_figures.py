"""Figures of the GDPR Article 32 report."""

import polars as pl

from engine.model.figures.aggregates import Count, Percentile, Share
from engine.model.figures.figure import Figure
from reports.frameworks.gdpr.gdpr_measures import (
    DEMONSTRATED,
    IN_PART,
    NOT_ASSESSED,
    NOT_DEMONSTRATED,
    measures,
    restorations,
)
from reports.frameworks.gdpr.gdpr_processors import NO_DPA, processors

APPLICABLE, STANDING, FINDING = pl.col("applicable"), pl.col("standing"), pl.col("finding")

FIGURES = (
    Figure(
        "gdpr_measures",
        "Article 32 measures",
        "count",
        "neither",
        "Measures of Article 32 GDPR, applicable or not.",
        measures,
        Count(),
        reason="{standing}",
    ),
    Figure(
        "gdpr_applicable",
        "Article 32 measures applicable",
        "count",
        "neither",
        "Measures of Article 32 GDPR that are not excluded.",
        measures,
        Count(),
        APPLICABLE,
        "{standing}",
    ),
    Figure(
        "gdpr_demonstrated",
        "Article 32 measures demonstrated",
        "count",
        "more",
        "Measures with evidence of every mandatory kind in its window and nothing against them; 32(2) needs an "
        "assessed risk of each measure besides, 32(1)(d) a test.",
        measures,
        Count(),
        STANDING == DEMONSTRATED,
        "{state}",
    ),
    Figure(
        "gdpr_demonstrated_in_part",
        "Article 32 measures demonstrated in part",
        "count",
        "neither",
        "Measures of which the evidence is partial or past its window, or the signature no longer in force; 32(2) and "
        "32(1)(d) while a measure has no assessed risk or no test.",
        measures,
        Count(),
        STANDING == IN_PART,
        "{why}",
    ),
    Figure(
        "gdpr_not_demonstrated",
        "Article 32 measures not demonstrated",
        "count",
        "less",
        "Applicable measures without evidence that counts, or with evidence against them.",
        measures,
        Count(),
        STANDING == NOT_DEMONSTRATED,
        "{why}",
    ),
    Figure(
        "gdpr_demonstrated_pct",
        "Article 32 measures demonstrated, share",
        "percent",
        "more",
        "Demonstrated measures as a share of the applicable ones; those in part count nothing.",
        measures,
        Share(STANDING == DEMONSTRATED),
        APPLICABLE,
        "{standing}",
    ),
    Figure(
        "gdpr_risk_not_assessed",
        "Article 32 measures without assessed risk",
        "count",
        "less",
        "Applicable measures that no risk of the register is linked to.",
        measures,
        Count(),
        pl.col("residual_risk") == NOT_ASSESSED,
        "no risk is linked",
    ),
    Figure(
        "gdpr_never_tested",
        "Article 32 measures never tested",
        "count",
        "less",
        "Applicable measures of which no test was ever performed.",
        measures,
        Count(),
        APPLICABLE & pl.col("last_tested_on").is_null(),
        "no test on record",
    ),
    Figure(
        "gdpr_restore_minutes",
        "Median time to restore availability",
        "minutes",
        "less",
        "Median, by nearest rank, of the minutes from opening to resolution of the incidents opened from "
        "{period_start} to {as_of}.",
        restorations,
        Percentile("minutes_to_resolve"),
        reason="opened {opened_at}",
    ),
    Figure(
        "gdpr_processors",
        "Processors under Article 28",
        "count",
        "neither",
        "Vendors with classes of data, with a data processing agreement, or that handle health information.",
        processors,
        Count(),
        reason="agreement {dpa}, {finding}",
    ),
    Figure(
        "gdpr_processors_without_agreement",
        "Processors without an agreement",
        "count",
        "less",
        "Processors of which no data processing agreement is on file.",
        processors,
        Count(),
        FINDING == NO_DPA,
        "{finding}",
    ),
    Figure(
        "gdpr_processors_open",
        "Processors with an open point",
        "count",
        "less",
        "Processors whose agreement is missing or expired, is not known to bind sub-processors, or of which it is "
        "not known which data they handle.",
        processors,
        Count(),
        FINDING.is_not_null(),
        "{finding}",
    ),
)
