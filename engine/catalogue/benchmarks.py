"""Benchmark cohorts: reference curves computed from model programmes, and figures of published studies.

A model programme says how much of the controls of each weight is effective. Applied to the controls of a framework it
gives a readiness, and the programmes of a size are the members of its cohort. None of them is an organization.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from engine.catalogue import DATA, catalogue
from engine.catalogue.cells import check, read
from engine.catalogue.columns import COUNT, FRAMEWORK, CatalogueColumn, one_of, texts

WEIGHTS = (5, 4, 3, 2, 1)
PCT = CatalogueColumn(pl.Float64(), between=(0, 100))
COHORT = {
    **texts("size title"),
    "headcount_from": COUNT,
    "headcount_to": CatalogueColumn(pl.Int64(), optional=True, between=(0, 10_000_000)),
    "cohort_kind": one_of("reference"),
    "dated_on": CatalogueColumn(pl.Date()),
    "provenance": CatalogueColumn(),
}
PROGRAMME = {
    **texts("size programme title"),
    **{f"effective_w{weight}": PCT for weight in WEIGHTS},
    "partial_of_rest": PCT,
}
STUDY = {
    **texts("study title"),
    "framework": FRAMEWORK,
    **texts("sector measure"),
    "value_pct": PCT,
    "n": COUNT,
    "measured_in": COUNT,
    "published_in": COUNT,
    "source": CatalogueColumn(),
}


@dataclass(frozen=True, eq=False)
class Benchmarks:
    """``members``: cohort size x framework x programme with its strict and weighted readiness."""

    cohorts: pl.DataFrame
    members: pl.DataFrame
    studies: pl.DataFrame


@cache
def benchmarks() -> Benchmarks:
    """The cohorts and studies that ship with the program."""
    return load_benchmarks(DATA / "benchmarks")


def load_benchmarks(folder: Path) -> Benchmarks:
    """Read and check the benchmarks in ``folder``; InvalidData names the first cell that does not hold."""
    cohorts = read(folder / "cohorts.csv", COHORT, key=("size",))
    programmes = read(folder / "programmes.csv", PROGRAMME, key=("size", "programme"))
    unknown = ~pl.col("size").is_in(cohorts["size"].implode())
    check(folder / "programmes.csv", programmes, ("size", unknown, "a size of cohorts.csv"))
    studies = read(folder / "studies.csv", STUDY, key=("study",))
    return Benchmarks(cohorts, _members(programmes), studies)


def _members(programmes: pl.DataFrame) -> pl.DataFrame:
    """Readiness of every programme in every framework: the shares of its weights over the controls of that weight."""
    counts = (
        catalogue()
        .controls.filter("assessable")
        .group_by("framework", "weight")
        .agg(controls=pl.len())
        .pivot("weight", index="framework", values="controls")
    )
    columns = [name if name in counts.columns else pl.lit(0).alias(name) for name in map(str, WEIGHTS)]
    numbers = counts.select("framework", *columns).fill_null(0)
    share = {weight: pl.col(f"effective_w{weight}") / 100 for weight in WEIGHTS}
    total = pl.sum_horizontal(pl.col(str(weight)) for weight in WEIGHTS)
    possible = pl.sum_horizontal(weight * pl.col(str(weight)) for weight in WEIGHTS)
    effective = pl.sum_horizontal(pl.col(str(weight)) * share[weight] for weight in WEIGHTS)
    half = pl.col("partial_of_rest") / 200
    earned = pl.sum_horizontal(
        weight * pl.col(str(weight)) * (share[weight] + (1 - share[weight]) * half) for weight in WEIGHTS
    )
    return (
        programmes.join(numbers, how="cross")
        .select(
            *("size", "programme", "title", "framework"),
            strict_pct=(100 * effective / total).round(1),
            weighted_pct=(100 * earned / possible).round(1),
        )
        .sort("size", "framework", "strict_pct", "programme")
    )
