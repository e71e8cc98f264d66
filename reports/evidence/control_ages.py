"""How old the newest evidence of each control is against its window, control by control and in sums."""

from typing import Any

import polars as pl

from reports.shared.columns import in_order, share_pct
from reports.shared.wording import count_of

STATES = ("fresh", "due_soon", "stale", "missing", "error", "not_applicable")
DAYS_OVER = pl.coalesce(pl.col("age_days") - pl.col("window_days"), "unaccepted_days").clip(0)


def controls(control_assessments: pl.DataFrame, control_evidence: pl.DataFrame) -> pl.DataFrame:
    """Every control in the order of its standard, with the instant of its newest evidence."""
    newest = control_evidence.select(
        "framework", "control_id", last_source="source", last_evidence_id="last_id", last_evidence_at="last_at"
    )
    return (
        control_assessments.join(newest, on=["framework", "control_id", "last_source", "last_evidence_id"], how="left")
        .with_columns(
            state=pl.when(~pl.col("applicable"))
            .then(pl.lit("not_applicable"))
            .when(pl.col("future_dated"))
            .then(pl.lit("error"))
            .otherwise(pl.col("freshness")),
            days_over=pl.when("applicable").then(DAYS_OVER),
        )
        .sort("framework", "position", "control_id")
        .select(
            *("framework", "control_id", "title", "owner", "group_id", "weight", "cadence", "window_days"),
            *(
                "last_evidence_at",
                "last_evidence_on",
                "last_evidence_id",
                "last_source",
                "evidence_place",
                "age_days",
                "age_ratio",
            ),
            *("state", "days_over", "change_invalidated", "next_due_on", "evidence_note"),
        )
    )


def queue(every: pl.DataFrame) -> pl.DataFrame:
    """Stale, missing and future-dated controls by weight, then by age; what is missing counts as the oldest."""
    oldest_first = pl.when(pl.col("state") == "stale").then(pl.col("age_ratio"))
    return every.filter(pl.col("state").is_in(["stale", "missing", "error"])).sort(
        "weight", oldest_first, "framework", in_order("control_id"), descending=[True, True, False, False]
    )


def totals(every: pl.DataFrame, by: str) -> pl.DataFrame:
    """Controls by framework or owner: how many are in each state, and by how many days evidence is too old."""
    applicable = pl.col("applicable")
    return (
        every.group_by(by)
        .agg(
            applicable=(pl.col("state") != "not_applicable").sum().cast(pl.Int64),
            **{state: (pl.col("state") == state).sum().cast(pl.Int64) for state in STATES},
            debt_days=pl.col("days_over").sum(),
        )
        .with_columns(in_window_pct=share_pct(pl.col("fresh") + pl.col("due_soon"), applicable))
        .sort(by)
    )


def why(row: dict[str, Any]) -> str:
    """Why a control is in the queue."""
    match row["state"]:
        case "missing":
            return "no governing evidence"  # what else there is may take a line of its own: the table has it
        case "error":
            return "evidence dated in the future"
    if row["days_over"]:
        return f"{count_of(row['days_over'], 'day')} over its window"
    if row["last_source"] == "attestation" and not row["change_invalidated"]:
        return "its signature is no longer in force"
    return "changed since its evidence"
