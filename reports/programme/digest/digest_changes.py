"""What changed between the snapshot that a compliance digest is compared with and today."""

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import GAP_SEVERITIES, Better
from reports.shared import ledger
from reports.shared.ordering import STATES_WORST_FIRST, rank

NAME = "compliance-digest"
BETTER: Mapping[str, Better] = {"worse": "less", "better": "more"}  # direction of a control: whether more is better
KEY = ["framework", "control_id"]
SETTLED = ("effective", "not_applicable")  # states in which a control is no gap
# of the controls compared: those that became a gap, and those that stopped being one
OPENED = pl.col("previous_state").is_in(SETTLED) & ~pl.col("state").is_in(SETTLED)
CLOSED = ~pl.col("previous_state").is_in(SETTLED) & pl.col("state").is_in(SETTLED)


def base_day(readiness_days: pl.DataFrame, digest_days: pl.DataFrame, ask: Ask) -> date | None:
    """The day of the snapshot that this digest is compared with; None when there is none by today's formulas."""
    sent = digest_days.filter(pl.col("kind") == NAME)["last_on"].max()
    until = sent if isinstance(sent, date) and sent < ask.as_of else ask.period_start - timedelta(days=1)
    newest = readiness_days.filter(pl.col("taken_on") <= until).filter(pl.col("taken_on") == pl.col("taken_on").max())
    day = None if newest["formula_change"].drop_nulls().len() else newest["taken_on"].max()
    return day if isinstance(day, date) else None


def base(readiness_days: pl.DataFrame, digest_days: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row: the day of that snapshot."""
    return pl.DataFrame({"taken_on": [base_day(readiness_days, digest_days, ask)]}, schema={"taken_on": pl.Date})


def controls(
    control_status: pl.DataFrame,
    state_changes: pl.DataFrame,
    readiness_days: pl.DataFrame,
    digest_days: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Controls with a state then and now, those that got worse first; ``direction`` is null where it is the same.

    Without a snapshot nothing is compared, and there are none.
    """
    day = base_day(readiness_days, digest_days, ask)
    then = (
        state_changes.filter(pl.col("observed_on") <= (day or date.min))
        .sort("observed_on", "state")
        .group_by(KEY, maintain_order=True)
        .last()
        .select(*KEY, previous_state="state")
    )
    now, before = rank("state", STATES_WORST_FIRST), rank("previous_state", STATES_WORST_FIRST)
    way = pl.when(now < before).then(pl.lit("worse")).when(now > before).then(pl.lit("better"))
    return (
        control_status.drop("previous_state", strict=False)
        .join(then, on=KEY)
        .with_columns(direction=way, control=control(ask))
        .sort(
            rank("direction", tuple(BETTER)), rank("state", STATES_WORST_FIRST), "framework", "position", "control_id"
        )
        .select("direction", "control", *KEY, "title", "previous_state", "state", "owner")
    )


def control(ask: Ask) -> pl.Expr:
    """A control as people name it; null where there is none."""
    return pl.format("{} {}", ledger.framework_name(ask), "control_id").alias("control")


def new_gaps(gaps: pl.DataFrame, moved: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open gaps of controls that had none on the day compared with, gravest first."""
    return (
        gaps.join(moved.filter(OPENED).select(KEY), on=KEY, how="semi")
        .sort(rank("severity", GAP_SEVERITIES), "gap_id")
        .select("gap_id", control(ask), *KEY, "title", "state", "severity", "owner", "runbook_title")
    )
