"""Which reminder of an unfinished action is owed: once a step, late rather than never, never two at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from engine.model.thresholds import Thresholds

SETTINGS = ("reminder_first_days", "reminder_second_days", "reminder_third_days")
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
