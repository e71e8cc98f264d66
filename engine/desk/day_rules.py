"""What days may say at the desk: what was done is not to come, and what is due stays due until it is done.

An import takes in what is dated ahead, which counts as if it were not there; somebody who types can be asked at once.
"""

from collections.abc import Collection, Mapping
from datetime import date, datetime

from engine.desk.acts import cell_text
from engine.desk.submissions import FORM
from engine.intake.imports.tables import Importable
from engine.intake.imports.values import cells
from engine.intake.imports.values.cells import Notation
from engine.model.rights import DUTIES, NO_DUTY

Problem = dict[str, object]

DAYS_AHEAD = frozenset({"due_on", "expires_on", "next_review_on", "review_due_on"})
"""What acts promise: such a day is not set to one that is over."""
DAYS_AFTER_OPENING = frozenset(
    {"closed_on", "submitted_on", "performed_on", "last_review_on", "tracked_on", "completed_on", "captured_at"}
)
"""What people say that they did about a record: such a day is not before the record began."""
BEGINNINGS = ("opened_on", "proposed_on", "started_on", "detected_on", "window_open_on")
"""What says when a record began: the first of these columns that it has. A test before its window performs none."""
_PAST = """
    accepted_at accepted_on acknowledged_at acknowledged_heard_at approved_on assessed_on attested_at blocked_at
    bucket_at changed_on closed_at compensating_approved_on compensating_evidence_on decided_at decided_on
    deletion_requested_at deployed_at detected_on executed_at first_seen_at fixed_at happened_at heard_at
    identified_on issued_on last_reviewed_on last_seen_at linked_at listed_on mitigated_at observed_on occurred_at
    opened_at opened_heard_at opened_on placed_at proposed_on ran_at released_at requested_at resolved_at
    resolved_heard_at reviewed_on rolled_back_at sealed_at spent_at started_at started_on taken_on withdrawn_on
"""
DAYS_PAST = DAYS_AFTER_OPENING | frozenset(_PAST.split())
"""What happened, and who says so says it afterwards: such a day, or moment, is not to come."""
DEADLINES = frozenset({"due_on", "expires_on", "review_due_on", "target_on"})
"""Without such a day nothing is late: once it is set it moves, and goes only with what ends the record. Without a next
review a vendor has that of its tier, so that it may be emptied."""
YEARS_AHEAD = 10
"""Beyond which nobody plans: what is due later is due never, or a slip of the keyboard."""


def wrong_days(
    table: Importable,
    row: Mapping[str, object],
    typed: Mapping[str, str],
    today: date,
    now: datetime,
    ahead: Collection[str] = (),
) -> list[Problem]:
    """Days of what is to be done that are over, where they are ``ahead``, or beyond ``YEARS_AHEAD``; and of what was
    done that are to come or before there was anything to do. The day that the record has may stay."""
    beginning = next((name for name in BEGINNINGS if name in table.fields), "")
    opened = _day_of(_read(table, beginning, typed.get(beginning) or cell_text(row.get(beginning))))
    last = _years_after(today, YEARS_AHEAD)
    wrong: list[Problem] = []
    for name, text in typed.items():
        read = _read(table, name, text)
        day = _day_of(read)
        if read is None or day is None or text == cell_text(row.get(name)):
            continue
        to_come = read > now if isinstance(read, datetime) else day > today
        latest = f"{now:%Y-%m-%d %H:%M} UTC" if isinstance(read, datetime) else today
        early = name in DAYS_AFTER_OPENING and opened is not None and day < opened
        over = name in ahead and day < today
        if over or (name not in DAYS_PAST and day > last):
            since = f" from {today}" if name in ahead else ""
            wrong.append(_problem(name, f"a day{since} up to {last}", text))
        elif early and opened is not None and opened > today:
            wrong.append(_problem(name, f"a day from {opened} on, which is to come", text))
        elif name in DAYS_PAST and (to_come or early):
            since = f" from {opened} on" if early else ""
            kind = "moment" if isinstance(read, datetime) else "day"
            wrong.append(_problem(name, f"a {kind}{since} up to {latest}", text))
    return wrong


def bare_deadlines(table: Importable, row: Mapping[str, object], typed: Mapping[str, str]) -> list[Problem]:
    """Days by which something is due that were set and are emptied, while the record asks for it."""
    duty = DUTIES.get(table.name, NO_DUTY)
    after = {**{name: cell_text(value) for name, value in row.items()}, **typed}
    live = [word or "" for word in duty.live]
    ended = any(after.get(name) for name in duty.unless) or (live and after.get(str(duty.state), "") not in live)
    if ended:
        return []
    return [
        _problem(name, "a day", "nothing")
        for name in sorted(DEADLINES & typed.keys())
        if not typed[name] and row.get(name) is not None
    ]


def _years_after(day: date, years: int) -> date:
    """The same day of a later year; of a leap day the one before it, where that year has none."""
    leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year + years, day=28 if leap_day else day.day)


def _problem(name: str, expected: str, found: str) -> Problem:
    return {"file": FORM, "column": name, "expected": expected, "found": found}


def _read(table: Importable, name: str, text: str) -> date | None:
    """The day or moment of a cell, as an import reads it; None where it is none, which the import says itself."""
    kind = table.fields[name].kind if name in table.fields else ""
    if kind not in ("day", "instant"):
        return None
    read = cells.day if kind == "day" else cells.instant
    found = {read(text, Notation(dates=order)) for order in ("dmy", "mdy")} - {None}
    return found.pop() if len(found) == 1 else None


def _day_of(read: date | None) -> date | None:
    return read.date() if isinstance(read, datetime) else read
