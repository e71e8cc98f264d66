"""Figures of ownership: who answers for controls, exceptions from them, and the scope that they cover."""

from collections.abc import Mapping

import polars as pl

from engine.model.figures.aggregates import Count, Share
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better
from reports.ownership import exception_rules, raci, scope_gaps
from reports.shared.figures import APPLICABLE

FINDINGS: Mapping[str, tuple[str, str]] = {
    "no_accountable": ("without an accountable person", "for which no person is accountable"),
    "several_accountable": ("with several accountable people", "for which more than one person is accountable"),
    "accountable_without_authority": (
        "whose accountable person left",
        "of which no accountable person is an active user: they left or are not known",
    ),
    "no_responsible": ("without a responsible person", "for which nobody is responsible"),
    "responsible_left": (
        "whose responsible people left",
        "of which no responsible person is an active user: they left or are not known",
    ),
    "same_person": (
        "done and approved by one person",
        "of which the only responsible and the only accountable person are the same "
        "one, so that nobody else sees the work (segregation of duties)",
    ),
    "too_many_consulted": ("with too many people consulted", "on which more than {consulted_max} people are consulted"),
}
OWNERSHIP = (
    Figure(
        "ownership_complete",
        "Controls with complete ownership",
        "count",
        "more",
        "Applicable controls with at least one responsible person and exactly one accountable person, who is an "
        "active user.",
        "control_status",
        Count(),
        APPLICABLE & pl.col("ownership_complete"),
        "accountable is {accountable}",
    ),
    Figure(
        "ownership_complete_pct",
        "Share of controls with complete ownership",
        "percent",
        "more",
        "Controls with complete ownership as a share of the applicable controls.",
        "control_status",
        Share("ownership_complete"),
        APPLICABLE,
    ),
    *(
        Figure(
            f"controls_{finding}",
            f"Controls {title}",
            "count",
            "less",
            f"Applicable controls {meaning}.",
            raci.matrix,
            Count(),
            pl.col("findings").list.contains(finding),
            "responsible: {responsible}; accountable: {accountable}; consulted: {consulted}",
        )
        for finding, (title, meaning) in FINDINGS.items()
    ),
    Figure(
        "people_with_roles",
        "People with a role on controls",
        "count",
        "neither",
        "People who are responsible, accountable, consulted or informed for an applicable control.",
        raci.people,
        Count(),
        reason="accountable for {accountable} controls, responsible for {responsible}",
    ),
    Figure(
        "key_people",
        "Key people",
        "count",
        "less",
        "People who hold more than {key_person_pct} % of all accountable roles on applicable controls.",
        raci.people,
        Count(),
        pl.col("key_person"),
        "accountable for {accountable} controls, {share_pct} % of all",
    ),
)

STANDINGS: Mapping[str, tuple[str, Better, str]] = {
    "expired": ("expired", "less", "were approved and whose last day has passed"),
    "in_review": ("in review", "neither", "wait for a decision, or for an approval that holds"),
    "draft": ("in draft", "neither", "were not handed in for a decision yet"),
    "approved": (
        "in force",
        "neither",
        "are approved, by somebody of the organization on a day that has come, and whose last day has not passed",
    ),
    "rejected": ("rejected", "neither", "were refused"),
    "resolved": ("resolved", "neither", "ended because they are not needed any more"),
}
_UNTIL = "{standing}, until {expires_on}"
# of the exceptions that are in force or expired
FLAGS: Mapping[str, tuple[str, str, str]] = {
    "expired_in_use": (
        "expired and still relied on",
        "expired, on controls in scope that are not effective and have no other that is approved and in force",
        "expired on {expires_on}",
    ),
    "no_approver": (
        "called approved without an approval",
        "called approved whose approver is empty or was not with the organization on the day, or whose day of approval "
        "is empty or still to come",
        "approver {approver}, approved on {approved_on}",
    ),
    "evidence_missing": ("without evidence of their measure", "whose compensating measure has no evidence", _UNTIL),
    "evidence_stale": (
        "with stale evidence of their measure",
        "whose compensating measure has no evidence within the window of the control's cadence",
        "evidence of {compensating_evidence_on}",
    ),
    "too_long": (
        "granted for too long",
        "that last more than {exception_max_months} months from their approval",
        "approved on {approved_on}, until {expires_on}",
    ),
    "too_many_renewals": (
        "renewed too often",
        "renewed more than {exception_max_renewals} times",
        "renewed {renewals} times",
    ),
    "own_approval": ("approved by the control's owner", "approved by who owns the control", "approved by {approver}"),
    "worksheet_incomplete": (
        "with an incomplete worksheet",
        "for compensating controls of PCI DSS of which at least one of the six fields of the worksheet is empty",
        _UNTIL,
    ),
    "no_residual": ("without a residual rating", "of which the risk that remains is not rated", _UNTIL),
    "no_longer_needed": ("no longer needed", "in force on controls that are effective", "control is {control_state}"),
}
_FLAGS = pl.col("flags")
EXCEPTIONS = (
    Figure(
        "exceptions",
        "Exceptions on record",
        "count",
        "neither",
        "Departures from a control that were written down, wherever they stand: a gap, a drift from policy, an "
        "accepted risk, or a compensating measure in place of the control.",
        "exceptions",
        Count(),
        reason=_UNTIL,
    ),
    *(
        Figure(
            f"exceptions_{standing}",
            f"Exceptions {title}",
            "count",
            better,
            f"Exceptions that {meaning}.",
            "exceptions",
            Count(),
            pl.col("standing") == standing,
            _UNTIL,
        )
        for standing, (title, better, meaning) in STANDINGS.items()
    ),
    Figure(
        "exceptions_expiring_in_30_days",
        "Exceptions that expire within 30 days",
        "count",
        "less",
        "Exceptions in force, or called so without an approval, whose last day is today or within 30 days.",
        "exceptions",
        Count(),
        ((pl.col("standing") == "approved") | pl.col("unapproved")) & (pl.col("days_left") <= 30),
        "until {expires_on}, {days_left} days left",
    ),
    *(
        Figure(
            f"exceptions_{flag}",
            f"Exceptions {title}",
            "count",
            "neither" if flag == "evidence_stale" else "less",  # to have none is worse
            f"Exceptions in force, called so or expired: those {meaning}.",
            exception_rules.register,
            Count(),
            _FLAGS.list.contains(flag),
            reason,
        )
        for flag, (title, meaning, reason) in FLAGS.items()
    ),
    Figure(
        "measures_undeclared",
        "Compensating measures without an approved exception",
        "count",
        "less",
        "Open gaps whose remediation names a measure meanwhile, on controls without an exception in force.",
        exception_rules.undeclared_measures,
        Count(),
        reason="{compensating}",
    ),
    Figure(
        "measures_unapproved",
        "Compensating measures that nobody approved",
        "count",
        "less",
        "Open gaps whose remediation names a measure meanwhile that nobody of the organization approved on a day that "
        "has come, and whose control has no exception in force.",
        exception_rules.undeclared_measures,
        Count(),
        ~pl.col("compensating_approved"),
        "{compensating}",
    ),
)

GAPS: Mapping[str, tuple[str, str]] = {
    "flow_without_agreement": (
        "Data flows that leave without an agreement",
        "Data flows that leave the boundary and name no agreement.",
    ),
    "flow_unencrypted": (
        "Data flows that are not encrypted",
        "Data flows that are not known to be encrypted in transit.",
    ),
    "flow_to_undeclared": (
        "Data flows to undeclared systems",
        "Declared data flows of which at least one end is no declared system.",
    ),
    "no_controls": (
        "Systems without controls",
        "Systems in scope with neither a framework that applies to them nor a control that names them.",
    ),
    "excluded_without_reason": (
        "Systems excluded without reason",
        "Declared systems outside the boundary for which no reason is written down.",
    ),
    "flow_crosses_region": (
        "Data flows that cross regions",
        "Declared data flows whose two ends are in different regions.",
    ),
    "unclassified": ("Systems without a PCI DSS class", "Systems in scope of PCI DSS that have none of its classes."),
    "unknown_service": (
        "Systems that name an unknown service",
        "Declared systems that name a service which is not in the register of services.",
    ),
    "no_owner": ("Systems without owner", "Systems in scope that nobody owns."),
    "review_overdue": (
        "Systems whose scope is due for review",
        f"Systems in scope whose scope was not confirmed within the last {scope_gaps.REVIEW_MONTHS} months, or never.",
    ),
}
_DECLARED = pl.col("system_id").is_not_null()
SCOPE = (
    Figure(
        "systems_declared",
        "Systems declared",
        "count",
        "neither",
        "Systems that are written down, inside the boundary or outside.",
        "systems",
        Count(),
        reason="{boundary}",
    ),
    Figure(
        "systems_in_scope",
        "Systems in scope",
        "count",
        "neither",
        "Declared systems inside the boundary.",
        "systems",
        Count(),
        pl.col("in_scope"),
        "{boundary}",
    ),
    Figure(
        "systems_excluded",
        "Systems excluded from scope",
        "count",
        "neither",
        "Declared systems outside the boundary.",
        "systems",
        Count(),
        ~pl.col("in_scope"),
        "{boundary}: {justification}",
    ),
    Figure(
        "flows_declared",
        "Data flows declared",
        "count",
        "neither",
        "Data flows that are written down.",
        "data_flows",
        Count(),
        reason="{from_name} to {to_name}",
    ),
    Figure(
        "flows_leaving",
        "Data flows that leave the boundary",
        "count",
        "neither",
        "Declared data flows from a system inside the boundary to one outside, or to a vendor.",
        "data_flows",
        Count(),
        pl.col("leaves"),
        "{from_name} to {to_name}, agreement {agreement_ref}",
    ),
    Figure(
        "systems_observed",
        "Systems observed",
        "count",
        "neither",
        "Systems seen in the register of services, in alerts, in findings of scanners or at an end of a dependency.",
        "observations",
        Count(),
        reason="seen in {seen_in}",
    ),
    Figure(
        "systems_undocumented",
        "Systems observed and not declared",
        "count",
        "less",
        "Observed systems that no declared system is: none names that service, and none has its name or identifier.",
        "observations",
        Count(),
        ~_DECLARED,
        "seen in {seen_in}",
    ),
    Figure(
        "systems_documented_pct",
        "Observed systems that are declared",
        "percent",
        "more",
        "Observed systems that are declared as a share of all that were observed.",
        "observations",
        Share(_DECLARED),
        reason="declared as {system_id}",
    ),
    Figure(
        "scope_gaps",
        "Gaps of the scope",
        "count",
        "less",
        "Whatever does not fit between the declared scope and what was observed: a system or flow counts once for "
        "each of its gaps.",
        scope_gaps.gaps,
        Count(),
        reason="{gap}: {detail}",
    ),
    *(
        Figure(
            f"scope_{gap}", title, "count", "less", meaning, scope_gaps.gaps, Count(), pl.col("gap") == gap, "{detail}"
        )
        for gap, (title, meaning) in GAPS.items()
    ),
)

FIGURES = (*OWNERSHIP, *EXCEPTIONS, *SCOPE)
