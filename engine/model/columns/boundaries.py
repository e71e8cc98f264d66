"""Columns about the deployment, the scope, retention, holds and policies."""

from collections.abc import Mapping

from engine.model.columns.column import Column

BOUNDARIES: Mapping[str, Column] = {
    "agreement_ref": Column("Agreement", "text", "Reference of the agreement that covers the flow of data."),
    "approved_days": Column(
        "Approved (days)", "days", "Days by default, or by an override that somebody of the organization approved."
    ),
    "allowed_runs": Column("Let through", "count", "Dry-runs and executions of the playbook that were let through."),
    "amount": Column("At most", "count", "The most that the plan allows."),
    "auth_mode": Column("Auth mode", "text", "How people sign in to the deployment."),
    "blast_radius": Column(
        "Requirements affected", "count", "Requirements of all frameworks that the drifted controls answer."
    ),
    "block_rate_pct": Column("Block rate (%)", "percent", "Blocks as a share of all attempts at the playbook."),
    "blocked_local": Column(
        "Blocked (local time)", "text", "Moment of the refusal by the organization's clock, with its zone."
    ),
    "blocked_at": Column("Blocked (UTC)", "instant", "Moment of the refusal."),
    "blocked_on": Column("Blocked", "date", "Day of the refusal."),
    "blocks": Column("Blocks", "count", "Attempts that a policy or a guard refused."),
    "boundary": Column(
        "Boundary", "text", "Who operates what in the deployment; of a system, its side of the boundary."
    ),
    "controls_drifted": Column("Controls drifted", "count", "Controls on which the guardrail has drifted."),
    "controls_named": Column("Controls that name it", "count", "Controls whose profile names the system."),
    "custodian": Column("Custodian", "text", "Who keeps what is under the hold."),
    "data_class": Column("Data class", "text", "Class of the data that flows."),
    "data_classes": Column("Data classes", "", "Classes of data that are handled.", cells="text"),
    "data_region": Column("Data region", "text", "Region in which the data of the organization is kept."),
    "days_in_drift": Column("Days in drift", "days", "Days since the first drift of the guardrail that is known."),
    "default_days": Column("Default of the tier (days)", "days", "Retention of the deployment tier, in days."),
    "deliveries": Column("Deliveries", "count", "Messages that went to the destination."),
    "demand": Column("Demand", "text", "What the framework asks for."),
    "dependencies": Column("Dependencies", "count", "Dependencies that the observed service has."),
    "deployment_tier": Column("Deployment tier", "word", "Kind of deployment: shared, dedicated or the like."),
    "destination": Column("Destination", "text", "Domain, host, channel or system that messages go to."),
    "difference_days": Column("Difference (days)", "days", "Days that are kept less the days that are asked for."),
    "documented": Column("Documented", "count", "Observed systems that are declared."),
    "documented_pct": Column(
        "Documented (%)", "percent", "Observed systems that are declared, as a share of all observed."
    ),
    "drift": Column("Drift", "word", "How the guardrail and its controls have come apart."),
    "drift_name": Column("Drift", "text", "Kind of drift, in words."),
    "drifts": Column("Drifts", "texts", "All kinds of drift of the guardrail."),
    "eligible": Column("Past retention", "count", "Records that are older than their retention."),
    "encrypted": Column("Encrypted", "flag", "Whether the flow of data is encrypted."),
    "environment": Column("Environment", "word", "Environment of the system, such as production."),
    "expectation": Column("Expectation", "text", "What the guardrail asks for."),
    "first_drifted_on": Column("Drifted since", "date", "First day of any drift of the guardrail that is known."),
    "first_flagged_at": Column("From (UTC)", "instant", "Oldest audit event under the hold."),
    "flagged_by_any": Column("Under any hold", "count", "Audit events under any active hold, each counted once."),
    "from_boundary": Column("From boundary", "word", "Side of the boundary on which the flow begins."),
    "from_name": Column("From", "text", "System from which the data flows."),
    "from_region": Column("From region", "text", "Region from which the data flows."),
    "from_system": Column("From system", "text", "Identifier of the system from which the data flows."),
    "guardrails": Column("Guardrails", "count", "Accepted policy versions with that drift."),
    "holds_customer_data": Column("Customer data", "flag", "Whether the observed service holds data of customers."),
    "in_region": Column("In region", "flag", "Whether the data stays in the organization's region."),
    "in_scope": Column("In scope", "", "Whether it is inside the scope; in totals, how many are.", cells="flag"),
    "internet_facing": Column("Internet facing", "flag", "Whether the observed service faces the internet."),
    "key_custody": Column("Key custody", "text", "Who holds the keys of the deployment."),
    "last_local": Column("Last (local time)", "text", "Moment of the newest refusal by the organization's clock."),
    "last_blocked_at": Column("Last (UTC)", "instant", "Moment of the newest refusal."),
    "last_flagged_at": Column("To (UTC)", "instant", "Newest audit event under the hold."),
    "last_observed_on": Column(
        "Last observed", "date", "Day of the newest state of the guardrail's controls on record."
    ),
    "last_reviewed_on": Column("Last reviewed", "date", "Day on which the system's scope was last confirmed."),
    "limit": Column("Limit", "text", "What the plan limits."),
    "matter": Column("Matter", "text", "What the legal hold is about."),
    "minutes_to_run": Column(
        "Minutes until a compliant run", "minutes", "Minutes from the block to the first attempt that was let through."
    ),
    "modules": Column("Modules", "texts", "Parts of the console that are switched on."),
    "newest_on": Column("Newest", "date", "Day of the newest version of the policy on file."),
    "newest_state": Column("Newest state", "word", "State of the newest version of the policy on file."),
    "newest_version": Column("Newest version", "number", "Newest version of the policy on file.", cells="whole"),
    "next_purge_on": Column("Next purge", "date", "Day on which the nightly job next removes something."),
    "observed": Column("Observed", "count", "Systems that were seen at work."),
    "operator": Column("Operated by", "text", "Who operates the area."),
    "overridden": Column(
        "Overridden", "", "Whether somebody overrode the refusal; in totals, how many were.", cells="flag"
    ),
    "override_approved": Column(
        "Override approved",
        "flag",
        "Whether somebody of the organization approved the override on a day that has come.",
    ),
    "override_days": Column("Override (days)", "days", "Retention that the organization set itself, in days."),
    "pci_class": Column("PCI DSS class", "word", "What the system has to do with card data."),
    "per": Column("For each", "text", "What the limit counts for."),
    "placed_at": Column("Placed (UTC)", "instant", "Moment at which the hold was placed."),
    "placed_by": Column("Placed by", "text", "Who placed the hold."),
    "placed_on": Column("Placed", "date", "Day on which the hold was placed."),
    "plan": Column("Plan", "word", "What the organization has subscribed to."),
    "policy": Column("Policy", "text", "Title of the policy."),
    "policy_id": Column("Policy ID", "text", "Identifier of the policy."),
    "policy_version": Column(
        "Policy version", "number", "Version of the policy that the test was held against.", cells="whole"
    ),
    "protocol": Column("Protocol", "text", "Protocol of the flow of data."),
    "purgeable": Column("Next purge takes", "count", "Records that the next purge takes."),
    "purges_blocked": Column(
        "Purges stopped", "count", "Runs of the retention job that removed less because of the hold."
    ),
    "ran_at": Column("Ran (UTC)", "instant", "Moment of the run."),
    "ran_on": Column("Ran", "date", "Day of the run."),
    "record_class": Column("Records", "word", "Class of records: the audit log, or closed incidents."),
    "region": Column("Region", "text", "Region of the data."),
    "released_by": Column("Released by", "text", "Who released the hold."),
    "released_on": Column("Released", "date", "Day on which the hold was released."),
    "required_days": Column("Asked for (days)", "days", "Days that the framework asks for."),
    "review_due_on": Column("Review due", "date", "Day by which the policy must be reviewed."),
    "rows": Column("Kept", "count", "Records of the class."),
    "scope": Column("Scope", "text", "What the legal hold covers."),
    "seen_in": Column("Seen in", "texts", "Where the system was observed."),
    "service_id": Column("Service ID", "text", "Identifier of the service."),
    "system_id": Column("System ID", "text", "Identifier of the declared system."),
    "systems": Column("Systems", "", "Systems that are concerned, or how many there are.", cells="text"),
    "to_boundary": Column("To boundary", "word", "Side of the boundary on which the flow ends."),
    "to_name": Column("To", "text", "System to which the data flows."),
    "to_region": Column("To region", "text", "Region to which the data flows."),
    "to_system": Column("To system", "text", "Identifier of the system to which the data flows."),
    "top_reason": Column("Most frequent reason", "word", "Most frequent reason of the refusals."),
    "waiting": Column("Behind younger events", "count", "Records past retention behind a younger event of the chain."),
    "window": Column("Window", "number", "Value in the window of the report."),
    "with_data": Column("With data", "count", "Systems in scope that handle data."),
}
