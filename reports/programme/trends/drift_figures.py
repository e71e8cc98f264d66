"""Figures of the drift of accepted guardrails."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, Percentile, Share
from engine.model.figures.figure import Figure
from reports.programme.trends.drift import NAMES, drifted_controls, guardrail_drift

MEANINGS = {
    "contradicted": "about a control that is ineffective (a failing test or contradicting event), or of which somebody "
    "overrode a refusal",
    "evidence_missing": "about a control with no operating or test evidence, or only stale evidence; missing or lapsed "
    "signatures alone are not drift",
    "version_lag": "of which a newer version is on file than the one accepted",
    "scope_drift": "about a control that no longer applies, or a framework that is no longer followed",
    "review_expired": "whose review date has passed: 380 days after acceptance where none was set",
}
_DRIFT = pl.col("drift")
_SINCE = "{title}: {drifts} since {first_drifted_on}"

FIGURES = (
    Figure(
        "policies_unaccepted",
        "Active policies that nobody accepted",
        "count",
        "less",
        "Policy versions that are active without an acceptance that holds: by somebody of the organization, on a day "
        "that has come. They are no guardrails and no evidence.",
        "unaccepted_policies",
        Count(),
        reason="{title} version {version}, accepted by {accepted_by} on {accepted_on}",
    ),
    Figure(
        "guardrails",
        "Accepted guardrails",
        "count",
        "neither",
        "Policy versions that were accepted and are active: governance policies and the limits of playbooks.",
        guardrail_drift,
        Count(),
        reason="{title} version {version}, accepted {accepted_on}",
    ),
    Figure(
        "guardrails_without_drift",
        "Guardrails without known drift",
        "count",
        "more",
        "Accepted guardrails in which nothing that is recorded shows a drift.",
        guardrail_drift,
        Count(),
        _DRIFT.is_null(),
        "{title}, last observed {last_observed_on}",
    ),
    Figure(
        "guardrails_drifted",
        "Guardrails in drift",
        "count",
        "less",
        "Accepted guardrails with at least one kind of drift.",
        guardrail_drift,
        Count(),
        _DRIFT.is_not_null(),
        _SINCE,
    ),
    Figure(
        "guardrails_drift_free_pct",
        "Guardrails without known drift, share",
        "percent",
        "more",
        "Accepted guardrails in which nothing that is recorded shows a drift, as a share of all of them.",
        guardrail_drift,
        Share(_DRIFT.is_null()),
        reason="{title}: {drifts}",
    ),
    Figure(
        "drift_median_days",
        "Median days in drift",
        "days",
        "neither",
        "Median, by nearest rank, of the days since the first known day of drift of each guardrail in drift.",
        guardrail_drift,
        Percentile("days_in_drift"),
        _DRIFT.is_not_null(),
        _SINCE,
    ),
    *(
        Figure(
            f"guardrails_{kind}",
            f"Guardrails: {NAMES[kind].lower()}",
            "count",
            "less",
            f"Accepted guardrails {meaning}. One may have drifted in more than one way.",
            guardrail_drift,
            Count(),
            pl.col("drifts").list.contains(kind),
            _SINCE,
        )
        for kind, meaning in MEANINGS.items()
    ),
    Figure(
        "controls_drifted",
        "Controls behind the drift",
        "count",
        "less",
        "Different controls that contradict a guardrail, show no evidence of it, or left the scope.",
        drifted_controls,
        Distinct("control"),
        reason="{control} of {title}: {drift} since {since_on}",
    ),
)
