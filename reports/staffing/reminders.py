"""Which reminder of an unfinished action is owed: once a step, late rather than never, never two at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.thresholds import Thresholds
from reports.staffing import wording

SETTINGS = ("reminder_first_days", "reminder_second_days", "reminder_third_days")
FIELDS = {"step": pl.Int64, "owed_on": pl.Date, "owed": pl.Boolean, "late": pl.Boolean, "next_on": pl.Date}
LAST = len(SETTINGS)  # from this step on, who is accountable is told too


@dataclass(frozen=True)
class Reminder:
    """The newest step of an action whose day has come, and the next one after it (None: there is no further one)."""

    step: int
    owed_on: date | None
    owed: bool
    late: bool
    next_on: date | None


def steps(settings: Thresholds) -> list[int]:
    """Days after the end of the peak week on which each reminder is owed; a later step is never owed earlier."""
    days = [int(settings[name]) for name in SETTINGS]
    return [max(days[: number + 1]) for number in range(LAST)]


def reminder(action: Mapping[str, Any], settings: Thresholds, as_of: date) -> Reminder:
    """What is owed on the day, whatever was owed while nobody ran: steps that were missed are not sent afterwards."""
    dates = [action["week_end_on"] + timedelta(days=days) for days in steps(settings)]
    step = sum(on <= as_of for on in dates)
    owed = step > action["reminder_step"]
    coming = dates[max(step, action["reminder_step"]) :]
    on = dates[step - 1] if step else None
    return Reminder(step, on, owed, owed and on is not None and on < as_of, coming[0] if coming else None)


def after_peak(staffing_actions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Unfinished actions whose peak week is over, with the reminder of each and whom it goes to."""
    actions = wording.open_actions(staffing_actions).filter(pl.col("days_past") > 0)
    reminders = [reminder(row, ask.settings, ask.as_of) for row in actions.iter_rows(named=True)]
    columns = [pl.Series(name, [getattr(one, name) for one in reminders], dtype=kind) for name, kind in FIELDS.items()]
    whom = pl.concat_list(
        wording.responsible(), pl.when(pl.col("step") == LAST).then(wording.accountable())
    ).list.drop_nulls()
    return actions.with_columns(*columns, what=wording.action_names()).with_columns(
        recipients=whom.list.unique(maintain_order=True)
    )


def to_send(actions: pl.DataFrame) -> pl.DataFrame:
    """Those of which a reminder is owed, the longest past their week first."""
    return actions.filter("owed").sort("days_past", "action_id", descending=[True, False])


def recipients(staffing_actions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Reminders that are owed, a row for each person who gets one."""
    return wording.to_each(to_send(after_peak(staffing_actions, ask)))
