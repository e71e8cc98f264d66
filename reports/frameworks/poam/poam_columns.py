"""The columns of the two FedRAMP POA&M templates in use, with their headings to the letter."""

# column: (heading in 2.1, heading in 3.0; None where the template has no such column)
COLUMNS: dict[str, tuple[str, str | None]] = {
    "poam_id": ("POAM ID", "POAM ID"),
    "controls": ("Controls", "Controls"),
    "weakness_name": ("Weakness Name", "Weakness Name"),
    "weakness_description": ("Weakness Description", "Weakness Description"),
    "weakness_detector_source": ("Weakness Detector Source", "Weakness Detector Source"),
    "weakness_source_identifier": ("Weakness Source Identifier", "Weakness Source Identifier"),
    "asset_identifier": ("Asset Identifier", "Asset Identifier"),
    "point_of_contact": ("Point of Contact", "Point of Contact"),
    "resources_required": ("Resources Required", "Resources Required"),
    "remediation_plan": ("Overall Remediation Plan", "Remediation Plan"),
    "original_detection_date": ("Original Detection Date", "Original Detection Date"),
    "scheduled_completion_date": ("Scheduled Completion Date", "Scheduled Completion Date"),
    "planned_milestones": ("Planned Milestones", None),
    "milestone_changes": ("Milestone Changes", None),
    "status_date": ("Status Date", "Status Date"),
    "vendor_dependency": ("Vendor Dependency", "Vendor Dependency"),
    "last_vendor_check_in_date": ("Last Vendor Check-in Date", "Last Vendor Check-in Date"),
    "vendor_dependent_product_name": ("Vendor Dependent Product Name", "Vendor Dependent Product Name"),
    "original_risk_rating": ("Original Risk Rating", "Original Risk Rating"),
    "adjusted_risk_rating": ("Adjusted Risk Rating", "Adjusted Risk Rating"),
    "risk_adjustment": ("Risk Adjustment", "Risk Adjustment"),
    "false_positive": ("False Positive", "False Positive"),
    "operational_requirement": ("Operational Requirement", "Operational Requirement"),
    "deviation_rationale": ("Deviation Rationale", "Deviation Rationale"),
    "supporting_documents": ("Supporting Documents", "Supporting Documents"),
    "comments": ("Comments", "Comments"),
    "auto_approve": ("Auto-Approve", None),
    "bod_22_01_tracking": (
        "Binding Operational Directive 22-01 tracking",
        "Binding Operational Directive 22-01 tracking",
    ),
    "bod_22_01_due_date": (
        "Binding Operational Directive 22-01 Due Date",
        "Binding Operational Directive 22-01 Due Date",
    ),
    "cve": ("CVE", "CVE"),
    "service_name": ("Service Name", None),
}
# the closed sheet of 3.0 kept the older heading
CLOSED_30 = {"remediation_plan": "Overall Remediation Plan"}


def headings(template: str, sheet: str) -> dict[str, str]:
    """Column to heading in the order of the template; ``sheet`` is open or closed."""
    if template == "2.1":
        return {column: older for column, (older, _) in COLUMNS.items()}
    newer = {column: heading for column, (_, heading) in COLUMNS.items() if heading is not None}
    return newer | CLOSED_30 if sheet == "closed" else newer
