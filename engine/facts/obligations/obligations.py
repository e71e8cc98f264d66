"""The obligation ledger (F6): one normalised list of dated duties, of which all calendars and forecasts are views."""

import polars as pl

from engine.facts.expressions import days_between, has_happened, iso_week, shape
from engine.facts.obligations import milestones, notices, sources
from engine.facts.obligations.ledger import as_ledger


def obligations(
    attestation_duties: pl.DataFrame,
    vendors_rows: pl.DataFrame,
    vendors: pl.DataFrame,
    bundles_rows: pl.DataFrame,
    test_windows: pl.DataFrame,
    testing_schedules_rows: pl.DataFrame,
    requests: pl.DataFrame,
    evidence_requests_rows: pl.DataFrame,
    policies_rows: pl.DataFrame,
    policy_controls_rows: pl.DataFrame,
    poam: pl.DataFrame,
    poam_items_rows: pl.DataFrame,
    exceptions_rows: pl.DataFrame,
    organization_frameworks_rows: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    meetings: pl.DataFrame,
    control_owners_rows: pl.DataFrame,
    controls: pl.DataFrame,
    revision_days_rows: pl.DataFrame,
    incident_steps_rows: pl.DataFrame,
    incidents_rows: pl.DataFrame,
    organizations_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every duty whose date is known, done ones too."""
    owners = milestones.owners(control_owners_rows)
    accountable = owners.drop("responsible").drop_nulls("accountable")
    parts = [
        sources.attestations(attestation_duties, controls, accountable),
        sources.vendor_reviews(vendors_rows, vendors, asked),
        sources.bundles(bundles_rows),
        sources.tests(test_windows, testing_schedules_rows, accountable, controls),
        sources.requests(requests, evidence_requests_rows, accountable),
        sources.policy_reviews(policies_rows, policy_controls_rows),
        milestones.weaknesses(poam, poam_items_rows, accountable),
        sources.exceptions(exceptions_rows, accountable),
        milestones.checkpoints(organization_frameworks_rows, own_frameworks, accountable, meetings),
        sources.meetings(meetings),
        notices.notices(incident_steps_rows, incidents_rows, organizations_rows),
    ]
    ledger = pl.concat([as_ledger(part) for part in parts])
    finished = has_happened("done_on")
    frame = (
        ledger.join(asked.select("org_id", "as_of"), on="org_id")
        .join(revision_days_rows, on=["org_id", "revision"], how="left")
        .filter(pl.col("due_on").is_not_null())
        .with_columns(
            obligation_id=pl.format("{}:{}", "kind", "key"),
            week=iso_week("due_on"),
            days_left=days_between("due_on", "as_of"),
            done_on=pl.when(finished).then("done_on"),
            changed_on=pl.min_horizontal(pl.col("changed_on").fill_null(pl.col("as_of")), "as_of"),
            state=pl.when(pl.col("cancelled") | has_happened("ended_on"))
            .then(pl.lit("cancelled"))
            .when(finished & (pl.col("done_on") <= pl.col("due_on")))
            .then(pl.lit("done"))
            .when(finished)
            .then(pl.lit("late"))
            .when(pl.col("due_on") < pl.col("as_of"), ~pl.col("paused"))
            .then(pl.lit("overdue"))
            .otherwise(pl.lit("open")),
        )
    )
    return shape("obligations", frame).sort("org_id", "due_on", "obligation_id")
