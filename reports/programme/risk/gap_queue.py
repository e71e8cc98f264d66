"""The queue of open gaps, its totals by runbook and owner, and the flow of remediations by week."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import SEVERE

UNWRITTEN = "Write a runbook: none fits"


def queue(gaps: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open gaps, the most worthwhile first (F14), each with the body that rehearses its fix."""
    inputs = pl.struct("framework", "control_id", "gap_id")
    return gaps.sort("priority", "gap_id", descending=[True, False], nulls_last=True).select(
        *("gap_id", "framework", "control_id", "title", "severity", "state", "detected_on", "age_days"),
        *("requirements", "leverage", "runbook", "runbook_title", "playbook", "dry_run", "owner", "effort_hours"),
        *("action", "kinds_to_renew"),
        *(
            *("due_on", "poam_due_on"),
            pl.col("priority").round(2),
            "quick_win",
            "status",
            "blocked_by",
            "compensating",
            "compensating_approved",
        ),
        overdue=(pl.col("due_on") < ask.as_of).fill_null(False),
        dry_run_body=pl.when(pl.col("playbook").is_not_null()).then(
            pl.struct("playbook", inputs=inputs).struct.json_encode()
        ),
    )


def by_action(queue: pl.DataFrame) -> pl.DataFrame:
    """Totals of the queue by what closes its gaps: a runbook, or one yet to write, or a renewal, which needs none."""
    runbook = pl.when(pl.col("kinds_to_renew").list.len() == 0).then("runbook")
    return totals_by(queue.with_columns(runbook, pl.col("action").fill_null(UNWRITTEN)), "action", "runbook")


def totals_by(queue: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Totals of the queue; the group with most severe gaps first. Gaps of all groups sum to the queue."""
    return (
        queue.group_by(keys)
        .agg(
            gaps=pl.len().cast(pl.Int64),
            severe=pl.col("severity").is_in(SEVERE).sum().cast(pl.Int64),
            overdue=pl.col("overdue").sum().cast(pl.Int64),
            requirements_unlocked=pl.col("requirements").explode().drop_nulls().n_unique().cast(pl.Int64),
            effort_hours=pl.col("effort_hours").sum().round(1),
        )
        .sort("severe", "gaps", *keys, descending=[True, True, *[False] * len(keys)])
    )


def burn_up(remediations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """ISO weeks of the period, with running totals since the first remediation.

    The first is whole, as KPI trends count it: a week has one number of what was opened and closed in it. None before
    that of the first one on record: of these nothing is known, which is no 0.
    """
    monday = ask.period_start - timedelta(days=ask.period_start.weekday())
    starts = pl.date_range(monday, ask.as_of, "1w", eager=True).alias("start")
    frame = pl.DataFrame({"week": starts.dt.strftime("%G-W%V"), "last": starts + timedelta(days=6)}).with_columns(
        last=pl.min_horizontal("last", pl.lit(ask.as_of))
    )
    frame = frame.filter(pl.col("last") >= pl.lit(remediations["opened_on"].min(), dtype=pl.Date))
    columns = []
    for word in ("opened", "closed"):
        days = remediations[f"{word}_on"].drop_nulls().sort()
        before = days.filter(days < monday).len()
        total = days.search_sorted(frame["last"], side="right").cast(pl.Int64).alias(f"{word}_total")
        columns += [(total - total.shift(1, fill_value=before)).alias(word), total]
    opened, opened_total, closed, closed_total = columns
    return frame.select("week").with_columns(
        opened, closed, opened_total, closed_total, still_open=opened_total - closed_total
    )
