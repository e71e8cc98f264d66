"""Every staffing action with its status, relief, dates and proof, and how many of them are completed."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared.ordering import rank
from reports.shared.wording import count, hours, percent
from reports.staffing import completion, wording

COLUMNS = (
    *("action_id", "week", "week_end_on", "kind", "owner", "assignee", "accountable", "status", "standing"),
    *("relief_hours", "relief_actual_hours", "proposed_on", "tracked_on", "completed_on", "sla_due_on", "breach_days"),
    *("blocked_reason", "evidence", "obligation_id", "duties"),
)
HIDDEN = ("action_id", "week_end_on", "status", "proposed_on", "breach_days", "obligation_id", "duties", "accountable")


def build(staffing_actions: pl.DataFrame, ask: Ask) -> Document:
    rows = staffing_actions.sort(
        rank("standing", wording.STANDINGS), "week_start_on", "owner", "kind", "action_id",
    )  # fmt: skip
    measured = completion.figures(rows)
    return Document(
        headline=_headline(rows, measured),
        summary={
            "actions": rows.height,
            "proposed": rows.filter(pl.col("status") == "proposed").height,
            "lapsed": rows.filter(pl.col("standing") == "lapsed").height,
            **measured,
        },
        tables=(
            Table("actions", "All actions, those past the SLA first", rows.select(COLUMNS), labels=wording.LABELS,
                  state=wording.STATE_COLUMNS, hidden=HIDDEN),
            Table("kinds", "By kind of action", _kinds(rows), labels=wording.LABELS, state=("kind",)),
        ),
        definitions={
            **wording.DEFINITIONS,
            **completion.DEFINITIONS,
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Action": "One for each peak week, kind and relieved owner: the same proposal is recorded once.",
        },
        warnings=_warnings(rows),
    )  # fmt: skip


def _kinds(rows: pl.DataFrame) -> pl.DataFrame:
    return completion.by(rows, ["kind"]).sort(rank("kind", tuple(wording.KIND_NAMES)))


def _headline(rows: pl.DataFrame, measured: dict[str, int]) -> str:
    if rows.is_empty():
        return "No staffing action is recorded: the peak-week staffing digest proposes them when owners lack hours."
    waiting = rows.filter(pl.col("standing") == "proposed")
    ahead = ""
    if waiting.height:
        relief = hours(round(float(waiting["relief_hours"].sum()), 1))
        ahead = f" {count(waiting.height, 'proposal')} ({relief} of relief) {_is(waiting.height)} still to be taken up."
    if not measured["taken_up"]:
        return f"Nothing is taken up yet.{ahead}" if ahead else "No proposal was taken up before its week was over."
    done = f"{measured['completed']} of {count(measured['taken_up'], 'action')} taken up "
    done += f"{_is(measured['completed'])} completed ({percent(float(measured['completion_pct']))})"
    late = rows.filter(pl.col("standing") == "breached")
    if late.height:
        first = late.sort("breach_days", "action_id", descending=[True, False]).row(0, named=True)
        done += (
            f"; {count(late.height, 'is', 'are')} past the SLA, longest "
            f"{wording.action_name(first)}: complete or close {'it' if late.height == 1 else 'them'}"
        )
    return f"{done}.{ahead}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _warnings(rows: pl.DataFrame) -> list[str]:
    warnings = []
    lapsed = rows.filter(pl.col("standing") == "lapsed").height
    if lapsed:
        warnings.append(f"{count(lapsed, 'proposal was', 'proposals were')} never taken up before the week was over.")
    undated = rows.filter(pl.col("standing") == "done_undated").height
    if undated:
        warnings.append(f"{count(undated, 'completed action has', 'completed actions have')} no day of completion.")
    unproven = rows.filter(pl.col("status") == "completed", pl.col("evidence").is_null()).height
    if unproven:
        warnings.append(f"{count(unproven, 'completed action has', 'completed actions have')} no evidence.")
    return warnings


REPORT = Report(
    name="staffing-actions",
    title="Staffing actions",
    description="Proposals to relieve peak weeks, from proposed to completed, with relief, dates and evidence.",
    build=build,
    parameters=(),
)
