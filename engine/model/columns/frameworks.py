"""Columns about what one framework has and others do not."""

from collections.abc import Mapping

from engine.model.columns.column import Column

FRAMEWORKS: Mapping[str, Column] = {
    "addressable": Column("Addressable", "count", "Addressable specifications of the row."),
    "addressable_met": Column(
        "Addressable met", "count", "Addressable specifications that are implemented or decided in writing."
    ),
    "asset_type": Column("Asset class", "text", "Class of assets that the safeguard protects."),
    "at_target": Column("At target", "count", "Outcomes that have reached their target."),
    "at_target_pct": Column(
        "At target (%)", "percent", "Outcomes that have reached their target, as a share of the applicable ones."
    ),
    "automated_pct": Column(
        "Automated (%)", "percent", "How far the organization says the safeguard is automated.", cells="whole"
    ),
    "below_target": Column("Below target", "count", "Outcomes that have not reached their target."),
    "category_id": Column("Category ID", "text", "Identifier of the category in its framework."),
    "category_name": Column("Category name", "text", "Name of the category."),
    "citation": Column("Citation", "text", "Where the rule is found in the law."),
    "compensating_control": Column(
        "Compensating control", "text", "Compensating control with its worksheet, where one is in force."
    ),
    "control": Column(
        "Control", "", "Control that is concerned, by its number or its framework and identifier.", cells="text"
    ),
    "decided_on": Column("Rationale date", "date", "Day of the decision and its reason."),
    "decision": Column("Decision", "word", "What the organization decided on the control or specification."),
    "sprs_partial": Column(
        "Partial credit", "flag", "Whether what the assessment methodology gives partial credit for is recorded."
    ),
    "decision_approved": Column(
        "Decision approved", "flag", "Whether somebody of the organization approved the decision."
    ),
    "definition": Column("Definition", "text", "What the compensating control consists of."),
    "domain": Column("Domain", "text", "Domain of the framework."),
    "domain_name": Column("Domain name", "text", "Name of the domain."),
    "function": Column("Function", "text", "Function of the framework."),
    "function_id": Column("Function ID", "text", "Identifier of the function."),
    "gap_points": Column("Gap (points)", "points", "Target less current, in points.", cells="whole"),
    "group": Column("Group", "text", "Implementation group of the framework."),
    "ig": Column("From IG", "number", "Lowest implementation group that asks for the safeguard.", cells="whole"),
    "ig1_missing": Column(
        "IG1 missing", "count", "Safeguards of the first implementation group that are not in place."
    ),
    "exclusion": Column(
        "Exclusion",
        "flag",
        "Whether the organization says that the control does not apply, with an approval or without.",
    ),
    "implementation": Column("Implementation", "text", "What the organization says of how the control is implemented."),
    "implemented_pct": Column(
        "Implemented (%)", "percent", "How far the organization says the safeguard is implemented.", cells="whole"
    ),
    "improvement": Column("Improvement", "count", "Opportunities for improvement."),
    "in_place": Column("In place", "count", "Requirements or safeguards that evidence shows in place."),
    "in_place_pct": Column("In place (%)", "percent", "Safeguards in place, as a share of the applicable ones."),
    "in_place_share_pct": Column(
        "In place (%)", "percent", "Requirements in place, as a share of the applicable ones."
    ),
    "justification_exclusion": Column("Why excluded", "text", "Why the control is excluded."),
    "justification_inclusion": Column("Why included", "text", "Why the control is included."),
    "last_tested_on": Column("Last tested", "date", "Day of the last test of the measure."),
    "major": Column("Major", "count", "Candidates for a major nonconformity."),
    "measure_type": Column("Type", "word", "Whether the measure is technical or organisational."),
    "met": Column("Met", "count", "Requirements that are met."),
    "met_pct": Column("Met (%)", "percent", "Requirements that are met, as a share of those assessed."),
    "method": Column("Method", "word", "How the requirement is met or assessed."),
    "minor": Column("Minor", "count", "Candidates for a minor nonconformity."),
    "no_evidence": Column("No evidence", "count", "Outcomes without evidence."),
    "not_in_place": Column("Not in place", "count", "Requirements that are not met or not proven."),
    "not_met": Column("Not met", "count", "Requirements that are not met."),
    "not_shown": Column("Not shown", "count", "Those said or due to be implemented that the evidence does not show."),
    "not_tested": Column("Not tested", "count", "Requirements that were left out of the assessment."),
    "outcomes": Column("Outcomes", "count", "Outcomes of the row."),
    "points_lost": Column("Points lost", "points", "Points that open requirements take from the score.", cells="whole"),
    "policy_pct": Column(
        "Policy defined (%)", "percent", "How far the organization says a policy defines the safeguard.", cells="whole"
    ),
    "practice": Column("Current practice", "text", "What is done for the outcome today."),
    "processors_open": Column("Processors without valid agreement", "count", "Processors without a valid agreement."),
    "reported_pct": Column(
        "Reported (%)", "percent", "How far the organization says the safeguard is reported on.", cells="whole"
    ),
    "required": Column("Required", "count", "Required specifications of the row."),
    "required_met": Column("Required met", "count", "Required specifications that are met."),
    "residual_risk": Column("Residual risk to persons", "word", "Level of the risk to persons after measures."),
    "restore_measured_minutes": Column(
        "Median to resolution", "minutes", "Median time from opening to resolution of the period's incidents."
    ),
    "restore_objective_minutes": Column(
        "Restore objective", "minutes", "Time within which availability is to be restored.", cells="whole"
    ),
    "risk_ref": Column("Risk", "text", "Risk that the control is linked to."),
    "safeguard": Column("Safeguard", "text", "Safeguard of the framework."),
    "safeguards": Column("Safeguards", "count", "Safeguards of the row."),
    "security_function": Column("Function", "text", "Function of security that the safeguard serves."),
    "service_provider_only": Column(
        "Service provider only", "flag", "Whether only service providers have the requirement."
    ),
    "sprs_points": Column("Points", "points", "Points that the requirement is worth in the SPRS score.", cells="whole"),
    "standard": Column("Standard", "text", "Standard of the rule."),
    "state_of_the_art": Column(
        "State of the art", "text", "What the organization says of the measure and the state of the art."
    ),
    "target_not_set": Column("Target not set", "count", "Outcomes for which no target is set."),
    "target_pct": Column(
        "Target (%)", "percent", "How far the organization wants the outcome to be reached.", cells="whole"
    ),
    "target_set": Column("Target set", "flag", "Whether a target is set."),
    "test_outcome": Column("Test result", "word", "What the last test came to."),
    "work_owner": Column(
        "Works on it", "text", "Who closes the gap, as the plan of action has it; without a gap the control's owner."
    ),
    "in_posture": Column("In posture", "flag", "Whether the framework counts in the posture score."),
    "publisher": Column("Publisher", "text", "Who publishes the framework."),
    "unreviewed": Column("Unreviewed", "flag", "Whether no named person has signed the pair off."),
}
