"""The posture score as the fact gives it, with what each component costs and how it moved (F4, R4)."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import grade, largest_remainder
from reports.shared import packs

OVERALL = {
    "score": pl.Float64,
    "grade": pl.String,
    "assessed": pl.Int64,
    "applicable": pl.Int64,
    "before_score": pl.Float64,
    "before_on": pl.Date,
    "change": pl.Float64,
}
COLUMNS = {
    "component": pl.String,
    "title": pl.String,
    "weight_pct": pl.Float64,
    "share_pct": pl.Float64,
    "value_pct": pl.Float64,
    "contribution": pl.Float64,
    "lost": pl.Float64,
    "prior_value_pct": pl.Float64,
    "movement": pl.Float64,
    "measured": pl.Int64,
    "population": pl.Int64,
    "series_break": pl.Boolean,
    "explanation": pl.String,
}


@dataclass(frozen=True)
class Posture:
    """``components`` costliest first, those without data last. ``explained``: the movements sum to the change."""

    score: float | None
    prior_score: float | None
    prior_on: date | None
    prior_formula_change: str | None
    components: pl.DataFrame
    explained: bool

    @property
    def change(self) -> float | None:
        if self.score is None or self.prior_score is None or self.departures:
            return None
        return round(self.score - self.prior_score, 1)

    @property
    def departures(self) -> list[str]:
        """Titles of those that had data before and have none now: without them the score is of other things."""
        return self.components.filter("series_break", pl.col("value_pct").is_null())["title"].to_list()

    @property
    def movers(self) -> pl.DataFrame:
        """The components that moved the score, either way; the one that moved it most first."""
        moved = self.components.filter(pl.col("movement") != 0)
        return moved.sort(pl.col("movement").abs(), "title", descending=[True, False])


def posture_of(frame: pl.DataFrame) -> Posture:
    """The score is the sum of the fact's contributions, None when no component has a value."""
    rows = frame.to_dicts()
    present = [row for row in rows if row["value"] is not None]
    score = round(sum(row["contribution"] or 0.0 for row in present), 1) if present else None
    prior_score = next((row["prior_score"] for row in rows if row["prior_score"] is not None), None)
    prior_on = next((row["prior_on"] for row in rows if row["prior_on"] is not None), None)
    changed = next((row["prior_formula_change"] for row in rows if row["prior_formula_change"] is not None), None)
    before = _prior_contributions(rows, prior_score)
    lost = _point_losses(present, score)
    components = pl.DataFrame([_component(row, lost, before) for row in rows], schema=COLUMNS).sort(
        "lost", "title", "component", descending=[True, False, False], nulls_last=True
    )
    return Posture(score, prior_score, prior_on, changed, components, score is not None and before is not None)


def overall(posture: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The posture in one row: score and grade with the controls that it rests on, the score before, the change."""
    held, coverage = posture_of(posture), packs.coverage(readiness)
    letter = grade(held.score, coverage, ask.settings)
    row = (held.score, letter, coverage.assessed, coverage.total, held.prior_score, held.prior_on, held.change)
    return pl.DataFrame([row], schema=OVERALL, orient="row")


def components(posture: pl.DataFrame) -> pl.DataFrame:
    """The components of the score, the costliest first, those without data last."""
    return posture_of(posture).components


def _point_losses(present: list[dict[str, Any]], score: float | None) -> dict[str, float]:
    if score is None:
        return {}
    values = [100 * (row["share"] or 0.0) - (row["contribution"] or 0.0) for row in present]
    rounded = largest_remainder(values, round(100 - score, 1))
    return {row["component"]: points for row, points in zip(present, rounded, strict=True)}


def _component(row: dict[str, Any], lost: dict[str, float], before: dict[str, float] | None) -> dict[str, Any]:
    now = (row["contribution"] or 0.0) if row["value"] is not None else None
    appeared = (row["value"] is None) != (row["prior_value"] is None)
    return {
        "component": row["component"],
        "title": row["title"],
        "weight_pct": round(100 * row["weight"], 1),
        "share_pct": None if now is None else round(100 * (row["share"] or 0.0), 1),
        "value_pct": None if now is None else round(row["value"], 1),
        "contribution": now,
        "lost": lost.get(row["component"]),
        "prior_value_pct": None if row["prior_value"] is None else round(row["prior_value"], 1),
        "movement": None if before is None else round((now or 0.0) - before[row["component"]], 1),
        "measured": row["measured"],
        "population": row["population"],
        "series_break": row["prior_score"] is not None and appeared,
        "explanation": row["explanation"],
    }


def _prior_contributions(rows: list[dict[str, Any]], score: float | None) -> dict[str, float] | None:
    """What each component gave to the prior score; None when today's weights do not explain that score."""
    names = [row["component"] for row in rows]
    total = sum(row["weight"] for row in rows if row["prior_value"] is not None)
    if score is None or not total:
        return None
    values = [row["weight"] / total * (row["prior_value"] or 0.0) for row in rows]
    if abs(sum(values) - score) > 0.1 + 1e-9:  # the snapshot rounds both
        return None
    return dict(zip(names, largest_remainder(values, score), strict=True))
