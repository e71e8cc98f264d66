"""The obligation ledger (F6): one normalised list of dated duties, of which all calendars and forecasts are views."""

import polars as pl

from engine.facts.expressions import ANNUAL, days_between, iso_week, plus_days, shaped
from engine.facts.schemas import Schema

# hours of work that a duty of a kind takes when nothing more exact is known
EFFORT_HOURS = {
    "attestation": 0.5,
    "bundle": 2.0,
    "test_window": 3.0,
    "policy_review": 4.0,
    "poam_milestone": 6.0,
    "exception_expiry": 2.0,
    "audit_checkpoint": 4.0,
    "committee": 2.0,
}
REVIEW_HOURS = {"critical": 6.0, "high": 4.0, "medium": 3.0, "low": 2.0}
REQUEST_HOURS = {"P1": 4.0, "P2": 3.0, "P3": 2.0, "P4": 1.0}
BUNDLE_EVERY_DAYS = 92
_TYPES: Schema = {
    "kind": pl.String, "key": pl.String, "title": pl.String, "frameworks": pl.List(pl.String),
    "controls": pl.List(pl.String), "vendor_id": pl.String, "vendor_tier": pl.String, "owner": pl.String,
    "accountable": pl.String, "due_on": pl.Date, "effort_hours": pl.Float64, "done_on": pl.Date,
    "cancelled": pl.Boolean, "recurrence": pl.String, "hard": pl.Boolean, "source_ref": pl.String,
    "sequence": pl.Int64, "revision": pl.Int64,
}  # fmt: skip


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
        _attestations(attestations, attestation_days, controls, accountable, asked),
        _vendor_reviews(vendors, vendor_register),
        _bundles(bundles, asked),
        _tests(test_windows, testing_schedules, accountable, controls),
        _requests(requests, evidence_requests, accountable),
        _policy_reviews(policies, policy_controls),
        _poam(poam_items),
        _exceptions(exceptions, accountable),
        _checkpoints(organization_frameworks),
        _meetings(meetings),
    ]
    ledger = pl.concat([_typed(part) for part in parts])
    finished = pl.col("done_on").is_not_null() & (pl.col("done_on") <= pl.col("as_of"))
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
            state=pl.when("cancelled").then(pl.lit("cancelled"))
            .when(finished & (pl.col("done_on") <= pl.col("due_on"))).then(pl.lit("done"))
            .when(finished).then(pl.lit("late"))
            .when(pl.col("due_on") < pl.col("as_of")).then(pl.lit("overdue"))
            .otherwise(pl.lit("open")),
        )
    )  # fmt: skip
    return shaped("obligations", frame).sort("org_id", "due_on", "obligation_id")


def _typed(part: pl.DataFrame) -> pl.DataFrame:
    """The ledger's columns in their order; what a kind does not have is null."""
    missing = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in _TYPES.items() if name not in part.columns]
    complete = part.with_columns(missing)
    defaults = {"cancelled": False, "hard": False, "sequence": 0}
    return complete.select(
        "org_id",
        *(
            pl.col(name).cast(dtype).fill_null(defaults[name]) if name in defaults else pl.col(name).cast(dtype)
            for name, dtype in _TYPES.items()
        ),
    )


def _one(column: str) -> pl.Expr:
    """A list of one text, or none when it is null."""
    return pl.concat_list(column).list.drop_nulls()


def _effort(kind: str) -> pl.Expr:
    return pl.lit(EFFORT_HOURS[kind])


_TAG = pl.when(pl.col("control_id").is_not_null()).then(pl.format("{}:{}", "framework", "control_id"))


def _attestations(
    rows: pl.DataFrame, days: pl.DataFrame, controls: pl.DataFrame, accountable: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Duties as they stand, and the next one a year after a signature where none is planned yet."""
    key = ["org_id", "framework", "control_id"]
    known = (
        rows.join(days, on=["org_id", "id"])
        .join(controls.select(*key, control_title="title"), on=key)
        .join(accountable, on=key, how="left")
        .with_columns(
            key="id", cancelled=pl.col("withdrawn_on").is_not_null(), sequence="moves", done_on="attested_on",
            owner=pl.coalesce("delegated_to", "owner"),
        )
    )  # fmt: skip
    planned = known.filter(pl.col("outcome").is_null(), ~pl.col("cancelled")).select(key).unique()
    following = (
        known.filter(pl.col("outcome") == "attested")
        .join(planned, on=key, how="anti")
        .sort("attested_on", "id")
        .group_by(key, maintain_order=True)
        .last()
        .with_columns(
            key=pl.format("{}-next", "id"), due_on=plus_days("attested_on", pl.lit(ANNUAL)), sequence=0,
            done_on=pl.lit(None, dtype=pl.Date),
        )
    )  # fmt: skip
    columns = [*known.columns]
    return pl.concat([known, following.select(columns)], how="vertical_relaxed").with_columns(
        kind=pl.lit("attestation"),
        title=pl.format("Attest {} {}", "control_id", "control_title"),
        frameworks=_one("framework"),
        controls=pl.concat_list(_TAG).list.drop_nulls(),
        effort_hours=_effort("attestation"),
        recurrence=pl.lit("annual"),
        source_ref=pl.format("attestations/{}", "id"),
    )


def _vendor_reviews(vendors: pl.DataFrame, register: pl.DataFrame) -> pl.DataFrame:
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
    gone = pl.col("offboarded_on").is_not_null()
    ahead = base.join(due, on=["org_id", "vendor_id"], how="left").with_columns(
        key="vendor_id", due_on=pl.coalesce("due", "next_review_on"), sequence="moves", cancelled=gone
    )
    done = base.filter(pl.col("last_review_on").is_not_null()).with_columns(
        key=pl.format("{}-{}", "vendor_id", "last_review_on"), due_on="last_review_on", done_on="last_review_on"
    )
    return pl.concat([_typed(ahead), _typed(done)])


def _bundles(bundles: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Sealed bundles, and the next one a quarter after the last. An organization that seals none owes none."""
    base = bundles.with_columns(
        kind=pl.lit("bundle"),
        owner="created_by",
        frameworks=pl.lit([], dtype=pl.List(pl.String)),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        effort_hours=_effort("bundle"),
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
            key=pl.format("{}-next", "id"), title=pl.lit("Seal the next evidence bundle"),
            due_on=plus_days("sealed_on", pl.lit(BUNDLE_EVERY_DAYS)), recurrence=pl.lit("quarterly"),
        )
    )  # fmt: skip
    return pl.concat([_typed(sealed), _typed(ahead)])


def _tests(
    windows: pl.DataFrame, schedules: pl.DataFrame, accountable: pl.DataFrame, controls: pl.DataFrame
) -> pl.DataFrame:
    key = ["org_id", "framework", "control_id"]
    return (
        windows.join(controls.select(key), on=key)
        .join(schedules.select("org_id", "revision", schedule_id="id"), on=["org_id", "schedule_id"])
        .join(accountable, on=key, how="left")
        .filter(pl.col("cadence").is_in(["weekly", "monthly", "quarterly", "semi-annual", "annual"]))
        .with_columns(
            kind=pl.lit("test_window"),
            key=pl.format("{}-{}", "schedule_id", "window_open_on"),
            title=pl.format("Test {}: {}", "control_id", "procedure"),
            frameworks=_one("framework"),
            controls=pl.concat_list(_TAG).list.drop_nulls(),
            owner=pl.coalesce("performer", "owner"),
            due_on="window_close_on",
            done_on="performed_on",
            effort_hours=_effort("test_window"),
            recurrence="cadence",
            source_ref=pl.format("testing_schedules/{}", "schedule_id"),
        )
    )


def _requests(requests: pl.DataFrame, rows: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    closed = pl.col("clock").is_in(["closed_on_time", "closed_late"])
    return (
        requests.join(rows.select("org_id", "id", "moves", "revision"), on=["org_id", "id"])
        .join(accountable, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(
            kind=pl.lit("evidence_request"),
            key="id",
            title=pl.format("Answer request {}: {}", "id", "title"),
            frameworks=_one("framework"),
            controls=pl.concat_list(_TAG).list.drop_nulls(),
            done_on=pl.when(closed).then(pl.coalesce("closed_on", "accepted_on", "submitted_on")),
            effort_hours=pl.col("priority").replace_strict(REQUEST_HOURS, default=2.0, return_dtype=pl.Float64),
            hard=pl.lit(True),
            sequence="moves",
            source_ref=pl.format("evidence_requests/{}", "id"),
        )
    )


def _policy_reviews(policies: pl.DataFrame, policy_controls: pl.DataFrame) -> pl.DataFrame:
    tags = (
        policy_controls.with_columns(tag=_TAG)
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
            effort_hours=_effort("policy_review"),
            recurrence=pl.lit("annual"),
            sequence="moves",
            source_ref=pl.format("policies/{}", "id"),
        )
    )


def _poam(items: pl.DataFrame) -> pl.DataFrame:
    return items.with_columns(
        kind=pl.lit("poam_milestone"),
        key="id",
        title=pl.format("Close weakness {}", "id"),
        frameworks=pl.lit(["fedramp-poam"], dtype=pl.List(pl.String)),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        done_on="closed_on",
        cancelled=pl.col("status") == "false_positive",
        effort_hours=_effort("poam_milestone"),
        hard=pl.lit(True),
        sequence="moves",
        source_ref=pl.format("poam_items/{}", "id"),
    )


def _exceptions(exceptions: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    """An approved exception must be ended or renewed by its expiry; a resolved one no longer matters."""
    return (
        exceptions.filter(pl.col("status").is_in(["approved", "resolved"]))
        .join(accountable, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(
            kind=pl.lit("exception_expiry"),
            key="id",
            title=pl.format("Exception {} on {} ends", "id", "control_id"),
            frameworks=_one("framework"),
            controls=pl.concat_list(_TAG).list.drop_nulls(),
            owner=pl.coalesce("accountable", "approver"),
            due_on="expires_on",
            cancelled=pl.col("status") == "resolved",
            effort_hours=_effort("exception_expiry"),
            hard=pl.lit(True),
            sequence="moves",
            source_ref=pl.format("exceptions/{}", "id"),
        )
    )


def _checkpoints(frameworks: pl.DataFrame) -> pl.DataFrame:
    return frameworks.filter(pl.col("target_on").is_not_null()).with_columns(
        kind=pl.lit("audit_checkpoint"),
        key="framework",
        title=pl.format("Audit checkpoint {}", "framework"),
        frameworks=_one("framework"),
        controls=pl.lit([], dtype=pl.List(pl.String)),
        due_on="target_on",
        cancelled=~pl.col("in_scope"),
        effort_hours=_effort("audit_checkpoint"),
        hard=pl.lit(True),
        sequence="moves",
        source_ref=pl.format("organization_frameworks/{}", "framework"),
    )


def _meetings(meetings: pl.DataFrame) -> pl.DataFrame:
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
        effort_hours=pl.coalesce("effort_hours", _effort("committee")),
        recurrence="cadence",
        sequence="moves",
        source_ref=pl.format("committees/{}", "committee_id"),
    )
