"""Unfinished staffing actions whose peak week is over: who is reminded now, how often before, and when next."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared import personal
from reports.shared.wording import count
from reports.staffing import reminders, wording

SHOWN = (
    *("action_id", "what", "kind", "owner", "week", "week_end_on", "days_past", "relief_hours", "blocked_reason"),
    *("standing", "accountable"),
)
LABELS = {
    **wording.LABELS,
    **personal.LABELS,
    "last_reminder_on": "Last reminder",
    "reminder_step": "Reminders",
    "owed_on": "Owed on",
    "next_on": "Next on",
    "step": "Reminder",
}
HIDDEN = ("action_id", "kind", "owner", "week", "week_end_on", "accountable", "owed_on")
SAID = {"breached": "past the SLA", "past_peak": "past the peak week"}
EXTRA = {"step": pl.Int64, "owed_on": pl.Date, "owed": pl.Boolean, "late": pl.Boolean, "next_on": pl.Date}


def build(staffing_actions: pl.DataFrame, ask: Ask) -> Document:
    rows = _rated(wording.open_actions(staffing_actions).filter(pl.col("days_past") > 0), ask)
    owed = rows.filter("owed").sort("days_past", "action_id", descending=[True, False])
    waiting = rows.filter(~pl.col("owed")).sort("next_on", "action_id", nulls_last=True)
    first = pl.format(
        "{} ({} days past its week)",
        pl.col("what").str.head(1).str.to_lowercase() + pl.col("what").str.slice(1),
        "days_past",
    )
    return Document(
        headline=_headline(staffing_actions, owed, waiting),
        summary={
            "past_peak_week": rows.height,
            "owed": owed.height,
            "late": owed.filter("late").height,
            "to_accountable": owed.filter(pl.col("step") == reminders.LAST).height,
            "told_before": waiting.height,
            "recipients": wording.to_each(owed)["recipient"].drop_nulls().n_unique(),
        },
        tables=(
            Table("actions", "Reminders to send now",
                  owed.select(*SHOWN, "reminder_step", "last_reminder_on", "step", "owed_on", "late", "recipients"),
                  labels=LABELS, state=wording.STATE_COLUMNS, hidden=(*HIDDEN, "reminder_step")),
            Table("owners", "To each recipient",
                  personal.sections(wording.to_each(owed), "standing", SAID, first),
                  note="One section of the message for each; an empty name is nobody.", labels=LABELS),
            Table("waiting", "Reminded before, not owed now",
                  waiting.select(*SHOWN, "reminder_step", "last_reminder_on", "next_on"),
                  note="Without a next day all reminders are sent: the SLA digest and the escalation go on.",
                  labels=LABELS, state=wording.STATE_COLUMNS, hidden=HIDDEN),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(staffing_actions, owed),
    )  # fmt: skip


def _rated(actions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    found = [reminders.reminder(row, ask.settings, ask.as_of) for row in actions.iter_rows(named=True)]
    columns = [
        pl.Series(name, [getattr(reminder, name) for reminder in found], dtype=kind) for name, kind in EXTRA.items()
    ]
    whom = pl.concat_list(
        wording.responsible(), pl.when(pl.col("step") == reminders.LAST).then(wording.accountable())
    ).list.drop_nulls()
    return actions.with_columns(*columns, what=wording.action_names()).with_columns(
        recipients=whom.list.unique(maintain_order=True)
    )


def _headline(actions: pl.DataFrame, owed: pl.DataFrame, waiting: pl.DataFrame) -> str:
    if actions.is_empty():
        return "No staffing action is recorded, so nobody is reminded."
    if owed.is_empty() and waiting.is_empty():
        return "No action that was taken up is unfinished after its peak week: nobody is reminded."
    if owed.is_empty():
        coming = waiting["next_on"].drop_nulls()
        later = f"the next reminder is owed on {coming[0]}" if len(coming) else "every reminder has been sent"
        left = count(waiting.height, "action is", "actions are")
        return f"No reminder is owed now; {left} still unfinished and {later}."
    first = owed.row(0, named=True)
    told = wording.to_each(owed)["recipient"].drop_nulls().n_unique()
    last = owed.filter(pl.col("step") == reminders.LAST).height
    more = f", {last} of them to who is accountable as well" if last else ""
    blocked = f" (blocked: {first['blocked_reason']})" if first["blocked_reason"] else ""
    return (
        f"{count(owed.height, 'reminder is', 'reminders are')} owed to {count(told, 'person', 'people')}{more}; "
        f"begin with {wording.action_name(first)}, {count(first['days_past'], 'day')} past its week{blocked}."
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


def _warnings(actions: pl.DataFrame, owed: pl.DataFrame) -> list[str]:
    warnings = []
    alone = owed.filter(pl.col("step") == reminders.LAST, wording.accountable().is_null()).height
    if alone:
        warnings.append(f"{count(alone, 'action has', 'actions have')} nobody accountable and no chair to turn to.")
    lapsed = actions.filter(pl.col("standing") == "lapsed").height
    if lapsed:
        warnings.append(f"{count(lapsed, 'proposal', 'proposals')} never taken up: nobody is reminded of these.")
    return warnings


REPORT = Report(
    name="staffing-action-reminders",
    title="Staffing action reminders",
    description="Unfinished actions past their peak week, with the reminder that is owed now and to whom.",
    build=build,
    parameters=(),
)
