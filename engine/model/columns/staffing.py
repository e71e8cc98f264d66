"""Columns about capacity, workload and staffing actions."""

from collections.abc import Mapping

from engine.model.columns.column import Column

STAFFING: Mapping[str, Column] = {
    "absence_hours": Column("Absence (h)", "hours", "Hours of planned absence in the week."),
    "accountable_hours": Column(
        "Accountable (h)", "hours", "A quarter of the hours of the duties that the owner is accountable for."
    ),
    "action_id": Column("Action", "text", "Identifier of the staffing action."),
    "actions": Column("Actions", "count", "Staffing actions of the row."),
    "after_pct": Column("Then (%)", "percent", "Utilisation with all suggestions taken."),
    "assignee": Column("Helps", "text", "Who takes over work in the action."),
    "assignees": Column("Assignees", "texts", "Those who take over work in the action."),
    "auditor_hours": Column(
        "Auditors (h)", "hours", "Hours that auditors take of the owner's week while they are there."
    ),
    "away_share": Column("Away", "ratio", "Part of the day that the owner is away, from 0 to 1."),
    "attestation_hours": Column("Attestation hours", "hours", "Hours of attestations in the week."),
    "audit_checkpoint_hours": Column("Audit checkpoint hours", "hours", "Hours of audit checkpoints in the week."),
    "available_hours": Column(
        "Available (h)", "hours", "Hours that are there in the week: budget less absence, times the focus factor."
    ),
    "blocked_reason": Column("Blocked by", "text", "What stands in the way of the staffing action."),
    "borrow_hours": Column(
        "Nobody has time (h)", "hours", "The part of shortfall and unowned work that nobody has spare hours for."
    ),
    "breach_days": Column("Business days over", "days", "Business days since the action passed its SLA."),
    "breach_told_on": Column("Mailed on", "date", "Day of the first rollup mail that named the breach."),
    "breached": Column("Breached", "count", "Actions past the committee's SLA."),
    "breaches": Column("Breaches", "count", "Actions of the row past the committee's SLA."),
    "budget_hours": Column("Budget (h)", "hours", "Contracted compliance hours of the week."),
    "bundle_hours": Column("Bundle hours", "hours", "Hours of bundles in the week."),
    "busiest": Column("Most short", "text", "Owner who lacks most hours in the week."),
    "business_days_past": Column(
        "Business days past", "days", "Business days since the peak week of the action ended."
    ),
    "committee_hours": Column("Committee hours", "hours", "Hours of committee meetings in the week."),
    "completed_on_time": Column("On time", "count", "Actions completed within the committee's SLA."),
    "completion_pct": Column("Completed (%)", "percent", "Completed actions as a share of those that were taken up."),
    "days_past": Column("Days past", "days", "Days since the peak week of the action ended."),
    "days_since_told": Column("Days since told", "days", "Business days since the breach was first named in a mail."),
    "demand_hours": Column(
        "Demand (h)", "hours", "Hours of work that fall due, with a quarter for who is accountable."
    ),
    "drivers": Column("Drivers", "texts", "Kinds of duty that make the week a peak."),
    "escalates_on": Column("Escalates on", "date", "Day on which the breach goes to the committee."),
    "escalations": Column("Escalations", "count", "Escalations that named the action."),
    "evidence_request_hours": Column("Evidence request hours", "hours", "Hours of evidence requests in the week."),
    "exception_expiry_hours": Column("Exception expiry hours", "hours", "Hours of expiring exceptions in the week."),
    "gini": Column("Gini", "number", "Gini coefficient of the owners' utilisation: 0 is even, 1 is all on one."),
    "imbalance": Column("Max / mean", "number", "Largest over mean utilisation of the owners with any work."),
    "incident_notice_hours": Column("Incident notice hours", "hours", "Hours of incident notifications in the week."),
    "last_escalation_on": Column("Last escalation", "date", "Day of the last escalation that named the action."),
    "last_reminder_on": Column("Last reminder", "date", "Day of the last reminder of the staffing action."),
    "last_rollup_on": Column("Last rollup", "date", "Day of the last rollup that named the action."),
    "max_after_pct": Column(
        "Highest then (%)", "percent", "Highest utilisation of an owner with all suggestions taken."
    ),
    "max_before_pct": Column("Highest now (%)", "percent", "Highest utilisation of an owner as planned today."),
    "max_pct": Column("Highest (%)", "percent", "Highest utilisation of an owner in the week."),
    "mean_pct": Column("Mean (%)", "percent", "Mean utilisation of the owners with any work."),
    "new": Column("New", "count", "Proposals that are not on record yet."),
    "notice": Column("Notice", "word", "Kind of notice that was sent."),
    "on_time_of": Column("On time, of", "count", "Actions that the share on time is taken of."),
    "owner_after_pct": Column("Owner then (%)", "percent", "Utilisation of the owner after the suggestion."),
    "owner_before_pct": Column("Owner now (%)", "percent", "Utilisation of the owner before the suggestion."),
    "owners_short": Column("Owners short", "count", "Owners with more work than hours in the week."),
    "past_peak": Column("Past peak", "count", "Actions whose peak week is over, but not the SLA."),
    "peak_week": Column("Worst week", "text", "Week in which the members lack most hours."),
    "poam_milestone_hours": Column("POA&M milestone hours", "hours", "Hours of POA&M milestones in the week."),
    "policy_review_hours": Column("Policy review hours", "hours", "Hours of policy reviews in the week."),
    "proposed": Column("Proposed", "count", "Proposals that nobody has taken up yet."),
    "proposed_on": Column("Proposed", "date", "Day on which the action was proposed."),
    "realised_pct": Column("Relief realised (%)", "percent", "Hours of relief that came, as a share of those planned."),
    "relief_actual_hours": Column("Relief came (h)", "hours", "Hours of relief that came."),
    "recorded_hours": Column(
        "On record (h)", "hours", "Hours of the action as it was recorded, whatever its owner lacks since."
    ),
    "relief_hours": Column("Relief (h)", "hours", "Hours that the owner is freed of."),
    "relief_planned_hours": Column("Relief planned (h)", "hours", "Hours of relief that were planned."),
    "remaining_hours": Column("Still short (h)", "hours", "Hours that are still missing after the proposals."),
    "reminder_step": Column("Reminders", "count", "Reminders that the action has had."),
    "responsible_hours": Column("Responsible (h)", "hours", "Hours of the duties that the owner is responsible for."),
    "rollups": Column("Rollups", "count", "Rollup mails that named the action."),
    "shift_hours": Column(
        "Others have time (h)", "hours", "The part of shortfall and unowned work for which others have spare hours."
    ),
    "short": Column("Short", "flag", "Whether hours are missing in the week."),
    "shortfall_hours": Column("Shortfall (h)", "hours", "Hours of work above what is available."),
    "sla_due_on": Column("Due by SLA", "date", "Last day of the committee's SLA for the action."),
    "staffed": Column("Staffed", "flag", "Whether the duties have an owner who is there."),
    "stage": Column(
        "Reminder of",
        "text",
        "Day after the action's week on which the reminder is owed, and whether one was sent before.",
    ),
    "taken_up": Column("Taken up", "count", "Actions that somebody took up."),
    "test_window_hours": Column("Test window hours", "hours", "Hours of test windows in the week."),
    "to_owner": Column("To", "text", "Who takes the duty over."),
    "to_week": Column("In week", "text", "Week in which the duty is done instead."),
    "to_weeks": Column("To weeks", "texts", "Weeks in which the duties are done instead."),
    "tracked": Column("Tracked", "", "Whether somebody tracks it; in totals, how many are taken up."),
    "tracked_on": Column("Taken up", "date", "Day on which the action was taken up."),
    "under_way": Column("Under way", "count", "Actions whose peak week has begun."),
    "unowned_hours": Column("Unowned (h)", "hours", "Hours of work without an owner, or whose owner has left."),
    "utilisation_pct": Column("Utilisation (%)", "percent", "Hours of work as a share of the hours available."),
    "vendor_review_hours": Column("Vendor review hours", "hours", "Hours of vendor reviews in the week."),
    "weeks_short": Column("Weeks short", "count", "Weeks in which the members lack hours."),
}
