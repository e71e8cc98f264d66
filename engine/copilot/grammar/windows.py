"""Spans of time in a question: "last week", "since March", "in the next 30 days", "older than a week"."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from engine.copilot.entities.entity import phrases
from engine.copilot.grammar import moments
from engine.copilot.grammar.moments import TimeWindow

_MONTHS = phrases(
    "january, february, march, april, may, june, july, august, september, october, november, december"
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a": 1, "an": 1, "couple of": 2, "few": 3, "twelve": 12,
}  # fmt: skip
_N = rf"(?P<n>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>hour|hr|day|d|week|wk|w|month|quarter|year|yr)s?"
_MONTH = rf"(?P<month>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)})(?!-\d{{4}}-)"  # "apr-2026-0003" is none
# a year, and no number of things
_YEAR = (
    r"(?<![\w-])(?<!than )(?<!over )(?<!above )(?<!least )(?<!most )(?<!under )(?<!below )20\d\d(?![\w-])"
    r"(?! (?:users|customers|people)\b)"
)
_POINT = (
    rf"(?:(?P<iso>(?<![\w-])\d{{4}}-\d\d-\d\d(?![\w-]))|"
    rf"(?:(?P<named>{'|'.join(_DAYS)}),? (?:the )?(?=\d|{_MONTH.replace('?P<month>', '?:')} \d))?"
    rf"(?:(?P<dom>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\s+)?{_MONTH}(?:\s+(?P<dom2>\d{{1,2}})"
    rf"(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<year>\d{{4}}))?|(?P<only>{_YEAR})|"
    rf"(?P<weekday>{'|'.join(_DAYS)})|"
    r"(?P<rel>yesterday|today|tomorrow|now|last week|last month|last quarter|last year|this week|this month|"
    r"this quarter|this year|next week|next month|next quarter|next year|q(?P<quarter>[1-4])(?:\s+(?P<qyear>\d{4}))?)|"
    r"(?:the\s+)?(?P<end>end of (?:the |this )?(?:week|month|quarter|year)|christmas(?: eve)?|new year(?: s)?(?: "
    r"eve)?|year end|year's end|month end|eoy|eom|eoq))"
)
_PLAIN_MONTH = _MONTH.replace("?P<month>", "?:")
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _POINT)
FUTURE = re.compile(
    r"\b((?<!before their )(?<!after their )(?<!before its )(?<!after its )(?<!they were )due|expir\w*|upcoming|next|"
    r"renew\w*|planned|run\w* out|lapse\w*|coming|overload\w*|overbooked|capacity|"
    r"away|absent|absence|vacation|on leave|available hours|free hours|bandwidth|become|becomes|go stale|goes stale|"
    r"will|would|lapses|ready|must|(?:needs?|has|have|ought) to|should(?! have))\b|"
    r"(?<!was )(?<!were )(?<!been )(?<!did )\bon (?:call|duty)\b(?! did)"
)


def find(text: str, today: date, now: datetime | None = None) -> tuple[tuple[TimeWindow, ...], str]:
    """The spans that a plain text names, and the text without them; hours and minutes count back from ``now``."""
    time_windows: list[TimeWindow] = []
    while now is not None and (recent := moments.find(text, now)) is not None:
        since, words, text = recent
        time_windows.append(TimeWindow(since.date(), today, words, since=since))
    for pattern, read in _PATTERNS:
        at = 0
        while match := pattern.search(text, at):
            window = read(match, today, FUTURE.search(text) is not None)
            if window is None:
                at = match.end()
                continue
            time_windows.append(window)
            text = f"{text[: match.start()]} {text[match.end() :]}"
    return tuple(time_windows), text


def _number(match: re.Match[str]) -> int:
    said = match["n"]
    return int(said) if said.isdigit() else _NUMBERS[said]


def _span(match: re.Match[str], today: date, ahead: bool) -> tuple[date, date] | None:
    """The first and last day of what a point in time names: a day, a month, a quarter, a year."""
    part = match.groupdict()
    if part["iso"]:
        try:
            day = date.fromisoformat(part["iso"])
        except ValueError:
            return None
        return day, day
    if part["only"]:
        return date(int(part["only"]), 1, 1), date(int(part["only"]), 12, 31)
    if part["weekday"]:
        back = (today.weekday() - _DAYS.index(part["weekday"])) % 7
        day = today + timedelta(days=(7 - back) % 7) if ahead else today - timedelta(days=back)
        return day, day
    if part["month"]:
        days = _month(part, today, ahead)
        wrong = days is not None and part["named"] and _DAYS[days[0].weekday()] != part["named"]
        return None if wrong else days  # "Tuesday 23 November" that is a Monday
    if part["end"]:
        end = part["end"]
        if end.startswith("christmas"):
            return (date(today.year, 12, 25),) * 2
        if end.startswith("new year"):
            return (date(today.year + 1, 1, 1),) * 2
        unit = {"eoy": "year", "eom": "month", "eoq": "quarter"}.get(end) or next(
            name for name in ("week", "month", "quarter", "year") if name in end
        )
        return (moments.unit_of(today, unit)[1],) * 2
    return _relative(part, today, ahead)


def _month(part: dict[str, str | None], today: date, ahead: bool) -> tuple[date, date] | None:
    month = next(i for i, name in enumerate(_MONTHS, 1) if name.startswith((part["month"] or "")[:3]))
    year = int(part["year"]) if part["year"] else today.year
    if not part["year"] and not ahead and month > today.month:
        year -= 1
    if not part["year"] and ahead and month < today.month:
        year += 1
    first, last = moments.unit_of(date(year, month, 1), "month")
    day = part["dom"] or part["dom2"]
    if day is None:
        return first, last
    return (first.replace(day=int(day)),) * 2 if 1 <= int(day) <= last.day else None


def _relative(part: dict[str, str | None], today: date, ahead: bool) -> tuple[date, date]:
    rel = part["rel"] or "today"
    if part["quarter"]:
        year = int(part["qyear"]) if part["qyear"] else today.year
        found = moments.unit_of(date(year, 3 * int(part["quarter"]) - 2, 1), "quarter")
        gone = ahead and not part["qyear"] and found[1] < today
        return moments.unit_of(found[0], "quarter", 4) if gone else found
    single = {"yesterday": -1, "today": 0, "now": 0, "tomorrow": 1}
    if rel in single:
        day = today + timedelta(days=single[rel])
        return day, day
    which, unit = rel.split()
    return moments.unit_of(today, unit, {"last": -1, "this": 0, "next": 1}[which])


def _rolling_back(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    count, unit = _number(match), match["unit"]
    first = moments.add_units(today, unit, -count) + timedelta(days=1)
    return TimeWindow(first, today, _match_text(match))


def _before_last(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today - timedelta(days=27), today - timedelta(days=14), _match_text(match))


def _weekend(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    """Saturday and Sunday: of this week for "this" and "next", else the last that began before today."""
    saturday = today + timedelta(days=5 - today.weekday())
    if match["which"] not in ("this", "next") and saturday >= today - timedelta(days=today.weekday() == 6):
        saturday -= timedelta(weeks=1)
    return TimeWindow(saturday, saturday + timedelta(days=1), _match_text(match))


def _last_weekday(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    day = today - timedelta(days=(today.weekday() - _DAYS.index(match["day"])) % 7 or 7)
    return TimeWindow(day, day, _match_text(match))


def _rolling_future(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(
        today, moments.add_units(today, match["unit"], _number(match)), _match_text(match), hours=_hours(match)
    )


def _past_unit(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(moments.add_units(today, match["unit"], -1) + timedelta(days=1), today, _match_text(match))


def _next_unit(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today, moments.add_units(today, match["unit"], 1), _match_text(match))


def _calendar(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    step = {"last": -1, "previous": -1, "next": 1, "coming": 1, "following": 1, "after next": 2}.get(match["which"], 0)
    return TimeWindow(*moments.unit_of(today, match["unit"], step), _match_text(match))


def _older_than(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    last = moments.add_units(today, match["unit"], -_number(match)) - timedelta(days=1)
    return TimeWindow(None, last, _match_text(match), age=True, hours=_hours(match))


def _young(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    first = moments.add_units(today, match["unit"], -_number(match))
    return TimeWindow(first, today, _match_text(match), age=True, hours=_hours(match))


def _hours(match: re.Match[str]) -> float:
    return _number(match) * {"h": 1, "d": 24, "w": 168, "m": 730.5, "q": 2191.5, "y": 8766}[match["unit"][0]]


def _half(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    year, second = int(match["year"] or match["hyear"] or today.year), (match["which"] or match["h"])[0] in "2s"
    days = (date(year, 7, 1), date(year, 12, 31)) if second else (date(year, 1, 1), date(year, 6, 30))
    return TimeWindow(*days, _match_text(match))


def _to_date(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(moments.unit_of(today, "year")[0], today, _match_text(match))


def _since(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, False)
    return None if span is None else TimeWindow(span[0], today, _match_text(match), named=span[1])


def _week_of(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(*moments.unit_of(span[0], "week"), _match_text(match))


def _before(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    if span is not None and ahead and span[0] == today and match["weekday"]:  # said on a Friday: the next one
        span = (today + timedelta(weeks=1),) * 2
    return None if span is None else TimeWindow(None, span[0] - timedelta(days=1), _match_text(match))


def _until(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, True)
    return None if span is None else TimeWindow(None, span[1], _match_text(match))


def _after(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(span[1] + timedelta(days=1), None, _match_text(match))


def _between(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    ends = [re.fullmatch(_POINT, match[name].strip()) for name in ("left", "right")]
    spans = [None if end is None else _span(end, today, False) for end in ends]
    if ends[1] is not None and spans[0] is not None and spans[0][0] >= today:
        spans[1] = _span(ends[1], today, True)  # "between now and January"
    if spans[0] is None or spans[1] is None or spans[0][0] > spans[1][1]:
        return None
    return TimeWindow(spans[0][0], spans[1][1], _match_text(match))


def _within(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(*span, _match_text(match))


def _ago(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    day = moments.add_units(today, match["unit"], -_number(match))
    return TimeWindow(
        *(moments.unit_of(day, match["unit"]) if match["unit"][0] in "mqy" else (day, day)), _match_text(match)
    )


def _overnight(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    return TimeWindow(today - timedelta(days=1), today, _match_text(match))


def _part_of_month(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    """Ten days of a month or what is left of it: early, mid, late."""
    first, last = _month({"month": match["month"], "year": None, "dom": None, "dom2": None}, today, ahead) or (
        None,
        None,
    )
    if first is None or last is None:
        return None
    days = {"early": (first, first.replace(day=10)), "mid": (first.replace(day=11), first.replace(day=20))}
    return TimeWindow(*days.get(match["part"], (first.replace(day=21), last)), _match_text(match))


def _numbered_week(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    """The week of that number by ISO 8601 in this year."""
    try:
        monday = date.fromisocalendar(int(match["year"] or today.isocalendar().year), int(match["n"]), 1)
    except ValueError:
        return None
    return TimeWindow(monday, monday + timedelta(days=6), _match_text(match))


def _match_text(match: re.Match[str]) -> str:
    return " ".join(match[0].split()).strip(" ,")


_IN = r"(?:\b(?:in|over|for|during|within|from|of)\s+)?(?:\bthe\s+)?"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date, bool], TimeWindow | None]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"\b(?:older|longer|more) than {_N}\s*(?!hours?\b){_UNIT}\b(?:\s+(?:ago|old|open))?", _older_than),
        (rf"\b(?:newer|younger|less) than {_N}\s*(?!hours?\b){_UNIT}\b(?:\s+(?:ago|old))?", _young),
        (rf"\bfor (?:over|more than) {_N}\s*{_UNIT}\b", _older_than),
        (r"\b(?:in )?the fortnight before last\b", _before_last),
        (
            r"\b(?:in |during |over )?(?:(?:the )?(?P<which>first|second|1st|2nd) half of (?:(?:the |this )?year\b|"
            r"(?P<year>20\d\d)\b)|h(?P<h>[12])\b(?: (?P<hyear>20\d\d)\b)?)",
            _half,
        ),
        (r"\b(?:on |at |over |during )?(?P<which>the last|last|this past|past|this|next|the) weekend\b", _weekend),
        (rf"\b(?:on )?(?:last|this past|past) (?P<day>{'|'.join(_DAYS)})\b", _last_weekday),
        (rf"{_IN}\b(?:last|past|previous) {_N}\s*{_UNIT}\b", _rolling_back),
        (rf"{_IN}\b(?:next|coming|following) {_N}\s*{_UNIT}\b", _rolling_future),
        (rf"\b(?:within|in) (?:the )?(?:next )?{_N}\s*{_UNIT}\b(?! ago)", _rolling_future),
        (rf"\b{_N}\s*{_UNIT} ago\b", _ago),
        (rf"{_IN}\bpast {_UNIT}\b", _past_unit),
        (rf"\b(?:in|within|over) the (?:next|coming) {_UNIT}\b", _next_unit),
        (r"\b(?:in|within|over|during) the last (?P<unit>year|month|week)\b", _past_unit),
        (r"\b(?:year to date|ytd|so far this year)\b", _to_date),
        (
            rf"\b(?:between|from) (?P<left>{_UNNAMED}) (?:and|to|until|till) "
            rf"(?P<right>{_POINT})",
            _between,
        ),
        (r"\b(?:in |on |during |for )?(?:the )?(?P<unit>week|month|quarter) (?P<which>after next)\b", _calendar),
        (r"\b(?:since |last |over)night\b|\blast night\b", _overnight),
        (rf"\b(?:in |around )?(?P<part>mid|early|late)[- ](?P<month>{_PLAIN_MONTH})\b", _part_of_month),
        (rf"{_IN}\b(?:week (?:no\.? |number )?|(?P<year>20\d\d)-?w)(?P<n>\d{{1,2}})\b", _numbered_week),
        (rf"{_IN}\bweek (?:of|from|beginning|starting|commencing)(?: on)? {_POINT}\b", _week_of),
        (rf"\bsince (?:the )?(?:start of |beginning of )?{_POINT}\b", _since),
        (rf"\b(?:before|prior to|earlier than) {_POINT}\b", _before),
        (rf"\b(?:until|till|by) {_POINT}\b", _until),
        (rf"\b(?:after|later than|beyond) {_POINT}\b", _after),
        (rf"{_IN}\b(?P<which>last|previous|this|current|next|coming|following) {_UNIT}\b", _calendar),
        (rf"\b(?:(?:in|during|over|for|on|from|of)\s+){_POINT}\b", _within),
        (
            r"\b(?P<rel>yesterday|today|tomorrow|q(?P<quarter>[1-4])(?:\s+(?P<qyear>\d{4}))?)\b",
            lambda match, today, ahead: TimeWindow(*_relative(match.groupdict(), today, ahead), _match_text(match)),
        ),
        (
            rf"\b{_POINT.replace('|now|', '|')}\b",
            lambda match, today, ahead: (
                None
                if match["month"] == "may" and not (match["year"] or match["dom"] or match["dom2"])
                else _within(match, today, ahead)
            ),
        ),
    )
)
