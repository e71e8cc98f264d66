"""Readiness of each framework beside a reference cohort: where it stands, and what is missing to the median."""

from collections.abc import Sequence

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Parameter, Report
from reports.programme.cohorts import choose_cohort, cohort_comparison
from reports.shared import packs
from reports.shared.wording import all_of, count

SIZES = ("small", "medium", "large")
COHORT = Parameter(
    "cohort",
    "auto",
    "size of the reference programmes: auto takes that of the organization, all where its headcount is not known",
    choices=("auto", *SIZES, "all"),
)
ALL = "All sizes"
LABELS = {
    "name": "Framework",
    "cohort": "Cohort",
    "cohort_kind": "Kind",
    "programme_title": "Programme",
    "strict_pct": "Strict (%)",
    "p25_pct": "P25 (%)",
    "median_pct": "Median (%)",
    "p75_pct": "P75 (%)",
    "percentile": "Percentile",
    "gap_controls": "Controls to the median",
    "weighted_pct": "Weighted (%)",
    "weighted_median_pct": "Weighted median (%)",
    "weighted_percentile": "Weighted percentile",
    "reason": "Why not",
    "dated_on": "Dated",
    "value_pct": "Value (%)",
    "measured_in": "Measured",
    "published_in": "Published",
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
    benchmark_members: pl.DataFrame,
    benchmark_studies: pl.DataFrame,
    ask: Ask,
) -> Document:
    held = organization.row(0, named=True) if organization.height else {}
    in_scope: list[str] = held.get("frameworks") or []
    size, guessed = choose_cohort(str(ask.options.get("cohort") or "auto"), held.get("headcount"), benchmark_members)
    cohort = benchmark_members if size == "all" else benchmark_members.filter(pl.col("size") == size)
    least = int(ask.settings["cohort_min_n"])
    table = cohort_comparison(in_scope, readiness, cohort, ALL if size == "all" else None, least)
    ranked = table.filter(pl.col("percentile").is_not_null())
    shown = _studies(benchmark_studies, in_scope, held.get("sector"))
    return Document(
        headline=_headline(table, ranked),
        summary={
            "cohort": size,
            "cohort_kind": "reference",
            "n": 0 if cohort.is_empty() else cohort["programme"].n_unique() * cohort["size"].n_unique(),
            "headcount": held.get("headcount"),
            "sector": held.get("sector"),
            "frameworks": table.height,
            "at_or_above_median": ranked.filter(pl.col("gap_controls") == 0).height,
            "below_median": ranked.filter(pl.col("gap_controls") > 0).height,
            "refused": table.height - ranked.height,
            "provenance": None if cohort.is_empty() else cohort["provenance"][0],
            "dated_on": None if cohort.is_empty() else cohort["dated_on"].max(),
        },
        tables=(
            Table(
                "frameworks",
                "Frameworks, furthest from the median first",
                table,
                note=_provenance(cohort),
                labels=LABELS,
                hidden=("framework", "provenance", "applicable"),
            ),
            Table("curve", "The reference programmes", _curve(cohort, in_scope), labels=LABELS, hidden=("programme",)),
            Table(
                "studies",
                "Published studies of the same frameworks",
                shown,
                note="For context: other measures, other populations.",
                labels=LABELS,
                hidden=("framework",),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(ranked),
        definitions=DEFINITIONS,
        warnings=[*packs.thin(readiness, ask.settings), *_warnings(guessed, table)],
    )


def _provenance(cohort: pl.DataFrame) -> str:
    if cohort.is_empty():
        return ""
    first = cohort.sort("dated_on", "size").row(-1, named=True)
    return f"{first['provenance']}; dated {first['dated_on']}."


def _curve(cohort: pl.DataFrame, in_scope: Sequence[str]) -> pl.DataFrame:
    return (
        cohort.filter(pl.col("framework").is_in(in_scope))
        .select(
            *("size", packs.pack_name().alias("name"), "programme", "programme_title", "cohort_kind"),
            *("strict_pct", "weighted_pct"),
        )
        .sort("size", "name", "strict_pct", "programme")
    )


def _studies(studies: pl.DataFrame, in_scope: Sequence[str], sector: str | None) -> pl.DataFrame:
    """Studies of frameworks in scope, of all sectors or of the organization's own."""
    return (
        studies.filter(pl.col("framework").is_in(in_scope), pl.col("sector").is_in(["all", sector or "all"]))
        .select(
            *("framework", packs.pack_name().alias("name"), "title", "sector", "measure", "value_pct", "n"),
            *("measured_in", "published_in", "source"),
        )
        .sort("framework", "published_in", "title", "measure")
    )


def _headline(table: pl.DataFrame, ranked: pl.DataFrame) -> str:
    if ranked.is_empty():
        why = "no framework is in scope" if table.is_empty() else "no framework has both readiness and a cohort"
        return f"Nothing can be compared: {why}."
    behind = ranked.filter(pl.col("gap_controls") > 0)
    scale = f"the reference programmes of {count(ranked.height, 'framework')}"
    if behind.is_empty():
        return f"Strict readiness is at or above the median of {scale}; these are a model, not peers."
    first = behind.sort("gap_controls", "framework", descending=[True, False]).row(0, named=True)
    are = "is" if behind.height == 1 else "are"
    return (
        f"{behind.height} of {count(ranked.height, 'framework')} {are} below the median of the reference programmes, "
        f"which are a model, not peers: {first['name']} is furthest, with {count(first['gap_controls'], 'control')} "
        f"still to become effective."
    )


def _charts(ranked: pl.DataFrame) -> list[Chart]:
    if ranked.is_empty():
        return []
    bars = ranked.select("name", own="strict_pct", median="median_pct").unpivot(
        index="name", variable_name="readiness", value_name="pct"
    )
    alt = "Own strict readiness beside the median of the reference programmes, by framework."
    return [Chart("bars", "Strict readiness beside the reference", bars, "name", "pct", alt, "readiness", percent=True)]


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
    parameters=(COHORT,),
)
