"""What was attempted in a window and in the one before it: what policies refused, and what they let through."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from engine.model.documents.document import Coverage
from engine.model.figures.formulas import nearest_rank
from reports.shared import records

WINDOWS = {"7d": 7, "30d": 30}
WINDOW = Parameter("window", "30d", "length of the window that ends on the report's day", choices=tuple(WINDOWS))
ACTOR = Parameter("actor", "", "whose attempts; the route sets the caller, without it everybody's are counted")
WHO = ("actor", "playbook")
NOW, BEFORE = "now", "before"
_COLUMNS = (
    *("id", "blocked", "place", "playbook", "actor", "at", "policy_id", "policy", "reason", "message", "overridden"),
    "minutes_to_run",
)


def days(ask: Ask) -> int:
    """The length of the window."""
    return WINDOWS[ask.word(WINDOW)]


def start_on(ask: Ask) -> date:
    """The first day of the window, which ends on the day of the report."""
    return ask.as_of - timedelta(days=days(ask) - 1)


def attempts(policy_blocks: pl.DataFrame, automation_runs: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Blocks and runs of who is asked about, each in its ``place``: now or before; blocks with the minutes to a run."""
    actor, start = ask.word(ACTOR), start_on(ask)
    theirs = pl.col("actor") == actor if actor else pl.lit(True)
    runs = automation_runs.filter(theirs)
    blocks = _with_next_attempt(policy_blocks.filter(theirs), runs).with_columns(
        blocked=pl.lit(True), at="blocked_at", on="blocked_on"
    )
    allowed = runs.with_columns(blocked=pl.lit(False), at="ran_at", on="ran_on")
    return (
        pl.concat([blocks, allowed], how="diagonal")
        .filter(pl.col("on").is_between(start - timedelta(days=days(ask)), ask.as_of))
        .with_columns(place=pl.when(pl.col("on") >= start).then(pl.lit(NOW)).otherwise(pl.lit(BEFORE)))
        .sort("at", "id", "blocked")
        .select(_COLUMNS)
    )


def comparison(
    policy_blocks: pl.DataFrame, automation_runs: pl.DataFrame, records_since: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """One row: blocks now and before; null before where records do not reach back so far."""
    series = attempts(policy_blocks, automation_runs, ask).filter("blocked")["place"]
    now, before = int((series == NOW).sum()), int((series == BEFORE).sum())
    return pl.DataFrame(
        {"now": [now], "before": [before if reaches_back(records_since, ask) else None]},
        schema={"now": pl.Int64, "before": pl.Int64},
    ).with_columns(
        change=pl.col("now") - pl.col("before"),
        change_pct=pl.when(pl.col("before") > 0).then(100 * (pl.col("now") - pl.col("before")) / pl.col("before")),
    )


def reaches_back(records_since: pl.DataFrame, ask: Ask) -> bool:
    """Whether the records go back to the first day of the window before."""
    return records.reaches(start_on(ask) - timedelta(days=days(ask)), records.since(records_since))


def measures(frame: pl.DataFrame) -> Mapping[str, Any]:
    """What the comparison of two windows shows of each."""
    blocks = frame.filter("blocked")
    return {
        "blocks": blocks.height,
        "playbooks": blocks["playbook"].n_unique(),
        "allowed_runs": frame.height - blocks.height,
        "block_rate_pct": Coverage(blocks.height, frame.height).pct,
        "overridden": int(blocks["overridden"].sum()),
        "without_compliant_run": blocks["minutes_to_run"].null_count(),
        "median_minutes_to_run": nearest_rank(blocks["minutes_to_run"].drop_nulls().to_list(), 50),
    }


def _with_next_attempt(blocks: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Blocks with the minutes until the next attempt that was let through; null while there is none."""
    later = runs.select(*WHO, next_at="ran_at").sort("next_at", *WHO)
    joined = blocks.sort("blocked_at", "id").join_asof(
        later,
        left_on="blocked_at",
        right_on="next_at",
        by=list(WHO),
        strategy="forward",
        check_sortedness=False,
        allow_exact_matches=False,
    )
    return joined.with_columns(
        minutes_to_run=((pl.col("next_at") - pl.col("blocked_at")).dt.total_seconds() / 60).round(1)
    )
