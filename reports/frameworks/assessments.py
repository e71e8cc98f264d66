"""The assessable rows of one framework with their state, what the organization says of them, and planned work."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage, FrameRow
from reports.programme.plans.plan_starts import PlanStarts, begin_with
from reports.shared.wording import start_with

KEY = ("framework", "control_id")
_WHY = {
    "no_data": "no evidence of a required kind",
    "stale": "a required kind of evidence lapsed",
    "partial": "some kinds of evidence are lacking",
    "ineffective": "an event contradicts it",
}
_LAPSES = {
    "operation": "evidence of operation is older than its window",
    "test": "the last test is older than its window",
    "policy": "the policy is past its review or not accepted",
    "attestation": "its signature is no longer in force",
}
_ABSENCES = {
    "operation": "no evidence of operation",
    "test": "no passed test",
    "policy": "no policy in force",
    "attestation": "nobody signed it",
}
_SHARED = ("org_id", "justification", "note")
_DESCRIBED = ("org_id", "parent_id", "group_id", "group_title", "title", "position")


def assessment_rows(
    framework: str, requirements: pl.DataFrame, status: pl.DataFrame, profiles: pl.DataFrame
) -> pl.DataFrame:
    """One row for each, in the order of the framework. Without a status it is applicable and has no data."""
    return (
        requirements.filter((pl.col("framework") == framework) & pl.col("assessable"))
        .drop("org_id", "assessable")
        .join(status.drop(_DESCRIBED), on=KEY, how="left")
        .join(profiles.drop(_SHARED), on=KEY, how="left")
        .with_columns(pl.col("applicable").fill_null(True))
        .with_columns(
            state=pl.when(~pl.col("applicable"))
            .then(pl.lit("not_applicable"))
            .otherwise(pl.col("state").fill_null("no_data"))
        )
        .sort("position", "control_id")
    )


def in_scope(framework: str, requirements: pl.DataFrame) -> bool:
    """Whether any requirement of the framework is to be assessed."""
    return not requirements.filter(pl.col("framework") == framework, "assessable").is_empty()


def with_remediations(rows: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    """The rows with severity, runbook and remediation of their gap; ``status`` is that of the remediation.

    ``work_owner`` works on the gap, as the plan of action, the calendar and the list of gaps have it; ``owner`` is who
    does the control, gap or none.
    """
    work = gaps.select(*KEY, "severity", "status", "due_on", "effort_hours", "priority", "action", work_owner="owner")
    return rows.join(work, on=KEY, how="left").with_columns(pl.coalesce("work_owner", "owner").alias("work_owner"))


def why() -> pl.Expr:
    """What is wrong with the evidence, in words; null when nothing is. Evidence that does not govern is named.

    Each kind that lapsed or lacks is named: that a signature is due says nothing of the age of the evidence beside it.
    """
    state = pl.col("state")
    plain = state.replace_strict(_WHY, default=None, return_dtype=pl.String)
    said = pl.concat_list(_lapse_texts(), _absence_texts()).list.join(", ")
    return (
        pl.when(state == "no_data")
        .then(pl.coalesce("evidence_note", plain))
        .when(state.is_in(["stale", "partial"]) & (said != ""))
        .then(said)
        .when((state == "ineffective") & pl.col("failing_test").is_not_null())
        .then(pl.lit("a test failed"))
        .otherwise(plain)
    )


def _lapse_texts() -> pl.Expr:
    """Of each kind that is stale, why. What changed makes the governing kind void, which is the first of them."""
    kinds = pl.col("kinds_stale").fill_null([])
    changed = pl.col("change_invalidated").fill_null(False)
    lapsed = pl.when(changed).then(kinds.list.slice(1)).otherwise(kinds)
    return pl.concat_list(
        pl.when(changed & (kinds.list.len() > 0)).then(pl.lit("it changed since its evidence")),
        *(pl.when(lapsed.list.contains(kind)).then(pl.lit(said)) for kind, said in _LAPSES.items()),
    ).list.drop_nulls()


def _absence_texts() -> pl.Expr:
    needed, there = pl.col("kinds_required").fill_null([]).list, pl.col("kinds_present").fill_null([]).list
    return pl.concat_list(
        pl.when(needed.contains(kind), ~there.contains(kind)).then(pl.lit(said)) for kind, said in _ABSENCES.items()
    ).list.drop_nulls()


def evidence_coverage(rows: pl.DataFrame) -> Coverage:
    """F2: the applicable rows whose state is not ``no_data``."""
    applicable = rows.filter("applicable")
    return Coverage(applicable.filter(pl.col("state") != "no_data").height, applicable.height)


def first_step(framework: str, gaps: pl.DataFrame, starts: PlanStarts, row: FrameRow, ask: Ask) -> str:
    """What to begin with for the framework, the same on every page; without it the first row of its own."""
    start = begin_with(framework, gaps, starts, ask)
    return f"{start}." if start else start_with(row | {"owner": row["work_owner"]})


def order_note(order: str, *more: str) -> str:
    """What a list of open rows is in order of, as the next step of its page goes by another rule (``first_step``)."""
    rule = "What to close first goes by another rule, what a gap gains for each of its hours, on this page as on all."
    return " ".join(part for part in (f"In this order: {order}.", rule, *more) if part)


def tally(condition: pl.Expr) -> pl.Expr:
    """How many rows of a group satisfy a condition."""
    return condition.sum().cast(pl.Int64)
