"""A framework against a reference cohort: quartiles, percentile (F10), controls missing to the median."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import nearest_rank, percentile_rank
from reports.programme.packs.pack_rows import frameworks_in_scope
from reports.shared import packs
from reports.shared.wording import count

ALL, ALL_TITLE = "all", "All sizes"


def choose_cohort(asked: str, headcount: int | None, members: pl.DataFrame) -> tuple[str, bool]:
    """The cohort's size, and whether the organization's is not known."""
    if asked != "auto":
        return asked, False
    bands = members.select("size", "headcount_from", "headcount_to").unique().sort("headcount_from", "size")
    for size, low, high in bands.iter_rows() if headcount is not None else ():
        if low <= headcount and (high is None or headcount <= high):
            return str(size), False
    return ALL, True


def cohort_choice(organization: pl.DataFrame, benchmark_members: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row: the size of the programmes to compare with, and whether that of the organization is not known."""
    headcount = organization["headcount"][0] if organization.height else None
    size, guessed = choose_cohort(str(ask.options.get("cohort") or "auto"), headcount, benchmark_members)
    return pl.DataFrame(
        {"size": [size], "guessed": [guessed], "headcount": [headcount]},
        schema={"size": pl.String, "guessed": pl.Boolean, "headcount": pl.Int64},
    )


def cohort_members(organization: pl.DataFrame, benchmark_members: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The members of the cohort: one row for each programme and framework."""
    size = cohort_choice(organization, benchmark_members, ask)["size"][0]
    members = benchmark_members if size == ALL else benchmark_members.filter(pl.col("size") == size)
    return members.with_columns(member=pl.format("{} {}", "size", "programme")).sort("size", "programme", "framework")


def cohort_comparison(
    organization: pl.DataFrame, readiness: pl.DataFrame, benchmark_members: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Each framework in scope against the cohort, the furthest below its median first."""
    in_scope = frameworks_in_scope(organization, ask)["framework"].to_list()
    cohort = cohort_members(organization, benchmark_members, ask)
    title = ALL_TITLE if cohort_choice(organization, benchmark_members, ask)["size"][0] == ALL else None
    least = int(ask.settings["cohort_min_n"])
    known = {row["framework"]: row for row in readiness.to_dicts()}
    rows = [
        _row(name, known.get(name), cohort.filter(pl.col("framework") == name), title, least, ask) for name in in_scope
    ]
    reals = ("strict_pct", "p25_pct", "median_pct", "p75_pct", "percentile")
    schema = {
        "framework": pl.String,
        "name": pl.String,
        "cohort": pl.String,
        "cohort_kind": pl.String,
        "n": pl.Int64,
        "applicable": pl.Int64,
        **dict.fromkeys(reals, pl.Float64),
        "gap_controls": pl.Int64,
        **dict.fromkeys(("weighted_pct", "weighted_median_pct", "weighted_percentile"), pl.Float64),
        "reason": pl.String,
        "provenance": pl.String,
        "dated_on": pl.Date,
    }
    order = pl.col("framework").replace_strict({name: place for place, name in enumerate(in_scope)}, default=99)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sort("percentile", order, nulls_last=True)


def _row(
    framework: str, now: dict[str, Any] | None, cohort: pl.DataFrame, title: str | None, least: int, ask: Ask
) -> dict[str, Any]:
    """One framework against its cohort; a percentile is refused with the reason."""
    first = cohort.row(0, named=True) if cohort.height else {}
    row = {
        "framework": framework,
        "name": ask.framework_name(framework),
        "cohort": title or first.get("title"),
        "cohort_kind": "reference",
        "n": cohort.height,
        "provenance": first.get("provenance"),
        "dated_on": first.get("dated_on"),
    }
    if now is None or now["strict_pct"] is None:
        return {**row, "reason": "no applicable control, so there is no readiness"}
    row |= {name: now[name] for name in ("applicable", "strict_pct", "weighted_pct")}
    if cohort.height < least:
        return {**row, "reason": f"the cohort has {count(cohort.height, 'member')}, at least {least} are needed"}
    strict, weighted = cohort["strict_pct"].to_list(), cohort["weighted_pct"].to_list()
    median = nearest_rank(strict, 50) or 0.0
    missing = math.ceil(round(median * now["applicable"] / 100, 6)) - now["effective"]
    return {
        **row,
        "p25_pct": nearest_rank(strict, 25),
        "median_pct": median,
        "p75_pct": nearest_rank(strict, 75),
        "percentile": _rank(strict, now["strict_pct"], least),
        "gap_controls": max(missing, 0),
        "weighted_median_pct": nearest_rank(weighted, 50),
        "weighted_percentile": _rank(weighted, now["weighted_pct"], least),
    }


def _rank(cohort: Sequence[float], value: float, least: int) -> float | None:
    rank = percentile_rank(cohort, value, least)
    return None if rank is None else round(rank, 1)


def provenance_of(cohort: pl.DataFrame) -> str:
    """Where the newest members of a cohort come from, as a sentence; empty without members."""
    if cohort.is_empty():
        return ""
    first = cohort.sort("dated_on", "size").row(-1, named=True)
    return f"{first['provenance']}; dated {first['dated_on']}."


def member_curve(cohort: pl.DataFrame, in_scope: Sequence[str], ask: Ask) -> pl.DataFrame:
    """The members of a cohort for the frameworks in scope, from least to most ready."""
    return (
        cohort.filter(pl.col("framework").is_in(in_scope))
        .select(
            *("size", packs.pack_name(ask).alias("name"), "programme", "programme_title", "cohort_kind"),
            *("strict_pct", "weighted_pct"),
        )
        .sort("size", "name", "strict_pct", "programme")
    )


def studies_of(studies: pl.DataFrame, in_scope: Sequence[str], sector: str | None, ask: Ask) -> pl.DataFrame:
    """Studies of frameworks in scope, of all sectors or of the organization's own."""
    return (
        studies.filter(pl.col("framework").is_in(in_scope), pl.col("sector").is_in(["all", sector or "all"]))
        .select(
            *("framework", packs.pack_name(ask).alias("name"), "title", "sector", "measure", "value_pct", "n"),
            *("measured_in", "published_in", "source"),
        )
        .sort("framework", "published_in", "title", "measure")
    )
