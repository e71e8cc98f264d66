"""Hours: of the day, and back from now ("the last 36 hours"); and steps of the calendar."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

_FEW = {"a": 1, "an": 1, "couple of": 2, "few": 3}
_RECENT = re.compile(
    r"(?:\b(?:in|over|for|during|within|from|of)\s+)?(?:\bthe\s+)?\b(?:last|past|previous)\s+"
    rf"(?:(?P<half>half (?:an )?)|(?P<n>\d{{1,4}}|{'|'.join(_FEW)})\s*)?(?P<unit>hours?|hrs?|h|minutes?|mins?)\b"
)


@dataclass(frozen=True)
class TimeWindow:
    """Days from ``first`` to ``last``, both included; None is open. ``age``: it says how old something is."""

    first: date | None
    last: date | None
    words: str
    age: bool = False
    since: datetime | None = None  # to the minute, in UTC
    hours: float | None = None  # how long it is, where it says how long something took
    named: date | None = None  # of "since July" the last day of July

    @property
    def is_future(self) -> bool:
        """Whether it was asked from a day on, without a look back."""
        return self.first is not None and self.words.startswith(("next", "in the next", "within", "tomorrow", "coming"))

    @property
    def with_days(self) -> str:
        """The days, or the moment, and the words that named them."""
        if self.since is not None:
            return f"since {self.since:%Y-%m-%d %H:%M} UTC ({self.words})"
        if self.first == self.last and self.first is not None:
            days = f"on {self.first}"
        elif self.first is None:
            days = f"up to {self.last}"
        elif self.last is None:
            days = f"from {self.first} on"
        else:
            days = f"from {self.first} to {self.last}"
        return f"{days} ({self.words})"


def find(text: str, now: datetime) -> tuple[datetime, str, str] | None:
    """The first such span of a plain text: since when, in UTC without zone, its words, and the text without them."""
    match = _RECENT.search(text)
    if match is None:
        return None
    said = match["n"] or "a"
    count = int(said) if said.isdigit() else _FEW[said]
    minutes = 30 if match["half"] else count * (1 if match["unit"].startswith("m") else 60)
    since = now.astimezone(UTC).replace(tzinfo=None) - timedelta(minutes=minutes)
    return since, " ".join(match[0].split()), f"{text[: match.start()]} {text[match.end() :]}"


_PRECEDING = re.compile(
    r"(?:\b(?:in|on|over|during) )?\bthe (?P<unit>day|week|month|quarter|year) before(?: that)?(?=\s*(?:$|[?.!,;)]))"
)


def preceding(text: str, window: TimeWindow) -> tuple[TimeWindow, str] | None:
    """The unit before a span where a plain text names it beside that ("the week before"), and the text without it."""
    match = _PRECEDING.search(text)
    if match is None or window.first is None:
        return None
    days = unit_of(window.first, match["unit"], -1)
    return TimeWindow(*days, match_text(match)), f"{text[: match.start()]} {text[match.end() :]}"


def add_units(day: date, unit: str, count: int) -> date:
    """A day so many units later; the last day of a month stays within it."""
    kind = unit[0]
    if kind == "h":  # days are what is recorded of most things: a part of one counts whole
        return day + timedelta(days=-(-abs(count) // 24) * (1 if count > 0 else -1))
    if kind in "dw":
        return day + timedelta(days=count * (7 if kind == "w" else 1))
    months = count * {"m": 1, "q": 3, "y": 12}[kind] + day.year * 12 + day.month - 1
    year, month = divmod(months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(days=1)).day))


def unit_of(day: date, unit: str, step: int = 0) -> tuple[date, date]:
    """The calendar week, month, quarter or year of a day, or one so many steps later."""
    kind = unit[0]
    if kind in "dh":
        start = day
    elif kind == "w":
        start = day - timedelta(days=day.weekday())
    elif kind == "m":
        start = day.replace(day=1)
    elif kind == "q":
        start = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    else:
        start = day.replace(month=1, day=1)
    first = add_units(start, unit, step)
    return first, add_units(first, unit, 1) - timedelta(days=1)


def in_year(window: TimeWindow, step: int) -> TimeWindow:
    """The span so many years later; the week of a day is that of the day then, whose number its words have."""
    if window.first is None or window.last is None or not step:
        return window
    if "week of" in window.words:
        days = (window.first + timedelta(days=number) for number in range(7))
        named = next((day for day in days if re.search(rf"(?<!\d){day.day}(?!\d)", window.words)), window.first)
        first, last = unit_of(add_units(named, "year", step), "week")
        return replace(window, first=first, last=last)
    return replace(window, first=add_units(window.first, "year", step), last=add_units(window.last, "year", step))


_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a": 1, "an": 1, "couple of": 2, "few": 3, "twelve": 12,
}  # fmt: skip
N = rf"(?P<n>\d{{1,4}}|(?:{'|'.join(_NUMBERS)})(?= ))"  # "last and" is no day
UNIT = r"(?P<unit>hour|hr|day|d|week|wk|w|month|quarter|year|yr)s?"


def number_of(match: re.Match[str]) -> int:
    said = match["n"]
    return int(said) if said.isdigit() else _NUMBERS[said]


def rolling_back(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    count, unit = number_of(match), match["unit"]
    first = add_units(today, unit, -count) + timedelta(days=1)
    return TimeWindow(first, today, match_text(match))


def before_last(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today - timedelta(days=27), today - timedelta(days=14), match_text(match))


def rolling_future(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today, add_units(today, match["unit"], number_of(match)), match_text(match), hours=_hours(match))


def past_unit(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(add_units(today, match["unit"], -1) + timedelta(days=1), today, match_text(match))


def next_unit(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today, add_units(today, match["unit"], 1), match_text(match))


def older_than(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    last = add_units(today, match["unit"], -number_of(match)) - timedelta(days=1)
    return TimeWindow(None, last, match_text(match), age=True, hours=_hours(match))


def young(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    first = add_units(today, match["unit"], -number_of(match))
    return TimeWindow(first, today, match_text(match), age=True, hours=_hours(match))


def _hours(match: re.Match[str]) -> float:
    return number_of(match) * {"h": 1, "d": 24, "w": 168, "m": 730.5, "q": 2191.5, "y": 8766}[match["unit"][0]]


def ago(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    day = add_units(today, match["unit"], -number_of(match))
    return TimeWindow(*(unit_of(day, match["unit"]) if match["unit"][0] in "mqy" else (day, day)), match_text(match))


def half(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    year, second = int(match["year"] or match["hyear"] or today.year), (match["which"] or match["h"])[0] in "2s"
    days = (date(year, 7, 1), date(year, 12, 31)) if second else (date(year, 1, 1), date(year, 6, 30))
    return TimeWindow(*days, match_text(match))


def to_date(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(unit_of(today, "year")[0], today, match_text(match))


def overnight(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today - timedelta(days=1), today, match_text(match))


def match_text(match: re.Match[str]) -> str:
    return " ".join(match[0].split()).strip(" ,")


_HOUR = (
    r"(?:(?P<{0}h>[012]?\d)\s*(?P<{0}half>(?::00)?\s*(?:am|pm|a\.m\.|p\.m\.)|:00|o'clock|h)?|"
    r"(?P<{0}word>midnight|noon|midday))"
)
_CLOCK = re.compile(
    rf"\b(?:between|from)\s+{_HOUR.format('a')}\s*(?:and|to|until|till|-)\s*{_HOUR.format('b')}(?![\w%-])|"
    rf"\b(?P<side>after|before|at|around)\s+{_HOUR.format('c')}(?![\w%-])"
)


@dataclass(frozen=True)
class ClockHours:
    """Hours of the day from ``first`` to before ``last``, over midnight where that is not later; "at 3 am" is one."""

    first: int
    last: int
    words: str


def clock(text: str) -> tuple[ClockHours | None, str]:
    """The hours of the day that a plain text names, and the text without them; a bare number is none."""
    match = _CLOCK.search(text)
    if match is None:
        return None, text
    ends = {name: _hour(match, name) for name in "abc"}
    told = any(match[f"{name}half"] or match[f"{name}word"] for name in "abc")
    if match["side"] in ("at", "around"):
        first, last = ends["c"], None if ends["c"] is None else ends["c"] + 1
    elif match["side"]:
        first, last = (ends["c"], 24) if match["side"] == "after" else (0, ends["c"])
    else:
        first, last = ends["a"], ends["b"]
    if not told or first is None or last is None or first == last:
        return None, text
    return ClockHours(first, last, match[0]), f"{text[: match.start()]} {text[match.end() :]}"


def _hour(match: re.Match[str], name: str) -> int | None:
    if match[f"{name}word"]:
        return 0 if match[f"{name}word"] == "midnight" else 12
    if match[f"{name}h"] is None:
        return None
    hour, half = int(match[f"{name}h"]), (match[f"{name}half"] or "").removeprefix(":00").strip()[:1]
    if half in ("a", "p"):
        return hour % 12 + 12 * (half == "p") if 1 <= hour <= 12 else None
    return hour if hour <= 24 else None
