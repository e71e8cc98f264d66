"""Versions of formulas: one for each figure, raised by every change after which the same records have another value.

A change is a line of ``CHANGES``, the oldest first: the figures that it moved, and its name, which is written word for
word in the changelog. A figure that none names is at version 1. ``tests/reports/figure_values.json`` has the value of
every figure over records that never change, by version; a value that moves without a line here fails the suite.

Snapshots keep the versions that they were computed by. Those from before there were any keep none, which is a version
of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class FormulaChange:
    """A change after which figures have other values for the same records; ``name`` is that of the changelog."""

    name: str
    figures: tuple[str, ...]


CHANGES: tuple[FormulaChange, ...] = (
    FormulaChange(
        "The FedRAMP plan has the items that name a control of NIST SP 800-53",
        (
            *("poam_items_closed", "poam_items_detected_in_period", "poam_items_from_gaps", "poam_items_high"),
            *("poam_items_late", "poam_items_low", "poam_items_moderate", "poam_items_numbered", "poam_items_open"),
            "poam_items_unnumbered",
        ),
    ),
    FormulaChange(
        "A test window is there until its last day is a year past",
        (
            *("calendar_entries", "calendar_entries_late", "obligations_finished_in_period"),
            *("obligations_finished_late_in_period", "obligations_overdue", "obligations_overdue_hours"),
            *("obligations_pending", "obligations_pending_hours", "obligations_up_to_horizon"),
            *("reminder_items_overdue", "reminder_items_to_send", "reminders_to_send"),
            *("scenario_obligations_overdue", "scenario_obligations_overdue_hours", "scenario_obligations_pending"),
            *("scenario_obligations_pending_hours", "test_windows_done_since_in_12_months"),
            *("test_windows_in_12_months", "test_windows_missed_in_12_months", "test_windows_on_time_pct"),
            "type_ii_tests_missed",
        ),
    ),
    FormulaChange(
        "Un-accepting a policy makes nothing better",
        (
            *("posture_score", "posture_change", "weighted_pct", "weighted_change", "iso_weighted_pct"),
            *("iso_partial", "iso_stale", "csf_at_target", "csf_below_target", "freshness_debt_days", "evidence_fresh"),
            *("evidence_stale", "evidence_in_window_pct", "control_health", "gaps_all_points"),
            "renewals_on_weak_evidence",
        ),
    ),
    FormulaChange(
        "An exclusion from ISO 27001 that nobody approved is a candidate for a nonconformity",
        ("iso_major_candidates", "iso_minor_candidates", "iso_improvements"),
    ),
    FormulaChange("A component that leaves the posture is a break of the series and no rise", ("posture_change",)),
    FormulaChange(
        "A first review of a vendor that is due within 30 days counts among those due soon",
        ("vendor_reviews_due_soon",),
    ),
    FormulaChange(
        "Gaps of the FedRAMP plan name the controls of NIST SP 800-53 that theirs are paired with",
        (
            *(
                "poam_closed_without_control",
                "poam_gaps_without_control",
                "poam_items_closed",
                "poam_items_closed_late",
            ),
            *("poam_items_detected_in_period", "poam_items_from_gaps", "poam_items_high", "poam_items_late"),
            *("poam_items_low", "poam_items_moderate", "poam_items_numbered", "poam_items_open"),
            *("poam_items_unnumbered", "poam_vendor_check_ins_overdue"),
        ),
    ),
    FormulaChange(
        "A test whose tester nobody knows, and a request whose owner is not there, count as such",
        ("tests_by_owner", "requests_without_owner"),
    ),
    FormulaChange(
        "Who had left by the record approves nothing afterwards",
        (
            *("activity_change", "activity_controls", "activity_pct", "attestation_control_pct"),
            *("cis_ig1_in_place_pct", "cis_ig2_in_place_pct", "cis_ig3_in_place_pct", "cis_in_place"),
            *("claims", "claims_hash_mismatch", "claims_not_bundled", "cmmc_points_to_conditional"),
            *("cmmc_status", "control_families_amber", "control_families_insufficient_data"),
            *("control_families_red", "control_health", "control_health_rating", "controls_active"),
            *("controls_applicable", "controls_drifted", "controls_effective", "controls_inactive"),
            *("controls_no_accountable", "controls_no_data", "controls_no_responsible"),
            *("controls_not_applicable", "controls_regressed", "controls_to_attest", "controls_unattested"),
            *("controls_unsupported", "controls_without_attestation_duty", "controls_without_evidence"),
            *("controls_without_source", "coverage_pct", "digest_controls_better", "digest_controls_worse"),
            *("digest_gaps_closed", "digest_gaps_new", "drift_median_days", "evidence_fresh"),
            *("evidence_in_window_pct", "evidence_missing", "evidence_stale", "exceptions_approved"),
            *("exceptions_in_review", "exceptions_no_approver", "freshness_debt_days"),
            *("gap_concentration_hhi", "gaps_all_points", "gaps_effort_hours", "gaps_high", "gaps_low"),
            *("gaps_medium", "gaps_open", "gaps_top_ten_points", "gaps_top_three_points"),
            *("gaps_without_owner", "gaps_without_runbook", "gdpr_demonstrated_in_part"),
            *("gdpr_not_demonstrated", "graph_edge_count", "graph_implements_edges", "graph_node_count"),
            *("graph_orphans", "guardrails", "guardrails_contradicted", "guardrails_drift_free_pct"),
            *("guardrails_drifted", "guardrails_evidence_missing", "guardrails_version_lag"),
            *("guardrails_without_drift", "iso_improvements", "iso_minor_candidates", "iso_no_data"),
            *("iso_partial", "iso_weighted_pct", "orphan_controls", "orphan_evidence"),
            *("ownership_complete_pct", "pci_in_place_pct", "pci_requirements_in_place"),
            *("pci_requirements_not_in_place", "poam_gaps_without_control", "poam_items_from_gaps"),
            *("poam_items_high", "poam_items_late", "poam_items_open", "poam_items_unnumbered"),
            *("policies_unaccepted", "posture_grade", "posture_score", "regulatory_effort_hours"),
            *("regulatory_new_gaps", "regulatory_satisfied", "reminder_items_to_send"),
            *("reminder_recipients", "reminders_to_send", "reminders_without_recipient"),
            *("renewals_on_weak_evidence", "risks_accepted_unapproved", "shift_hours", "sprs_score"),
            *("steps_top_ten_hours", "steps_top_ten_points", "strict_pct", "type_ii_applicable"),
            *("type_ii_gaps_in_operation", "type_ii_not_tested", "type_ii_without_response"),
            *("unowned_hours", "weighted_change", "weighted_pct"),
        ),
    ),
    FormulaChange(
        "What a scenario makes mandatory is a gap already where nobody approved the decision against it",
        ("regulatory_effort_hours", "regulatory_existing_gaps", "regulatory_new_gaps"),
    ),
    FormulaChange(
        "First-pass acceptance is of what was finished, also where nobody recorded that it was accepted",
        ("requests_first_pass_pct",),
    ),
    FormulaChange(
        "A SOC 2 report whose opinion nobody recorded assures no more than a qualified one",
        (
            *("inherited_evidenced", "inherited_evidenced_pct", "inherited_gaps", "inherited_gaps_cuec_unmapped"),
            *("inherited_gaps_qualified_opinion", "inherited_gaps_severity", "posture_change", "posture_score"),
            *("vendor_evidence_reused", "vendors_assurance_expiring", "vendors_assurance_lapsed", "vendors_assured"),
            *("vendors_assured_pct", "vendors_not_assessed"),
        ),
    ),
    FormulaChange(
        "A gap takes the hours of what it lacks",
        ("gaps_effort_hours", "quick_wins", "quick_wins_hours", "steps_top_ten_hours", "steps_top_ten_points"),
    ),
    FormulaChange(
        "An item of the FedRAMP plan counts from the failure that stands",
        ("poam_items_late", "poam_items_detected_in_period"),
    ),
    FormulaChange("A state begins after the day on which another was last seen", ("drift_median_days",)),
    FormulaChange(
        "A SOC 2 report in force lacks no bridge letter, whatever became of an earlier one",
        (
            *("inherited_evidenced", "inherited_evidenced_pct", "inherited_gaps", "inherited_gaps_expired"),
            *("inherited_gaps_severity", "vendor_evidence_reused", "vendors_with_inherited_gaps"),
        ),
    ),
    FormulaChange(
        "To assess risks and to test are shown in part while a measure has no assessed risk or no test",
        ("gdpr_demonstrated", "gdpr_demonstrated_in_part", "gdpr_demonstrated_pct"),
    ),
    FormulaChange(
        "What one collection of evidence takes is told to the quarter of an hour",
        ("crossover_hours_together", "hours_to_save", "plays_waiting_hours"),
    ),
    FormulaChange(
        "Whoever has left is asked nothing and reminded of nothing",
        (
            *("reminder_recipients", "reminders_without_recipient", "reminders_escalated"),
            *("renewal_recipients", "renewals_without_recipient", "request_recipients"),
        ),
    ),
    FormulaChange("Records of bundles from elsewhere prove no claim", ("claims_bundled", "claims_not_bundled")),
    FormulaChange(
        "Whoever has left hears of no staffing action",
        (
            *("staffing_reminder_recipients", "staffing_reminders_unanswered"),
            *("staffing_escalation_chairs", "staffing_escalations_without_chair"),
        ),
    ),
    FormulaChange(
        "Means of readiness move by what their shown values move",
        (
            "snapshot_weighted_mean_change",
            *(f"snapshot_{name}_mean_week_change" for name in ("weighted", "strict", "fresh")),
        ),
    ),
    FormulaChange(
        "A week whose working days are over lacks no hours",
        (
            *("weeks_short", "peak_weeks", "owners_short", "shortfall_hours", "weeks_short_after_moves"),
            *("peak_shortfall_hours", "peak_remaining_hours", "weeks_over_limit"),
        ),
    ),
    FormulaChange("Committees decide on a target date that no plan reaches", ("committee_decisions",)),
    FormulaChange(
        "Records of other kinds than a criterion needs are no test of it",
        ("type_ii_no_exceptions_noted", "type_ii_not_tested"),
    ),
    FormulaChange(
        "An end of an incident before its opening is no known end",
        (
            *("incidents_resolved_in_period", "incident_median_hours_to_restore"),
            *("incident_family_median_hours_to_restore", "incident_median_minutes_to_acknowledge"),
            *("acknowledged_on_call_pct", "gdpr_restore_minutes"),
        ),
    ),
    FormulaChange(
        "A gap is late where any open remediation of it is",
        (
            *("gaps_all_points", "gaps_high", "gaps_low", "gaps_medium", "poam_items_high", "poam_items_low"),
            *("remediations_overdue", "steps_top_ten_hours", "steps_top_ten_points"),
        ),
    ),
    FormulaChange(
        "A week whose working days are over has no more work than hours",
        ("scenario_weeks_over_capacity", "weeks_over_capacity"),
    ),
    FormulaChange(
        "Recurring tests that passed are linked to the controls of their schedule",
        (
            *(
                "tests_linked",
                "tests_linked_pct",
                "tests_rejected",
                "tests_suggested",
                "tests_unlinked",
                "tests_unused",
            ),
            *("controls_suggested", "controls_suggested_without_test"),
        ),
    ),
    FormulaChange(
        "A sender is retired with the last token of its label",
        ("monitoring_coverage_pct", "senders_live", "senders_not_heard", "senders_silent"),
    ),
    FormulaChange("Unknown services are of the period in which their last alert came", ("unknown_services_in_alerts",)),
)
FIRST = "Figures have versions"  # the name of the change that gave all of them one
OTHER_PROGRAM = "a version of the program that is not this one"
FORMULAS = "formulas"  # the column of a snapshot with the versions that it was computed by


def version_of(figure: str) -> int:
    """The version of a figure's formula, from 1."""
    return 1 + sum(figure in change.figures for change in CHANGES)


def versions_of(figures: Sequence[str]) -> dict[str, int]:
    """The versions of several."""
    return {figure: version_of(figure) for figure in figures}


def change_names(figure: str) -> Mapping[int, str]:
    """By each earlier version of a figure, the name of the change that ended it; 0 is from before there were any."""
    names = [FIRST, *(change.name for change in CHANGES if figure in change.figures)]
    return dict(enumerate(names))


def formula_change(figures: Sequence[str]) -> pl.Expr:
    """Of a snapshot, by its column ``formulas``: the change that first made it another formula's; null for today's."""
    return pl.coalesce(_change(figure) for figure in figures)


def _change(figure: str) -> pl.Expr:
    kept = pl.col(FORMULAS).str.json_path_match(f"$.{figure}").cast(pl.Int64, strict=False).fill_null(0)
    name = kept.replace_strict(change_names(figure), default=OTHER_PROGRAM, return_dtype=pl.String)
    return pl.when(kept != version_of(figure)).then(name)
