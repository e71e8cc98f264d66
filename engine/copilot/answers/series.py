"""Scores by day: the snapshots of each week, and the value of today."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from engine.copilot.answers.library import Library
from engine.copilot.entities.programme import FRAMEWORK
from engine.facts.controls.readiness import posture_formula_change, readiness_formula_change

_COLUMNS = {  # of the snapshots, of the frameworks as they are, and the unit
    "readiness": ("weighted_pct", "weighted_pct", " %"),
    "strict readiness": ("strict_pct", "strict_pct", " %"),
    "gaps": ("gaps_open", "gaps", ""),
}


@dataclass(frozen=True)
class ScoreSeries:
    """Values by day, the value of today last; ``growing`` is good where it grows."""

    title: str
    table: str
    days: pl.DataFrame
    unit: str = ""

    def on(self, day: date) -> tuple[date, float] | None:
        """The last value taken on a day or before it."""
        held = self.days.filter(pl.col("on") <= day)
        return None if held.is_empty() else held.row(-1)


def series_of(subject: str, frameworks: Sequence[str], library: Library) -> list[ScoreSeries]:
    """The series of a subject: posture, readiness, strict readiness or gaps, of the frameworks named, else of all."""
    if subject == "posture":
        rows = (
            library.fact("posture_snapshots_rows")
            .filter(posture_formula_change().is_null())
            .select(on="taken_on", value="score")
        )
        return _with_today("posture score", "posture_snapshots", rows, library, _posture(library))
    column, now, unit = _COLUMNS[subject]
    held = library.rows(FRAMEWORK)
    if subject == "gaps" and not frameworks:
        rows = _readiness(library).group_by("taken_on").agg(pl.col(column).sum())
        today = float(held[now].fill_null(0).sum())
        rows = rows.select(on="taken_on", value=pl.col(column).cast(pl.Float64))
        return _with_today("open gaps", "readiness_snapshots", rows, library, today)
    score_series = []
    for key in frameworks or held["framework"].to_list():
        rows = _readiness(library).filter(pl.col("framework") == key)
        rows = rows.select(on="taken_on", value=pl.col(column).cast(pl.Float64))
        current = held.filter(pl.col("framework") == key)[now]
        title = f"{'open gaps' if subject == 'gaps' else subject} of {library.framework_name(key)}"
        value = None if current.is_empty() or current[0] is None else float(current[0])
        score_series += _with_today(title, "readiness_snapshots", rows, library, value, unit)
    return score_series


def _readiness(library: Library) -> pl.DataFrame:
    """The snapshots of readiness that are by today's formulas: others are not compared."""
    return library.fact("readiness_snapshots_rows").filter(readiness_formula_change().is_null())


def _with_today(
    title: str, table: str, rows: pl.DataFrame, library: Library, now: float | None, unit: str = ""
) -> list[ScoreSeries]:
    """The series with what is computed now as its last value; none where no snapshot was taken."""
    if rows.is_empty():
        return []
    days = rows.drop_nulls().filter(pl.col("on") < library.today).sort("on")
    if now is not None:
        days = pl.concat([days, pl.DataFrame({"on": [library.today], "value": [now]})])
    return [ScoreSeries(title, table, days, unit)]


def _posture(library: Library) -> float | None:
    edition = library.edition("posture-score")
    value = None if edition is None else edition.document.summary.get("posture_score")
    return float(value) if isinstance(value, int | float) else None
