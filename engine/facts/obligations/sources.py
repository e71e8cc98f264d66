"""Where duties come from: one function for each kind, which returns rows for the ledger (F6)."""

import polars as pl

from engine.facts.expressions import plus_days
from engine.facts.obligations.ledger import TAG, as_ledger, effort, one
from engine.model.vocabulary import FRAMEWORK_NAMES

REVIEW_HOURS = {"critical": 6.0, "high": 4.0, "medium": 3.0, "low": 2.0}
REQUEST_HOURS = {"P1": 4.0, "P2": 3.0, "P3": 2.0, "P4": 1.0}
BUNDLE_EVERY_DAYS = 92


def attestations(duties: pl.DataFrame, controls: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    """Duties as they stand, and the next one a year after a signature where none is planned yet."""
    key = ["org_id", "framework", "control_id"]
    return (
        duties.join(controls.select(*key, control_title="title"), on=key)
        .join(accountable, on=key, how="left")
        .with_columns(
            kind=pl.lit("attestation"),
            key="id",
            title=pl.format("Attest {} {}", "control_id", "control_title"),
            frameworks=one("framework"),
            controls=pl.concat_list(TAG).list.drop_nulls(),
            owner=pl.coalesce("delegated_to", "owner"),
            done_on="attested_on",
            ended_on="withdrawn_on",
            sequence="moves",
            effort_hours=effort("attestation"),
            recurrence=pl.lit("annual"),
            source_ref=pl.format("attestations/{}", pl.col("id").str.strip_suffix("-next")),
        )
    )


def vendor_reviews(vendors: pl.DataFrame, register: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The next review of each vendor, the last one that was done, and those of vendors that left."""
    due = register.select("org_id", "vendor_id", due="next_review_on")
    base = vendors.rename({"id": "vendor_id"}).with_columns(
        kind=pl.lit("vendor_review"),
        title=pl.format("Review vendor {}", "name"),
        vendor_tier="tier",
        effort_hours=pl.col("tier").replace_strict(REVIEW_HOURS, default=3.0, return_dtype=pl.Float64),
        frameworks=pl.lit([], dtype=pl.List(pl.String)),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        source_ref=pl.format("vendors/{}", "vendor_id"),
    )
    ahead = base.join(due, on=["org_id", "vendor_id"], how="left").with_columns(
        key="vendor_id", due_on=pl.coalesce("due", "next_review_on"), sequence="moves", ended_on="offboarded_on"
    )
    dated = base.join(asked.select("org_id", "as_of"), on="org_id")
    done = dated.filter(pl.col("last_review_on") <= pl.col("as_of")).with_columns(
        key=pl.format("{}-{}", "vendor_id", "last_review_on"), due_on="last_review_on", done_on="last_review_on"
    )
    return pl.concat([as_ledger(ahead), as_ledger(done)])


def bundles(bundles: pl.DataFrame) -> pl.DataFrame:
    """Sealed bundles, and the next one a quarter after the last. An organization that seals none owes none."""
    base = bundles.with_columns(
        kind=pl.lit("bundle"),
        owner="created_by",
        frameworks=pl.lit([], dtype=pl.List(pl.String)),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        effort_hours=effort("bundle"),
        source_ref=pl.format("bundles/{}", "id"),
    )
    sealed = base.with_columns(
        key="id", title=pl.format("Evidence bundle for {}", "requested_window"), due_on="sealed_on", done_on="sealed_on"
    )
    ahead = (
        base.sort("sealed_on", "id")
        .group_by("org_id", maintain_order=True)
        .last()
        .with_columns(
            key=pl.format("{}-next", "id"),
            title=pl.lit("Seal the next evidence bundle"),
            due_on=plus_days("sealed_on", pl.lit(BUNDLE_EVERY_DAYS)),
            recurrence=pl.lit("quarterly"),
        )
    )
    return pl.concat([as_ledger(sealed), as_ledger(ahead)])


def tests(
    windows: pl.DataFrame, schedules: pl.DataFrame, accountable: pl.DataFrame, controls: pl.DataFrame
) -> pl.DataFrame:
    """Windows of tests; one that was run twice was one duty, done with the first run that was not before it opened.

    One that was missed is late from the next performance on, which took no hours for it.
    """
    key = ["org_id", "framework", "control_id"]
    return (
        windows.sort(pl.col("performed_on") < pl.col("window_open_on"), "performed_on", "run_id", nulls_last=True)
        .unique(["org_id", "schedule_id", "window_open_on"], keep="first", maintain_order=True)
        .join(controls.select(key), on=key)
        .join(schedules.select("org_id", "revision", schedule_id="id"), on=["org_id", "schedule_id"])
        .join(accountable, on=key, how="left")
        .filter(pl.col("cadence").is_in(["weekly", "monthly", "quarterly", "semi-annual", "annual"]))
        .with_columns(
            kind=pl.lit("test_window"),
            key=pl.format("{}-{}", "schedule_id", "window_open_on"),
            title=pl.format("Test {}: {}", "control_id", "procedure"),
            frameworks=one("framework"),
            controls=pl.concat_list(TAG).list.drop_nulls(),
            owner=pl.coalesce("performer", "owner"),
            due_on="window_close_on",
            done_on=pl.coalesce(
                pl.when(pl.col("performed_on") >= pl.col("window_open_on")).then("performed_on"), "done_since_on"
            ),
            effort_hours=pl.when(pl.col("done_since_on").is_null()).then(effort("test_window")).otherwise(0.0),
            recurrence="cadence",
            source_ref=pl.format("testing_schedules/{}", "schedule_id"),
        )
    )


def requests(requests: pl.DataFrame, rows: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    """Requests under their own title, with the control at its end: of one title there are several.

    Of what was handed in and did not come back, there is nothing to answer: the auditor's decision is to be had.
    """
    handed_in = (pl.col("status") == "submitted") & pl.col("auditor_status").ne_missing("returned")
    control = pl.format(" for {} {}", pl.col("framework").replace(FRAMEWORK_NAMES), "control_id")
    about = control.fill_null("")
    return (
        requests.join(rows.select("org_id", "id", "moves", "revision"), on=["org_id", "id"])
        .join(accountable, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(
            kind=pl.lit("evidence_request"),
            key="id",
            title=pl.format(
                "{} request: {}{}",
                pl.when(handed_in).then(pl.lit("Get the decision on")).otherwise(pl.lit("Answer")),
                "title",
                about,
            ),
            frameworks=one("framework"),
            controls=pl.concat_list(TAG).list.drop_nulls(),
            done_on="finished_on",
            effort_hours=pl.col("priority").replace_strict(REQUEST_HOURS, default=2.0, return_dtype=pl.Float64),
            hard=pl.lit(True),
            paused=pl.col("clock") == "paused",
            sequence="moves",
            source_ref=pl.format("evidence_requests/{}", "id"),
        )
    )


def policy_reviews(policies: pl.DataFrame, policy_controls: pl.DataFrame) -> pl.DataFrame:
    tags = (
        policy_controls.with_columns(tag=TAG)
        .sort("org_id", "policy_id", "framework", "control_id")
        .group_by("org_id", "policy_id", maintain_order=True)
        .agg(frameworks=pl.col("framework").unique(maintain_order=True), controls="tag")
        .rename({"policy_id": "id"})
    )
    return (
        policies.filter(pl.col("state") != "draft", pl.col("review_due_on").is_not_null())
        .join(tags, on=["org_id", "id"], how="left")
        .with_columns(
            kind=pl.lit("policy_review"),
            key="id",
            title=pl.format("Review policy {}", "title"),
            frameworks=pl.col("frameworks").fill_null([]),
            controls=pl.col("controls").fill_null([]),
            due_on="review_due_on",
            cancelled=pl.col("state") == "retired",
            effort_hours=effort("policy_review"),
            recurrence=pl.lit("annual"),
            sequence="moves",
            source_ref=pl.format("policies/{}", "id"),
        )
    )


def exceptions(exceptions: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    """An approved exception must be ended or renewed by its expiry; a resolved one no longer matters."""
    return (
        exceptions.filter(pl.col("status").is_in(["approved", "resolved"]))
        .join(accountable, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(
            kind=pl.lit("exception_expiry"),
            key="id",
            title=pl.format("Exception {} on {} ends", "id", "control_id"),
            frameworks=one("framework"),
            controls=pl.concat_list(TAG).list.drop_nulls(),
            owner=pl.coalesce("accountable", "approver"),
            due_on="expires_on",
            cancelled=pl.col("status") == "resolved",
            effort_hours=effort("exception_expiry"),
            hard=pl.lit(True),
            sequence="moves",
            source_ref=pl.format("exceptions/{}", "id"),
        )
    )


def meetings(meetings: pl.DataFrame) -> pl.DataFrame:
    return meetings.with_columns(
        kind=pl.lit("committee"),
        key="meeting_id",
        title=pl.format("{} meets", "name"),
        frameworks=pl.lit([], dtype=pl.List(pl.String)),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        owner="chair",
        due_on="held_on",
        done_on=pl.when(pl.col("status") == "held").then("held_on"),
        cancelled=pl.col("status") == "cancelled",
        effort_hours=pl.coalesce("effort_hours", effort("committee")),
        recurrence="cadence",
        sequence="moves",
        source_ref=pl.format("committees/{}", "committee_id"),
    )
