"""The obligation ledger (F6): one normalised list of dated duties, of which all calendars and forecasts are views."""

import polars as pl

from engine.reporting.facts import sources
from engine.reporting.facts.expressions import (
    days_between,
    has_happened,
    iso_week,
    shape,
)
from engine.reporting.facts.ledger import as_ledger


def obligations(
    attestations: pl.DataFrame,
    attestation_days: pl.DataFrame,
    vendors: pl.DataFrame,
    vendor_register: pl.DataFrame,
    bundles: pl.DataFrame,
    test_windows: pl.DataFrame,
    testing_schedules: pl.DataFrame,
    requests: pl.DataFrame,
    evidence_requests: pl.DataFrame,
    policies: pl.DataFrame,
    policy_controls: pl.DataFrame,
    poam_items: pl.DataFrame,
    exceptions: pl.DataFrame,
    organization_frameworks: pl.DataFrame,
    meetings: pl.DataFrame,
    control_owners: pl.DataFrame,
    controls: pl.DataFrame,
    revision_days: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every duty whose date is known, done ones too."""
    accountable = (
        control_owners.filter(pl.col("raci") == "A")
        .group_by("org_id", "framework", "control_id")
        .agg(accountable=pl.col("email").min())
    )
    parts = [
        sources.attestations(attestations, attestation_days, controls, accountable),
        sources.vendor_reviews(vendors, vendor_register),
        sources.bundles(bundles),
        sources.tests(test_windows, testing_schedules, accountable, controls),
        sources.requests(requests, evidence_requests, accountable),
        sources.policy_reviews(policies, policy_controls),
        sources.poam(poam_items),
        sources.exceptions(exceptions, accountable),
        sources.checkpoints(organization_frameworks),
        sources.meetings(meetings),
    ]
    ledger = pl.concat([as_ledger(part) for part in parts])
    finished = has_happened("done_on")
    frame = (
        ledger.join(asked.select("org_id", "as_of"), on="org_id")
        .join(revision_days, on=["org_id", "revision"], how="left")
        .filter(pl.col("due_on").is_not_null())
        .with_columns(
            obligation_id=pl.format("{}:{}", "kind", "key"),
            week=iso_week("due_on"),
            days_left=days_between("due_on", "as_of"),
            done_on=pl.when(finished).then("done_on"),
            changed_on=pl.min_horizontal(pl.col("changed_on").fill_null(pl.col("as_of")), "as_of"),
            state=pl.when(pl.col("cancelled") | has_happened("ended_on")).then(pl.lit("cancelled"))
            .when(finished & (pl.col("done_on") <= pl.col("due_on"))).then(pl.lit("done"))
            .when(finished).then(pl.lit("late"))
            .when(pl.col("due_on") < pl.col("as_of")).then(pl.lit("overdue"))
            .otherwise(pl.lit("open")),
        )
    )  # fmt: skip
    return shape("obligations", frame).sort("org_id", "due_on", "obligation_id")
