"""Every staffing action with its status, relief, dates and proof, and how many of them are completed."""

import polars as pl

from engine.model.ask import Ask
from engine.model.document import Document, Table
from engine.model.figure import Figures
from engine.model.report import Report
from reports.figures import select
from reports.shared.ordering import rank
from reports.shared.wording import count, hours, percent
from reports.staffing import completion, wording

COLUMNS = (
    *("action_id", "week", "week_end_on", "kind", "owner", "assignee", "accountable", "status", "standing"),
    *("relief_hours", "relief_actual_hours", "proposed_on", "tracked_on", "completed_on", "sla_due_on", "breach_days"),
    *("blocked_reason", "evidence", "obligation_id", "duties"),
)
HIDDEN = ("action_id", "week_end_on", "status", "proposed_on", "breach_days", "obligation_id", "duties", "accountable")


def build(staffing_actions: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rows = staffing_actions.sort(
        rank("standing", wording.STANDINGS), "week_start_on", "owner", "kind", "action_id",
    )  # fmt: skip
    return Document(
        headline=_headline(figures),
        tables=(
            Table("actions", "All actions, those past the SLA first", rows.select(COLUMNS), labels=wording.LABELS,
                  state=wording.STATE_COLUMNS, hidden=HIDDEN),
            Table("kinds", "By kind of action", _kinds(rows, ask), state=("kind",)),
        ),
        definitions={
            **wording.DEFINITIONS,
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Action": "One for each peak week, kind and relieved owner: the same proposal is recorded once.",
        },
        warnings=_warnings(figures),
    )  # fmt: skip


def _kinds(rows: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return completion.by(rows, ["kind"], ask).sort(rank("kind", tuple(wording.KIND_NAMES)))


def _headline(figures: Figures) -> str:
    if not figures["staffing_actions_recorded"]:
        return "No staffing action is recorded: the peak-week staffing digest proposes them when owners lack hours."
    waiting, done = figures["staffing_actions_awaiting"], figures["staffing_actions_completed"]
    ahead = ""
    if waiting:
        relief = hours(round(figures["staffing_awaiting_hours"], 1))
        ahead = f" {count(waiting, 'proposal')} ({relief} of relief) {_is(waiting)} still to be taken up."
    if not figures["staffing_actions_taken_up"]:
        return f"Nothing is taken up yet.{ahead}" if ahead else "No proposal was taken up before its week was over."
    text = f"{done} of {count(figures['staffing_actions_taken_up'], 'action')} taken up "
    text += f"{_is(done)} completed ({percent(figures['staffing_completion_pct'])})"
    late = figures["staffing_actions_breached"]
    if late:
        breached = figures.counted("staffing_actions_breached")
        first = breached.sort("breach_days", "action_id", descending=[True, False]).row(0, named=True)
        text += (
            f"; {count(late, 'is', 'are')} past the SLA, longest "
            f"{wording.action_name(first)}: complete or close {'it' if late == 1 else 'them'}"
        )
    return f"{text}.{ahead}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _warnings(figures: Figures) -> list[str]:
    said = {
        "staffing_actions_lapsed": ("proposal was", "proposals were", "never taken up before the week was over"),
        "staffing_actions_undated": ("completed action has", "completed actions have", "no day of completion"),
        "staffing_actions_unproven": ("completed action has", "completed actions have", "no evidence"),
    }
    return [f"{count(figures[name], one, many)} {what}." for name, (one, many, what) in said.items() if figures[name]]


REPORT = Report(
    name="staffing-actions",
    title="Staffing actions",
    description="Proposals to relieve peak weeks, from proposed to completed, with relief, dates and evidence.",
    build=build,
    figures=select(
        *("staffing_actions_recorded", "staffing_actions_proposed", "staffing_actions_awaiting"),
        *("staffing_awaiting_hours", "staffing_actions_lapsed", *completion.MEASURED),
        *("staffing_actions_undated", "staffing_actions_unproven"),
    ),
    parameters=(),
    schema_version=2,
)
