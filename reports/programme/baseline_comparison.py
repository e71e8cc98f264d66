"""The nine framework packs side by side: where each stands, how it moved, and how much evidence it shares."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.shared import packs
from reports.shared.columns import in_order
from reports.shared.ordering import STATES_WORST_FIRST, rank, state_score
from reports.shared.wording import (
    all_of,
    change,
    count,
    percent,
)

FIGURES = ("applicable", "effective", "partial", "stale", "ineffective", "no_data", "not_applicable")
DEFINITIONS = {
    "Strict": "Effective controls as a share of the applicable controls; stale or partial ones do not count.",
    "Weighted": "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, each by "
    "its weight from 1 to 5, as a share of all weights.",
    "Change": "Percentage points against the last snapshot before the period.",
    "Evidence reuse": "Of the newest pieces of evidence that a pack rests on (one for each control and source), those "
    "that also serve another pack.",
    "Biggest mover": "The control whose state moved weighted readiness most since that snapshot, either way.",
    "Coverage": "Applicable controls that have any evidence at all.",
}


def build(
    organization: pl.DataFrame,
    readiness: pl.DataFrame,
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    gaps: pl.DataFrame,
    ask: Ask,
) -> Document:
    in_scope = organization["frameworks"].explode().drop_nulls().to_list()
    table = _packs(in_scope, readiness, control_status, control_evidence, gaps)
    return Document(
        headline=_headline(table, readiness, ask),
        summary={
            "packs_in_scope": table.filter("in_scope").height,
            "controls": int(readiness["applicable"].sum()),
            "effective": int(readiness["effective"].sum()),
            "improved": table.filter(pl.col("weighted_change") > 0).height,
            "declined": table.filter(pl.col("weighted_change") < 0).height,
            "open_weaknesses": gaps.height,
        },
        tables=(
            Table(
                "packs",
                "Packs, least ready first",
                table,
                note="The FedRAMP POA&M is a list of open weaknesses, not a set of controls: it has no readiness.",
                labels={
                    "name": "Pack",
                    "no_data": "No data",
                    "strict_pct": "Strict (%)",
                    "weighted_pct": "Weighted (%)",
                    "strict_change": "Strict change",
                    "weighted_change": "Weighted change",
                    "evidence_reuse_pct": "Evidence reuse (%)",
                },
                hidden=("framework", "prior_on", "prior_strict_pct", "prior_weighted_pct"),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(table),
        definitions=DEFINITIONS,
        warnings=_warnings(in_scope, readiness, ask),
    )


def _packs(
    in_scope: list[str],
    readiness: pl.DataFrame,
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    gaps: pl.DataFrame,
) -> pl.DataFrame:
    scope, poam = pl.col("framework").is_in(in_scope), pl.col("framework") == packs.POAM
    return (
        pl.DataFrame({"framework": list(packs.PACKS), "name": list(packs.PACKS.values())})
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
        .sort(~pl.col("in_scope"), poam, "weighted_pct", rank("framework", list(packs.PACKS)), nulls_last=True)
        .select(
            *("framework", "name", "in_scope", *FIGURES, "open_weaknesses", "strict_pct", "weighted_pct"),
            *("prior_on", "prior_strict_pct", "prior_weighted_pct", "strict_change", "weighted_change"),
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


def _headline(table: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> str:
    ranked = table.filter(pl.col("weighted_pct").is_not_null())
    if ranked.is_empty():
        return "No framework with a catalogue of controls is in scope, so there is no readiness to compare."
    first, last = ranked.row(0, named=True), ranked.row(-1, named=True)
    moved = change(first["weighted_pct"], first["prior_weighted_pct"], first["prior_on"], ask.as_of)
    at = f"at {percent(first['weighted_pct'])} weighted readiness, {moved}"
    if ranked.height == 1:
        return f"{first['name']} is {at}; it is the only pack with controls in scope."
    missing = first["open_weaknesses"]
    work = f"{count(missing, 'control')} of {first['name']} {'is' if missing == 1 else 'are'} not effective yet"
    most = f"{last['name']} is most ready at {percent(last['weighted_pct'])}"
    return f"{first['name']} is least ready {at}; {work if missing else 'all its controls are effective'}; {most}."


def _charts(table: pl.DataFrame) -> list[Chart]:
    ranked = table.filter(pl.col("weighted_pct").is_not_null())
    if ranked.is_empty():
        return []
    parts = ranked.select("name", strict="strict_pct", weighted="weighted_pct").unpivot(
        index="name", variable_name="readiness", value_name="pct"
    )
    alt = "Strict and weighted readiness of each pack in scope, the least ready first."
    return [Chart("bars", "Readiness by pack", parts, "name", "pct", alt, series="readiness", percent=True)]


def _warnings(in_scope: list[str], readiness: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask.settings)
    silent = [packs.pack(name) for name in in_scope if name != packs.POAM and name not in readiness["framework"]]
    if silent:
        warnings.append(f"In scope, but without readiness: {all_of(silent)}.")
    new = readiness.filter(pl.col("prior_weighted_pct").is_null())["framework"].to_list()
    if new:
        warnings.append(f"No snapshot to compare with for {all_of([packs.pack(name) for name in new])}.")
    return warnings


REPORT = Report(
    name="baseline-comparison",
    title="Baseline comparison",
    description="Readiness of the nine framework packs with changes against the period before.",
    build=build,
)
