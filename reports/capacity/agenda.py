"""What committees are asked to decide in a quarter, each request with what it rests on and whom it is with."""

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from reports.capacity import relief
from reports.obligations.crossover.crossovers import cluster_rows
from reports.programme.board import targets
from reports.programme.board.decisions import decisions, in_order, with_addressee
from reports.programme.risk.risk_grid import register_of
from reports.shared.wording import all_of, count, hours
from reports.staffing import wording
from reports.staffing.breaches import breaches

Request: TypeAlias = tuple[str, str, str | None, str, None]
COMPLIANCE = "/api/governance/compliance"
SOURCES = {
    "risks": ("Risks", f"{COMPLIANCE}/risk-heatmap"),
    "obligations": ("Commitments", f"{COMPLIANCE}/obligation-rollup"),
    "exceptions": ("Exceptions", f"{COMPLIANCE}/exception-register"),
    "capacity": ("Capacity", f"{COMPLIANCE}/committee-capacity-budget"),
    "crossover": ("Work to share", f"{COMPLIANCE}/obligation-crossover"),
    "staffing": ("Staffing actions", f"{COMPLIANCE}/staffing-actions"),
    "readiness": ("Readiness", f"{COMPLIANCE}/baseline-comparison"),
}
OWN = ("crossover", "staffing")  # what committees are asked beside what the executive summary asks for
MARKS = {name: f"[{number}]" for number, name in enumerate(SOURCES, 1)}


def decisions_needed(
    obligations: pl.DataFrame,
    risks: pl.DataFrame,
    exceptions: pl.DataFrame,
    weeks: relief.Relieved,
    near: Annotated[pl.DataFrame, targets.nearest],
    clusters: Annotated[pl.DataFrame, cluster_rows],
    staffing_actions: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Those of the executive summary, then staffing past its SLA and the best work to share: the first due first."""
    asked = decisions(register_of(risks), obligations, exceptions, weeks, MARKS, ask.as_of, near)
    more = [*_late(breaches(staffing_actions)), *_shared_evidence(clusters, ask)]
    own = with_addressee(pl.DataFrame(more, schema=asked.schema, orient="row"), obligations)
    both = pl.concat([asked, in_order(own, obligations, ask.as_of)])
    return both.sort("due_on", nulls_last=True, maintain_order=True)


def _late(late: pl.DataFrame) -> Iterator[Request]:
    if late.is_empty():
        return
    worst = late.row(0, named=True)
    blocked = f": {worst['blocked_reason']}" if worst["blocked_reason"] else ""
    yield (
        f"Complete, replace or close {count(late.height, 'staffing action')} past the SLA",
        f"Worst is {wording.action_name(worst)}, {count(worst['breach_days'], 'business day')} over{blocked}",
        worst["accountable"] or worst["chair"],
        MARKS["staffing"],
        None,
    )


def _shared_evidence(frame: pl.DataFrame, ask: Ask) -> Iterator[Request]:
    if frame.is_empty():
        return
    best = frame.row(0, named=True)
    yield (
        f"Collect evidence once for {best['duties']} duties by {best['best_on']}",
        f"{frameworks(best['frameworks'], ask)}: saves {hours(best['hours_to_save'])}",
        best["lead"],
        MARKS["crossover"],
        None,
    )


def frameworks(names: Sequence[str], ask: Ask) -> str:
    """The frameworks that a cluster serves, in words."""
    return all_of([ask.framework_name(name) for name in names]) or "No framework"


def members(committees: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """A row for each member of any committee, with a sentence on the decisions that are with that person."""
    theirs = (
        asked.group_by("owner", maintain_order=True)
        .agg(decisions=pl.len().cast(pl.Int64), first=pl.col("decision").first())
        .rename({"owner": "recipient"})
    )
    many = (
        pl.when(pl.col("decisions") == 1)
        .then(pl.lit("1 decision is"))
        .otherwise(pl.format("{} decisions are", "decisions"))
    )
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
