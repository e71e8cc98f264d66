"""Breaches that owners and admins were mailed and that are still open: the committee is asked to decide."""

from typing import Any

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared import personal
from reports.shared.ordering import rank
from reports.shared.wording import count
from reports.staffing import wording
from reports.staffing.breaches import (
    SAID,
    SEVERITIES,
    breaches,
    first_words,
    with_clock,
)

NOTICE_NAMES = {
    "staffing-action-reminders": "Reminder",
    "staffing-completion-rollup": "Rollup",
    "staffing-sla-breach-digest": "SLA digest",
    "cross-staffing-committee-escalation": "Escalation",
}
COLUMNS = (
    *("action_id", "what", "kind", "week", "breach_days", "severity", "owner", "accountable", "committee", "chair"),
    *("meets_on", "relief_hours", "blocked_reason", "duties", "breach_told_on", "days_since_told", "options"),
    *("escalations", "last_escalation_on", "recipients"),
)
HIDDEN = (
    *("action_id", "kind", "week", "owner", "committee", "relief_hours", "duties", "days_since_told", "escalations"),
    *("last_escalation_on", "recipients"),
)
LABELS = {
    **wording.LABELS,
    **personal.LABELS,
    "breach_told_on": "Mailed on",
    "options": "Options",
    "escalates_on": "Escalates on",
    "told_on": "On",
    "notice": "Notice",
    "step": "Reminder no.",
}


def build(staffing_actions: pl.DataFrame, staffing_notices: pl.DataFrame, ask: Ask) -> Document:
    late = with_clock(breaches(staffing_actions), ask)
    due = late.filter("escalate")
    options = pl.Series([_options(row) for row in due.iter_rows(named=True)], dtype=pl.List(pl.String))
    whom = pl.concat_list(pl.col("chair"), wording.responsible(), pl.col("accountable")).list.drop_nulls()
    due = due.with_columns(options=options, recipients=whom.list.unique(maintain_order=True))
    waiting = late.filter(~pl.col("escalate")).sort("escalates_on", "action_id", nulls_last=True)
    return Document(
        headline=_headline(late, due, waiting, ask),
        summary={
            "breaches": late.height,
            "escalated": due.height,
            **{word: due.filter(pl.col("severity") == word).height for word in SEVERITIES},
            "chairs": due["chair"].drop_nulls().n_unique(),
            "not_yet": waiting.height,
            "never_mailed": waiting["breach_told_on"].null_count(),
        },
        tables=(
            Table("actions", "For the committee to decide", due.select(COLUMNS), labels=LABELS,
                  state=wording.STATE_COLUMNS, hidden=HIDDEN),
            Table("owners", "To each recipient",
                  personal.sections(wording.to_each(due), "severity", SAID, first_words()),
                  note="The chair, the owner and who is accountable. An empty name is nobody.", labels=LABELS),
            Table("notices", "What was sent about them before", _trail(due, staffing_notices), labels=LABELS,
                  state=("status",), hidden=("action_id",)),
            Table("waiting", "Past the SLA, not with the committee yet",
                  waiting.select("action_id", "what", "owner", "accountable", "breach_days", "severity",
                                 "breach_told_on", "escalates_on"),
                  note="Without a day no rollup mail has named the breach yet, so the clock has not begun.",
                  labels=LABELS, state=("severity",), hidden=("action_id", "owner")),
        ),
        definitions={
            "Escalated": f"Still open {ask.settings['escalation_delay_days']:g} business days after the first rollup "
            "mail that named the action as past its SLA.",
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Chair": "Of the owner's committee that meets next; where the owner leads it or sits in none, of another.",
            "Severity": "Moderate up to 5 business days over, high up to 10, critical beyond.",
        },
        warnings=_warnings(due),
    )  # fmt: skip


def _options(action: dict[str, Any]) -> list[str]:
    """What a committee can decide, the least costly first."""
    options = []
    if action["blocked_reason"]:
        options.append(f"Remove what blocks it: {action['blocked_reason']}")
    if action["owner_left"]:
        options.append("Name another owner, because this one has left")
    elif action["assignee"]:
        options.append(f"Make {action['assignee']} free to help by a new date")
    elif action["accountable"]:
        options.append(f"Have {action['accountable']} name somebody who helps")
    else:
        options.append("Name somebody who helps")
    if action["kind"] != "borrow":
        options.append(f"Borrow {action['relief_hours']:g} hours from outside")
    if not action["hard"]:
        options.append("Defer or descope the work")
    options.append("Close the action and accept the load")
    return options


def _trail(due: pl.DataFrame, notices: pl.DataFrame) -> pl.DataFrame:
    """Every notice about the escalated actions, failed ones too, in the order of the actions and of time."""
    place = due.select("action_id", "what").with_row_index("place")
    return (
        notices.join(place, on="action_id")
        .sort("place", "told_on", rank("kind", tuple(NOTICE_NAMES)), "channel", "recipient", "delivery_id", "step")
        .select(
            "action_id", "what", "told_on", pl.col("kind").replace(NOTICE_NAMES).alias("notice"), "step", "channel",
            "recipient", "status",
        )
    )  # fmt: skip


def _headline(late: pl.DataFrame, due: pl.DataFrame, waiting: pl.DataFrame, ask: Ask) -> str:
    if late.is_empty():
        return "No staffing action is past its SLA: there is nothing for a committee to decide."
    if due.is_empty():
        days = waiting["escalates_on"].drop_nulls()
        them = "it" if late.height == 1 else "them"
        first = f"no rollup mail has named {them} yet, so send the rollup"
        if len(days):
            first = f"the first goes to the committee on {days[0]}"
        return f"{count(late.height, 'action is', 'actions are')} past the SLA and not for the committee yet: {first}."
    worst = due.row(0, named=True)
    asked = "no committee has a chair who could decide"
    if worst["chair"]:
        meets = f", meets on {worst['meets_on']}" if worst["meets_on"] else ""
        asked = f"{worst['chair']} ({worst['committee']}{meets}) is asked to decide"
    return (
        f"{count(due.height, 'action is', 'actions are')} still past the SLA "
        f"{count(int(ask.settings['escalation_delay_days']), 'business day')} or more after the rollup mail; {asked}, "
        f"first on {wording.action_name(worst)}, {count(worst['breach_days'], 'business day')} over."
    )


def _warnings(due: pl.DataFrame) -> list[str]:
    alone = due["chair"].null_count()
    return [f"{count(alone, 'escalation reaches', 'escalations reach')} no chair."] if alone else []


REPORT = Report(
    name="cross-staffing-committee-escalation",
    title="Staffing escalation to the committee",
    description="SLA breaches still open after the rollup mail, with the chair, options to decide and earlier notices.",
    build=build,
    parameters=(),
)
