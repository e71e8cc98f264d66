"""When committees meet, and until when what begins on a day is to be decided: every page on a decision asks here."""

from datetime import date
from typing import NamedTuple

import polars as pl

from engine.model.days import spelled_day


class NextMeeting(NamedTuple):
    """The day on which a committee meets, which, and who leads it: each has days of its own."""

    on: date
    committee: str
    chair: str | None

    def __str__(self) -> str:
        return f"the meeting of {self.committee} on {spelled_day(self.on)}"


def next_meeting(duties: pl.DataFrame) -> NextMeeting | None:
    """The meeting that is held next of any committee, which decides; None where none is to meet.

    A committee that nobody leads decides only where no other is to meet.
    """
    coming = _coming(duties)
    return NextMeeting(*coming.row(0)) if coming.height else None


def meeting_before(duties: pl.DataFrame, begins_on: date) -> NextMeeting | None:
    """The last meeting before a day of the committee that meets next; None where it does not meet before."""
    coming = _coming(duties)
    before = coming.filter(pl.col("committee") == pl.col("committee").first(), pl.col("due_on") < begins_on)
    return NextMeeting(*before.row(-1)) if before.height else None


def decide_by(duties: pl.DataFrame, begins_on: date, as_of: date) -> date:
    """Until when what begins on a day is to be decided: in the last meeting before it of the committee that decides.

    Where it does not meet before, whoever leads it decides by that day; by today, where that is past.
    """
    meeting = meeting_before(duties, begins_on)
    return meeting.on if meeting else max(begins_on, as_of)


def _coming(duties: pl.DataFrame) -> pl.DataFrame:
    planned = duties.filter(pl.col("kind") == "committee", pl.col("state") == "open", pl.col("due_on").is_not_null())
    led = planned.filter(pl.col("owner").is_not_null())
    return (
        (led if led.height else planned)
        .sort("due_on", "obligation_id")
        .select("due_on", pl.col("title").str.strip_suffix(" meets").alias("committee"), "owner")
    )
