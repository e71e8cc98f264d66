"""The nine framework packs, one row each: in scope or not, states, readiness with its change, reuse of evidence."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared import packs
from reports.shared.columns import in_order
from reports.shared.ordering import STATES_WORST_FIRST, rank, state_score

_COUNTS = ("applicable", "effective", "partial", "stale", "ineffective", "no_data", "not_applicable")


def frameworks_in_scope(organization: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The frameworks that the organization follows, in its order: ``framework``, ``name``."""
    return (
        organization.select(pl.col("frameworks").explode(empty_as_null=False))
        .drop_nulls()
        .select(framework="frameworks", name=packs.pack_name(ask, "frameworks"))
    )


def pack_rows(
    organization: pl.DataFrame,
    readiness: pl.DataFrame,
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    gaps: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """All packs and frameworks of one's own, those in scope first and of them the least ready."""
    in_scope = frameworks_in_scope(organization, ask)["framework"].to_list()
    scope, poam = pl.col("framework").is_in(in_scope), pl.col("framework") == packs.POAM
    return (
        pl.concat(
            [
                pl.DataFrame({"framework": list(packs.PACKS), "name": list(packs.PACKS.values())}),
                own_frameworks.select("framework", "name"),
            ]
        )
        .with_columns(in_scope=scope)
        .join(readiness.drop("org_id", "name", "total"), on="framework", how="left")
        .join(_reuse(control_evidence), on="framework", how="left")
        .join(_movers(control_status), on="framework", how="left")
        .with_columns(
            open_weaknesses=pl.when(poam & scope)
            .then(pl.lit(gaps.height))
            .otherwise(pl.col("applicable") - pl.col("effective")),
            strict_change=(pl.col("strict_pct") - pl.col("prior_strict_pct")).round(1),
            weighted_change=(pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1),
        )
        .sort(
            ~pl.col("in_scope"),
            poam,
            "weighted_pct",
            rank("framework", list(packs.PACKS)),
            "framework",
            nulls_last=True,
        )
        .select(
            *("framework", "name", "in_scope", *_COUNTS, "open_weaknesses", "strict_pct", "weighted_pct"),
            *("prior_on", "prior_strict_pct", "prior_weighted_pct", "prior_formula_change"),
            *("strict_change", "weighted_change"),
            *("coverage_pct", "evidence_reuse_pct", "biggest_mover"),
        )
    )


def _reuse(control_evidence: pl.DataFrame) -> pl.DataFrame:
    items = control_evidence.select("framework", "last_id").drop_nulls().unique()
    shared = pl.col("framework").n_unique().over("last_id") >= 2
    return (
        items.with_columns(shared=shared)
        .group_by("framework")
        .agg(evidence_reuse_pct=(100 * pl.col("shared").mean()).round(1))
    )


def _movers(control_status: pl.DataFrame) -> pl.DataFrame:
    moved = pl.col("weight") * (state_score() - state_score("previous_state"))
    words = [pl.col(name).str.replace_all("_", " ", literal=True) for name in ("previous_state", "state")]
    return (
        control_status.filter(pl.col("applicable") & pl.col("previous_state").is_in(STATES_WORST_FIRST[:-1]))
        .with_columns(moved=moved)
        .filter(pl.col("moved") != 0)
        .sort("framework", pl.col("moved").abs(), in_order("control_id"), descending=[False, True, False])
        .group_by("framework", maintain_order=True)
        .first()
        .select("framework", biggest_mover=pl.format("{}: {} → {}", "control_id", *words))
    )
