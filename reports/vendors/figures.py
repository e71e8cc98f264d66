"""Figures of the vendor reports beside those that other chapters show too."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, Sum
from engine.model.figures.figure import Figure
from reports.vendors.inherited_rows import GAPS, inherited_gaps
from reports.vendors.register import register

MEANINGS = {
    "missing": "of which we hold no such document",
    "expired": "whose document ended, or is older than the months that it counts",
    "wrong_scope": "whose document does not cover the service that we use",
    "qualified_opinion": "whose auditor had reservations, or whose opinion nobody recorded",
    "cuec_unmapped": "whose user-entity controls nobody has mapped to our own",
}

REGISTER = (
    Figure(
        "vendor_evidence_reused",
        "Inherited controls that reuse evidence",
        "count",
        "more",
        "Inherited controls with evidence beyond the first that each document of a vendor evidences.",
        register,
        Sum("reused_evidence"),
        pl.col("reused_evidence") > 0,
        "{reused_evidence} of {inherited_evidenced} evidenced controls",
    ),
    Figure(
        "vendor_findings_open",
        "Open findings at vendors",
        "count",
        "less",
        "Findings about vendors that are open or accepted; not known while no finding names a vendor.",
        register,
        Sum("open_findings", known_without_rows=False),
        pl.col("open_findings").is_not_null(),
        "{open_findings} open",
    ),
    Figure(
        "vendor_ratings_unknown",
        "Vendors with unknown ratings",
        "count",
        "less",
        "Vendors of which a likelihood or an impact is not known, which counts as 5.",
        register,
        Count(),
        "rating_unknown",
        "residual risk {residual}",
    ),
)
INHERITED = (
    Figure(
        "vendors_with_inherited_gaps",
        "Vendors with inherited gaps",
        "count",
        "less",
        "Vendors with at least one inherited control without evidence that counts.",
        inherited_gaps,
        Distinct("vendor_id"),
        reason="{control_id}: {gap}",
    ),
    *(
        Figure(
            f"inherited_gaps_{gap}",
            f"Inherited gaps, {gap.replace('_', ' ')}",
            "count",
            "less" if gap == "missing" else "neither",  # of the parts of a whole only the worst has a direction
            f"Inherited controls without evidence that counts {MEANINGS[gap]}.",
            inherited_gaps,
            Count(),
            pl.col("gap") == gap,
            "expected {expected_evidence}, held until {held_until}",
        )
        for gap in GAPS
    ),
    Figure(
        "inherited_gaps_compensated",
        "Inherited gaps with a compensating control",
        "count",
        "neither",
        "Inherited controls without evidence that counts for which an approved exception names another measure.",
        inherited_gaps,
        Count(),
        pl.col("exception_id").is_not_null(),
        "exception {exception_id}",
    ),
    Figure(
        "inherited_gaps_severity",
        "Severity of inherited gaps",
        "points",
        "less",
        "Sum over inherited controls without evidence of the weight of the vendor's tier (critical 4 to low 1) "
        "times the requirements that the control answers.",
        inherited_gaps,
        Sum("severity_score"),
        reason="tier {tier}",
    ),
)

FIGURES = (*REGISTER, *INHERITED)
