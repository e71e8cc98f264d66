"""Families of incidents: those of one confirmed cause count once; proposed ones are no families yet."""

import polars as pl

from engine.model.vocabulary import LIVE_INCIDENTS, SEVERITIES
from reports.programme.activity.incident_days import dated_incidents
from reports.shared.maintenance import PLANNED


def incident_families(incidents: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """One row for each family: earliest beginning, last end, highest severity, and how many incidents it has.

    A family is over when no incident of it is live any more. An incident without relations is a family of one. What
    fell into planned maintenance does not count.
    """
    worst = pl.col("severity").replace_strict({word: rank for rank, word in enumerate(SEVERITIES)}, default=None)
    live = pl.col("status").is_in(list(LIVE_INCIDENTS))
    frame = (
        incidents.filter(~PLANNED)
        .with_columns(family_id=pl.col("family_id").fill_null(pl.col("id")), rank=worst, live=live)
        .sort("rank", "opened_at", "id")
        .group_by("org_id", "family_id", maintain_order=True)
        .agg(
            pl.col("severity").first(),
            pl.col("opened_at").min(),
            pl.when(~pl.col("live").any()).then(pl.col("resolved_at").max()).alias("resolved_at"),
            pl.col("id").sort().alias("ids"),
            pl.len().cast(pl.Int64).alias("members"),
        )
        .with_columns(
            minutes_to_resolve=((pl.col("resolved_at") - pl.col("opened_at")).dt.total_seconds() / 60).round(1),
            id=pl.col("family_id"),
        )
    )
    return dated_incidents(frame, organization)
