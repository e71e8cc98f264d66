"""A framework against a reference cohort: quartiles, percentile (F10), controls missing to the median."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.formulas import nearest_rank, percentile_rank
from reports.shared import packs
from reports.shared.wording import count


def choose_cohort(asked: str, headcount: int | None, members: pl.DataFrame) -> tuple[str, bool]:
    """The cohort's size, and whether the organization's is not known."""
    if asked != "auto":
        return asked, False
    bands = members.select("size", "headcount_from", "headcount_to").unique().sort("headcount_from", "size")
    for size, low, high in bands.iter_rows() if headcount is not None else ():
        if low <= headcount and (high is None or headcount <= high):
            return str(size), False
    return "all", True


def cohort_comparison(
    in_scope: Sequence[str], readiness: pl.DataFrame, cohort: pl.DataFrame, title: str | None, least: int
) -> pl.DataFrame:
    known = {row["framework"]: row for row in readiness.to_dicts()}
    rows = [_row(name, known.get(name), cohort.filter(pl.col("framework") == name), title, least) for name in in_scope]
    reals = ("strict_pct", "p25_pct", "median_pct", "p75_pct", "percentile")
    schema = {
        "framework": pl.String, "name": pl.String, "cohort": pl.String, "cohort_kind": pl.String, "n": pl.Int64,
        "applicable": pl.Int64, **dict.fromkeys(reals, pl.Float64), "gap_controls": pl.Int64,
        **dict.fromkeys(("weighted_pct", "weighted_median_pct", "weighted_percentile"), pl.Float64),
        "reason": pl.String, "provenance": pl.String, "dated_on": pl.Date,
    }  # fmt: skip
    order = pl.col("framework").replace_strict({name: place for place, name in enumerate(in_scope)}, default=99)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sort("percentile", order, nulls_last=True)


def _row(
    framework: str, now: dict[str, Any] | None, cohort: pl.DataFrame, title: str | None, least: int
) -> dict[str, Any]:
    """One framework against its cohort; a percentile is refused with the reason."""
    first = cohort.row(0, named=True) if cohort.height else {}
    row = {
        "framework": framework,
        "name": packs.pack(framework),
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
    found = percentile_rank(cohort, value, least)
    return None if found is None else round(found, 1)
