"""Duties due close together that one collection of evidence would serve, and the hours that this saves."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.obligations.clusters import Cluster, clusters, hours_saved
from reports.shared import ledger
from reports.shared.ledger import Columns
from reports.shared.packs import pack
from reports.shared.wording import all_of, count, hours

SHOWN = 10
ROW: Columns = {
    "cluster_id": pl.String, "duties": pl.Int64, "titles": pl.List(pl.String), "frameworks": pl.List(pl.String),
    "basis": pl.List(pl.String), "shared_evidence": pl.List(pl.String), "window_from": pl.Date, "best_on": pl.Date,
    "hours_alone": pl.Float64, "hours_together": pl.Float64, "hours_saved": pl.Float64, "confidence": pl.Float64,
    "owners": pl.List(pl.String), "overdue": pl.Int64,
}  # fmt: skip
LABELS = {
    "cluster_id": "Cluster",
    "titles": "Duties",
    "basis": "Share",
    "shared_evidence": "Shared evidence",
    "window_from": "From",
    "best_on": "Best date",
    "hours_alone": "Hours alone",
    "hours_together": "Together",
    "hours_saved": "Saved",
    "due_on": "Due",
    "effort_hours": "Hours",
    "hard": "Fixed",
}


def build(obligations: pl.DataFrame, linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame, ask: Ask) -> Document:
    near = ledger.near(obligations, ask)
    found = clusters(near, linked_evidence, crosswalk, ask)
    rows, parts = _rows(found, ask), _members(found, near)
    days = ask.settings["crossover_days"]
    return Document(
        headline=_headline(found, near.height),
        summary={
            "clusters": rows.height,
            "duties_in_clusters": parts.height,
            "duties_up_to_horizon": near.height,
            "hours_alone": round(float(rows["hours_alone"].sum()), 2),
            "hours_together": round(float(rows["hours_together"].sum()), 2),
            "hours_saved": round(float(rows["hours_saved"].sum()), 2),
        },
        tables=(
            Table(
                "clusters",
                "Clusters, largest saving first",
                rows,
                labels=LABELS,
                hidden=("duties", "basis", "frameworks", "owners", "overdue"),
            ),
            Table("members", "Duties of each cluster", parts, labels=LABELS, hidden=("obligation_id", "kind")),
        ),
        charts=_charts(found),
        definitions={
            "Cluster": "Pending duties up to the horizon that share a control, an evidence item or a full mapping, "
            f"with due dates at most {days:g} days apart. It grows only while one date suits every member.",
            "Full mapping": "Equal or superset with a strength of at least 0.8.",
            "Best date": "The latest day on which evidence is in time for every duty; for overdue ones, today.",
            "From": f"Evidence collected from this day on is no older than {days:g} days when the last duty falls due.",
            "Together": "The longest duty and a quarter of the others.",
            "Confidence": "The weakest link: 1 for a shared control or item, else the strength of the mapping.",
            "Fixed": ledger.FIXED,
            "Recurring duties": "Two occurrences of one duty are never together: each needs evidence of its period.",
        },
        warnings=_warnings(near, linked_evidence),
        footnotes=("Obligation consolidation says step by step how to use a cluster.",),
    )


def _rows(found: list[Cluster], ask: Ask) -> pl.DataFrame:
    rows = []
    for cluster in found:
        alone, together = cluster.hours
        rows.append(
            {
                "cluster_id": cluster.id,
                "duties": len(cluster.members),
                "titles": [duty.title for duty in cluster.members],
                "frameworks": cluster.frameworks,
                "basis": cluster.bases,
                "shared_evidence": cluster.shared,
                "window_from": cluster.window[0],
                "best_on": cluster.window[1],
                "hours_alone": round(alone, 3),
                "hours_together": round(together, 3),
                "hours_saved": hours_saved(cluster),
                "confidence": round(cluster.confidence, 2),
                "owners": sorted({duty.owner for duty in cluster.members if duty.owner}),
                "overdue": sum(duty.due_on < ask.as_of for duty in cluster.members),
            }
        )
    return pl.DataFrame(rows, schema=ROW, orient="row")


def _members(found: list[Cluster], near: pl.DataFrame) -> pl.DataFrame:
    names = [name for cluster in found for name in [cluster.id] * len(cluster.members)]
    duties = [duty.id for cluster in found for duty in cluster.members]
    return pl.DataFrame(
        {"cluster_id": names, "obligation_id": duties}, schema={"cluster_id": pl.String, "obligation_id": pl.String}
    ).join(near, on="obligation_id", how="left", maintain_order="left").select(
        "cluster_id", "due_on", "title", "kind", "frameworks", "owner", "effort_hours", "hard", "obligation_id"
    )  # fmt: skip


def _headline(found: list[Cluster], near: int) -> str:
    if not near:
        return "No duty is due up to the horizon, so there is nothing to share: check that duties are recorded."
    if not found:
        return f"None of the {count(near, 'duty', 'duties')} up to the horizon can share evidence with another."
    first, total = found[0], round(sum(hours_saved(cluster) for cluster in found), 2)
    names = all_of([pack(name) for name in first.frameworks]) or "one framework"
    return (
        f"Collecting evidence once for {count(len(found), 'cluster')} of duties would save {hours(total)}; start with "
        f"the {len(first.members)} duties of {names} by {first.window[1]}, which saves {hours(hours_saved(first))}."
    )


def _charts(found: list[Cluster]) -> list[Chart]:
    if not found:
        return []
    frame = pl.DataFrame(
        [(f"{cluster.window[1]} · {cluster.id[:6]}", hours_saved(cluster)) for cluster in found[:SHOWN]],
        schema={"cluster": pl.String, "hours": pl.Float64},
        orient="row",
    )
    alt = f"Hours saved by each of the {frame.height} most worthwhile clusters, named by best date and identifier."
    return [Chart("bars", "Most worthwhile", frame, "cluster", "hours", alt)]


def _warnings(near: pl.DataFrame, linked_evidence: pl.DataFrame) -> list[str]:
    warnings = []
    blind = near.filter(pl.col("controls").list.len() == 0).height
    if blind:
        names = count(blind, "duty names", "duties name")
        warnings.append(f"{names} no control, so nothing shows what could be shared.")
    if linked_evidence.is_empty() and near.height:
        warnings.append("No evidence item is linked to a control: clusters rest on shared controls and mappings alone.")
    return warnings


REPORT = Report(
    name="obligation-crossover",
    title="Obligation crossover",
    description="Clusters of duties that share evidence and a due window, with the hours that one collection saves.",
    build=build,
    parameters=(ledger.WEEKS,),
)
