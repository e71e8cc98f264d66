"""What policies refused in a window and in the one before: how often, why, and how long until it was done right."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.vocabulary import BLOCK_REASONS
from reports.deployment import attempts
from reports.figures import select
from reports.shared import records
from reports.shared.wording import count, some_of

BAD_POLICY_PCT, BAD_POLICY_BLOCKS = 50.0, 3
REPEATED = 2
WORDS = dict.fromkeys(("reason", "top_reason"), BLOCK_REASONS)  # any other reason is a rule's own name
LABELS = {"before": "Window before"}
DEFINITIONS = {
    "repeat offender": "A person and playbook blocked more than once in the window.",
    "local time": "The organization's own clock, with its zone: that by which a rule such as working hours is meant.",
}
# the rows of the comparison, and the figure that each shows
MEASURES = {
    "blocks": "policy_blocks",
    "playbooks": "policy_blocks_playbooks",
    "allowed_runs": "policy_runs_allowed",
    "block_rate_pct": "policy_block_rate_pct",
    "overridden": "policy_blocks_overridden",
    "without_compliant_run": "policy_blocks_without_compliant_run",
    "median_minutes_to_run": "policy_blocks_minutes_to_run",
}

_TRY = "Rehearse an automation to fill this report: post it to /api/automations/dry-run."


def build(organization: pl.DataFrame, records_since: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    frame, zone = figures.rows(attempts.attempts), _zone(organization)
    now, runs = figures.counted_rows("policy_blocks"), figures.counted_rows("policy_runs_allowed")
    before = frame.filter(pl.col("place") == attempts.BEFORE)
    compared = attempts.reaches_back(records_since, ask)
    measures = {name: figures[figure] for name, figure in MEASURES.items()}
    past = attempts.measures(before) if compared else dict.fromkeys(MEASURES)
    reasons = _reasons(now, before.filter("blocked") if compared else None)
    playbooks = _playbooks(now, runs, reasons)
    return Document(
        *_opening(figures, now, zone, ask),
        summary={"window_start_on": attempts.start_on(ask)},
        tables=(
            Table(
                "playbooks",
                "By playbook, highest block rate first",
                playbooks,
                labels={"why": "Most often for"},
                hidden=("top_reason",),
                words=WORDS,
            ),
            Table("repeat_offenders", "Blocked more than once", _repeats(now, zone), hidden=("last_blocked_at",)),
            Table("reasons", "Why", reasons, labels=LABELS, words=WORDS),
            Table("policies", "Policies that refused most", _policies(now), hidden=("policy_id",)),
            Table(
                "comparison",
                "Against the window before",
                _comparison(measures, past, figures),
                labels={**LABELS, "title": "Figure"},
                hidden=("measure", "change_pct"),
                units={name: figures.declared[figure].unit for name, figure in MEASURES.items()},
            ),
            Table(
                "blocks",
                "Every block of the window, newest first",
                _newest(now, zone),
                words=WORDS,
                hidden=("blocked_at",),
            ),
        ),
        charts=_charts(reasons),
        definitions=DEFINITIONS,
        warnings=[*_warnings(playbooks), *([] if compared else [records.sentence(records.since(records_since))])],
    )


def _comparison(now: Mapping[str, Any], before: Mapping[str, Any], figures: Figures) -> pl.DataFrame:
    rows = []
    for name in now:
        new, old = now[name], before[name]
        known = new is not None and old is not None
        change = round(float(new) - float(old), 1) if known else None
        more = round(100 * (new - old) / old, 1) if known and old else None
        rows.append((name, figures.title(MEASURES[name]), new, old, change, more))
    schema = {
        "measure": pl.String,
        "title": pl.String,
        **dict.fromkeys(("window", "before", "change", "change_pct"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def _reasons(now: pl.DataFrame, before: pl.DataFrame | None) -> pl.DataFrame:
    """``before`` and ``change`` are null where nothing is known of the window before."""
    past = now.clear() if before is None else before
    counts = now.group_by("reason").agg(blocks=pl.len().cast(pl.Int64))
    said = pl.concat([now, past]).group_by("reason").agg(message=pl.col("message").drop_nulls().first())
    own = ~pl.col("reason").is_in(BLOCK_REASONS)  # a rule of the organization, which says in its message what it asks
    old = past.group_by("reason").agg(before=pl.len().cast(pl.Int64))
    return (
        counts.join(old, on="reason", how="full", coalesce=True)
        .join(said, on="reason", how="left")
        .with_columns(pl.col("blocks", "before").fill_null(0))
        .select(
            "reason",
            pl.when(own).then("message").alias("message"),
            *("blocks", "before"),
            share_pct=pl.when(pl.col("blocks").sum() > 0).then(
                (100 * pl.col("blocks") / pl.col("blocks").sum()).round(1)
            ),
            change=pl.col("blocks") - pl.col("before"),
        )
        .with_columns(pl.when(pl.lit(before is not None)).then(pl.col("before", "change")))
        .sort("blocks", "before", "reason", descending=[True, True, False])
    )


def _playbooks(blocks: pl.DataFrame, runs: pl.DataFrame, reasons: pl.DataFrame) -> pl.DataFrame:
    texts = {row[0]: _reason_text(*row) for row in reasons.select("reason", "message").iter_rows()}
    allowed = runs.group_by("playbook").agg(allowed_runs=pl.len().cast(pl.Int64))
    rate = 100 * pl.col("blocks") / (pl.col("blocks") + pl.col("allowed_runs"))
    return (
        blocks.group_by("playbook")
        .agg(blocks=pl.len().cast(pl.Int64), top_reason=pl.col("reason").mode().min())
        .join(allowed, on="playbook", how="full", coalesce=True)
        .with_columns(pl.col("blocks", "allowed_runs").fill_null(0))
        .select(
            *("playbook", "blocks", "allowed_runs", pl.col("top_reason").replace(texts).alias("why"), "top_reason"),
            block_rate_pct=rate.round(1),
        )
        .sort("block_rate_pct", "blocks", "playbook", descending=[True, True, False])
    )


def _policies(blocks: pl.DataFrame) -> pl.DataFrame:
    return (
        blocks.group_by("policy_id", "policy")
        .agg(blocks=pl.len().cast(pl.Int64), overridden=pl.col("overridden").sum().cast(pl.Int64))
        .sort("blocks", "policy_id", "policy", descending=[True, False, False], nulls_last=True)
    )


def _zone(organization: pl.DataFrame) -> str:
    return organization["time_zone"][0] if organization.height else "UTC"


def _by_the_clock(instant: str, zone: str) -> pl.Expr:
    """``2026-11-25 12:19 EST``: a rule that names hours means those of the organization's own clock."""
    local = pl.col(instant).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return local.dt.strftime("%Y-%m-%d %H:%M %Z")


def _repeats(blocks: pl.DataFrame, zone: str) -> pl.DataFrame:
    return (
        blocks.group_by(attempts.WHO)
        .agg(blocks=pl.len().cast(pl.Int64), last_blocked_at=pl.col("at").max())
        .filter(pl.col("blocks") >= REPEATED)
        .with_columns(last_local=_by_the_clock("last_blocked_at", zone))
        .sort("blocks", *attempts.WHO, descending=[True, False, False])
    )


def _newest(blocks: pl.DataFrame, zone: str) -> pl.DataFrame:
    return blocks.select(
        pl.col("at").alias("blocked_at"),
        _by_the_clock("at", zone).alias("blocked_local"),
        *("playbook", "policy_id", "reason", "message", "actor", "overridden", "minutes_to_run", "id"),
    ).sort("blocked_at", "id", descending=[True, False])


def _opening(figures: Figures, refused: pl.DataFrame, zone: str, ask: Ask) -> Opening:
    blocks, days = figures["policy_blocks"], attempts.days(ask)
    tried = blocks + figures["policy_runs_allowed"]
    caller = ask.word(attempts.ACTOR)
    if not tried:
        by = f" by {caller}" if caller else ""
        return Opening(f"Nothing was attempted{by} in {days} days, so no policy had anything to refuse.", _TRY)
    whose = f"attempts of {caller} to run an automation" if caller else "attempts to run an automation"
    were = "was" if blocks == 1 else "were"
    share = f"{blocks:,} of {tried:,} {whose} {were} blocked in {days} days"
    if not blocks:
        return Opening(f"{share}.")
    before = figures["policy_blocks_before"]
    change = "" if before is None else f", {before:,} in the {days} days before"
    who, playbook, times, last = _most_blocked(refused, zone)
    mine = refused.filter(actor=who, playbook=playbook)
    reason, message = _reasons(mine, None).select("reason", "message").row(0)
    mostly = "because of" if mine["reason"].n_unique() == 1 else "mostly because of"
    return Opening(
        f"{share} ({figures['policy_block_rate_pct']} %){change}.",
        f"Ask {who} first, who was blocked most often: {count(times, 'time')} with “{playbook}”, last on "
        f"{spelled_day(last)}, {mostly}: {_reason_text(reason, message)}.",
    )


def _most_blocked(refused: pl.DataFrame, zone: str) -> tuple[str, str, int, date]:
    """Who was blocked most often, with which playbook, how often and on which day last."""
    last = pl.col("at").max().dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date()
    people = refused.group_by(attempts.WHO).agg(blocks=pl.len().cast(pl.Int64), last_on=last)
    row = people.sort("blocks", *attempts.WHO, descending=[True, False, False]).row(0, named=True)
    return row["actor"], row["playbook"], row["blocks"], row["last_on"]


def _warnings(playbooks: pl.DataFrame) -> list[str]:
    bad = playbooks.filter(pl.col("block_rate_pct") >= BAD_POLICY_PCT, pl.col("blocks") >= BAD_POLICY_BLOCKS)
    if bad.is_empty():
        return []
    names = some_of([f"“{name}”" for name in bad["playbook"].to_list()])
    checks = "Whoever owns the policy checks whether it asks too much."
    limit = f"Blocked {BAD_POLICY_BLOCKS} times or more, and at least as often as let through"
    return [Alarm(f"{limit}: {names}. {checks}")]


def _reason_text(reason: str, message: str | None) -> str:
    """A reason in words: the program's own, else what the rule says, else its name."""
    return reason.replace("_", " ") if reason in BLOCK_REASONS else (message or reason).rstrip(".")


def _charts(reasons: pl.DataFrame) -> list[Chart]:
    if not reasons["blocks"].sum():
        return []
    counted = reasons.filter(pl.col("blocks") > 0)
    texts = [_reason_text(*row) for row in counted.select("reason", "message").iter_rows()]
    frame = counted.select("blocks", reason=pl.Series(texts, dtype=pl.String))
    return [Chart("bars", "Blocks by reason", frame, "reason", "blocks", "Blocks of the window by reason.")]


REPORT = Report(
    name="policy-blocks-summary",
    title="Policy blocks",
    description="What policies refused: reasons, block rates, repeat offenders, and the change to the window before.",
    build=build,
    figures=select(*MEASURES.values(), "policy_blocks_before", "policy_blocks_change", "policy_blocks_change_pct"),
    parameters=(attempts.WINDOW, attempts.ACTOR),
    schema_version=2,
)
