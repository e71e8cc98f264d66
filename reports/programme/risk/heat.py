"""Risk heatmap cells: gaps by framework and by control family, vendors by tier and assurance."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.heat import HeatScale
from engine.model.vocabulary import GAP_SEVERITIES, VENDOR_TIERS
from reports.shared import packs
from reports.shared.columns import in_order
from reports.shared.ordering import rank

ASSURANCE = ("assured", "expiring", "lapsed", "not_assessed")


def severity_by_framework(gaps: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open gaps of each framework in scope by severity; the one with most critical gaps first."""
    in_scope = pl.concat([readiness.select("framework"), gaps.select("framework")]).unique()
    counts = [(pl.col("severity") == severity).sum().cast(pl.Int64).alias(severity) for severity in GAP_SEVERITIES]
    frame = gaps.group_by("framework").agg(*counts, total=pl.len().cast(pl.Int64))
    return (
        in_scope.join(frame, on="framework", how="left")
        .with_columns(pl.col(*GAP_SEVERITIES, "total").fill_null(0))
        .with_columns(share_pct=(100 * pl.col("total") / (gaps.height or 1)).round(1))
        .sort(*GAP_SEVERITIES, rank("framework", list(packs.PACKS)), "framework", descending=[True] * 4 + [False] * 2)
        .select("framework", packs.pack_name(ask).alias("name"), *GAP_SEVERITIES, "total", "share_pct")
    )


def by_severity(counts: pl.DataFrame) -> HeatScale:
    """A cell with gaps has the shade of their severity, however many they are."""
    steps = [
        pl.when(pl.col(severity) > 0).then(step).otherwise(0).alias(severity)
        for step, severity in enumerate(reversed(GAP_SEVERITIES), 1)
    ]
    return HeatScale((1, 2, 3, 4), names=("none", *reversed(GAP_SEVERITIES)), by=counts.select(steps))


def assurance_by_tier(vendors: pl.DataFrame) -> pl.DataFrame:
    """Vendors of each tier by the standing of their assurance."""
    counts = [(pl.col("assurance") == state).sum().cast(pl.Int64).alias(state) for state in ASSURANCE]
    frame = vendors.group_by("tier").agg(*counts, total=pl.len().cast(pl.Int64))
    tiers = pl.DataFrame({"tier": VENDOR_TIERS}, schema={"tier": pl.String})
    return tiers.join(frame, on="tier", how="left", maintain_order="left").with_columns(
        pl.col(*ASSURANCE, "total").fill_null(0)
    )


def hotspots(gaps: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Control families with gaps; the one with most severity times weight first."""
    return (
        gaps.group_by("framework", "group_id", "group_title")
        .agg(
            gaps=pl.len().cast(pl.Int64),
            severity_weight=(pl.col("severity_score") * pl.col("weight")).sum(),
            worst=pl.col("severity").sort_by(rank("severity", GAP_SEVERITIES)).first(),
        )
        .sort(
            *("severity_weight", "gaps", rank("framework", list(packs.PACKS)), "framework", in_order("group_id")),
            descending=[True, True, False, False, False],
        )
        .insert_column(1, packs.pack_name(ask).alias("framework_name"))
    )
