"""The queue of open gaps with the runbook that closes each, most worthwhile first."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import ANY_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.risk.gap_queue import burn_up, queue, totals_by
from reports.shared import packs, setup
from reports.shared.wording import count, count_of, hours, whose_plan

TONES: dict[str, Tone] = {"opened": "main"}
DRY_RUN = "/api/automations/dry-run"
LABELS = {"title": "Control", "compensating": "Meanwhile"}
DEFINITIONS = {
    "Priority": "Severity (1 to 5) times requirements unlocked times the control's weight, divided by effort hours. "
    "Equal priorities stand in the order of their identifiers.",
    "Requirements": "Requirements of all frameworks in scope that closing the gap answers, the control included.",
    "Dry-run exists": "The runbook's playbook has been rehearsed, which computes its plan and changes nothing.",
    "Meanwhile": "The compensating control until the gap is closed.",
    "Burn-up": "Tracked remediations: a gap that nobody plans to close yet is in the queue but not here.",
}


def build(
    gaps: pl.DataFrame, remediations: pl.DataFrame, readiness: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    waiting, weeks = queue(gaps, ask), burn_up(remediations, ask)
    return Document(
        *_opening(waiting, figures, packs.coverage(readiness).total, ask),
        tables=(
            Table(
                "gaps",
                "Open gaps, most worthwhile first",
                waiting,
                note="Machine formats also name the playbook and the body to post to the dry-run.",
                labels=LABELS,
                state=("state", "severity"),
                words=("status",),
                hidden=(
                    *("framework", "control_id", "detected_on", "requirements", "runbook", "playbook", "overdue"),
                    "dry_run_body",
                ),
            ),
            Table(
                "runbooks",
                "What each runbook would close",
                totals_by(waiting, "runbook_title", "runbook"),
                note="An empty runbook means that none fits: those gaps need one written.",
                hidden=("runbook",),
            ),
            Table("owners", "Who has how much to do", totals_by(waiting, "owner"), note="An empty owner is nobody."),
            Table("burn_up", "Remediations opened and closed by week", weeks),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=packs.thin(readiness, ask),
        footnotes=(f"To rehearse a fix, post its body, which the JSON has, to {DRY_RUN}: nothing changes.",),
    )


def _opening(waiting: pl.DataFrame, figures: Figures, applicable: int, ask: Ask) -> Opening:
    if waiting.is_empty():
        if not applicable:
            return Opening("No control is in scope, so there are no gaps to close.", setup.IN_SCOPE)
        return Opening("No gap is open: every applicable control is effective.")
    are = "is" if waiting.height == 1 else "are"
    parts = [f"{count(figures['gaps_open'], 'gap')} {are} open, {figures['gaps_critical'] or 'none'} critical"]
    if figures["quick_wins"]:
        take = "takes" if figures["quick_wins"] == 1 else "take"
        parts.append(f"{count(figures['quick_wins'], 'quick win')} {take} {hours(figures['quick_wins_hours'])}")
    first = waiting.row(0, named=True)
    unlocks = count_of(first["leverage"] or 1, "requirement")
    where = f"{packs.control(first['gap_id'], ask)} {first['title']}"
    whom = whose_plan(first["owner"], first["due_on"])
    return Opening(f"{'; '.join(parts)}.", f"Start with {where} ({hours(first['effort_hours'])}, {unlocks}; {whom}).")


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if weeks["opened_total"].max() == 0:
        return []
    lines = weeks.select("week", opened="opened_total", closed="closed_total").unpivot(
        index="week", variable_name="remediations", value_name="total"
    )
    alt = "Remediations opened and closed in all by the end of each week; the distance between the lines is still open."
    return [Chart("lines", "Burn-up", lines, "week", "total", alt, series="remediations", tones=TONES)]


REPORT = Report(
    name="gap-remediations",
    title="Gap remediations",
    description="Open gaps with the runbook, owner, effort and date of their remediation, by priority.",
    build=build,
    figures=select(
        *("gaps_open", "gaps_critical", "gaps_high", "gaps_medium", "gaps_low", "gaps_effort_hours"),
        *("quick_wins", "quick_wins_hours", "remediations_overdue", "gaps_without_owner", "gaps_without_runbook"),
        *("gaps_blocked", "remediations_opened_in_period", "remediations_closed_in_period"),
    ),
    schema_version=2,
    plans=ANY_FRAMEWORK,
)
