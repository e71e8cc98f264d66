"""Figures of the ISO/IEC 27001 assessment."""

from collections.abc import Mapping

import polars as pl

from engine.model.figures.aggregates import Count, Share, WeightedMean
from engine.model.figures.figure import Figure
from engine.model.vocabulary import CONTROL_STATES, Better
from reports.frameworks.iso27001.iso_statement import FINDINGS, FRAMEWORK, statement
from reports.shared.ordering import state_score

ANNEX, APPLICABLE = pl.col("annex_a"), pl.col("applicable")
CONTROLS = APPLICABLE & (pl.col("framework") == FRAMEWORK)
MEANINGS = {
    "effective": "with all mandatory evidence there and fresh, and nothing against it",
    "partial": "for which some but not all mandatory kinds of evidence were ever given",
    "stale": "of which mandatory evidence is past its window, or the signature no longer in force",
    "ineffective": "that a failing test or a contradicting event speaks against",
    "no_data": "without evidence of any mandatory kind",
    "not_applicable": "that are excluded; a clause of 4 to 10 may not be",
}
BETTER: Mapping[str, Better] = {
    "effective": "more",
    "partial": "neither",
    "stale": "neither",
    "not_applicable": "neither",
}
RULES = {
    "major candidate": "Clauses of 4 to 10 that are excluded, approved or not, and ineffective requirements of weight "
    "4 or 5",
    "minor candidate": "Other ineffective requirements, those without evidence that counts, and Annex A exclusions "
    "without justification, approver and date",
    "improvement": "Other requirements of which the evidence is partial or stale",
}
NAMES = {
    "major candidate": ("iso_major_candidates", "ISO 27001 major nonconformity candidates"),
    "minor candidate": ("iso_minor_candidates", "ISO 27001 minor nonconformity candidates"),
    "improvement": ("iso_improvements", "ISO 27001 opportunities for improvement"),
}

FIGURES = (
    Figure(
        "iso_requirements",
        "ISO 27001 requirements",
        "count",
        "neither",
        "Requirements of clauses 4 to 10 and Annex A controls of ISO/IEC 27001, applicable or not.",
        statement,
        Count(),
        reason="{area}",
    ),
    Figure(
        "iso_applicable",
        "ISO 27001 requirements applicable",
        "count",
        "neither",
        "Requirements of ISO/IEC 27001 that are not excluded.",
        statement,
        Count(),
        APPLICABLE,
    ),
    *(
        Figure(
            f"iso_{state}",
            f"ISO 27001 requirements {state.replace('_', ' ')}",
            "count",
            BETTER.get(state, "less"),
            f"Requirements of ISO/IEC 27001 {MEANINGS[state]}.",
            statement,
            Count(),
            pl.col("state") == state,
            "{state}, newest evidence {evidence_on}",
        )
        for state in CONTROL_STATES
    ),
    Figure(
        "iso_strict_pct",
        "Strict readiness of ISO 27001",
        "percent",
        "more",
        "Effective requirements of ISO/IEC 27001 as a share of the applicable ones.",
        "control_status",
        Share(pl.col("state") == "effective"),
        CONTROLS,
    ),
    Figure(
        "iso_weighted_pct",
        "Weighted readiness of ISO 27001",
        "percent",
        "more",
        "Effective requirements of ISO/IEC 27001 count fully, partial ones half, stale ones a quarter, all others "
        "nothing, each by its weight from 1 to 5, as a share of all weights.",
        "control_status",
        WeightedMean(100 * state_score(), "weight"),
        CONTROLS,
    ),
    *(
        Figure(
            *NAMES[finding],
            "count",
            "neither" if finding == "improvement" else "less",  # of which there are fewer, too, where evidence is lost
            f"{RULES[finding]}. An auditor decides what is a nonconformity.",
            statement,
            Count(),
            pl.col("finding") == finding,
            "{why}",
        )
        for finding in FINDINGS
    ),
    Figure(
        "iso_annex_a",
        "Annex A controls",
        "count",
        "neither",
        "Controls of Annex A of ISO/IEC 27001, applicable or not.",
        statement,
        Count(),
        ANNEX,
        "{area}",
    ),
    Figure(
        "iso_annex_a_excluded",
        "Annex A controls excluded",
        "count",
        "neither",
        "Annex A controls that the statement of applicability excludes.",
        statement,
        Count(),
        ANNEX & ~APPLICABLE,
        "{justification_exclusion}",
    ),
    Figure(
        "iso_inclusions_without_justification",
        "Annex A inclusions without justification",
        "count",
        "less",
        "Annex A controls that are included without a reason on record.",
        statement,
        Count(),
        ANNEX & APPLICABLE & pl.col("justification_inclusion").is_null(),
        "no justification",
    ),
)
