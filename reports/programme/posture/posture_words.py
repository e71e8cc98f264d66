"""The posture in sentences: what it is, what makes its change unfair, what does not raise it."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage
from engine.model.figures.figure import Figures
from reports.programme.posture.posture import Posture
from reports.shared import formula_breaks
from reports.shared.wording import all_of, change, count, in_points, inside, part_of

LITTLE = 1.0  # points: ten gaps that add less are no lever


def posture(figures: Figures, coverage: Coverage, ask: Ask) -> str:
    """``Posture is 75.1 (C), down 6.4 points in 34 days``; without a grade, why."""
    letter, thin = figures["posture_grade"], f"too thin for a grade: evidence for {coverage.pct or 0} %"
    graded = letter if len(letter) == 1 else thin
    score, before, before_on = (
        figures[name] for name in ("posture_score", "posture_before_score", "snapshot_before_on")
    )
    if before is not None and figures["posture_change"] is None:
        return f"Posture is {score} ({graded}), of fewer components than before, so no change is told"
    return f"Posture is {score} ({graded}), {change(score, before, before_on, ask)}"


def warnings(held: Posture, posture: pl.DataFrame, figures: Figures) -> list[str]:
    """What a reader of the score must know; nothing where there is none."""
    if held.score is None:
        return []
    found = []
    absent = [inside(title) for title in held.components.filter(pl.col("contribution").is_null())["title"]]
    broken = [inside(title) for title in held.components.filter("series_break")["title"]]
    if absent:
        found.append(f"Not measured, so its weight went to the other components: {all_of(absent)}.")
    if broken:
        found.append(
            f"The series breaks: {count(len(broken), 'component')} appeared or disappeared ({all_of(broken)}), "
            "so the change is not like for like."
        )
    if held.prior_formula_change is not None:
        found += formula_breaks.prior(posture)
    elif held.prior_score is None:
        found.append("No snapshot was taken before the period, so no change can be told.")
    elif not held.explained:
        found.append("The weights changed since the earlier score, so its change is not attributed to components.")
    return [*found, *_advice(held, figures)]


def _advice(held: Posture, figures: Figures) -> list[str]:
    """What does not raise the score, although one would think so."""
    advice, most = [], figures.counted_rows("gaps_top_ten_points").height
    if 0 < figures["gaps_top_ten_points"] < LITTLE:
        which = "the gap" if most == 1 else f"the {most} gaps"
        advice.append(
            f"Closing {which} that would add most gives {in_points(figures['gaps_top_ten_points'])} in all: "
            "see the next steps for what moves the score by the hour."
        )
    late = (pl.col("component") == "remediation") & (pl.col("population") > pl.col("measured"))
    for measured, population in held.components.filter(late).select("measured", "population").iter_rows():
        advice.append(
            f"{part_of(population - measured, population, 'remediation')} late and stay so for a quarter after they "
            "are closed: only closing others by their dates raises timeliness."
        )
    return advice
