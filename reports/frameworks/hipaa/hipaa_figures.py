"""Figures of the HIPAA Security Rule assessment."""

import polars as pl

from engine.model.figures.aggregates import Count, Share
from engine.model.figures.figure import Figure
from reports.frameworks.hipaa.hipaa_findings import (
    EXPIRED,
    NO_BAA,
    NO_FLOW_DOWN,
    REASONED,
    UNDOCUMENTED,
    business_associates,
    findings,
)

FINDING = pl.col("finding")
MET = {
    "required": "shown by evidence of every mandatory kind in its window",
    "addressable": "implemented, met by an equivalent alternative, or not implemented for a reason that is documented",
}


def _kind(kind: str) -> pl.Expr:
    return (pl.col("kind") == kind) & pl.col("applicable")


FIGURES = (
    *(
        figure
        for kind, met in MET.items()
        for figure in (
            Figure(
                f"hipaa_{kind}",
                f"HIPAA {kind} specifications",
                "count",
                "neither",
                f"Applicable {kind} specifications and standards of the HIPAA Security Rule.",
                findings,
                Count(),
                _kind(kind),
                "{finding}",
            ),
            Figure(
                f"hipaa_{kind}_met",
                f"HIPAA {kind} specifications met",
                "count",
                "more",
                f"Applicable {kind} specifications and standards of the HIPAA Security Rule that are {met}.",
                findings,
                Count(),
                _kind(kind) & pl.col("met"),
                "{finding}",
            ),
            Figure(
                f"hipaa_{kind}_met_pct",
                f"HIPAA {kind} specifications met, share",
                "percent",
                "more",
                f"Those met as a share of the applicable {kind} specifications and standards of the HIPAA Security "
                "Rule; required and addressable are never added up.",
                findings,
                Share("met"),
                _kind(kind),
                "{finding}",
            ),
        )
    ),
    Figure(
        "hipaa_violations",
        "HIPAA specifications undocumented",
        "count",
        "less",
        "Applicable addressable specifications that are neither shown nor decided in writing with a date, which "
        "violates the rule.",
        findings,
        Count(),
        FINDING == UNDOCUMENTED,
        "{why}",
    ),
    Figure(
        "hipaa_not_implemented_with_reason",
        "HIPAA specifications not implemented for a reason",
        "count",
        "neither",
        "Applicable addressable specifications that are not implemented, with rationale and date on record.",
        findings,
        Count(),
        FINDING == REASONED,
        "{rationale}, decided {decided_on}",
    ),
    Figure(
        "hipaa_business_associates",
        "HIPAA business associates",
        "count",
        "neither",
        "Vendors that handle protected health information, or of which that is not known.",
        business_associates,
        Count(),
        reason="agreement {agreement}, {finding}",
    ),
    Figure(
        "hipaa_associates_without_agreement",
        "Business associates without valid agreement",
        "count",
        "less",
        "Business associates known to handle health information that have no agreement on file, or one that has "
        "expired.",
        business_associates,
        Count(),
        FINDING.is_in([NO_BAA, EXPIRED]),
        "{finding}",
    ),
    Figure(
        "hipaa_associates_without_flow_down",
        "Business associates without flow-down",
        "count",
        "less",
        "Business associates with an agreement in force that is not confirmed to bind their subcontractors.",
        business_associates,
        Count(),
        FINDING == NO_FLOW_DOWN,
        "{finding}",
    ),
)
