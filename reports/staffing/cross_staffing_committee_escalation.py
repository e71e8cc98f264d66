"""Breaches that owners and admins were mailed and that are still open: the committee is asked to decide."""

from datetime import date

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.wording import count
from reports.staffing import decisions, wording
from reports.staffing.breaches import SAID, SEVERITIES, first_words

COLUMNS = (
    *("action_id", "what", "kind", "week", "breach_days", "severity", "owner", "accountable", "committee", "chair"),
    *("meets_on", "relief_hours", "blocked_reason", "duties", "breach_told_on", "days_since_told", "options"),
    *("escalations", "last_escalation_on", "recipients"),
)
FOREMOST = (
    *("staffing_actions_breached", "staffing_escalations", "staffing_escalation_chairs"),
    *("staffing_escalations_without_chair", "staffing_breaches_never_mailed"),
)
HIDDEN = (
    *("action_id", "kind", "week", "owner", "committee", "relief_hours", "duties", "days_since_told", "escalations"),
    *("last_escalation_on", "recipients"),
)
LABELS = {**wording.LABELS, "told_on": "On", "step": "Reminder no."}


def build(staffing_actions: pl.DataFrame, staffing_notices: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    due = decisions.with_options(figures.counted_rows("staffing_escalations"))
    waiting = figures.counted_rows("staffing_breaches_not_escalated").sort(
        "escalates_on", "breach_days", "action_id", descending=[False, True, False], nulls_last=True
    )
    return Document(
        *_opening(staffing_actions, figures, due, waiting, ask),
        tables=(
            Table(
                "actions",
                "For the committee to decide",
                due.select(COLUMNS),
                labels=LABELS,
                state=wording.STATE_COLUMNS,
                hidden=HIDDEN,
            ),
            Table(
                "owners",
                "To each recipient",
                personal.sections(wording.to_each(due), "severity", SAID, first_words()),
                note="The chair, the owner and who is accountable. A dash is nobody.",
            ),
            Table(
                "notices",
                "What was sent about them before",
                decisions.notices_before(due, staffing_notices),
                labels=LABELS,
                state=("status",),
                hidden=("action_id",),
            ),
            Table(
                "waiting",
                "Past the SLA, not with the committee yet",
                waiting.select(
                    "action_id",
                    "what",
                    "owner",
                    "accountable",
                    "sla_due_on",
                    "breach_days",
                    "severity",
                    "breach_told_on",
                    "escalates_on",
                ),
                note="Without a day no rollup mail has named the breach yet, so the clock has not begun.",
                labels=LABELS,
                state=("severity",),
                hidden=("action_id", "owner"),
            ),
        ),
        definitions={
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Chair": "Of the owner's committee that meets next; where the owner leads it or sits in none, of another.",
            "Severity": "Moderate up to 5 business days over, high up to 10, critical beyond.",
        },
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _opening(actions: pl.DataFrame, figures: Figures, due: pl.DataFrame, waiting: pl.DataFrame, ask: Ask) -> Opening:
    late, escalated = figures["staffing_actions_breached"], figures["staffing_escalations"]
    if not late:
        none = "No staffing action is past its SLA: there is nothing for a committee to decide."
        return Opening(none, setup.STAFFING if actions.is_empty() else "")
    if not escalated:
        days = waiting["escalates_on"].drop_nulls()
        them, they = ("it", "it") if late == 1 else ("them", "they")
        worst = waiting.sort("breach_days", "action_id", descending=[True, False]).row(0, named=True)
        what = f"{wording.action_name(worst)} ({wording.whose(worst)})"
        wait = ask.settings["escalation_delay_days"]
        soonest = spelled_day(_business_days_later(ask.as_of, int(wait)))
        first = (
            f"An administrator sends the completion rollup, which has not named {them} yet: sent today, {they} could "
            f"be before the committee from {soonest}. Worst is {what}."
        )
        if len(days):
            first = f"Complete {them}, {what} first: the first goes to the committee on {spelled_day(days[0])}."
        return Opening(f"{count(late, 'action is', 'actions are')} past the SLA and not with the committee yet.", first)
    worst = due.row(0, named=True)
    on = f"{wording.action_name(worst)}, {count(worst['breach_days'], 'business day')} over"
    step = f"Name a chair who can decide, first on {on}."
    if worst["chair"]:
        meets = f", meets on {spelled_day(worst['meets_on'])}" if worst["meets_on"] else ""
        step = f"To decide is {worst['chair']} ({worst['committee']}{meets}), first on {on}."
    return Opening(
        f"{count(escalated, 'action is', 'actions are')} still past the SLA "
        f"{count(int(ask.settings['escalation_delay_days']), 'business day')} or more after the rollup mail.",
        step,
    )


def _business_days_later(day: date, number: int) -> date:
    """The day so many business days, Monday to Friday, after another."""
    frame = pl.DataFrame({"on": [day]}).select(pl.col("on").dt.add_business_days(number, roll="backward"))
    found: date = frame["on"][0]
    return found


def _warnings(figures: Figures) -> list[str]:
    alone = figures["staffing_escalations_without_chair"]
    return [Alarm(f"{count(alone, 'escalation reaches', 'escalations reach')} no chair.")] if alone else []


REPORT = Report(
    name="cross-staffing-committee-escalation",
    title="Staffing escalation to the committee",
    description="SLA breaches still open after the rollup mail, with the chair, options to decide and earlier notices.",
    build=build,
    figures=select(
        *("staffing_actions_breached", "staffing_actions_breached_week_change", "staffing_escalations"),
        *(f"staffing_escalations_{severity}" for severity in SEVERITIES),
        *("staffing_escalation_chairs", "staffing_escalations_without_chair", "staffing_breaches_not_escalated"),
        "staffing_breaches_never_mailed",
    ),
    parameters=(),
    schema_version=2,
)
