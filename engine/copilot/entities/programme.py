"""What the programme consists of: frameworks, controls, gaps, evidence, duties, attestations, tests."""

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, framework_name, is_in, none, past
from engine.copilot.entities.wordbook import thing
from engine.facts.expressions import time_between


def _frameworks(records: Records) -> pl.DataFrame:
    dates = (
        records.fact("organization_frameworks_rows").filter("in_scope").select("framework", "adopted_on", "target_on")
    )
    names = framework_name(records).alias("called")
    gaps = records.fact("gaps").group_by("framework").agg(gaps=pl.len().cast(pl.Int64))
    return (
        dates.join(records.fact("readiness").drop("name"), on="framework", how="left")
        .join(gaps, on="framework", how="left")
        .with_columns(names)
        .sort("framework")
    )


def _controls(records: Records) -> pl.DataFrame:
    key = ["framework", "control_id"]
    against = (
        records.fact("control_evidence")
        .drop_nulls("contradicted_at")
        .sort(*key, "contradicted_at")
        .group_by(key, maintain_order=True)
        .last()
        .select(*key, "contradicted_by", "contradicted_on")
    )
    status = records.fact("control_status").filter("applicable").join(against, on=key, how="left")
    missing = pl.col("kinds_required").list.set_difference("kinds_present").list.join(", ")
    stale = pl.col("kinds_stale").list.join(", ")
    parts = [
        pl.format("test {} failed", "failing_test"),
        pl.format("'{}' on {} speaks against it", "contradicted_by", "contradicted_on"),
        pl.when(missing != "").then(pl.format("evidence of the kind {} was never given", missing)),
        pl.when(stale != "").then(pl.format("evidence of the kind {} is past its window", stale)),
        pl.when(pl.col("state") == "effective").then(pl.lit("all mandatory evidence is there and fresh")),
    ]
    held = records.table("control_owners").sort("email").group_by(key, maintain_order=True)
    roles = held.agg(
        pl.col("email").filter(pl.col("raci") == "R").str.join(", ").alias("owner_all"),
        pl.col("email").filter(pl.col("raci") == "A").str.join(", ").alias("accountable_all"),
    )
    how = records.table("control_profiles").select(*key, "method")
    return (
        status.join(roles, on=key, how="left")
        .join(how, on=key, how="left")
        .with_columns(
            id=pl.format("{}:{}", "framework", "control_id"),
            called=framework_name(records),
            because=pl.format("{}: {}", "state", pl.concat_list(parts).list.drop_nulls().list.join("; ")),
        )
    )


def _gaps(records: Records) -> pl.DataFrame:
    severity = pl.col("severity").replace_strict({"critical": 5, "high": 4, "medium": 3, "low": 2}, default=1)
    return records.fact("gaps").with_columns(called=framework_name(records), rank=severity)


def _remediations(records: Records) -> pl.DataFrame:
    rows = records.table("remediations").select("id", "blocked_by", "runbook", raw_severity="severity")
    return (
        records.fact("remediations")
        .join(rows, on="id", how="left")
        .with_columns(
            called=framework_name(records),
            control=pl.format("{}:{}", "framework", "control_id"),
            severity=pl.coalesce("severity", "raw_severity"),
            days_to_close=time_between("closed_on", "opened_on").dt.total_days(),
        )
    )


def _attestations(records: Records) -> pl.DataFrame:
    return records.fact("attestations").with_columns(
        called=framework_name(records), control=pl.format("{}:{}", "framework", "control_id")
    )


def _duties(records: Records) -> pl.DataFrame:
    kinds = pl.col("kind").str.replace_all("_", " ")
    return records.fact("obligations").filter(pl.col("state") != "cancelled").with_columns(kind=kinds)


def _tests(records: Records) -> pl.DataFrame:
    return (
        records.fact("test_windows")
        .drop("cadence")
        .with_columns(
            called=framework_name(records),
            automated=pl.col("check_id").is_not_null(),
            id=pl.coalesce("run_id", pl.format("{} from {}", "schedule_id", "window_open_on")),
            control=pl.format("{}:{}", "framework", "control_id"),
        )
    )


FRAMEWORK = thing("framework", _frameworks)

CONTROL = thing(
    "control",
    _controls,
    RowState("effective", is_in("state", "effective")),
    RowState("not effective", lambda _: pl.col("state") != "effective"),
    RowState("ineffective", is_in("state", "ineffective")),
    RowState("stale", is_in("state", "stale")),
    RowState("partial", is_in("state", "partial")),
    RowState("without data", is_in("state", "no_data"), after=True),
    RowState("with evidence", lambda _: pl.col("last_evidence_on").is_not_null(), after=True),
    RowState("unowned", none("owner"), aside=True),
    RowState("with an exception", lambda _: pl.col("exception_id").is_not_null(), after=True),
    RowState("unattested", flag("attested", False)),
    RowState("that failed the last test", lambda _: pl.col("failing_test").is_not_null(), after=True),
)

GAP = thing(
    "gap",
    _gaps,
    RowState("open", lambda _: pl.lit(True)),
    RowState("overdue", lambda today: pl.col("due_on") < today),
    RowState("unowned", none("owner"), aside=True),
    RowState("blocked", is_in("status", "blocked")),
    RowState("quick", flag("quick_win")),
    RowState("without a runbook", none("runbook"), after=True),
)

REMEDIATION = thing(
    "remediation",
    _remediations,
    RowState("open", is_in("status", "open", "in_progress", "blocked")),
    RowState("overdue", past("due_on", "open", "in_progress", "blocked")),
    RowState("blocked", is_in("status", "blocked")),
    RowState("in progress", is_in("status", "in_progress")),
    RowState("not started", is_in("status", "open")),
    RowState("closed", is_in("status", "closed")),
    RowState("unowned", none("owner"), aside=True),
)

ATTESTATION = thing(
    "attestation",
    _attestations,
    RowState("overdue", is_in("status", "overdue")),
    RowState("pending", is_in("status", "overdue", "due_7", "due_30", "not_due")),
    RowState("signed", is_in("status", "attested")),
    RowState("rejected", is_in("status", "rejected")),
    RowState("unsupported", flag("unsupported")),
    RowState("delegated", lambda _: pl.col("delegated_to").is_not_null(), aside=True),
    RowState("unowned", none("owner"), aside=True),
)

DUTY = thing(
    "duty",
    _duties,
    RowState("overdue", is_in("state", "overdue")),
    RowState("pending", is_in("state", "overdue", "open")),
    RowState("done", is_in("state", "done", "late")),
    RowState("unowned", none("owner"), aside=True),
    RowState("fixed", flag("hard")),
)

TEST = thing(
    "test",
    _tests,
    RowState("failed", is_in("outcome", "failed")),
    RowState("passed", is_in("outcome", "passed")),
    RowState("missed", is_in("standing", "missed")),
    RowState("late", is_in("standing", "late")),
    RowState("upcoming", is_in("standing", "upcoming", "open")),
    RowState("open", is_in("standing", "open")),
    RowState("performed", lambda _: pl.col("performed_on").is_not_null()),
    RowState("with deviations", lambda _: pl.col("deviations") > 0, after=True),
    RowState("automated", flag("automated"), aside=True),
)

SCHEDULE = thing(
    "testing schedule",
    lambda records: records.table("testing_schedules").with_columns(
        called=framework_name(records), control=pl.format("{}:{}", "framework", "control_id")
    ),
)

PROGRAMME = (FRAMEWORK, CONTROL, GAP, REMEDIATION, ATTESTATION, DUTY, TEST, SCHEDULE)
