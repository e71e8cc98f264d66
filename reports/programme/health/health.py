"""Health of any group of controls: five components, weights and contributions that sum to it.

A group of which no control has any evidence has no health: ownership alone is none.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage
from engine.model.figures.formulas import largest_remainder, rag
from engine.model.thresholds import Thresholds
from reports.shared.columns import in_order
from reports.shared.ordering import STATES_WORST_FIRST, state_score
from reports.shared.packs import pack_name
from reports.shared.wording import count, in_points

WEIGHTS = {"state": 0.40, "freshness": 0.25, "ownership": 0.15, "tests": 0.10, "exceptions": 0.10}
TITLES = {
    "state": "State of controls",
    "freshness": "Evidence in its window",
    "ownership": "Complete ownership",
    "tests": "Tests passed",
    "exceptions": "No open exception",
}
PARTS = {
    "component": pl.String,
    "title": pl.String,
    "weight": pl.Float64,
    "value": pl.Float64,
    "contribution": pl.Float64,
}
NO_EVIDENCE = "No control has any evidence: there is no health to tell."
VALUES = {f"{name}_pct": pl.Float64 for name in WEIGHTS}
POINTS = {f"{name}_points": pl.Float64 for name in WEIGHTS}
SCORED = {
    "controls": pl.Int64,
    "health": pl.Float64,
    "rag": pl.String,
    "coverage_pct": pl.Float64,
    "state_change": pl.Float64,
    **VALUES,
    **POINTS,
    "worst_control": pl.String,
    "owner": pl.String,
    "note": pl.String,
}


def families(control_status: pl.DataFrame, gaps: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every control family with its health and its critical gaps; those without health first, then the worst."""
    key = ["framework", "group_id"]
    critical = gaps.filter(pl.col("severity") == "critical").group_by(key).agg(critical_gaps=pl.len().cast(pl.Int64))
    return (
        health_of(control_status, [*key, "group_title"], ask.settings)
        .join(critical, on=key, how="left", maintain_order="left")
        .with_columns(pl.col("critical_gaps").fill_null(0), framework_name=pack_name(ask))
    )


def total(control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The health of all applicable controls together, in one row."""
    frame = health_of(control_status.with_columns(everything=pl.lit("all")), ["everything"], ask.settings)
    nothing = {**dict.fromkeys(frame.columns), "controls": 0, "rag": "insufficient_data"}
    return frame if frame.height else pl.DataFrame([nothing], schema=frame.schema)


def health_parts(frame: Annotated[pl.DataFrame, total]) -> pl.DataFrame:
    """What the health of all applicable controls adds up from; values are null where there is no health."""
    rows = []
    for row in frame.to_dicts():
        values = {name: row[f"{name}_pct"] if row["health"] is not None else None for name in WEIGHTS}
        in_use = sum(WEIGHTS[name] for name, value in values.items() if value is not None)
        for name, value in values.items():
            weight = 0.0 if value is None else WEIGHTS[name] / in_use
            rows.append((name, TITLES[name], weight, value, row[f"{name}_points"]))
    return pl.DataFrame(rows, schema=PARTS, orient="row")


def health_of(controls: pl.DataFrame, by: Sequence[str], settings: Thresholds) -> pl.DataFrame:
    """One row for each group of applicable controls; those without health first, then the worst.

    A component without anything to measure is left out and its weight shared: only tests that nobody requires can
    be. ``state_change`` compares the controls whose state at the start of the period is known, null below half.
    """
    known = pl.col("previous_state").is_in(STATES_WORST_FIRST[:-1])
    weight, score = pl.col("weight"), state_score()
    before = (weight * state_score("previous_state")).filter(known).sum() / weight.filter(known).sum()
    after = (weight * score).filter(known).sum() / weight.filter(known).sum()
    required, present = (pl.col(name).list.contains("test") for name in ("kinds_required", "kinds_present"))
    untested = required & ~present & (pl.col("tests_performed") == 0)
    missing = (weight * (1 - score)).alias("missing")
    groups = (
        controls.filter("applicable")
        .with_columns(missing, responsible=pl.coalesce("accountable", "owner"))
        .sort(*by, "missing", "framework", in_order("control_id"), descending=[*[False] * len(by), True, False, False])
        .group_by(by, maintain_order=True)
        .agg(
            controls=pl.len().cast(pl.Int64),
            assessed=(pl.col("state") != "no_data").sum().cast(pl.Int64),
            effective=(pl.col("state") == "effective").sum().cast(pl.Int64),
            fresh=pl.col("freshness").is_in(["fresh", "due_soon"]).sum().cast(pl.Int64),
            owned=pl.col("ownership_complete").fill_null(False).sum().cast(pl.Int64),
            unexcepted=pl.col("exception_id").is_null().sum().cast(pl.Int64),
            passed=pl.col("tests_passed").sum(),
            performed=pl.col("tests_performed").sum(),
            untested=untested.sum().cast(pl.Int64),
            state=100 * (weight * score).sum() / weight.sum(),
            state_change=pl.when(2 * known.sum() >= pl.len()).then((100 * (after - before)).round(1)),
            worst=pl.when(pl.col("missing").first() > 0).then(
                pl.format(
                    "{} {} ({})",
                    pl.col("control_id").first(),
                    pl.col("title").first(),
                    pl.col("state").first().str.replace_all("_", " ", literal=True),
                )
            ),
            owner=pl.col("responsible").drop_nulls().mode().sort().first(),
        )
    )
    scored = [{**{name: row[name] for name in by}, **_score(row, settings)} for row in groups.to_dicts()]
    return pl.DataFrame(scored, schema={**{name: groups.schema[name] for name in by}, **SCORED}).sort(
        "health", *(in_order(name) for name in by)
    )


def _score(row: dict[str, Any], settings: Thresholds) -> dict[str, Any]:
    values = _values(row)
    present = {name: value for name, value in values.items() if value is not None}
    total = sum(WEIGHTS[name] for name in present)
    exact = {name: WEIGHTS[name] / total * value for name, value in present.items()}
    health = round(sum(exact.values()), 1) if row["assessed"] else None
    points = {} if health is None else dict(zip(exact, largest_remainder(list(exact.values()), health), strict=True))
    lost = {name: WEIGHTS[name] / total * (100 - value) for name, value in present.items()}
    coverage = Coverage(row["assessed"], row["controls"])
    return {
        "controls": row["controls"],
        "health": health,
        "rag": rag(health, coverage, settings),
        "coverage_pct": coverage.pct,
        "state_change": row["state_change"],
        **{f"{name}_pct": None if value is None else round(value, 1) for name, value in values.items()},
        **{f"{name}_points": points.get(name) for name in WEIGHTS},
        "worst_control": row["worst"],
        "owner": row["owner"],
        "note": NO_EVIDENCE if health is None else _note(row, lost),
    }


def _values(row: dict[str, Any]) -> dict[str, float | None]:
    expected = row["performed"] + row["untested"]
    return {
        "state": row["state"],
        "freshness": 100 * row["fresh"] / row["controls"],
        "ownership": 100 * row["owned"] / row["controls"],
        "tests": 100 * row["passed"] / expected if expected else None,
        "exceptions": 100 * row["unexcepted"] / row["controls"],
    }


def _note(row: dict[str, Any], lost: dict[str, float]) -> str:
    worst = max(lost, key=lambda name: lost[name])  # the first of equals: components stand by weight
    points = round(lost[worst], 1)
    if not points:
        return "Full marks: keep the cadence."
    what = {
        "state": _part(row["controls"] - row["effective"], row["controls"], "not effective"),
        "freshness": _part(row["controls"] - row["fresh"], row["controls"], "without fresh evidence"),
        "ownership": _part(row["controls"] - row["owned"], row["controls"], "without complete ownership"),
        "tests": _tests(row["performed"] - row["passed"], row["performed"], row["untested"]),
        "exceptions": _part(row["controls"] - row["unexcepted"], row["controls"], "under an open exception"),
    }[worst]
    return f"{what}: costs {in_points(points)}."


def _part(number: int, whole: int, how: str) -> str:
    return f"{number:,} of {count(whole, 'control')} {how}"


def _tests(failed: int, performed: int, untested: int) -> str:
    parts = [f"{failed:,} of {count(performed, 'test')} failed"] if failed else []
    if untested:
        parts.append(f"{count(untested, 'required test')} never performed")
    return ", ".join(parts)
