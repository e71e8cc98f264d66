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
_MONTH = rf"(?P<month>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)})(?!-\d{{4}}-)"  # "apr-2026-0003" is none
# a year, and no number of things
_YEAR = (
    r"(?<![\w-])(?<!than )(?<!over )(?<!above )(?<!least )(?<!most )(?<!under )(?<!below )20\d\d(?![\w-])"
    r"(?! (?:users|customers|people)\b)"
)
_NEAR = r"(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today|tomorrow"
_POINT = (
    rf"(?:(?P<iso>(?<![\w-])\d{{4}}-\d\d-\d\d(?![\w-]))|"
    rf"(?:(?P<named>{'|'.join(_DAYS)}),? (?:the )?(?=\d|{_MONTH.replace('?P<month>', '?:')} \d))?"
    rf"(?:(?P<dom>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\s+)?{_MONTH}(?:\s+(?P<dom2>\d{{1,2}})"
    rf"(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<year>\d{{4}}))?|(?P<only>{_YEAR})|"
    rf"(?P<weekday>{'|'.join(_DAYS)})|"
    r"(?:(?<=\bthe )|\bthe )(?P<nth>\d{1,2})(?:st|nd|rd|th)"
    r"(?=\s*(?:$|[?.!,;)]|(?:and|to|until|till|through|this|of this)\b))|"
    rf"(?P<rel>{_NEAR}|now|"
    r"last week|last month|last quarter|last year|this week|this month|"
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
    if len(time_windows) == 1 and (before := moments.preceding(text, time_windows[0])) is not None:
        time_windows.append(before[0])
        text = before[1]
    return tuple(time_windows), text


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
    if part["nth"]:
        return _day_of_month(int(part["nth"]), today, ahead)
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


def _day_of_month(day: int, today: date, ahead: bool) -> tuple[date, date] | None:
    """The last such day of a month, or the coming one: "on the 3rd"."""
    step = (ahead and day < today.day) - (not ahead and day > today.day)
    first, last = moments.unit_of(today, "month", step)
    return (first.replace(day=day),) * 2 if 1 <= day <= last.day else None


def _relative(part: dict[str, str | None], today: date, ahead: bool) -> tuple[date, date]:
    rel = part["rel"] or "today"
    if part["quarter"]:
        year = int(part["qyear"]) if part["qyear"] else today.year
        found = moments.unit_of(date(year, 3 * int(part["quarter"]) - 2, 1), "quarter")
        gone = ahead and not part["qyear"] and found[1] < today
        return moments.unit_of(found[0], "quarter", 4) if gone else found
    rel = rel.removeprefix("the ")
    single = {"day before yesterday": -2, "yesterday": -1, "today": 0, "now": 0, "tomorrow": 1, "day after tomorrow": 2}
    if rel in single:
        day = today + timedelta(days=single[rel])
        return day, day
    which, unit = rel.split()
    return moments.unit_of(today, unit, {"last": -1, "this": 0, "next": 1}[which])


def _weekend(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    """Saturday and Sunday: of this week for "this" and "next", else the last that began before today."""
    saturday = today + timedelta(days=5 - today.weekday())
    if match["which"] not in ("this", "next") and saturday >= today - timedelta(days=today.weekday() == 6):
        saturday -= timedelta(weeks=2 if match["earlier"] else 1)
    return TimeWindow(saturday, saturday + timedelta(days=1), moments.match_text(match))


def _last_weekday(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    """The last such day before today, one so many weeks before it ("two fridays ago"), or that of a week."""
    part = match.groupdict()
    if which := part.get("which") or part.get("other"):
        monday, _ = moments.unit_of(today, "week", {"last": -1, "next": 1}.get(which, 0))
        return TimeWindow(*(monday + timedelta(days=_DAYS.index(match["day"])),) * 2, moments.match_text(match))
    earlier = moments.number_of(match) - 1 if "n" in part else 0
    day = today - timedelta(days=(today.weekday() - _DAYS.index(match["day"])) % 7 or 7, weeks=earlier)
    return TimeWindow(day, day, moments.match_text(match))


def _calendar(match: re.Match[str], today: date, ahead: bool) -> TimeWindow:
    step = {"last": -1, "previous": -1, "next": 1, "coming": 1, "following": 1, "after next": 2, "before last": -2}.get(
        match["which"], 0
    )
    return TimeWindow(*moments.unit_of(today, match["unit"], step), moments.match_text(match))


def _since(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, False)
    return None if span is None else TimeWindow(span[0], today, moments.match_text(match), named=span[1])


def _edge(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    """Days, weeks or months at either end of a span, or half of it: "the last two weeks of October"."""
    span, count = _span(match, today, ahead), moments.number_of(match) if match["n"] else 1
    if span is None or span[0] == span[1]:
        return None
    unit, at = match["unit"], {"first": 0, "second": 1, "third": 2}.get(match["edge"])
    following = span[1] + timedelta(days=1)
    if unit == "half":
        middle = span[0] + (following - span[0]) // 2
        days = (middle, following) if at else (span[0], middle)
    elif at is None:
        days = (moments.add_units(following, unit, -count), following)
    else:
        days = (moments.add_units(span[0], unit, at), moments.add_units(span[0], unit, at + count))
    return TimeWindow(days[0], days[1] - timedelta(days=1), moments.match_text(match))


def _week_of(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(*moments.unit_of(span[0], "week"), moments.match_text(match))


def _before(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    if span is not None and ahead and span[0] == today and match["weekday"]:  # said on a Friday: the next one
        span = (today + timedelta(weeks=1),) * 2
    return None if span is None else TimeWindow(None, span[0] - timedelta(days=1), moments.match_text(match))


def _until(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, True)
    return None if span is None else TimeWindow(None, span[1], moments.match_text(match))


def _after(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(span[1] + timedelta(days=1), None, moments.match_text(match))


def _between(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    ends = [re.fullmatch(_POINT, match[name].strip()) for name in ("left", "right")]
    spans = [None if end is None else _span(end, today, False) for end in ends]
    if ends[1] is not None and spans[0] is not None and spans[0][0] >= today:
        spans[1] = _span(ends[1], today, True)  # "between now and January"
    if spans[0] is None or spans[1] is None or spans[0][0] > spans[1][1]:
        return None
    return TimeWindow(spans[0][0], spans[1][1], moments.match_text(match))


def _within(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    span = _span(match, today, ahead)
    return None if span is None else TimeWindow(*span, moments.match_text(match))


def _part_of_month(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    """Ten days of a month or what is left of it: early, mid, late."""
    first, last = _month({"month": match["month"], "year": None, "dom": None, "dom2": None}, today, ahead) or (
        None,
        None,
    )
    if first is None or last is None:
        return None
    days = {"early": (first, first.replace(day=10)), "mid": (first.replace(day=11), first.replace(day=20))}
    return TimeWindow(*days.get(match["part"], (first.replace(day=21), last)), moments.match_text(match))


def _numbered_week(match: re.Match[str], today: date, ahead: bool) -> TimeWindow | None:
    """The week of that number by ISO 8601 in this year."""
    try:
        monday = date.fromisocalendar(int(match["year"] or today.isocalendar().year), int(match["n"]), 1)
    except ValueError:
        return None
    return TimeWindow(monday, monday + timedelta(days=6), moments.match_text(match))


_IN = r"(?:\b(?:in|over|for|during|within|from|of)\s+)?(?:\bthe\s+)?"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date, bool], TimeWindow | None]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            rf"\b(?:older|longer|more) than {moments.N}\s*(?!hours?\b){moments.UNIT}\b(?:\s+(?:ago|old|open))?",
            moments.older_than,
        ),
        (
            rf"\b(?:newer|younger|less) than {moments.N}\s*(?!hours?\b){moments.UNIT}\b(?:\s+(?:ago|old))?",
            moments.young,
        ),
        (rf"\bfor (?:over|more than) {moments.N}\s*{moments.UNIT}\b", moments.older_than),
        (r"\b(?:in )?the fortnight before last\b", moments.before_last),
        (
            r"\b(?:in |during |over )?(?:(?:the )?(?P<which>first|second|1st|2nd) half of (?:(?:the |this )?year\b|"
            r"(?P<year>20\d\d)\b)|h(?P<h>[12])\b(?: (?P<hyear>20\d\d)\b)?)",
            moments.half,
        ),
        (
            r"\b(?:on |at |over |during )?(?P<which>the last|last|this past|past|this|next|the) weekend"
            r"(?P<earlier> before last)?\b",
            _weekend,
        ),
        (
            rf"\b(?:on )?(?:(?P<which>last|this|next) week,?\s+(?:on )?)?(?P<day>{'|'.join(_DAYS)})"
            r"(?(which)|,? (?:of )?(?P<other>last|this|next) week)\b",
            _last_weekday,
        ),
        (rf"\b(?:on )?(?:last|this past|past) (?P<day>{'|'.join(_DAYS)})\b", _last_weekday),
        (
            rf"{_IN}\b(?P<edge>first|second|third|last) (?:{moments.N} )?(?P<unit>day|week|month|half)s? "
            rf"(?:of|in) (?:the )?{_POINT}\b",
            _edge,
        ),
        (rf"{_IN}\b(?:last|past|previous) {moments.N}\s*{moments.UNIT}\b", moments.rolling_back),
        (rf"{_IN}\b(?:next|coming|following) {moments.N}\s*{moments.UNIT}\b", moments.rolling_future),
        (rf"\b(?:within|in) (?:the )?(?:next )?{moments.N}\s*{moments.UNIT}\b(?! ago)", moments.rolling_future),
        (rf"\b(?:on )?{moments.N} (?P<day>{'|'.join(_DAYS)})s? ago\b", _last_weekday),
        (rf"\b{moments.N}\s*{moments.UNIT} ago\b", moments.ago),
        (rf"{_IN}\bpast {moments.UNIT}\b", moments.past_unit),
        (rf"\b(?:in|within|over) the (?:next|coming) {moments.UNIT}\b", moments.next_unit),
        (r"\b(?:in|within|over|during) the last (?P<unit>year|month|week)\b", moments.past_unit),
        (r"\b(?:year to date|ytd|so far this year)\b", moments.to_date),
        (
            rf"\b(?:between|from) (?P<left>{_UNNAMED}) (?:and|to|until|till|through|thru|-|–) (?P<right>{_POINT})",
            _between,
        ),
        (rf"\b(?P<left>{_UNNAMED}) (?:through|thru|-|–) (?P<right>{_POINT})", _between),
        (
            r"\b(?:in |on |during |for )?(?:the )?(?P<unit>week|month|quarter|year) "
            r"(?P<which>after next|before last)\b",
            _calendar,
        ),
        (r"\b(?:since |last |over)night\b|\blast night\b", moments.overnight),
        (rf"\b(?:in |around )?(?P<part>mid|early|late)[- ](?P<month>{_PLAIN_MONTH})\b", _part_of_month),
        (rf"{_IN}\b(?:week (?:no\.? |number )?|(?P<year>20\d\d)-?w)(?P<n>\d{{1,2}})\b", _numbered_week),
        (rf"{_IN}\bweek (?:of|from|beginning|starting|commencing)(?: on)? {_POINT}\b", _week_of),
        (rf"\bsince (?:the )?(?:start of |beginning of )?{_POINT}\b", _since),
        (rf"(?<!day )\b(?:before|prior to|earlier than) {_POINT}\b", _before),
        (rf"\b(?:until|till|by) {_POINT}\b", _until),
        (rf"(?<!day )\b(?:after|later than|beyond) {_POINT}\b", _after),
        (rf"{_IN}\b(?P<which>last|previous|this|current|next|coming|following) {moments.UNIT}\b", _calendar),
        (rf"\b(?:(?:in|during|over|for|on|from|of)\s+){_POINT}\b", _within),
        (
            rf"\b(?P<rel>{_NEAR}|q(?P<quarter>[1-4])(?:\s+(?P<qyear>\d{{4}}))?)\b",
            lambda match, today, ahead: TimeWindow(
                *_relative(match.groupdict(), today, ahead), moments.match_text(match)
            ),
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
