"""Columns about what will be by a day, and what is to be done until then."""

from collections.abc import Mapping

from engine.model.columns.column import Column

PLANS: Mapping[str, Column] = {
    "against_due": Column("Against that", "word", "Late where the plan's day is after the one on record."),
    "attestation_until": Column("Signature good until", "date", "Last day on which the newest signature holds."),
    "buys": Column("Buys", "texts", "What the work makes effective, beside the control that it is about."),
    "by_on": Column("By", "date", "Day by which the plan wants its target."),
    "cadence_window": Column("Window", "days", "Days for which evidence of the control's cadence is good."),
    "done_by": Column("Done by", "date", "Day by which the work is to be done."),
    "excluded_on": Column("Excluded on", "date", "Day from which the control is documented as not applicable."),
    "first_short_week": Column("First short", "text", "First week that asks for more hours than its owner has."),
    "lapses_on": Column("Lapses", "date", "First day on which the evidence is past its window."),
    "capacity_hours": Column(
        "Capacity (h)", "hours", "Hours that somebody has for compliance in the weeks until the day."
    ),
    "duty_hours": Column("Duties (h)", "hours", "Hours of duties on record in the weeks until the day."),
    "free_hours": Column("Free (h)", "hours", "Hours that duties leave once overdue work is done."),
    "lapsed_days": Column("Days lapsed", "days", "Days until the day on which the evidence is past its window."),
    "lapsed_until": Column("Lapsed until", "date", "Last day on which the evidence is past its window."),
    "latest_on": Column("At the latest", "date", "Last day on which the work is in time."),
    "part": Column("Part", "count", "Which of the pieces of an accepted action it is, from 1."),
    "saved_hours": Column("Hours saved", "hours", "Hours by which the plan is shorter if this moves."),
    "way": Column("Way", "text", "How an accepted action brings its control to effective."),
    "likely_error_points": Column("Error", "points", "Standard error of the draws that the likelihood is taken from."),
    "likely_on": Column("Likely on", "date", "Day by which nine of ten draws reach the target."),
    "likely_pct": Column(
        "Likely (%)", "percent", "Share of draws with uncertain hours that reach the target by the day."
    ),
    "made_on": Column("Made on", "date", "Day that the plan was made on."),
    "missing_hours": Column("Missing hours", "hours", "Hours that are needed beyond those that there are."),
    "moment": Column("On", "text", "The day, and what is done until then."),
    "needed_hours": Column("Needed hours", "hours", "Hours of work that closing every gap takes."),
    "not_effective": Column(
        "Will not be effective", "count", "Controls that apply and will not be effective on the day."
    ),
    "operation_recurs": Column(
        "Operation goes on", "flag", "Whether a source that recurs within the window renews the evidence."
    ),
    "operation_until": Column(
        "Operation good until", "date", "Last day on which evidence of operation is in its window."
    ),
    "opposed_by": Column("Opposed by", "text", "What speaks against the control until somebody mends it."),
    "plan_framework": Column("Plan of", "text", "Framework that the plan is to make ready."),
    "plan_id": Column("Plan", "text", "Plan that the work is of: its framework and its day."),
    "planned_due_on": Column("Planned for", "date", "Day by which the plan wanted it done."),
    "planned_owner": Column("Planned with", "text", "Who was to do it by the plan."),
    "planned_strict_pct": Column(
        "Strict with the plan (%)", "percent", "Strict readiness on the day if all of the plan is done."
    ),
    "low_strict_pct": Column(
        "Strict in nine of ten (%)",
        "percent",
        "Strict readiness with the plan that nine draws of its hours in ten reach.",
    ),
    "planned_weighted_pct": Column(
        "Weighted with the plan (%)", "percent", "Weighted readiness on the day if all of the plan is done."
    ),
    "policy_until": Column(
        "Policy good until", "date", "Last day before the policy behind the control is past its review."
    ),
    "ready_on": Column("Evidence from", "date", "First day on which there is evidence of what the work did."),
    "plan_hours": Column("Hours of the plan", "hours", "Hours that the work of the plan takes."),
    "price_hours": Column("Price (h)", "hours", "Hours beside the plan that renewing in time would take."),
    "reached": Column(
        "Reached as estimated", "flag", "Whether the plan reaches the target if its work takes the planned hours."
    ),
    "planned_kinds": Column("Planned evidence", "texts", "Kinds of evidence that the plan wanted of the work."),
    "planned_weeks": Column("Planned weeks", "texts", "Hours of the work by week, as the plan laid them."),
    "planned_away": Column(
        "Planned days off", "texts", "Days that the owner was off by the plan, with the part of each."
    ),
    "duty_ids": Column("Signatures", "texts", "Duties to sign that belong to the work."),
    "work_hours": Column("Hours of work", "hours", "Hours that it takes beside signatures."),
    "done_hours": Column("Hours done", "hours", "Hours that were worked on it."),
    "left_hours": Column("Hours left", "hours", "Hours that are still to be worked on it."),
    "estimate_hours": Column("Own estimate", "hours", "Hours that it takes by whoever knows the work."),
    "low_hours": Column("At least", "hours", "Fewest hours that it takes."),
    "high_hours": Column("At most", "hours", "Most hours that it takes."),
    "milestone_on": Column("Milestone", "date", "Day on which its weakness on the plan of action is to be closed."),
    "lead_days": Column("Days of others", "days", "Days between the work and its evidence that others take."),
    "says": Column("It says", "text", "What the framework's own report says of that day."),
    "target_on": Column("Target date", "date", "Day for which the framework is to be ready."),
    "test_recurs": Column("Testing goes on", "flag", "Whether a source that recurs within the window renews the test."),
    "test_until": Column("Test good until", "date", "Last day on which the newest passed test is in its window."),
    "audit_from": Column("Audited from", "date", "First day of the period that auditors examine next."),
    "audit_until": Column("Audited until", "date", "Last day of the period that auditors examine next."),
    "waits_for": Column("Waits for", "text", "What has to be done, or to happen, before."),
}
