"""Columns about risks, exceptions, incidents and service objectives."""

from collections.abc import Mapping

from engine.model.columns.column import Column

RISKS: Mapping[str, Column] = {
    "acceptance_approved": Column(
        "Acceptance holds", "flag", "Whether somebody of the organization accepted the risk on a day that has come."
    ),
    "appetite": Column(
        "Appetite", "number", "Largest residual risk that the organization accepts, on the scale to 25.", cells="whole"
    ),
    "approved": Column("Approved", "count", "Exceptions that are approved and in force."),
    "approver": Column("Approver", "text", "Who approved the exception."),
    "bad_30d": Column("Bad, 30 days", "count", "Bad events of the service in the last 30 days."),
    "bad_7d": Column("Bad, 7 days", "count", "Bad events of the service in the last 7 days."),
    "buckets_share": Column("Buckets share", "number", "Share of the intervals in the window for which data is there."),
    "burn_30d": Column(
        "Burn, 30 days", "number", "Rate at which the error budget of 30 days is used; 1 uses it up exactly."
    ),
    "burn_7d": Column(
        "Burn, 7 days", "number", "Rate at which the error budget of 7 days is used; 1 uses it up exactly."
    ),
    "cell": Column("Cell", "number", "Likelihood times impact of the cell, 1 to 25.", cells="whole"),
    "compensating": Column(
        "Compensating measure", "text", "Measure that stands in for the control until the gap is closed."
    ),
    "compensating_approved": Column(
        "Measure approved",
        "flag",
        "Whether somebody of the organization approved the compensating measure on a day that has come.",
    ),
    "compensating_evidence_on": Column(
        "Its evidence of", "date", "Day of the newest evidence of the compensating measure."
    ),
    "constraint": Column("Constraint", "text", "Why the control cannot be met as stated."),
    "counted_as": Column("Counted as", "number", "Value that stands in for the missing rating.", cells="whole"),
    "criticality": Column("Criticality", "number", "How much depends on it, from 1 to 5.", cells="whole"),
    "draft": Column("Draft", "count", "Exceptions that nobody has submitted yet."),
    "exception_expires_on": Column("Exception expires", "date", "Last day of the exception that the control rests on."),
    "exception_id": Column("Exception ID", "text", "Identifier of the exception."),
    "exceptions": Column("Exceptions", "count", "Exceptions of the row."),
    "expires_on": Column("Expires", "date", "Last day of the exception."),
    "impact": Column(
        "Impact", "", "How bad it would be, from 1 to 5; of a control, what the change does to it.", cells="whole"
    ),
    "impact_1": Column("Impact 1", "count", "Risks of the row with impact 1."),
    "impact_2": Column("Impact 2", "count", "Risks of the row with impact 2."),
    "impact_3": Column("Impact 3", "count", "Risks of the row with impact 3."),
    "impact_4": Column("Impact 4", "count", "Risks of the row with impact 4."),
    "impact_5": Column("Impact 5", "count", "Risks of the row with impact 5."),
    "in_review": Column("In review", "count", "Exceptions that wait for a decision."),
    "in_use": Column("In use", "flag", "Whether only the exception stands for the control now."),
    "incident_id": Column("Incident", "text", "Identifier of the incident."),
    "inherent": Column("Inherent", "number", "Likelihood times impact before any measure, to 25.", cells="whole"),
    "inherent_cell": Column(
        "Inherent", "text", "Likelihood times impact before any measure; of a cell that is not rated what it counts as."
    ),
    "inherent_unknown": Column(
        "Inherent unknown", "flag", "Whether a rating before any measure is missing, which counts as the worst."
    ),
    "inherent_ids": Column("Inherent here", "texts", "Risks that stand in the cell before any measure."),
    "likelihood": Column("Likelihood", "number", "How likely it is, from 1 to 5.", cells="whole"),
    "loss_high": Column("Loss high", "number", "Upper end of the loss that is reckoned with."),
    "loss_low": Column("Loss low", "number", "Lower end of the loss that is reckoned with."),
    "maintenance": Column("Maintenance", "text", "How the compensating control is kept working."),
    "family_id": Column("Family", "text", "First incident of the confirmed family, else the incident itself."),
    "acknowledged_by": Column("Acknowledged by", "text", "Who took the incident, where that is recorded."),
    "maintenance_id": Column("Maintenance", "text", "Window of maintenance that the incident was opened in."),
    "maintenance_reason": Column("Reason", "text", "Why the window of maintenance was declared."),
    "maintenance_state": Column(
        "Window was",
        "word",
        "Planned: recorded before it began, so that the incident is not counted; declared late: it counts.",
    ),
    "on_call": Column(
        "On call", "word", "Whether somebody on duty acknowledged the incident in time; empty without a rota on record."
    ),
    "on_call_recorded_late": Column(
        "Shift recorded afterwards",
        "flag",
        "Whether all shifts that say so were recorded after the incident was acknowledged.",
    ),
    "minutes_in_transit": Column(
        "Minutes in transit", "minutes", "Minutes from the sender's trigger to when the console heard of the incident."
    ),
    "minutes_to_acknowledge": Column(
        "Minutes to acknowledge", "minutes", "Minutes from opening to acknowledgement of the incident."
    ),
    "minutes_to_mitigate": Column(
        "Minutes to mitigate", "minutes", "Minutes from opening to mitigation of the incident."
    ),
    "minutes_to_resolve": Column(
        "Minutes to resolve", "minutes", "Minutes from opening to resolution of the incident."
    ),
    "objective": Column("Objective", "text", "What the original control is meant to achieve."),
    "objective_pct": Column("Objective (%)", "percent", "Share of good events that the service aims for."),
    "opened_at": Column("Opened (UTC)", "instant", "Moment at which the incident was opened."),
    "over_appetite": Column("Over appetite", "flag", "Whether the residual risk is above the appetite."),
    "parent_state": Column("Family is", "word", "Whether a person confirmed the family, or it is only proposed."),
    "residual": Column(
        "Residual",
        "",
        "Likelihood times impact after measures, to 25; of an exception, what risk remains.",
        cells="whole",
    ),
    "residual_cell": Column(
        "Residual", "text", "Likelihood times impact after measures; of a cell that is not rated what it counts as."
    ),
    "residual_ids": Column("Residual here", "texts", "Risks that stand in the cell after measures."),
    "rated_level": Column("Level", "word", "Level of the residual; of one of which a rating is missing, not rated."),
    "residual_unknown": Column(
        "Residual unknown", "flag", "Whether a rating after measures is missing, which counts as the worst."
    ),
    "residual_impact": Column(
        "Residual impact", "number", "How bad it would be after measures, from 1 to 5.", cells="whole"
    ),
    "residual_likelihood": Column(
        "Residual likelihood", "number", "How likely it is after measures, from 1 to 5.", cells="whole"
    ),
    "resolved": Column("Resolved", "count", "Exceptions that are no longer needed."),
    "resolved_at": Column("Resolved (UTC)", "instant", "Moment at which the incident was resolved."),
    "risk": Column("Risk", "text", "What could happen if the compensating control fails."),
    "total_30d": Column("Total, 30 days", "count", "Events of the service in the last 30 days."),
    "total_7d": Column("Total, 7 days", "count", "Events of the service in the last 7 days."),
    "treatment": Column("Treatment", "word", "What is done about the risk."),
    "replaced": Column("Replaced", "flag", "Whether another exception on the control is approved and in force."),
    "unapproved": Column("Unapproved", "flag", "Whether it is called approved without an approval that holds."),
    "unknown": Column(
        "Unknown", "", "Whether a rating is unknown and counts as the worst; in totals, how many are.", cells="flag"
    ),
    "used_30d_pct": Column("Used, 30 days (%)", "percent", "Error budget of 30 days that is used."),
    "used_7d_pct": Column("Used, 7 days (%)", "percent", "Error budget of 7 days that is used."),
    "validation": Column("Validation", "text", "How the compensating control was shown to work."),
    "worksheet": Column("Worksheet", "text", "What PCI DSS asks of a compensating control, as JSON."),
}
