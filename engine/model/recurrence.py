"""Days that come again by a rule of iCalendar (RFC 5545, RRULE), such as ``FREQ=WEEKLY;BYDAY=FR``.

Days that are left out stand behind it: ``FREQ=WEEKLY;BYDAY=FR EXDATE:20261225,20270101``.
"""

import re
from datetime import date, datetime, time

from dateutil.rrule import rrule, rrulestr

FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
EXPECTED = "a rule of iCalendar by day, week, month or year, such as FREQ=WEEKLY;BYDAY=FR"
_PART = re.compile(r"[A-Z]+=[A-Z0-9,+-]+")
_MOMENT = re.compile(r"(UNTIL=\d{8})T\d{6}Z?")


def occurrences(starts_on: date, rule: str, first: date, last: date) -> list[date]:
    """The days from ``first`` to ``last`` on which something comes that begins on ``starts_on``.

    ValueError where ``rule`` is none by day, week, month or year.
    """
    words = rule.strip().upper().removeprefix("RRULE:").split()
    parts = _MOMENT.sub(r"\1", words[0]).split(";") if words else []
    named = dict(part.split("=", 1) for part in parts if _PART.fullmatch(part))
    excluded = [_day(text) for word in words[1:] for text in _exceptions(word)]
    if len(named) != len(parts) or named.get("FREQ") not in FREQUENCIES or named.get("INTERVAL") == "0":
        raise ValueError(EXPECTED)
    ends = datetime.combine(last, time())
    known = rrulestr(";".join(parts), dtstart=datetime.combine(starts_on, time()))
    if not isinstance(known, rrule):
        raise ValueError(EXPECTED)
    if "COUNT" not in named and (known._until is None or known._until > ends):
        known = known.replace(until=ends)
    found = known.between(datetime.combine(first, time()), ends, inc=True)
    return [moment.date() for moment in found if moment.date() not in excluded]


def _exceptions(word: str) -> list[str]:
    if not word.startswith("EXDATE:"):
        raise ValueError(EXPECTED)
    return word.removeprefix("EXDATE:").split(",")


def _day(text: str) -> date:
    return date.fromisoformat(text[:8])
