"""The rows of clusters and of their members, as the crossover shows them and figures count them."""

import polars as pl

from reports.obligations.crossover.clusters import Clusters, hours_to_save, topic
from reports.shared.ledger import Columns

ROW: Columns = {
    "cluster_id": pl.String, "duties": pl.Int64, "titles": pl.List(pl.String), "frameworks": pl.List(pl.String),
    "basis": pl.List(pl.String), "shared_evidence": pl.List(pl.String), "window_from": pl.Date, "best_on": pl.Date,
    "hours_alone": pl.Float64, "hours_together": pl.Float64, "hours_to_save": pl.Float64, "confidence": pl.Float64,
    "topic": pl.String, "owners": pl.List(pl.String), "overdue": pl.Int64, "members": pl.List(pl.String),
    "lead": pl.String,
}  # fmt: skip


def cluster_rows(clusters: Clusters, obligations: pl.DataFrame) -> pl.DataFrame:
    """The clusters, largest saving first; ``members`` are the identifiers of their duties, in order of their dates."""
    late = set(obligations.filter(pl.col("state") == "overdue")["obligation_id"])
    rows = []
    for cluster in clusters:
        alone, together = cluster.hours
        rows.append(
            {
                "cluster_id": cluster.id,
                "duties": len(cluster.members),
                "titles": [duty.title for duty in cluster.members],
                "frameworks": cluster.frameworks,
                "basis": cluster.bases,
                "shared_evidence": cluster.shared_things,
                "window_from": cluster.window[0],
                "best_on": cluster.window[1],
                "hours_alone": round(alone, 3),
                "hours_together": round(together, 3),
                "hours_to_save": hours_to_save(cluster),
                "confidence": round(cluster.confidence, 2),
                "topic": topic([duty.title for duty in cluster.members]),
                "owners": sorted({duty.owner for duty in cluster.members if duty.owner}),
                "overdue": sum(duty.id in late for duty in cluster.members),
                "members": [duty.id for duty in cluster.members],
                "lead": cluster.lead,
            }
        )
    return pl.DataFrame(rows, schema=ROW, orient="row")


def member_rows(frame: pl.DataFrame, pending: pl.DataFrame) -> pl.DataFrame:
    """The duties of each cluster, in the order of the clusters."""
    return (
        frame.select("cluster_id", obligation_id="members")
        .explode("obligation_id", empty_as_null=False)
        .join(pending, on="obligation_id", how="left", maintain_order="left")
        .select("cluster_id", "due_on", "title", "kind", "frameworks", "owner", "effort_hours", "hard", "obligation_id")
    )
