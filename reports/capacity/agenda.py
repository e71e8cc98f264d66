"""What committees are asked to decide in a quarter, each request with what it rests on and whom it is with."""

import polars as pl

from engine.model.report import Ask
from reports.obligations.clusters import Cluster, hours_saved
from reports.programme.decisions import decisions
from reports.programme.risk_grid import register_of
from reports.shared.packs import pack
from reports.shared.wording import all_of, count, hours
from reports.staffing import wording

COMPLIANCE = "/api/governance/compliance"
SOURCES = {
    "risks": ("Risks", f"{COMPLIANCE}/risk-heatmap"),
    "obligations": ("Commitments", f"{COMPLIANCE}/obligation-rollup"),
    "exceptions": ("Exceptions", f"{COMPLIANCE}/exception-register"),
    "capacity": ("Capacity", f"{COMPLIANCE}/committee-capacity-budget"),
    "crossover": ("Work to share", f"{COMPLIANCE}/obligation-crossover"),
    "staffing": ("Staffing actions", f"{COMPLIANCE}/staffing-actions"),
}
MARKS = {name: f"[{number}]" for number, name in enumerate(SOURCES, 1)}


def decisions_needed(
    obligations: pl.DataFrame,
    risks: pl.DataFrame,
    exceptions: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    found: list[Cluster],
    late: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """The board's decisions of the executive summary, then staffing past its SLA, then the best work to share."""
    overdue = obligations.filter(pl.col("state") == "overdue").sort("due_on", "obligation_id")
    asked = decisions(register_of(risks), overdue, exceptions, owner_weeks, MARKS, ask)
    more = []
    if late.height:
        worst = late.row(0, named=True)
        more.append(
            (
                f"Complete, replace or close {count(late.height, 'staffing action')} past the SLA",
                f"Worst is {wording.action_name(worst)}, {count(worst['breach_days'], 'business day')} over"
                + (f": {worst['blocked_reason']}" if worst["blocked_reason"] else ""),
                worst["accountable"] or worst["chair"],
                MARKS["staffing"],
            )
        )
    if found:
        best = found[0]
        more.append(
            (
                f"Collect evidence once for {len(best.members)} duties by {best.window[1]}",
                f"{frameworks(best)}: saves {hours(hours_saved(best))}",
                best.lead,
                MARKS["crossover"],
            )
        )
    return pl.concat([asked, pl.DataFrame(more, schema=asked.schema, orient="row")])


def frameworks(cluster: Cluster) -> str:
    """The frameworks that a cluster serves, in words."""
    return all_of([pack(name) for name in cluster.frameworks]) or "No framework"


def members(committees: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """A row for each member of any committee, with a sentence on the decisions that are with that person."""
    theirs = (
        asked.group_by("owner", maintain_order=True)
        .agg(decisions=pl.len().cast(pl.Int64), first=pl.col("decision").first())
        .rename({"owner": "recipient"})
    )
    many = pl.when(pl.col("decisions") == 1).then(pl.lit("1 decision is")).otherwise(
        pl.format("{} decisions are", "decisions")
    )  # fmt: skip
    return (
        committees.select("name", recipient="members")
        .explode("recipient", empty_as_null=False)
        .sort("name")
        .group_by("recipient")
        .agg(committees="name")
        .join(theirs, on="recipient", how="left")
        .with_columns(pl.col("decisions").fill_null(0))
        .with_columns(
            message=pl.when(pl.col("decisions") > 0)
            .then(pl.format("{} with you; first: {}.", many, "first"))
            .otherwise(pl.lit("No decision is with you."))
        )
        .select("recipient", "committees", "decisions", "message")
        .sort("recipient")
    )
