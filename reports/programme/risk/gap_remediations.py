"""The queue of open gaps with the runbook that closes each, most worthwhile first."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import ANY_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.risk.gap_queue import burn_up, by_action, queue, totals_by
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import count, count_of, hours, inside, whose_plan

TONES: dict[str, Tone] = {"opened": "main"}
DRY_RUN = "/api/automations/dry-run"
LABELS = {"title": "Control", "due_on": "Remediation due", "compensating": "Meanwhile"}
SHOWN = (
    *("gap_id", "title", "severity", "effort_hours", "leverage", "priority"),
    *("due_on", "poam_due_on", "blocked_by", "owner", "action"),
)
UNSHOWN = (
    *("framework", "control_id", "detected_on", "requirements", "runbook", "runbook_title", "playbook", "overdue"),
    *("dry_run_body", "kinds_to_renew"),
    *("state", "age_days", "dry_run", "quick_win", "status", "compensating", "compensating_approved"),
)
DEFINITIONS = {
    "Priority": "Severity (1 to 5) times requirements unlocked times the control's weight, divided by effort hours. "
    "Equal priorities stand in the order of their identifiers. For a framework with a target day its plan says what is "
    "done when, and in which order.",
    "Requirements": "Requirements of all frameworks in scope that closing the gap answers, the control included.",
    "Hours": "The remediation's own estimate; else of evidence that lapsed, where its renewal closes the gap, "
    "operation 2, test 3, policy 4, a signature 0.5; else what such work took before, else the runbook's, else 8. "
    "Plans count so, too, but for signatures and milestones that are duties on record, whose hours they have there.",
    "Dry-run exists": "The runbook's playbook has been rehearsed, which computes its plan and changes nothing.",
    "Meanwhile": "The compensating control until the gap is closed.",
    "Remediations": "Tracked work: a gap that nobody plans to close yet is in the queue but not here.",
}


def build(
    gaps: pl.DataFrame, remediations: pl.DataFrame, readiness: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    waiting, weeks = queue(gaps, ask), burn_up(remediations, ask)
    return Document(
        *_opening(waiting, figures, packs.coverage(readiness).total, ask),
        tables=(
            Table(
                "owners",
                "Who has how much to do",
                with_first(totals_by(waiting, "owner"), "owner", "gaps", "severe", "overdue", "effort_hours"),
                hidden=("requirements_unlocked",),
            ),
            Table(
                "gaps",
                "Open gaps, most worthwhile first",
                with_first(waiting, *SHOWN),
                note="By priority: severity, requirements that it answers and weight of the control, for each hour.",
                labels=LABELS,
                state=("state", "severity"),
                words=("status",),
                hidden=UNSHOWN,
            ),
            Table(
                "runbooks",
                "What each runbook and renewal would close",
                by_action(waiting),
                note="Renewing evidence needs no runbook; the gaps without one need one written.",
                hidden=("runbook",),
            ),
            Table(
                "burn_up", "Remediations opened and closed by week", weeks, note="The week of the first day is whole."
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(weeks, waiting, remediations),
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
    if first["action"]:
        where += f": {inside(first['action'])}"
    whom = whose_plan(first)
    what = f"{where} ({hours(first['effort_hours'])}, {unlocks}; {whom}), which gains most for its hours"
    return Opening(f"{'; '.join(parts)}.", f"Start with {what}{packs.meanwhile(waiting, ask)}.")


def _charts(weeks: pl.DataFrame, waiting: pl.DataFrame, remediations: pl.DataFrame) -> list[Chart]:
    """The flow of remediations; where some are of no open gap, or gaps have none, it is not the number of gaps."""
    if weeks.is_empty():
        return []
    lines = weeks.select("week", opened="opened_total", closed="closed_total").unpivot(
        index="week", variable_name="remediations", value_name="total"
    )
    alt = "Remediations opened and closed in all by the end of each week; the distance between the lines is still open."
    unplanned = waiting.filter(pl.col("status") == "unplanned").height
    still_open = remediations.filter(pl.col("status") != "closed")
    settled = still_open.join(waiting, on=["framework", "control_id"], how="anti").height
    if settled:
        noun = "open remediation is of a control", "open remediations are of controls"
        alt += f" {count(settled, *noun)} without an open gap."
    if unplanned:
        are = "is" if unplanned == 1 else "are"
        alt += f" {count(unplanned, 'open gap has', 'open gaps have')} no remediation yet and {are} not in it."
    return [
        Chart(
            "lines", "Remediations opened and closed", lines, "week", "total", alt, series="remediations", tones=TONES
        )
    ]


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
