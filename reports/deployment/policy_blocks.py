"""What policies refused in a window and in the one before: how often, why, and how long until it was done right."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Parameter, Report
from engine.model.vocabulary import BLOCK_REASONS
from reports.shared.wording import some_of

WINDOWS = {"7d": 7, "30d": 30}
WINDOW = Parameter("window", "30d", "length of the window that ends on the report's day", choices=tuple(WINDOWS))
ACTOR = Parameter("actor", "", "whose attempts; the route sets the caller, without it everybody's are counted")
BAD_POLICY_PCT, BAD_POLICY_BLOCKS = 50.0, 3
REPEATED = 2
WHO = ("actor", "playbook")
WORDS = dict.fromkeys(("reason", "top_reason"), BLOCK_REASONS)  # any other reason is a rule's own name
LABELS = {
    "blocks": "Blocks",
    "allowed_runs": "Let through",
    "block_rate_pct": "Block rate (%)",
    "share_pct": "Share (%)",
    "before": "Window before",
    "change": "Change",
    "change_pct": "Change (%)",
    "top_reason": "Most frequent reason",
    "last_blocked_at": "Last (UTC)",
    "blocked_at": "Blocked (UTC)",
    "minutes_to_run": "Minutes until a compliant run",
}
DEFINITIONS = {
    "block": "An attempt that a policy or a guard refused: a dry-run, an execution or a remediation.",
    "block rate": "Blocks of all attempts: blocks and the dry-runs and executions that were let through. Empty without "
    "any attempt.",
    "change": "Against the window of equal length before. Percentages are empty where that window had none.",
    "compliant run": "The first attempt at the same playbook by the same person that was let through after the block. "
    "The median leaves out blocks that had none yet.",
    "repeat offender": "A person and playbook blocked more than once in the window.",
}


def build(policy_blocks: pl.DataFrame, automation_runs: pl.DataFrame, ask: Ask) -> Document:
    actor, days = str(ask.options["actor"]), WINDOWS[str(ask.options["window"])]
    theirs = pl.col("actor") == actor if actor else pl.lit(True)
    all_runs = automation_runs.filter(theirs)
    blocks = _followed(policy_blocks.filter(theirs), all_runs)
    start = ask.as_of - timedelta(days=days - 1)
    before = start - timedelta(days=days)
    end = ask.as_of + timedelta(days=1)
    now, then = _between(blocks, "blocked_on", start, end), _between(blocks, "blocked_on", before, start)
    runs = _between(all_runs, "ran_on", start, end)
    earlier = _between(all_runs, "ran_on", before, start)
    measures, past = _measures(now, runs), _measures(then, earlier)
    playbooks = _playbooks(now, runs)
    reasons = _reasons(now, then)
    return Document(
        headline=_headline(measures, past, reasons, days, bool(actor)),
        summary={
            "window_days": days,
            "window_start_on": start,
            **measures,
            "blocks_before": past["blocks"],
            "blocks_change": measures["blocks"] - past["blocks"],
            "blocks_change_pct": _change_pct(measures["blocks"], past["blocks"]),
        },
        tables=(
            Table(
                "comparison",
                "Against the window before",
                _comparison(measures, past),
                labels=LABELS,
                words=("measure",),
            ),
            Table("reasons", "Why", reasons, labels=LABELS, words=WORDS),
            Table("playbooks", "By playbook, highest block rate first", playbooks, labels=LABELS, words=WORDS),
            Table("policies", "Policies that refused most", _policies(now), labels=LABELS),
            Table("repeat_offenders", "Blocked more than once", _repeated(now), labels=LABELS),
            Table("blocks", "Every block of the window, newest first", _newest(now), labels=LABELS, words=WORDS),
        ),
        charts=_charts(reasons),
        definitions=DEFINITIONS,
        warnings=_warnings(playbooks),
    )


def _followed(blocks: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Blocks with the minutes until the next attempt that was let through; null while there is none."""
    later = runs.select(*WHO, next_at="ran_at").sort("next_at", *WHO)
    joined = blocks.sort("blocked_at", "id").join_asof(
        later, left_on="blocked_at", right_on="next_at", by=list(WHO), strategy="forward", check_sortedness=False,
        allow_exact_matches=False,
    )  # fmt: skip
    return joined.with_columns(
        minutes_to_run=((pl.col("next_at") - pl.col("blocked_at")).dt.total_seconds() / 60).round(1)
    )


def _between(frame: pl.DataFrame, day: str, start: date, end: date) -> pl.DataFrame:
    return frame.filter(pl.col(day) >= start, pl.col(day) < end)


def _measures(blocks: pl.DataFrame, runs: pl.DataFrame) -> dict[str, Any]:
    median = blocks["minutes_to_run"].median()
    return {
        "blocks": blocks.height,
        "playbooks": blocks["playbook"].n_unique(),
        "allowed_runs": runs.height,
        "block_rate_pct": Coverage(blocks.height, blocks.height + runs.height).pct,
        "overridden": int(blocks["overridden"].sum()),
        "without_compliant_run": blocks["minutes_to_run"].null_count(),
        "median_minutes_to_run": round(median, 1) if isinstance(median, float) else None,
    }


def _change_pct(now: float, before: float) -> float | None:
    return round(100 * (now - before) / before, 1) if before else None


def _comparison(now: Mapping[str, Any], before: Mapping[str, Any]) -> pl.DataFrame:
    rows = []
    for name in now:
        new, old = now[name], before[name]
        known = new is not None and old is not None
        change = round(float(new) - float(old), 1) if known else None
        rows.append((name, new, old, change, _change_pct(new, old) if known else None))
    schema = {"measure": pl.String, **dict.fromkeys(("window", "before", "change", "change_pct"), pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def _reasons(now: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    counts = now.group_by("reason").agg(blocks=pl.len().cast(pl.Int64))
    old = before.group_by("reason").agg(before=pl.len().cast(pl.Int64))
    return (
        counts.join(old, on="reason", how="full", coalesce=True)
        .with_columns(pl.col("blocks", "before").fill_null(0))
        .select(
            *("reason", "blocks", "before"),
            share_pct=pl.when(pl.col("blocks").sum() > 0).then(
                (100 * pl.col("blocks") / pl.col("blocks").sum()).round(1)
            ),
            change=pl.col("blocks") - pl.col("before"),
        )
        .sort("blocks", "before", "reason", descending=[True, True, False])
    )


def _playbooks(blocks: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    allowed = runs.group_by("playbook").agg(allowed_runs=pl.len().cast(pl.Int64))
    rate = 100 * pl.col("blocks") / (pl.col("blocks") + pl.col("allowed_runs"))
    return (
        blocks.group_by("playbook")
        .agg(blocks=pl.len().cast(pl.Int64), top_reason=pl.col("reason").mode().min())
        .join(allowed, on="playbook", how="full", coalesce=True)
        .with_columns(pl.col("blocks", "allowed_runs").fill_null(0))
        .select("playbook", "blocks", "allowed_runs", "top_reason", block_rate_pct=rate.round(1))
        .sort("block_rate_pct", "blocks", "playbook", descending=[True, True, False])
    )


def _policies(blocks: pl.DataFrame) -> pl.DataFrame:
    return (
        blocks.group_by("policy_id", "policy")
        .agg(blocks=pl.len().cast(pl.Int64), overridden=pl.col("overridden").sum().cast(pl.Int64))
        .sort("blocks", "policy_id", "policy", descending=[True, False, False], nulls_last=True)
    )


def _repeated(blocks: pl.DataFrame) -> pl.DataFrame:
    return (
        blocks.group_by(WHO)
        .agg(blocks=pl.len().cast(pl.Int64), last_blocked_at=pl.col("blocked_at").max())
        .filter(pl.col("blocks") >= REPEATED)
        .sort("blocks", *WHO, descending=[True, False, False])
    )


def _newest(blocks: pl.DataFrame) -> pl.DataFrame:
    return blocks.select(
        *("blocked_at", "playbook", "policy_id", "reason", "message", "actor", "overridden", "minutes_to_run", "id")
    ).sort("blocked_at", "id", descending=[True, False])


def _headline(
    now: Mapping[str, Any], before: Mapping[str, Any], reasons: pl.DataFrame, days: int, personal: bool
) -> str:
    whose = "of your attempts" if personal else "attempts"
    if not now["blocks"] and not now["allowed_runs"]:
        return f"Nothing was attempted in {days} days, so no policy had anything to refuse."
    share = f"{now['blocks']:,} of {now['blocks'] + now['allowed_runs']:,} {whose} were blocked in {days} days"
    if not now["blocks"]:
        return f"{share}."
    change = f"{before['blocks']:,} in the {days} days before"
    return f"{share} ({now['block_rate_pct']} %), {change}; most often for {_spelled(reasons['reason'][0])}."


def _warnings(playbooks: pl.DataFrame) -> list[str]:
    bad = playbooks.filter(pl.col("block_rate_pct") >= BAD_POLICY_PCT, pl.col("blocks") >= BAD_POLICY_BLOCKS)
    if bad.is_empty():
        return []
    names = some_of(bad["playbook"].to_list())
    return [f"Blocked at least as often as let through, which usually means that the policy is wrong: {names}."]


def _spelled(reason: str) -> str:
    return reason.replace("_", " ") if reason in BLOCK_REASONS else reason


def _charts(reasons: pl.DataFrame) -> list[Chart]:
    if not reasons["blocks"].sum():
        return []
    frame = reasons.filter(pl.col("blocks") > 0)
    return [
        Chart("bars", "Blocks by reason", frame, "reason", "blocks", "Blocks of the window by reason.", words=WORDS)
    ]


REPORT = Report(
    name="policy-blocks-summary",
    title="Policy blocks",
    description="What policies refused: reasons, block rates, repeat offenders, and the change to the window before.",
    build=build,
    parameters=(WINDOW, ACTOR),
)
