"""Unfinished staffing actions whose peak week is over: who is reminded now, how often before, and when next."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.wording import count, sentence
from reports.staffing import reminders, wording

SHOWN = (
    *("action_id", "what", "kind", "owner", "week", "week_end_on", "days_past", "relief_hours", "blocked_reason"),
    *("standing", "accountable"),
)
LABELS = {**wording.LABELS, "last_reminder_on": "Last one sent"}
FOREMOST = (
    *("staffing_reminders_owed", "staffing_reminder_recipients", "staffing_reminders_unanswered"),
    *("staffing_reminders_not_owed", "staffing_actions_lapsed"),
)
HIDDEN = ("action_id", "kind", "owner", "week", "week_end_on", "accountable", "owed_on", "step")
SAID = {"breached": "past the SLA", "past_peak": "past the peak week"}


def build(staffing_actions: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    owed = reminders.to_send(figures.rows(reminders.after_peak))
    waiting = figures.counted_rows("staffing_reminders_not_owed").sort("next_on", "action_id", nulls_last=True)
    first = pl.format("{} ({} days past its week)", wording.action_words(), "days_past")
    return Document(
        *_opening(staffing_actions, owed, waiting, figures),
        tables=(
            Table(
                "actions",
                "Reminders to send now",
                owed.select(
                    *SHOWN, *("reminder_step", "last_reminder_on", "step", "owed_on", _stage(ask), "late", "recipients")
                ),
                labels=LABELS,
                state=wording.STATE_COLUMNS,
                hidden=(*HIDDEN, "reminder_step", "late", "standing"),
            ),
            Table(
                "owners",
                "To each recipient",
                personal.sections(figures.rows(reminders.recipients), "standing", SAID, first),
                note="One section of the message for each; a dash is nobody.",
            ),
            Table(
                "waiting",
                "Reminded before, not owed now",
                waiting.select(*SHOWN, "reminder_step", "last_reminder_on", "next_on"),
                note="Without a next day all reminders are sent: the SLA digest and the escalation go on.",
                labels=LABELS,
                state=wording.STATE_COLUMNS,
                hidden=HIDDEN,
            ),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _stage(ask: Ask) -> pl.Expr:
    """Which day after the week a reminder is of, and that none of an earlier day went out where that is so."""
    days = dict(enumerate(map(str, reminders.steps(ask.settings)), 1))
    day = pl.col("step").replace_strict(days, default=None, return_dtype=pl.String)
    none = pl.when(pl.col("reminder_step") == 0).then(pl.lit(", none sent before")).otherwise(pl.lit(""))
    return pl.format("day {} after its week{}", day, none).alias("stage")


def _opening(actions: pl.DataFrame, owed: pl.DataFrame, waiting: pl.DataFrame, figures: Figures) -> Opening:
    if actions.is_empty():
        return Opening("No staffing action is recorded, so nobody is reminded.", setup.STAFFING)
    if not figures["staffing_actions_after_peak"]:
        return Opening("No action that was taken up is unfinished after its peak week: nobody is reminded.")
    if owed.is_empty():
        coming = waiting["next_on"].drop_nulls()
        later = "every reminder has been sent"
        if len(coming):
            later = f"the next reminder is owed on {spelled_day(coming[0])}"
        left = count(figures["staffing_reminders_not_owed"], "action is", "actions are")
        return Opening(f"No reminder is owed now; {left} still unfinished and {later}.")
    first, people = owed.row(0, named=True), figures["staffing_reminder_recipients"]
    text = count(people, "person is", "people are")
    blocked = f"; it is blocked: {first['blocked_reason']}" if first["blocked_reason"] else ""
    number = figures["staffing_reminders_owed"]
    return Opening(
        f"{sentence(text)} to be reminded today of {count(number, 'staffing action')} unfinished after "
        f"{'its' if number == 1 else 'their'} peak week.",
        f"An administrator sends {'it' if number == 1 else 'them'}, first about {wording.action_name(first)} "
        f"({count(first['days_past'], 'day')} past its peak week{blocked}).",
    )


def _definitions(ask: Ask) -> dict[str, str]:
    days = reminders.steps(ask.settings)
    return {
        "Owed": f"Reminders 1, 2 and 3 are owed {days[0]}, {days[1]} and {days[2]} days after the Sunday that ends the "
        "peak week, each once. Where a day was missed, only the newest is sent, marked late.",
        "To": "The owner of the action (who is relieved); the third reminder also goes to who is accountable, else to "
        "the committee's chair. They stand in for an owner who has left.",
        "Accountable": "For the action's duty; where it names none, for most duties of the owner.",
        "Breached": f"More than {wording.sla_definition(ask.settings['staffing_sla_days'])}",
    }


def _warnings(figures: Figures) -> list[str]:
    warnings: list[str] = []
    alone = figures["staffing_reminders_unanswered"]
    if alone:
        warnings.append(
            Alarm(f"{count(alone, 'action has', 'actions have')} nobody accountable and no chair to turn to.")
        )
    lapsed = figures["staffing_actions_lapsed"]
    if lapsed:
        warnings.append(f"{count(lapsed, 'proposal', 'proposals')} never taken up: nobody is reminded of these.")
    return warnings


REPORT = Report(
    name="staffing-action-reminders",
    title="Staffing action reminders",
    description="Unfinished actions past their peak week, with the reminder that is owed now and to whom.",
    build=build,
    figures=select(
        *("staffing_actions_after_peak", "staffing_reminders_owed", "staffing_reminders_late"),
        *("staffing_reminders_to_accountable", "staffing_reminders_unanswered", "staffing_reminders_not_owed"),
        *("staffing_reminder_recipients", "staffing_actions_lapsed"),
    ),
    parameters=(),
    schema_version=2,
)
