"""One figure for the state of the programme (F4), what it is made of, what moved it and what raises it next."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, FrameRow, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from engine.planning.question import has_day
from reports.figures import select
from reports.programme.posture import posture_words as words
from reports.programme.posture.posture import Posture, posture_of
from reports.programme.posture.steps import closings, levers, steps
from reports.shared import packs, setup
from reports.shared.wording import count, hours, in_points, inside, with_whom

TONES: dict[str, Tone] = {"earned": "good", "lost": "watch"}
SHOWN = 10
PLANS_DIFFER = (
    "The plan of a framework begins with what its target day needs first, which may add fewer points per hour."
)
MOVERS = 3
LABELS = {"title": "Component", "share_pct": "Share in use (%)", "movement": "Points moved"}
SHOWN_PARTS = ("title", "value", "contribution", "lost", "movement")
STEP_LABELS = {"title": "Control", "component": "Raises most"}
DEFINITIONS = {
    "Contribution": "Points of the score that a component gives: its share of the weight times its value. "
    "The contributions sum to the score.",
    "Points lost": "What the component would add at 100 %. The points lost and the score sum to 100.",
    "Points gained": "What the step adds to the score when it is done and nothing else changes, by the formulas of all "
    "components; total points adds up from the top.",
    "Closing a gap": "The control becomes effective: evidence in its window, its signature where one is needed, its "
    "remediation closed by the date where that has not passed.",
}


def build(
    posture: pl.DataFrame, readiness: pl.DataFrame, framework_targets: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    held, coverage = posture_of(posture), packs.coverage(readiness)
    work, gaps = figures.rows(steps), figures.rows(closings)
    worst = held.components.row(0, named=True) if held.components.height else None
    order = PLANS_DIFFER if any(has_day(framework_targets, one, ask.as_of) for one in readiness["framework"]) else ""
    return Document(
        *_opening(worst, work, order, figures, coverage, ask),
        tables=(
            Table(
                "components",
                "What the score is made of, costliest first",
                held.components,
                labels=LABELS,
                hidden=tuple(name for name in held.components.columns if name not in SHOWN_PARTS),
            ),
            Table(
                "next_steps",
                "What raises the score next, most points per hour first",
                _rows(work, "action", "component", "points", "effort_hours", "points_per_hour", "owner").head(SHOWN),
                note=f"The {SHOWN} best of {count(work.height, 'step')} over all components. {order}".strip(),
                labels=STEP_LABELS,
                words=("component",),
                hidden=("component", "total_points"),
            ),
            Table(
                "levers",
                "What each kind of step adds in all",
                levers(work),
                note="Hours stay empty where nobody knows them.",
                words=("kind",),
            ),
            Table(
                "next_gaps",
                "The gaps that add most",
                _rows(gaps, "gap_id", "title", "state", "severity", "owner", "gap_hours", "points")
                .rename({"gap_hours": "effort_hours"})
                .head(SHOWN),
                note=f"The {SHOWN} that add most, of {gaps.height:,}, whatever their effort.",
                labels=STEP_LABELS,
                state=("state", "severity"),
            ),
            Table(
                "movers",
                "What moved the score most",
                held.movers.head(MOVERS).select("component", "title", "movement"),
                labels=LABELS,
                hidden=("component",),
                comparison=True,
                part_of=("components",),
            ),
        ),
        coverage=coverage,
        charts=_charts(held),
        definitions=DEFINITIONS,
        warnings=[*packs.thin(readiness, ask), *words.warnings(held, posture, figures)],
    )


def _rows(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    ready = rows.with_columns(total_points=pl.col("added").cum_sum()).select(*columns, "total_points")
    return ready.with_columns(pl.col("^.*points.*$").round(2))


def _opening(
    worst: FrameRow | None, work: pl.DataFrame, order: str, figures: Figures, coverage: Coverage, ask: Ask
) -> Opening:
    if worst is None or figures["posture_score"] is None:
        return Opening("There is no posture score yet, because no component has any data.", setup.EVIDENCE)
    posture = words.posture(figures, coverage, ask)
    if worst["lost"]:
        posture = f"{posture}; {inside(worst['title'])} costs the most ({in_points(worst['lost'])})"
    best = work.head(SHOWN)
    if not figures["steps_top_ten_points"]:
        return Opening(f"{posture}.")
    known = f" in {hours(figures['steps_top_ten_hours'])}" if not best["effort_hours"].null_count() else ""
    which = "The best step adds" if best.height == 1 else f"The {best.height} best steps per hour add"
    first = f"{best['action'][0].rstrip('.')} ({with_whom(best['owner'][0])})"
    every = figures["gaps_all_points"]
    gaps = f"; closing all open gaps adds {every:.1f}" if every else ""
    return Opening(
        f"{posture}.", f"{first}. {which} {in_points(figures['steps_top_ten_points'])}{known}{gaps}. {order}".strip()
    )


def _charts(held: Posture) -> list[Chart]:
    present = held.components.filter(pl.col("contribution").is_not_null())
    if present.is_empty():
        return []
    parts = present.select("title", earned="contribution", lost="lost").unpivot(
        index="title", variable_name="points", value_name="value"
    )
    alt = "Points that each component earns and loses; earned points sum to the score, all of them to 100."
    return [Chart("stacked", "Points earned and lost", parts, "title", "value", alt, series="points", tones=TONES)]


REPORT = Report(
    name="posture-score",
    title="Posture score",
    description="A blended score with its components, what moved it, and which work raises it most by the hour.",
    build=build,
    figures=select(
        *("posture_score", "posture_grade", "posture_change", "posture_before_score", "snapshot_before_on"),
        *("posture_series_breaks", "steps_top_ten_points", "steps_top_ten_hours"),
        *("gaps_top_three_points", "gaps_top_ten_points", "gaps_all_points", "attestation_control_pct"),
    ),
    schema_version=2,
    evidence_dates=False,
)
