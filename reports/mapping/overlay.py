"""The crosswalk of two frameworks with evidence and state laid over both sides: SOC 2 and ISO 27001 unless asked."""

from typing import Literal

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.plan_parameters import FRAMEWORK_FACT
from reports.shared.columns import in_order

SOURCE = Parameter("source", "soc2", "the framework that the pairs lead from", found_in=FRAMEWORK_FACT)
TARGET = Parameter("target", "iso27001", "the framework that the pairs lead to", found_in=FRAMEWORK_FACT)


def sides(control_status: pl.DataFrame, control_evidence: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Both frameworks' controls in scope with their evidence in the period."""
    held = control_evidence.group_by("framework", "control_id").agg(
        period_events=pl.col("events").sum(), newest_at=pl.col("last_at").filter(pl.col("events") > 0).max()
    )
    return (
        control_status.filter(pl.col("framework").is_in([ask.word(SOURCE), ask.word(TARGET)]))
        .join(held, on=["framework", "control_id"], how="left")
        .with_columns(events=pl.col("period_events").fill_null(0))
        .drop("period_events")
    )


def pairs(
    crosswalk: pl.DataFrame, control_status: pl.DataFrame, control_evidence: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Each listed pair with state and evidence of both sides; null where a side is not in scope."""
    both, from_one, to_other = sides(control_status, control_evidence, ask), ask.word(SOURCE), ask.word(TARGET)
    listed = crosswalk.filter((pl.col("source_framework") == from_one) & (pl.col("target_framework") == to_other))
    for framework, end in ((from_one, "source"), (to_other, "target")):
        columns = ("control_id", "applicable", "state", "events", "newest_at")
        side = both.filter(pl.col("framework") == framework).select(columns)
        renamed = side.rename({name: f"{end}_{name}" for name in columns[1:]})
        listed = listed.join(renamed, left_on=f"{end}_id", right_on="control_id", how="left")
    source, target = pl.col("source_events") > 0, pl.col("target_events") > 0
    reverse = pl.col("relation").is_in(["equal", "subset"]) & (pl.col("strength") >= 0.8)
    return (
        listed.with_columns(
            overlay=pl.when(source & target)
            .then(pl.lit("both"))
            .when(source ^ target)
            .then(pl.lit("one_side"))
            .when(~source & ~target)
            .then(pl.lit("none")),
            reuse=pl.when(pl.col("full") & source & ~target & pl.col("target_applicable"))
            .then(pl.lit("to target"))
            .when(reverse & target & ~source & pl.col("source_applicable"))
            .then(pl.lit("to source")),
            conflict=((pl.col("source_state") == "effective") & (pl.col("target_state") == "ineffective")).fill_null(
                False
            ),
        )
        .sort(in_order("source_id"), in_order("target_id"))
        .select(
            *("source_id", "source_title", "target_id", "target_title", "relation", "strength", "full", "source_state"),
            *("target_state", "source_events", "source_newest_at", "target_events", "target_newest_at", "overlay"),
            *("reuse", "conflict", "rationale", "reviewer", "reviewed_on", "source_framework", "target_framework"),
        )
    )


def targets(
    crosswalk: pl.DataFrame, control_status: pl.DataFrame, control_evidence: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """One row for each control of the target in scope; where that is not in scope, for each that a pair leads to."""
    best = (
        pairs(crosswalk, control_status, control_evidence, ask)
        .sort("full", "strength", in_order("source_id"), descending=[True, True, False])
        .group_by("target_id", maintain_order=True)
        .agg(
            pl.col("target_title").first(),
            pairs=pl.len().cast(pl.Int64),
            full_pairs=pl.col("full").sum().cast(pl.Int64),
            best_relation=pl.col("relation").first(),
            best_strength=pl.col("strength").first(),
            criteria=pl.col("source_id"),
            criteria_effective=pl.col("source_id").filter(pl.col("source_state") == "effective"),
            criteria_events=pl.when(pl.col("source_events").count() > 0).then(pl.col("source_events").sum()),
        )
    )
    own = (
        sides(control_status, control_evidence, ask)
        .filter(pl.col("framework") == ask.word(TARGET))
        .select(
            *("control_id", "title", "applicable", "justification", "approved_by", "approved_on"),
            *("state", "owner", "events", "newest_at"),
        )
    )
    how: Literal["left", "full"] = "left" if own.height else "full"
    joined = own.join(best, left_on="control_id", right_on="target_id", how=how, coalesce=True)
    mapping = pl.when(pl.col("full_pairs") > 0).then(pl.lit("full")).when(pl.col("pairs") > 0).then(pl.lit("partial"))
    return (
        joined.with_columns(
            pl.col("title").fill_null(pl.col("target_title")),
            pl.col("applicable").fill_null(True),
            pl.col("pairs", "full_pairs").fill_null(0),
            mapping=mapping.otherwise(pl.lit("none")),
            framework=pl.lit(ask.word(TARGET)),
        )
        .drop("target_title")
        .sort(in_order("control_id"))
    )
