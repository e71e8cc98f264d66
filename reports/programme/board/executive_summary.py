"""The programme for the board on two pages: posture, risks, changes, late commitments, decisions, dates."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.declaration import FORMATS
from engine.model.declarations.report import Report
from engine.model.documents.document import Coverage, Document, Table, at_most
from engine.model.figures.figure import Figures
from reports.capacity import relief, shortfall
from reports.figures import select
from reports.programme.board import board, targets
from reports.programme.board.board import MARKS, SHOWN
from reports.programme.board.decisions import full_decisions
from reports.programme.posture import posture_story, posture_words
from reports.programme.posture.posture import Posture, posture_of
from reports.programme.risk.risk_grid import register_of
from reports.shared import arrivals, formula_breaks, packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import count, inside, titled_first, with_whom

LABELS = {"id": "Risk", "title": "What"}
DECISION_LABELS = {
    **{"reason": "Because", "owner": "With", "due_on": "Decide by", "effort_hours": "Hours that it binds"},
    "otherwise": "If nothing is decided",
}
DEFINITIONS = {
    "Residual": "Likelihood 1 to 5 times impact 1 to 5 after treatment; appetite is the largest that is accepted.",
    "Changed": "For the posture, points that a component gives; for a framework, weighted readiness in percent.",
}


def build(
    posture: pl.DataFrame,
    readiness: pl.DataFrame,
    risks: pl.DataFrame,
    obligations: pl.DataFrame,
    exceptions: pl.DataFrame,
    movements: pl.DataFrame,
    posture_days: pl.DataFrame,
    state_changes: pl.DataFrame,
    incidents: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Document:
    held, coverage, register = posture_of(posture), packs.coverage(readiness), register_of(risks)
    overdue = obligations.filter(pl.col("state") == "overdue").sort("due_on", "obligation_id")
    near = figures.rows(targets.nearest)
    asked = full_decisions(register, obligations, exceptions, figures.rows(relief.by_week), MARKS, ask.as_of, near)
    past = posture_story.past_of(posture_days, posture, state_changes, movements, incidents, ask)
    frame = posture_story.moves(past, posture, ask)
    changed = board.changes(held, readiness, movements, ask)
    return Document(
        headline=_headline(asked, coverage, figures, ask),
        next_step=setup.EVIDENCE if figures["posture_score"] is None else _step(asked),
        tables=(
            Table(
                "decisions",
                "Decisions requested, the first due first",
                with_first(asked, "due_on", "decision", "owner", "reason"),
                labels=DECISION_LABELS,
                hidden=("footnote", "effort_hours"),
            ),
            Table("figures", "Where we stand", board.standing(held, figures), hidden=("number",)),
            Table("changes", "What changed most", changed, comparison=True),
            Table(
                "risks",
                "The three largest risks",
                register.head(3).select(
                    *("id", "title", "owner", "residual_cell", "rated_level", "appetite", "over_appetite", "movement"),
                    *("residual", "level", pl.lit(MARKS["risks"]).alias("footnote")),
                ),
                hidden=("residual", "level"),
                labels={"id": "Risk"},
                state=("rated_level",),
            ),
            Table(
                "overdue",
                titled_first("Overdue duties", figures["obligations_overdue"], "oldest", SHOWN),
                overdue.head(SHOWN).select(
                    *("title", "owner", "due_on", (-pl.col("days_left")).alias("days_late")),
                    pl.lit(MARKS["obligations"]).alias("footnote"),
                ),
                labels=LABELS,
            ),
            Table(
                "targets",
                "Ready by its date if nothing is done",
                figures.rows(targets.ready_by).with_columns(footnote=pl.lit(MARKS["gaps"])),
                hidden=("footnote",),
            ),
            Table("dates", "Coming dates", board.dates(obligations, ask), labels=LABELS),
            Table(
                "moves",
                f"What moved the posture in {posture_story.DAYS} days",
                frame.with_columns(footnote=pl.lit(MARKS["posture"])),
                comparison=True,
            ),
            Table(
                "maintenance",
                "Incidents in windows of maintenance",
                _maintenance(figures),
                labels={"id": "Incident", "title": "What"},
                state=("maintenance_state",),
            ),
            arrivals.first_missing(figures, SHOWN, MARKS["monitoring"]),
        ),
        story=posture_story.story(held, past, frame, asked, changed, ask),
        coverage=coverage,
        definitions=DEFINITIONS,
        warnings=[*_warnings(held, readiness, register, ask), *formula_breaks.past(posture_days)],
        footnotes=board.footnotes(),
    )


def _headline(asked: pl.DataFrame, coverage: Coverage, figures: Figures, ask: Ask) -> str:
    over, late = figures["risks_over_appetite"], figures["obligations_overdue"]
    if figures["posture_score"] is None:
        parts = ["There is no posture score yet, because no component has any data"]
    else:
        parts = [posture_words.posture(figures, coverage, ask)]
    if over:
        parts.append(f"{count(over, 'risk')} {'exceeds' if over == 1 else 'exceed'} the appetite")
    if late:
        parts.append(f"{count(late, 'duty', 'duties')} {'is' if late == 1 else 'are'} overdue")
    decisions = count(asked.height, "decision")
    lead = targets.lead(figures.rows(targets.nearest))
    if not lead:
        return f"{'; '.join(parts)}; {decisions}."
    most = lead
    for part in (parts[0], decisions, *parts[1:]):
        most = at_most(most, f"; {inside(part)}")
    return f"{most}."


def _step(asked: pl.DataFrame) -> str:
    """The decision to take first, whose it is and by when."""
    if asked.is_empty():
        return "Nothing is to be decided: nobody has to act on this page."
    first = asked.row(0, named=True)
    return f"Decide first: {inside(first['decision'])} ({with_whom(first['owner'], first['due_on'], 'by')})."


def _maintenance(figures: Figures) -> pl.DataFrame:
    """What planned maintenance takes out of the figures of the period, and what it does not, newest first."""
    counted = ("incidents_in_planned_maintenance", "incidents_maintenance_declared_late")
    frame = pl.concat([figures.counted_rows(name) for name in counted], how="vertical")
    return frame.sort("opened_at", "id", descending=[True, False]).select(
        *("id", "title", "opened_at", "maintenance_state", "maintenance_id", "maintenance_reason"),
        pl.lit(MARKS["incidents"]).alias("footnote"),
    )


def _warnings(held: Posture, readiness: pl.DataFrame, register: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask)
    if held.components["series_break"].any():
        warnings.append("A component of the posture appeared or disappeared: its change is not like for like.")
    if register.is_empty():
        warnings.append("The risk register is empty: that no risk is shown does not mean that there is none.")
    return warnings


REPORT = Report(
    name="executive-summary",
    title="Executive summary",
    description="The state of the programme for the board on two pages, with the decisions that it is asked for.",
    build=build,
    formats=(*FORMATS, "pdf"),
    figures=select(
        *("posture_score", "posture_grade", "posture_change", "posture_before_score", "snapshot_before_on"),
        *("gaps_open", "gaps_critical", "risks", "risks_over_appetite", "obligations_overdue"),
        *("incidents_opened_in_period", "incidents_critical_in_period", "incidents_high_in_period"),
        *("incidents_medium_in_period", "incidents_low_in_period", "incidents_info_in_period"),
        *("incidents_resolved_in_period", "incident_median_hours_to_restore", "incident_families_opened_in_period"),
        *("incident_family_median_hours_to_restore", "incidents_proposed_for_families", "alert_transit_p95_minutes"),
        *("incident_median_minutes_to_acknowledge", "acknowledged_on_call_pct", "acknowledged_on_call_recorded_late"),
        "incidents_with_nobody_on_duty",
        *("incidents_in_planned_maintenance", "incidents_maintenance_declared_late"),
        *("vendors", "vendors_assured", "vendor_reviews_overdue", "vendor_reviews_never"),
        *(*shortfall.IDS, "targets_that_do_not_hold", "evidence_held_pct"),
        *arrivals.IDS,
    ),
    schema_version=3,
)
