"""Figures that several chapters show: controls and their gaps, attestations, requests, vendors, risks."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.aggregates import Count, Expression, First, Share, Sum, WeightedMean
from engine.model.figures.figure import Figure
from engine.model.vocabulary import CONTROL_STATES, GAP_SEVERITIES
from reports.shared.ordering import state_score

APPLICABLE = pl.col("applicable")
IN_WINDOW = pl.col("freshness").is_in(["fresh", "due_soon"]) & ~pl.col("future_dated")
READINESS = pl.col("component") == "readiness"
STATES = {
    "effective": "whose mandatory evidence is all there and fresh, with nothing against it",
    "partial": "for which some but not all mandatory kinds of evidence were ever given",
    "stale": "of which mandatory evidence is past its window, or the signature no longer in force",
    "ineffective": "that a failing test or a contradicting event speaks against",
    "no_data": "for which no evidence of a mandatory kind was ever given",
}


# no state that a sentence could begin with; other counts of what is missing are named by what they count, too
TITLES = {"no_data": "Controls without evidence of any kind that they need"}


def _past(ask: Ask) -> pl.Expr:
    return pl.col("due_on") < ask.as_of


def review_is_overdue(ask: Ask) -> pl.Expr:
    """Whether the vendor's next review has passed; one that was never reviewed owes its first."""
    return (pl.col("next_review_on") < ask.as_of).fill_null(False)


def _in_period(column: str) -> Expression:
    return lambda ask: pl.col(column).is_between(ask.period_start, ask.as_of)


CONTROLS = (
    Figure(
        "controls_applicable",
        "Applicable controls",
        "count",
        "neither",
        "Controls of the frameworks in scope that are not excluded with justification, approver and date.",
        "control_status",
        Count(),
        APPLICABLE,
    ),
    # of parts of a whole only the best, or the worst, has a direction: what leaves another may have gone either way
    *(
        Figure(
            f"controls_{state}",
            TITLES.get(state, f"Controls {state.replace('_', ' ')}"),
            "count",
            "more" if state == "effective" else "neither",
            f"Applicable controls {STATES[state]}.",
            "control_status",
            Count(),
            APPLICABLE & (pl.col("state") == state),
        )
        for state in CONTROL_STATES
        if state in STATES
    ),
    Figure(
        "controls_without_evidence",
        "Controls without any evidence",
        "count",
        "neither",
        "Applicable controls for which nothing at all was ever recorded, neither for nor against them.",
        "control_status",
        Count(),
        APPLICABLE & pl.col("without_evidence"),
        "{state}, nothing on record",
    ),
    Figure(
        "coverage_pct",
        "Coverage",
        "percent",
        "neither",
        "Applicable controls whose state is not 'no data', as a share of the applicable controls.",
        "control_status",
        Share(pl.col("state") != "no_data"),
        APPLICABLE,
    ),
    Figure(
        "strict_pct",
        "Strict readiness over all controls",
        "percent",
        "more",
        "Effective controls as a share of the applicable controls, all frameworks in scope taken together.",
        "control_status",
        Share(pl.col("state") == "effective"),
        APPLICABLE,
    ),
    Figure(
        "weighted_pct",
        "Weighted readiness over all controls",
        "percent",
        "more",
        "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, each by its "
        "weight from 1 to 5, as a share of all weights of the frameworks in scope.",
        "control_status",
        WeightedMean(100 * state_score(), "weight"),
        APPLICABLE,
    ),
    Figure(
        "weighted_before_pct",
        "Weighted readiness before the period",
        "percent",
        "neither",
        "Weighted readiness over all controls in the last snapshot before {period_start}.",
        "posture",
        First("prior_value"),
        READINESS,
        "the snapshot of {prior_on}",
        comparison=True,
    ),
    Figure(
        "snapshot_before_on",
        "Day of the snapshot before the period",
        "date",
        "neither",
        "The day of the last snapshot before {period_start}.",
        "posture",
        First("prior_on"),
        pl.col("prior_on").is_not_null(),
        "the snapshot of {prior_on}",
        comparison=True,
    ),
    Figure(
        "weighted_change",
        "Change of weighted readiness",
        "points",
        "more",
        "Percentage points that weighted readiness over all controls moved since the last snapshot before "
        "{period_start}.",
        "posture",
        First(pl.col("value") - pl.col("prior_value")),
        READINESS,
        "{value} now, {prior_value} in the snapshot of {prior_on}",
        comparison=True,
    ),
    Figure(
        "evidence_in_window_pct",
        "Controls with evidence in its window",
        "percent",
        "more",
        "Applicable controls whose governing evidence is within the window of its cadence, none being dated in the "
        "future, as a share of the applicable controls.",
        "control_status",
        Share(IN_WINDOW),
        APPLICABLE,
    ),
    Figure(
        "evidence_held_pct",
        "Evidence whose bytes are held",
        "percent",
        "more",
        "Evidence items linked to a control whose bytes are held here and were whole at the last check, as a "
        "share of all such items.",
        "evidence_files",
        Share((pl.col("evidence_place") == "held") & (pl.col("held_state") == "whole")),
        reason="{evidence_place} {held_state}",
    ),
    Figure(
        "evidence_not_whole",
        "Held evidence that is not whole",
        "count",
        "less",
        "Evidence items whose bytes were held and that the last check found changed or missing: they are no evidence.",
        "evidence_files",
        Count(),
        (pl.col("evidence_place") == "held") & (pl.col("held_state") != "whole"),
        "held, {held_state} at the last check",
    ),
)

GAPS = (
    Figure(
        "gaps_open",
        "Open gaps",
        "count",
        "less",
        "Applicable controls that are not effective.",
        "gaps",
        Count(),
        reason="{state} since {state_since}",
    ),
    *(
        Figure(
            f"gaps_{severity}",
            f"Open gaps, {severity}",
            "count",
            "less" if severity == "critical" else "neither",
            f"Open gaps of severity {severity}: that of the remediation, else by state and weight of the control.",
            "gaps",
            Count(),
            pl.col("severity") == severity,
            "{severity}, {state} since {state_since}",
        )
        for severity in GAP_SEVERITIES
    ),
    Figure(
        "gaps_effort_hours",
        "Effort to close all gaps",
        "hours",
        "less",
        "Hours of work to close the open gaps: the remediation's own estimate, else those of what lapsed where its "
        "renewal closes the gap, else what such work took before, else those of the runbook, else eight.",
        "gaps",
        Sum("effort_hours"),
    ),
    Figure(
        "gaps_without_owner",
        "Open gaps without owner",
        "count",
        "less",
        "Open gaps of which neither the remediation nor the control has an owner.",
        "gaps",
        Count(),
        pl.col("owner").is_null(),
    ),
    Figure(
        "remediations_overdue",
        "Remediations overdue",
        "count",
        "less",
        "Open gaps of which any open remediation was due before the day of the report, whatever other work there is; "
        "the one that was due first dates the gap.",
        "gaps",
        Count(),
        _past,
    ),
    Figure(
        "remediations_opened_in_period",
        "Remediations opened in the period",
        "count",
        "neither",
        "Tracked work on gaps that was opened from {period_start} to {as_of}.",
        "remediations",
        Count(),
        _in_period("opened_on"),
    ),
    Figure(
        "remediations_closed_in_period",
        "Remediations closed in the period",
        "count",
        "more",
        "Tracked work on gaps that was closed from {period_start} to {as_of}.",
        "remediations",
        Count(),
        _in_period("closed_on"),
    ),
)

_STATUS, _LEFT = pl.col("status"), pl.col("days_left")
_OPEN = _STATUS.is_in(["due_7", "due_30", "not_due"])
ATTESTATIONS = (
    Figure(
        "attestations_overdue",
        "Attestations overdue",
        "count",
        "less",
        "Attestations whose due date has passed and that nobody decided on since.",
        "attestations",
        Count(),
        _STATUS == "overdue",
        "due {due_on}, not decided since",
    ),
    Figure(
        "attestations_due_soon",
        "Attestations due within {due_soon_days} days",
        "count",
        "neither",
        "Open attestations due today or within {due_soon_days} days.",
        "attestations",
        Count(),
        _STATUS == "due_7",
    ),
    Figure(
        "attestations_due_in_30_days",
        "Attestations due within 30 days",
        "count",
        "neither",
        "Open attestations due today or within 30 days.",
        "attestations",
        Count(),
        _OPEN & (_LEFT <= 30),
    ),
    Figure(
        "attestations_not_due",
        "Attestations due later",
        "count",
        "neither",
        "Open attestations due in more than 30 days.",
        "attestations",
        Count(),
        _OPEN & (_LEFT > 30),
    ),
    Figure(
        "attestations_current",
        "Controls attested",
        "count",
        "more",
        "Controls of which the attestation that decides today is signed.",
        "attestations",
        Count(),
        pl.col("current") & (_STATUS == "attested"),
    ),
    Figure(
        "attestations_rejected",
        "Attestations rejected",
        "count",
        "less",
        "Controls of which the attestation that decides today was rejected.",
        "attestations",
        Count(),
        pl.col("current") & (_STATUS == "rejected"),
    ),
    Figure(
        "attestation_duty_pct",
        "Signed of the attestations that decide today",
        "percent",
        "more",
        "Attestations that decide today and are signed, as a share of those that decide today.",
        "attestations",
        Share(_STATUS == "attested"),
        pl.col("current"),
    ),
    Figure(
        "attestation_control_pct",
        "Attestation currency of controls",
        "percent",
        "more",
        "Applicable controls that need an attestation and have a signature in force, as a share of those that need "
        "one.",
        "control_status",
        Share("attested"),
        APPLICABLE & pl.col("kinds_required").list.contains("attestation"),
    ),
)

_CLOCK = pl.col("clock")
REQUESTS = (
    Figure(
        "requests_open",
        "Evidence requests open",
        "count",
        "neither",
        "Evidence requests that are not closed, those that wait on the requester included.",
        "requests",
        Count(),
        ~_CLOCK.is_in(["closed_on_time", "closed_late"]),
    ),
    Figure(
        "requests_overdue",
        "Evidence requests overdue",
        "count",
        "less",
        "Open evidence requests past their due date whose clock runs.",
        "requests",
        Count(),
        _CLOCK == "overdue",
    ),
    Figure(
        "requests_at_risk",
        "Evidence requests at risk",
        "count",
        "less",
        "Open evidence requests in the last part of their clock, at least one business day, that are not overdue.",
        "requests",
        Count(),
        _CLOCK == "at_risk",
    ),
    Figure(
        "requests_paused",
        "Evidence requests waiting on the requester",
        "count",
        "neither",
        "Open evidence requests whose clock stands because they wait on the requester.",
        "requests",
        Count(),
        _CLOCK == "paused",
    ),
    Figure(
        "requests_on_track",
        "Evidence requests on track",
        "count",
        "neither",
        "Open evidence requests that are neither overdue, at risk nor paused.",
        "requests",
        Count(),
        _CLOCK == "on_track",
    ),
    Figure(
        "requests_closed_in_period",
        "Evidence requests closed in the period",
        "count",
        "neither",
        "Evidence requests that were finished from {period_start} to {as_of}.",
        "requests",
        Count(),
        _in_period("finished_on"),
    ),
)

_ASSURANCE, _REVIEW = pl.col("assurance"), pl.col("review")
VENDORS = (
    Figure(
        "vendors", "Vendors", "count", "neither", "Vendors in the register that are not offboarded.", "vendors", Count()
    ),
    Figure(
        "vendors_assured",
        "Vendors assured",
        "count",
        "more",
        "Vendors that an assurance document in force covers.",
        "vendors",
        Count(),
        _ASSURANCE.is_in(["assured", "expiring"]),
    ),
    Figure(
        "vendors_assured_pct",
        "Share of vendors assured",
        "percent",
        "more",
        "Vendors that an assurance document in force covers, as a share of all vendors.",
        "vendors",
        Share(_ASSURANCE.is_in(["assured", "expiring"])),
    ),
    Figure(
        "vendors_assurance_expiring",
        "Vendors whose assurance expires soon",
        "count",
        "neither",
        "Vendors assured by a document that is in force for at most {vendor_expiring_days} more days.",
        "vendors",
        Count(),
        _ASSURANCE == "expiring",
    ),
    Figure(
        "vendors_assurance_lapsed",
        "Vendors whose assurance lapsed",
        "count",
        "neither",
        "Vendors that an assurance document covered once and none does now.",
        "vendors",
        Count(),
        _ASSURANCE == "lapsed",
    ),
    Figure(
        "vendors_not_assessed",
        "Vendors never assured",
        "count",
        "less",
        "Vendors for which there never was an assurance document that covers them.",
        "vendors",
        Count(),
        _ASSURANCE == "not_assessed",
    ),
    Figure(
        "vendor_reviews_overdue",
        "Vendor reviews overdue",
        "count",
        "less",
        "Vendors whose next review has passed, those never reviewed among them: their first review is due "
        "{vendor_first_review_days} days after they came, or after records begin.",
        "vendors",
        Count(),
        review_is_overdue,
    ),
    Figure(
        "vendor_reviews_never",
        "Vendors never reviewed",
        "count",
        "less",
        "Vendors without any review, which is not the same as low risk.",
        "vendors",
        Count(),
        _REVIEW == "never",
    ),
    Figure(
        "vendor_reviews_due_soon",
        "Vendor reviews due within 30 days",
        "count",
        "neither",
        "Vendors whose next review is due within 30 days, those never reviewed among them: their first review.",
        "vendors",
        Count(),
        lambda ask: pl.col("next_review_on").is_between(ask.as_of, ask.as_of + timedelta(days=30)),
    ),
    Figure(
        "vendor_reviews_current",
        "Vendor reviews current",
        "count",
        "more",
        "Vendors that were reviewed and whose next review is more than 30 days ahead.",
        "vendors",
        Count(),
        _REVIEW == "current",
    ),
    Figure(
        "inherited_controls",
        "Controls inherited from vendors",
        "count",
        "neither",
        "Pairs of a vendor and a control that it carries by its tier and category.",
        "vendor_controls",
        Count(),
    ),
    Figure(
        "inherited_evidenced",
        "Inherited controls with evidence",
        "count",
        "more",
        "Inherited controls for which the vendor's evidence is held, in force and covers them.",
        "vendor_controls",
        Count(),
        pl.col("gap") == "none",
    ),
    Figure(
        "inherited_gaps",
        "Inherited controls without evidence",
        "count",
        "less",
        "Inherited controls for which the vendor's evidence is missing, expired, or does not cover them.",
        "vendor_controls",
        Count(),
        pl.col("gap") != "none",
    ),
    Figure(
        "inherited_evidenced_pct",
        "Inherited controls with evidence, share",
        "percent",
        "more",
        "Inherited controls with evidence as a share of all inherited controls.",
        "vendor_controls",
        Share(pl.col("gap") == "none"),
    ),
)

_LIVE = pl.col("status") == "open"
RISKS = (
    Figure("risks", "Open risks", "count", "neither", "Open risks of the register.", "risks", Count(), _LIVE),
    Figure(
        "risks_over_appetite",
        "Risks over appetite",
        "count",
        "less",
        "Open risks whose residual cell, likelihood 1 to 5 times impact 1 to 5, is larger than the largest that is "
        "accepted; a rating that is not known counts as 5.",
        "risks",
        Count(),
        _LIVE & pl.col("over_appetite"),
    ),
    Figure(
        "risks_unrated",
        "Risks with unknown ratings",
        "count",
        "less",
        "Open risks of which a likelihood or an impact is not known, before or after treatment.",
        "risks",
        Count(),
        _LIVE & pl.col("unknown"),
    ),
    Figure(
        "risks_accepted_unapproved",
        "Risks accepted by nobody",
        "count",
        "less",
        "Open risks that are called accepted without somebody of the organization having accepted them on a day that "
        "has come.",
        "risks",
        Count(),
        _LIVE & ~pl.col("acceptance_approved"),
        "accepted by {accepted_by} on {accepted_on}",
    ),
)

FIGURES = (*CONTROLS, *GAPS, *ATTESTATIONS, *REQUESTS, *VENDORS, *RISKS)
