"""Columns about the plan of action and milestones and what scanners find."""

from collections.abc import Mapping

from engine.model.columns.column import Column

WEAKNESSES: Mapping[str, Column] = {
    "accepted_vulnerability_on": Column(
        "Accepted vulnerability",
        "date",
        "Day from which the vulnerability counts as accepted, 192 days after its detection.",
    ),
    "adjusted_risk_rating": Column("Adjusted Risk Rating", "text", "Rating of the weakness after adjustment."),
    "asset": Column("Asset", "text", "Host, image or other thing on which the scanner found the weakness."),
    "asset_identifier": Column("Asset", "text", "Assets on which the weakness was found."),
    "auto_approve": Column("Auto-Approve", "text", "Whether the risk adjustment is approved without review."),
    "barred_from_poam": Column(
        "Barred from a POA&M", "count", "Open requirements that may not stand on a plan of action."
    ),
    "bod_22_01_due_date": Column(
        "Binding Operational Directive 22-01 Due Date",
        "date",
        "Date by which CISA's catalogue of exploited vulnerabilities wants it repaired.",
    ),
    "bod_22_01_tracking": Column(
        "Binding Operational Directive 22-01 tracking",
        "text",
        "Whether the weakness is in CISA's catalogue of exploited vulnerabilities.",
    ),
    "check_in_overdue": Column("Check in overdue", "flag", "Whether the vendor was not asked for longer than a month."),
    "close_out_by": Column("Close out by", "date", "Day by which everything on the plan of action must be closed."),
    "comments": Column("Comments", "text", "Remarks on the weakness."),
    "cve": Column("CVE", "text", "Identifiers of the vulnerability in the CVE list."),
    "cvss": Column("CVSS", "number", "Severity of the vulnerability by CVSS, 0 to 10."),
    "details": Column("Details", "text", "What people filled in of the weakness, as JSON."),
    "deviation_rationale": Column("Deviation Rationale", "text", "Why the weakness departs from the rule."),
    "epss": Column("EPSS", "number", "Probability that the vulnerability is exploited, by EPSS, 0 to 1."),
    "false_positive": Column("False Positive", "text", "Whether the scanner was wrong."),
    "finding_key": Column("Finding key", "text", "Key under which the scanner reports the weakness again."),
    "first_listed_on": Column(
        "First listed", "date", "Day on which the weakness first got a number in the plan of action."
    ),
    "first_seen_on": Column("First seen", "date", "Day on which the scanner first reported the weakness."),
    "fixed_on": Column("Fixed", "date", "Day on which the weakness was fixed."),
    "in_time": Column("Planned in time", "flag", "Whether the repair is planned before the deadline."),
    "internet_reachable": Column(
        "Internet reachable", "flag", "Whether the weakness can be reached from the internet."
    ),
    "known_exploited": Column("Known exploited", "flag", "Whether the vulnerability is known to be exploited."),
    "last_vendor_check_in_date": Column("Last Vendor Check-in Date", "date", "Day on which the vendor was last asked."),
    "likely_exploitable": Column(
        "Likely exploitable", "flag", "Whether exploitation is known or likely; unknown counts as yes."
    ),
    "listed_on": Column("Listed", "date", "Day on which the weakness got its number, where it was written down."),
    "milestone_changes": Column("Milestone Changes", "text", "How the milestones have moved."),
    "milestone_late": Column(
        "Milestone late", "flag", "Whether a milestone is planned after the scheduled completion."
    ),
    "no_longer_seen": Column("No longer seen", "flag", "Whether the scanner no longer reports the weakness."),
    "on_poam": Column("May stand on a POA&M", "flag", "Whether the requirement may stand on a plan of action."),
    "open_weaknesses": Column("Open weaknesses", "count", "Weaknesses that are open."),
    "operational_requirement": Column(
        "Operational Requirement", "text", "Whether operation does not allow the repair."
    ),
    "original_detection_date": Column("Detected", "date", "Day on which the weakness was first found."),
    "original_risk_rating": Column("Rating", "text", "Rating of the weakness before adjustment."),
    "planned_milestones": Column("Planned Milestones", "text", "Milestones of the repair with their dates."),
    "poam_id": Column("POAM ID", "text", "Number of the weakness in the ledger."),
    "point_of_contact": Column("Point of Contact", "text", "Who answers questions about the weakness."),
    "port": Column("Port", "number", "Network port at which the weakness was found.", cells="whole"),
    "potential_impact": Column("Potential impact", "word", "Impact of the vulnerability, N1 to N5."),
    "remediation_plan": Column("Overall Remediation Plan", "text", "How the weakness is to be repaired."),
    "resources_required": Column("Resources Required", "text", "What the repair needs."),
    "risk_adjustment": Column("Risk Adjustment", "text", "Whether the rating of the weakness was adjusted."),
    "scheduled_completion_date": Column("Due", "date", "Day by which the weakness is to be repaired."),
    "scheduled_on": Column("To be closed by", "date", "Day by which the weakness must be closed."),
    "service_name": Column("Service Name", "text", "Name of the cloud service."),
    "status_date": Column("Closed", "date", "Day of closing, or the day of the report while it is open."),
    "supporting_documents": Column("Supporting Documents", "text", "Documents that belong to the weakness."),
    "vendor_dependency": Column("Vendor Dependency", "text", "Whether the repair waits for a vendor."),
    "vendor_dependent_product_name": Column(
        "Vendor Dependent Product Name", "text", "Product of the vendor that the repair waits for."
    ),
    "weakness_description": Column("Weakness Description", "text", "What the weakness consists of."),
    "weakness_detector_source": Column("Weakness Detector Source", "text", "Who or what found the weakness."),
    "weakness_key": Column("Weakness key", "text", "Key of the weakness: a gap or a finding."),
    "weakness_name": Column("Weakness Name", "text", "What the weakness is called."),
    "weakness_source_identifier": Column(
        "Weakness Source Identifier", "text", "Identifier of the weakness at its source."
    ),
}
