"""Why a row of a report is not what it was: the writes and events that touch it, or the days that went by.

Nothing is guessed. A cause is a logged write of a record that the row is about, an audit event that the row's facts
name as evidence, or a date of the row that lies between the two days. Where there is none of these, that is said.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Literal

from engine.facts.controls.movements import title_of
from engine.model.columns import COLUMNS
from engine.model.days import local_day, spelled_day
from engine.model.documents.document import FrameRow
from engine.render.words import label, value
from engine.reporting.difference.subjects import Subject, is_of_one_record, subjects_of_row, subjects_of_write
from engine.store.queries.history.writes import RowWrite, WriteEvent

# a day after which something is late, lapsed or due; other days of a row tell when something was done
DEADLINES = (
    *("due_on", "next_due_on", "expires_on", "exception_expires_on", "review_due_on", "next_review_on", "sla_due_on"),
    *("assured_until", "held_until", "soc2_valid_until", "iso_expires_on", "window_open_on", "window_close_on"),
)
# what the console notes of itself: told only where nothing else is known
OBSERVED = (
    "control_state_changes",
    "obligation_snapshots",
    "posture_snapshots",
    "readiness_snapshots",
    "record_starts",
)
_SHOWN = 3


@dataclass(frozen=True)
class Cause:
    """One thing that did it. A write and a piece of evidence have the event, with its actor and time."""

    kind: Literal["write", "evidence", "time"]
    words: str
    on: date | None = None
    revision: int | None = None
    event_id: str | None = None
    actor: str | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Grounds:
    """All that may explain a difference between two days of one organization.

    ``events`` are those of each write by its revision; ``evidence`` those that the facts of a control name and that
    were recorded in between; ``passed`` what came to its end in between; ``sources`` the record behind each duty.
    """

    days: tuple[date, date]
    time_zone: str = "UTC"
    writes: Sequence[RowWrite] = ()
    events: Mapping[int, Sequence[WriteEvent]] = field(default_factory=dict)
    evidence: Mapping[Subject, Sequence[WriteEvent]] = field(default_factory=dict)
    passed: Mapping[Subject, Sequence[Cause]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


class Causes:
    """Finds the causes of rows among some grounds."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
        self._writes: dict[Subject, list[Cause]] = defaultdict(list)
        self._observed: dict[Subject, list[Cause]] = defaultdict(list)
        for write in grounds.writes:
            cause = self._of_write(write, grounds.events.get(write.revision, ()))
            index = self._observed if write.table in OBSERVED else self._writes
            for subject in dict.fromkeys(subjects_of_write(write)):
                index[subject].append(cause)

    def of(self, row: FrameRow, columns: Iterable[str] = ()) -> list[Cause]:
        """The causes of a row that came, went or changed in ``columns``; writes first, each once."""
        subjects = subjects_of_row(row, self._grounds.sources)
        causes = [cause for subject in subjects for cause in self._writes.get(subject, ())]
        for subject in subjects:
            causes += [
                self._of_event("evidence", title_of(event.action), event)
                for event in self._grounds.evidence.get(subject, ())
            ]
        for subject in subjects:
            causes += self._grounds.passed.get(subject, ())
        causes += self._deadlines(row, set(columns))
        if not causes:
            causes = [cause for subject in subjects for cause in self._observed.get(subject, ())]
        return list(dict.fromkeys(causes))

    def _of_write(self, write: RowWrite, events: Sequence[WriteEvent]) -> Cause:
        """The write with the event that names the record.

        Of several that do not, the last commits to the write. Who did it is said only where all are of one actor, and
        what was done only where there is one.
        """
        record = str(write.key[0]) if len(write.key) == 1 else None
        words = f"{_noun(write.table)} {', '.join(map(str, write.key))} {_what(write)}"
        if not events:  # retention removed them
            return Cause("write", words, revision=write.revision)
        named = next((one for one in events if record is not None and one.object_id == record), None)
        event = named or events[-1]
        done = f"{title_of(event.action)}: {words}" if named or len(events) == 1 else words
        cause = self._of_event("write", done, event)
        return cause if named or len({one.actor for one in events}) == 1 else replace(cause, actor=None)

    def _of_event(self, kind: Literal["write", "evidence"], words: str, event: WriteEvent) -> Cause:
        on = local_day(event.recorded_at, self._grounds.time_zone)
        return Cause(kind, words, on, event.revision, event.event_id, event.actor, event.recorded_at)

    def _deadlines(self, row: FrameRow, changed: set[str]) -> list[Cause]:
        """Days of the row that lie between: a deadline that was itself moved by a write is none."""
        since, until = self._grounds.days
        return [
            Cause(
                "time",
                f"{COLUMNS[name].label if name in COLUMNS else label(name)}: {spelled_day(row[name])}",
                row[name],
            )
            for name in DEADLINES
            if name not in changed and type(row.get(name)) is date and since <= row[name] <= until
        ]


def sentence_of(causes: Sequence[Cause], row: FrameRow, computed_from: Sequence[str]) -> str:
    """The causes of a row in one sentence; where there are none, what it was computed from anew."""
    if not causes:
        anew = f"computed anew from {', '.join(computed_from)}"
        if is_of_one_record(row):
            return f"No write between the two touches it; {anew}."
        return "It follows from several records."
    cause_texts = [_cause_text(cause) for cause in causes[:_SHOWN]]
    more = f"; and {len(causes) - _SHOWN:,} more" if len(causes) > _SHOWN else ""
    return f"{'; '.join(cause_texts)}{more}."


def _cause_text(cause: Cause) -> str:
    if cause.kind == "time":
        return f"time passed: {cause.words}"
    who = "" if cause.actor is None else f"{cause.actor}, "
    when = "" if cause.on is None else f"{spelled_day(cause.on)}, "
    return f"{cause.words} ({who}{when}revision {cause.revision})"


def _what(write: RowWrite) -> str:
    """What a write did to a record: removed it, wrote it, or changed these columns."""
    if write.after is None:
        return "was removed"
    if write.before is None:
        return "was written"
    names = sorted(name for name in {**write.before, **write.after} if write.before.get(name) != write.after.get(name))
    told = [f"{_heading(name)} {_cell(name, write.before)} → {_cell(name, write.after)}" for name in names[:_SHOWN]]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"({', '.join(told)}{more})" if told else "was written again"


def _cell(name: str, row: Mapping[str, object]) -> str:
    text = value(name, row.get(name))
    return text if len(text) <= 40 else f"{text[:39]}…"


def _heading(name: str) -> str:
    found = COLUMNS[name].label if name in COLUMNS else label(name)
    return found[:1].lower() + found[1:] if found[1:2].islower() else found


def _noun(table: str) -> str:
    """What one row of a table is called."""
    plural = table.replace("_", " ")
    return f"{plural.removesuffix('ies')}y" if plural.endswith("ies") else plural.removesuffix("s")
