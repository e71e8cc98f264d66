"""Columns about gaps, their remediation and what depends on them."""

from collections.abc import Mapping

from engine.model.columns.column import Column

GAPS: Mapping[str, Column] = {
    "blocked_by": Column("Blocked by", "text", "What stands in the way of closing the gap."),
    "closed_average": Column(
        "Closed, 4-week average", "number", "Mean number of remediations closed in the week and the three before it."
    ),
    "closed_total": Column("Closed in all", "count", "Remediations closed up to the end of the week."),
    "controls_at_risk": Column("Controls at risk", "count", "Controls that are reached when the node fails."),
    "critical_gaps": Column("Critical gaps", "count", "Gaps of critical severity."),
    "detected_on": Column(
        "Detected", "date", "First day of what is wrong with the control, or on which the weakness was found."
    ),
    "dry_run": Column("Dry-run exists", "flag", "Whether the runbook's playbook has been rehearsed."),
    "dry_run_body": Column("Dry run body", "text", "Request that would rehearse the playbook, as JSON."),
    "gap_id": Column("Gap", "text", "Identifier of the gap: framework and control."),
    "gaps": Column("Gaps", "count", "Controls that apply and are not effective."),
    "gaps_closed": Column("Gaps closed", "count", "Gaps that were closed in the week."),
    "gaps_open": Column("Open gaps", "count", "Gaps that are open."),
    "gaps_opened": Column("Gaps opened", "count", "Gaps that were found in the week."),
    "kinds_to_renew": Column(
        "To renew", "texts", "Kinds of evidence whose renewal closes the gap; none where it takes more."
    ),
    "net": Column("Net", "count", "Remediations opened less remediations closed."),
    "new_gaps": Column("New gaps", "count", "Gaps that were found in the period."),
    "open_gaps": Column("Open gaps", "count", "Gaps that are open."),
    "opened": Column("Opened", "count", "Remediations opened in the week."),
    "opened_total": Column("Opened in all", "count", "Remediations opened up to the end of the week."),
    "over_90_days": Column("Over 90 days", "count", "Gaps older than 90 days."),
    "playbook": Column("Playbook", "text", "Playbook that tests or repairs the control."),
    "poam_due_on": Column(
        "Plan of action",
        "date",
        "Day by which the FedRAMP plan of action has the weakness closed; its remediation can have another.",
    ),
    "quick_win": Column("Quick win", "flag", "Whether little work unlocks several requirements."),
    "remediation_id": Column("Remediation ID", "text", "Identifier of the remediation."),
    "requirements_alone": Column("Rest on it alone", "count", "Requirements whose controls have this source alone."),
    "requirements_at_risk": Column(
        "Requirements at risk", "count", "Requirements that are reached when the node fails."
    ),
    "requirements_unlocked": Column("Requirements", "count", "Requirements that closing the gaps answers."),
    "runbook": Column("Runbook", "text", "Identifier of the runbook."),
    "runbook_title": Column("Runbook", "text", "Runbook that says how the gap is closed."),
    "severe": Column("Critical or high", "count", "Gaps that are critical or high."),
    "severity_score": Column("Severity", "number", "Severity as a number; higher is worse."),
    "severity_weight": Column(
        "Severity × weight", "number", "Severity times control weight, summed over the gaps.", cells="whole"
    ),
    "still_open": Column("Still open", "count", "Remediations opened and not closed by the end of the week."),
    "to_30_days": Column("Up to 30 days", "count", "Gaps up to 30 days old."),
    "to_90_days": Column("31 to 90 days", "count", "Gaps 31 to 90 days old."),
    "unowned": Column("Without owner", "count", "Gaps without an owner."),
    "usual_hours": Column(
        "Usual hours", "hours", "Hours that closing the gap takes where more than a renewal is missing."
    ),
    "weakness_since": Column(
        "Weak since",
        "date",
        "Day on which the failure that stands began; without any evidence, on which records begin.",
    ),
}
