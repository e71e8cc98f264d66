"""Readiness of each framework beside a reference cohort: where it stands, and what is missing to the median."""

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.packs.cohorts import (
    ALL,
    cohort_choice,
    cohort_comparison,
    cohort_members,
    member_curve,
    provenance_of,
    studies_of,
)
from reports.programme.packs.pack_rows import frameworks_in_scope
from reports.programme.plans.plan_starts import PlanStarts, Starts, begin_with
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import all_of, count, inside

TONES: dict[str, Tone] = {"own": "main", "median": "third"}
SIZES = ("small", "medium", "large")
COHORT = Parameter(
    "cohort",
    "auto",
    "size of the reference programmes: auto takes that of the organization, all where its headcount is not known",
    choices=("auto", *SIZES, ALL),
)
# what to begin with is for the plans of frameworks to say, as the next step does
SHOWN = ("name", "strict_pct", "median_pct", "percentile", "gap_controls")
# what a page leads with
FOREMOST = (
    *("benchmark_below_median", "benchmark_at_or_above_median", "benchmark_without_percentile"),
    *("benchmark_programmes", "benchmark_cohort", "benchmark_dated_on"),
)
LABELS = {
    "name": "Framework",
    "reason": "Why not",
    "control_id": "Gains most for its hours",
    "due_on": "Remediation due",
}
DEFINITIONS = {
    "Reference cohort": "Model programmes, not organizations: each says how much of the controls of every weight is "
    "effective, and is applied to the controls of the framework. It is a yardstick for planning and says nothing about "
    "what others have reached.",
    "Size": "By headcount: small up to 49 people, medium to 249, large from 250 on.",
    "Strict, weighted": "Strict: effective controls as a share of the applicable ones. Weighted: partial ones count "
    "half and stale ones a quarter, each by its weight. Model programmes have no stale controls.",
    "P25, median, P75": "Of the cohort's strict readiness, by nearest rank.",
    "Percentile": "Members below, and half of those equal, as a share of the cohort.",
    "Controls to the median": "Further controls that have to become effective to reach the cohort's median strict "
    "readiness; 0 at or above it.",
    "Published studies": "They measure something else than readiness, so no percentile is taken of them.",
}


def build(
    organization: pl.DataFrame,
    readiness: pl.DataFrame,
    gaps: pl.DataFrame,
    benchmark_studies: pl.DataFrame,
    starts: Starts,
    figures: Figures,
    ask: Ask,
) -> Document:
    in_scope, sector = frameworks_in_scope(organization, ask)["framework"].to_list(), figures["organization_sector"]
    cohort = figures.rows(cohort_members)
    table = (
        figures.rows(cohort_comparison)
        .join(_first_gaps(gaps), on="framework", how="left", maintain_order="left")
        .sort("gap_controls", descending=True, nulls_last=True, maintain_order=True)
    )
    ranked = table.filter(pl.col("percentile").is_not_null())
    guessed = bool(figures.rows(cohort_choice)["guessed"][0])
    return Document(
        *_opening(table, ranked, gaps, starts, figures, ask),
        summary={"provenance": None if cohort.is_empty() else cohort["provenance"][0]},
        tables=(
            Table(
                "frameworks",
                "Frameworks, those that lack most controls to the median first",
                with_first(table, *SHOWN),
                note=provenance_of(cohort),
                labels=LABELS,
                hidden=tuple(name for name in table.columns if name not in SHOWN),
            ),
            Table(
                "curve",
                "The reference programmes",
                member_curve(cohort, in_scope, ask),
                labels=LABELS,
                hidden=("programme", "cohort_kind"),
            ),
            Table(
                "studies",
                "Published studies of the same frameworks",
                studies_of(benchmark_studies, in_scope, sector, ask),
                note="For context: other measures, other populations.",
                labels=LABELS,
                hidden=("framework",),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(ranked),
        definitions=DEFINITIONS,
        foremost=FOREMOST if table.height else (),
        warnings=[*packs.thin(readiness, ask), *_warnings(guessed, table)],
    )


def _first_gaps(gaps: pl.DataFrame) -> pl.DataFrame:
    """Of each framework the gap that is most worth closing (F14)."""
    order = gaps.sort("framework", "priority", "gap_id", descending=[False, True, False], nulls_last=True)
    first = order.unique("framework", keep="first", maintain_order=True)
    return first.select("framework", "control_id", "title", "owner", "due_on", "blocked_by")


def _opening(
    table: pl.DataFrame, ranked: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask
) -> Opening:
    if ranked.is_empty():
        why = "no framework is in scope" if table.is_empty() else "no framework has both readiness and a cohort"
        return Opening(f"Nothing can be compared: {why}.", setup.IN_SCOPE if table.is_empty() else "")
    compared, behind = count(ranked.height, "framework"), figures["benchmark_below_median"]
    if not behind:
        return Opening(
            f"Strict readiness is at or above the median of the reference programmes of {compared}; these are a model, "
            "not peers."
        )
    first = ranked.sort("gap_controls", "framework", descending=[True, False]).row(0, named=True)
    lead = begin_with(first["framework"], gaps, starts, ask)
    are = "is" if behind == 1 else "are"
    return Opening(
        f"{behind} of {compared} {are} below the median of the reference programmes, a model and not peers.",
        f"Start with {first['name']}, furthest behind: {count(first['gap_controls'], 'control')} short"
        f"{f'; {inside(lead)}' if lead else ''}.",
    )


def _charts(ranked: pl.DataFrame) -> list[Chart]:
    if ranked.is_empty():
        return []
    bars = ranked.select("name", own="strict_pct", median="median_pct").unpivot(
        index="name", variable_name="readiness", value_name="pct"
    )
    alt = "Own strict readiness beside the median of the reference programmes, by framework."
    return [
        Chart(
            "bars",
            "Strict readiness beside the reference",
            bars,
            "name",
            "pct",
            alt,
            "readiness",
            percent=True,
            tones=TONES,
        )
    ]


def _warnings(guessed: bool, table: pl.DataFrame) -> list[str]:
    warnings = []
    if guessed:
        warnings.append("The organization's headcount is not recorded: the programmes of all sizes are the cohort.")
    refused = table.filter(pl.col("reason").is_not_null())["name"].to_list()
    if refused:
        warnings.append(f"No percentile for {all_of(refused)}: the table says why.")
    return warnings


REPORT = Report(
    name="benchmarking",
    title="Benchmarking",
    description="Readiness of each framework beside a reference cohort with its provenance.",
    build=build,
    figures=select(
        *("benchmark_below_median", "benchmark_at_or_above_median", "benchmark_without_percentile", "packs_in_scope"),
        *("benchmark_programmes", "organization_headcount", "benchmark_cohort", "benchmark_cohort_kind"),
        *("organization_sector", "benchmark_dated_on"),
    ),
    parameters=(COHORT,),
    schema_version=2,
)
