"""What differs between the catalogue that ships with the program and the one that an organization last saw."""

import polars as pl

from engine.model.figures.formulas import is_full
from reports.shared.columns import in_order

_ENDS = ["source_framework", "source_id", "target_framework", "target_id"]


def requirements(now: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Requirements that were added, removed or renamed."""
    before = seen.select("framework", "control_id", previous_title="title", counted="assessable", was=pl.lit(True))
    after = now.select("framework", "control_id", "title", "assessable", "position", present=pl.lit(True))
    return (
        after.join(before, on=["framework", "control_id"], how="full", coalesce=True)
        .with_columns(
            change=pl.when(pl.col("was").is_null())
            .then(pl.lit("added"))
            .when(pl.col("present").is_null())
            .then(pl.lit("removed"))
            .when(pl.col("title") != pl.col("previous_title"))
            .then(pl.lit("renamed"))
        )
        .filter(pl.col("change").is_not_null())
        .sort("framework", pl.col("position").is_null(), "position", in_order("control_id"))
        .select("change", "framework", "control_id", "title", "previous_title", pl.coalesce("assessable", "counted"))
    )


def edges(now: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Crosswalk edges that were added, removed, or changed in relation or strength."""
    before = seen.select(*_ENDS, previous_relation="relation", previous_strength="strength", was=pl.lit(True))
    after = now.select(*_ENDS, "relation", "strength", present=pl.lit(True))
    differs = (pl.col("relation") != pl.col("previous_relation")) | (pl.col("strength") != pl.col("previous_strength"))
    return (
        after.join(before, on=_ENDS, how="full", coalesce=True)
        .with_columns(
            change=pl.when(pl.col("was").is_null())
            .then(pl.lit("added"))
            .when(pl.col("present").is_null())
            .then(pl.lit("removed"))
            .when(differs)
            .then(pl.lit("changed"))
        )
        .filter(pl.col("change").is_not_null())
        .sort("source_framework", in_order("source_id"), "target_framework", in_order("target_id"))
        .select("change", *_ENDS, "relation", "previous_relation", "strength", "previous_strength")
    )


def former_full(now: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Requirements that a full edge led to and none leads to any more, with the sources that covered them."""
    target = ["target_framework", "target_id"]
    before = (
        seen.filter(_full())
        .sort(*_ENDS)
        .group_by(target, maintain_order=True)
        .agg(covered_by=pl.format("{} {}", "source_framework", "source_id"))
    )
    return (
        before.join(now.filter(_full()), on=target, how="anti")
        .rename({"target_framework": "framework", "target_id": "control_id"})
        .sort("framework", in_order("control_id"))
    )


def readiness(status: pl.DataFrame, frame: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """Strict readiness of each framework in scope with the requirements of now, and with those seen before.

    A removed requirement counts in the state that it was last recorded in; without a record it was not effective.
    """
    key = ["framework", "control_id"]
    applicable = status.filter("applicable").select(*key, effective=pl.col("state") == "effective")
    in_scope = status["framework"].unique().to_list()
    added = frame.filter(pl.col("change") == "added").select(key)
    last = states.sort("observed_on", "state").group_by(key, maintain_order=True).last()
    removed = (
        frame.filter("assessable", pl.col("change") == "removed", pl.col("framework").is_in(in_scope))
        .join(last, on=key, how="left")
        .filter(pl.col("state").fill_null("no_data") != "not_applicable")
        .select(*key, effective=(pl.col("state") == "effective").fill_null(False))
    )
    before = pl.concat([applicable.join(added, on=key, how="anti"), removed])
    return _strict(before, "previous").join(_strict(applicable, "now"), on="framework", how="full", coalesce=True)


def _strict(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    effective = pl.col("effective").sum()
    return rows.group_by("framework").agg(
        **{
            f"{name}_effective": effective.cast(pl.Int64),
            f"{name}_applicable": pl.len().cast(pl.Int64),
            f"{name}_strict_pct": (100 * effective / pl.len()).round(1),
        }
    )


def _full() -> pl.Expr:
    """Edges that cover their target (F9)."""
    return pl.struct("relation", "strength").map_elements(
        lambda edge: is_full(edge["relation"], edge["strength"]), return_dtype=pl.Boolean
    )
