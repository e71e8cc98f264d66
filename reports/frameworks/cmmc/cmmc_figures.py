"""Figures of the CMMC Level 2 assessment."""

import polars as pl

from engine.model.figures.aggregates import ONE, Count, First, Score, Sum
from engine.model.figures.figure import Figure
from reports.frameworks.cmmc.cmmc_results import (
    CLOSE_OUT_DAYS,
    CONDITIONAL_SCORE,
    ENDURING,
    MET,
    NOT_APPLICABLE,
    NOT_MET,
    TEMPORARY,
    results,
    scoring,
    verdict,
)

RESULT, BASIS = pl.col("result"), pl.col("basis")

FIGURES = (
    Figure("cmmc_status", "CMMC status that the results allow", "word", "neither",
           "Final Level 2 where every requirement is MET or N/A; Conditional Level 2 from a score of "
           f"{CONDITIONAL_SCORE} on if all that is NOT MET may stand on a POA&M; no status otherwise.",
           verdict, First("status"), reason="SPRS score {sprs_score}"),
    Figure("sprs_score", "SPRS score", "points", "more",
           "110 less the points of the CMMC requirements that are NOT MET (5, 3 or 1); unknown without evidence of a "
           "system security plan (3.12.4).", scoring, Score(ONE, "points", "points"), reason="{title}: {points}"),
    Figure("cmmc_points_lost", "Points lost for the SPRS score", "points", "less",
           "Points of the CMMC requirements that are NOT MET, 3 instead of 5 where there is partial credit.",
           results, Sum("points_lost"), RESULT == NOT_MET, "{why}"),
    Figure("cmmc_points_to_conditional", "Points to a conditional status", "points", "less",
           f"What the SPRS score lacks to {CONDITIONAL_SCORE}; unknown where nothing can be scored.",
           verdict, First("lacking"), reason="SPRS score {sprs_score}"),
    Figure("cmmc_requirements", "CMMC requirements", "count", "neither",
           "Requirements of CMMC Level 2, applicable or not.", results, Count(), reason="{result}"),
    Figure("cmmc_met", "CMMC requirements MET", "count", "more",
           "CMMC requirements that evidence, an enduring exception or a temporary deficiency makes MET.",
           results, Count(), RESULT == MET, "by {basis}"),
    Figure("cmmc_not_met", "CMMC requirements NOT MET", "count", "less",
           "Applicable CMMC requirements that nothing makes MET; without any evidence a requirement is NOT MET.",
           results, Count(), RESULT == NOT_MET, "{why}, {points_lost} points"),
    Figure("cmmc_not_applicable", "CMMC requirements N/A", "count", "neither",
           "CMMC requirements that are recorded as not applicable.",
           results, Count(), RESULT == NOT_APPLICABLE, "{justification}"),
    Figure("cmmc_barred_from_poam", "CMMC requirements barred from a POA&M", "count", "less",
           "CMMC requirements NOT MET that may not stand on the POA&M of a conditional status.",
           results, Count(), ~pl.col("on_poam"), "{points_lost} points, eligible: {poam_eligible}"),
    Figure("cmmc_met_by_enduring_exception", "CMMC requirements MET by enduring exception", "count", "neither",
           "CMMC requirements MET by an approved exception that says how the risk is mitigated.",
           results, Count(), BASIS == ENDURING, "exception {exception_id}"),
    Figure("cmmc_met_by_temporary_deficiency", "CMMC requirements MET by temporary deficiency", "count", "neither",
           "CMMC requirements MET because they worked before, an exception is approved and the repair is planned.",
           results, Count(), BASIS == TEMPORARY, "exception {exception_id}, planned for {due_on}"),
    Figure("cmmc_close_out_on", "Close-out of a conditional CMMC status", "date", "neither",
           f"The day on which a conditional status given on {{as_of}} would end, {CLOSE_OUT_DAYS} days later; none "
           "where the results allow no conditional status.", verdict, First("close_out_by"), reason="{status}"),
)  # fmt: skip
