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
        "Duties of a stranger are nobody's, and add no hours",
        (
            *("available_hours", "borrow_hours", "committee_decisions", "density_alerts_to_send"),
            *("density_breaches", "density_breaches_critical", "density_breaches_warning"),
            *("fullest_week_utilisation_pct", "moves_hours", "moves_reassign", "moves_suggested"),
            *("owners_short", "owners_staffed", "peak_relief_hours", "peak_remaining_hours"),
            *("peak_shortfall_hours", "peak_weeks", "renewal_collision_weeks"),
            *("scenario_fullest_week_utilisation_pct", "scenario_weeks_over_capacity", "shift_hours"),
            *("shortfall_hours", "staffing_proposals", "staffing_proposals_borrow"),
            *("staffing_proposals_new", "staffing_proposals_pull_forward", "staffing_proposals_reassign"),
            *("unowned_hours", "weeks_imbalanced", "weeks_over_capacity", "weeks_over_limit"),
            *("weeks_short", "weeks_short_after_moves"),
        ),
    ),
    FormulaChange(
        "A test whose tester nobody knows, and a request whose owner is not there, count as such",
        ("tests_by_owner", "requests_without_owner"),
    ),
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
