"""One figure for the state of the programme (F4), what it is made of, what moved it and what raises it next."""

from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.formulas import grade
from engine.model.report import Ask, Report
from reports.programme.posture import Posture, posture_of
from reports.shared import packs
from reports.shared.ordering import state_score
from reports.shared.wording import (
    all_of,
    change,
    count,
    inside,
    percent,
)

READINESS = "readiness"
SHOWN_GAPS = 10
DEFINITIONS = {
    "Posture": "A weighted mean of the components, 0 to 100. A component without any data is left out and its weight "
    "is shared among the others.",
    "Contribution": "Points of the score that a component gives: its share of the weight times its value. "
    "The contributions sum to the score.",
    "Points lost": "What the component would add at 100 %. The points lost and the score sum to 100.",
    "Grade": "A from 90, B from 80, C from 70, D from 60, else F; given only where enough controls have evidence.",
    "Weighted readiness": "Effective controls count fully, partial ones half, stale ones a quarter, all others "
    "nothing, each by its weight from 1 to 5.",
    "Closing a gap": "The points that the score gains through weighted readiness alone when the control becomes "
    "effective and nothing else changes. Fresher evidence may add more.",
}


def build(
    posture: pl.DataFrame, readiness: pl.DataFrame, gaps: pl.DataFrame, control_status: pl.DataFrame, ask: Ask
) -> Document:
    held = posture_of(posture)
    coverage = packs.coverage(readiness)
    letter = grade(held.score, coverage, ask.settings)
    gains = _gains(posture, gaps, control_status)
    return Document(
        headline=_headline(held, letter, coverage, gains, ask),
        summary={
            "score": held.score,
            "grade": letter,
            "change": held.change,
            "prior_score": held.prior_score,
            "prior_on": held.prior_on,
            "top_three_gaps_points": round(gains["exact"].head(3).sum(), 2),
            "all_gaps_points": round(gains["exact"].sum(), 2),
            "series_break": bool(held.components["series_break"].any()),
            "movers": held.movers(),
        },
        words=("grade",),
        tables=(
            Table(
                "components",
                "What the score is made of, costliest first",
                held.components,
                labels={
                    "title": "Component",
                    "share_pct": "Share in use (%)",
                    "lost": "Points lost",
                    "prior_value_pct": "Value before (%)",
                    "movement": "Points moved",
                    "explanation": "How it is measured",
                },
                hidden=("component", "measured", "population", "series_break"),
            ),
            Table(
                "next_gaps",
                "What raises the score next",
                gains.drop("exact").head(SHOWN_GAPS),
                note=f"The {SHOWN_GAPS} gaps that add most, of {gains.height:,}; total points adds up from the top.",
                labels={"gap_id": "Gap", "title": "Control", "effort_hours": "Effort (h)", "points": "Points gained"},
                state=("state", "severity"),
            ),
        ),
        coverage=coverage,
        charts=_charts(held),
        definitions=DEFINITIONS,
        warnings=_warnings(held, readiness, ask),
    )


def _gains(posture: pl.DataFrame, gaps: pl.DataFrame, control_status: pl.DataFrame) -> pl.DataFrame:
    """Points that each gap adds when its control becomes effective: share x weight x missing score / all weights."""
    share = posture.filter((pl.col("component") == READINESS) & pl.col("value").is_not_null())["share"].sum()
    weights = control_status.filter("applicable")["weight"].sum() or 1
    return (
        gaps.with_columns(exact=100 * share * pl.col("weight") * (1 - state_score()) / weights)
        .sort("exact", "priority", "gap_id", descending=[True, True, False], nulls_last=True)
        .select(
            *("gap_id", "title", "state", "severity", "owner", "effort_hours", "exact"),
            points=pl.col("exact").round(2),
            total_points=pl.col("exact").cum_sum().round(2),
        )
    )


def _headline(held: Posture, letter: str, coverage: Coverage, gains: pl.DataFrame, ask: Ask) -> str:
    if held.score is None:
        return "There is no posture score yet, because no component has any data: start with evidence for the controls."
    if letter == "insufficient_data":
        thin = percent(coverage.pct or 0.0)
        graded = f"({thin} of the controls have evidence, too few for a grade)"
    else:
        graded = f"({letter})"
    parts = [f"Posture is {held.score} {graded}, {change(held.score, held.prior_score, held.prior_on, ask.as_of)}"]
    worst = held.components.row(0, named=True)
    if worst["lost"]:
        parts.append(f"{inside(worst['title'])} costs the most ({worst['lost']} points)")
    top = gains.head(3)
    if top.height and round(top["exact"].sum(), 2):
        whose = "the gap" if top.height == 1 else f"the {top.height} gaps"
        names = all_of([packs.control(tag) for tag in top["gap_id"]])
        parts.append(f"closing {whose} {names} adds {round(top['exact'].sum(), 2)} points")
    return "; ".join(parts) + "."


def _charts(held: Posture) -> list[Chart]:
    present = held.components.filter(pl.col("contribution").is_not_null())
    if present.is_empty():
        return []
    parts = present.select("title", earned="contribution", lost="lost").unpivot(
        index="title", variable_name="points", value_name="value"
    )
    alt = "Points that each component earns and loses; earned points sum to the score, all of them to 100."
    return [Chart("stacked", "Points earned and lost", parts, "title", "value", alt, series="points")]


def _warnings(held: Posture, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    rows: list[dict[str, Any]] = held.components.to_dicts()
    absent = [inside(row["title"]) for row in rows if row["contribution"] is None]
    broken = [inside(row["title"]) for row in rows if row["series_break"]]
    warnings = packs.thin(readiness, ask.settings)
    if absent and held.score is not None:
        warnings.append(f"Not measured, so its weight went to the other components: {all_of(absent)}.")
    if broken:
        warnings.append(
            f"The series breaks: {count(len(broken), 'component')} appeared or disappeared ({all_of(broken)}), "
            "so the change is not like for like."
        )
    if held.score is not None and held.prior_score is None:
        warnings.append("No snapshot was taken before the period, so no change can be told.")
    elif held.score is not None and not held.explained:
        warnings.append("The weights changed since the earlier score, so its change is not attributed to components.")
    return warnings


REPORT = Report(
    name="posture-score",
    title="Posture score",
    description="A blended score with its components, what moved it, and which gaps raise it next.",
    build=build,
)
