"""Spans of time and numbers as predicates: the date that a span is about, how long something took, a limit."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import polars as pl

from engine.copilot.answers.cells import heading
from engine.copilot.grammar.moments import TimeWindow, add_units, in_year
from engine.copilot.grammar.query import Constraint, columns_of, is_about_end, timed_by, verb_of_window
from engine.copilot.grammar.reading import SIGN, SIGNS, NumberLimit, Reading
from engine.copilot.grammar.text import ASKING


def date_column(reading: Reading, window: TimeWindow, dates: Sequence[str], today: date) -> str | None:
    """The date that a span of time is about: that of the verb, else the one ahead or the usual one."""
    entity = reading.entity
    if dates and dates[-1] == entity.done and (window.first or window.last or date.min) > today:
        return entity.due  # "to finish next week"
    if dates:
        return nearest if (nearest := verb_of_window(reading, window)) in dates else dates[-1]
    if is_about_end(reading, (window,), dates):
        return entity.done
    ahead = window.is_future or reading.asked.matches(
        r"\b(due|expir\w*|upcoming|coming up|renew\w*|planned|scheduled)\b"
    )
    if ahead and entity.due is not None:
        return entity.due
    usual = [day for day in entity.dates if not window.age or day != entity.due]  # what is old came to be long ago
    return next(iter(usual), None) if entity.dated else None


def _nearest_year(window: TimeWindow, reading: Reading, column: str | None, today: date) -> TimeWindow:
    """A month without a year is the nearer one of this year and the next where something is due in it."""
    if column is None or column != reading.entity.due or window.last is None:
        return window
    if window.first is None:  # "before December", where December is still to come
        back = (
            window.age or window.last >= today or not _MONTH.search(window.words) or re.search(r"\d{4}", window.words)
        )
        past = back or reading.asked.matches(r"\b(?:were|was|did|had|missed)\b") or (today - window.last).days < 240
        return window if past else replace(window, last=add_units(window.last, "year", 1))
    if not _MONTH.search(window.words) or re.search(r"\d{4}", window.words):
        return window
    if reading.asked.matches(r"\b(?:were|was|did|had|missed)\b"):
        step = -1 if window.first > today else 0
    else:
        step = 1 if window.last < today and (today - window.last).days > 240 else 0
        step = -1 if window.first > today and (window.first - today).days > 300 else step
    return in_year(window, step)


_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b")


# "takes over on Monday", "starts Monday": the coming one
_NEXT = re.compile(
    r"\b(?:takes?|starts?|begins?|expires?|meets?|due|will)\b.*"
    r"(?<!last )(?<!this )\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
)
_SPAN = re.compile(r"within (?:an? |\d+ )?(?:hour|day|week|month)s?$")  # how long it took, no days of a calendar


def spans_of(
    reading: Reading, dates: Sequence[str], today: date, frame: pl.DataFrame
) -> tuple[list[Constraint], tuple[Constraint, ...], tuple[str, ...]]:
    """The spans as constraints; two that are compared are halves; the words of those that apply to nothing."""
    made: list[Constraint] = []
    days: list[tuple[date, date]] = []
    lengths: list[Constraint] = []  # how long it took
    lost: list[str] = []
    for asked in reading.asked.windows:
        column = date_column(reading, asked, dates, today)
        window = _nearest_year(asked, reading, column, today)
        if column == reading.entity.due and window.first is None and reading.asked.matches(ASKING["lapses"]):
            window = replace(window, first=today)
        if column == reading.entity.due and window.last and window.last < today and _NEXT.search(reading.asked.text):
            window = replace(window, first=window.last + timedelta(7), last=window.last + timedelta(7))
        # "how many were open in June?" asks for a day that is gone, of which no record is kept
        gone = window.last is not None and window.last < today and reading.asked.matches(ASKING["were"])
        lasting = window.age and window.words.startswith("longer") and not reading.asked.matches(r"\bopen\b|\bold\b")
        took = _took(reading, window)
        if took is not None:
            lengths.append(took)
            continue
        event = column is not None and column != reading.entity.due and column.endswith("ed_on")
        ahead = event and (window.first or today) > today
        if column is None or gone or lasting or ahead or (_SPAN.match(window.words) and column != reading.entity.due):
            lost.append(window.words)
            continue
        moment = f"{column.removesuffix('_on')}_at"
        if window.since is not None and moment not in frame.columns:
            lost.append(window.words)
            continue
        if window.since is not None:
            recent = pl.col(moment) >= window.since
            verb = column.removesuffix("_on").replace("_", " ")
            made.append(Constraint("window", f"{verb} {window.with_days}", recent.fill_null(False), after=True))
            continue
        until = reading.entity.until
        lasts = until is not None and column == next(iter(reading.entity.dates)) and not dates
        bounds = [pl.col(until if lasts and until else column) >= window.first] if window.first else []
        bounds += [pl.col(column) <= window.last] if window.last else []
        verb = "under way" if lasts else column.removesuffix("_on").removesuffix("_until").replace("_", " ")
        within = pl.all_horizontal(bounds).fill_null(False)
        days.append((window.first or date.min, window.last or date.max))
        made.append(Constraint("window", f"{verb} {window.with_days}", within, after=True))
        for other in _other_verbs(reading, dates, column):  # "opened and closed in October"
            both = pl.all_horizontal(pl.col(other).is_between(window.first or date.min, window.last or date.max))
            made.append(
                Constraint("window", f"{other.removesuffix('_on')} then, too", both.fill_null(False), after=True)
            )
    if (
        len(made) == 2
        and not any(one.age for one in reading.asked.windows)
        and reading.asked.matches(
            r"\b(than|compared|compare|comparing|versus|vs|against|difference between)\b|"
            r"\b(?:more|fewer|less)\b.*\bor\b"
        )
    ):
        return lengths, tuple(made), tuple(lost)
    return [*_apart(made, days), *lengths], (), tuple(lost)


def _other_verbs(reading: Reading, dates: Sequence[str], column: str) -> list[str]:
    """The dates of other verbs that "and" joins to that of a span."""
    said = [(piece, one.column) for piece in reading.pieces if (one := piece.sense("date"))]
    words, alone = reading.asked.words, len(reading.asked.windows) == 1
    return [
        first
        for (one, first), (two, second) in pairwise(said)
        if alone and second == column != first and words[one.end : two.at] == ("and",) and first in dates
    ]


def _apart(made: list[Constraint], days: Sequence[tuple[date, date]]) -> list[Constraint]:
    """Spans that have no day in common are alternatives: "in October and November"."""
    if len(made) < 2 or len(made) != len(days) or max(first for first, _ in days) <= min(last for _, last in days):
        return made
    if len({one.label.split(" ")[0] for one in made}) > 1:
        return made
    return [
        Constraint(
            "window", " or ".join(one.label for one in made), pl.any_horizontal(one.where for one in made), after=True
        )
    ]


_TOOK = (
    r"\bin (?:less|more|under|over)\b|"
    r"\b(?:took|takes?|taking|lasted|lasts?|lasting|ran for|went on|faster|quicker|longer)\b|\bto \w+$"
)


def time_measure(reading: Reading) -> str | None:
    """The measure of how long something took: of the verb that is said, else the usual one."""
    measures = reading.entity.measures
    verbs = [timed_by(one.column, measures) for piece in reading.pieces if (one := piece.sense("date"))]
    named = [one.column for piece in reading.pieces if (one := piece.sense("measure"))]
    usual = [one for one in measures if one.startswith(("hours_to", "days_to"))]
    return next((one for one in (*reversed(verbs), *named, *usual) if one in measures and one in (*usual,)), None)


def in_unit(hours: float, column: str) -> float:
    """So many hours in the unit of a column."""
    return hours / 24 if "days" in column else hours


def _took(reading: Reading, window: TimeWindow) -> Constraint | None:
    """How long something took, where a length of time says that: "longer than a day", "fixed within a week"."""
    measure, span = time_measure(reading), _SPAN.match(window.words)
    if (
        measure is None
        or window.hours is None
        or not (window.age or span)
        or reading.asked.matches(r"\b(?:open|old|ago)\b")
    ):
        return None
    if not span and not window.words.startswith("longer") and not reading.asked.matches(_TOOK):
        return None
    if span and not any(p.sense("date") and p.words.endswith("ed") for p in reading.pieces):
        return None
    limit, column = in_unit(window.hours, measure), pl.col(measure)
    where = column <= limit if span or window.first is not None else column > limit
    return Constraint(f"bound:{measure}", f"with {heading(measure)} {window.words}", where.fill_null(False), after=True)


def only_window(
    reading: Reading, dates: Sequence[str], spans: Sequence[Constraint], today: date
) -> tuple[str, TimeWindow] | None:
    if len(spans) != 1 or len(reading.asked.windows) != 1:
        return None
    (window,) = reading.asked.windows
    column = None if window.since is not None else date_column(reading, window, dates, today)
    return None if column is None else (column, window)


def bound_of(reading: Reading, frame: pl.DataFrame) -> Constraint | None:
    """A number that a column is held against: "with a CVSS above 9", "more than 8 hours", "over 90 days old"."""
    bound = reading.asked.bound
    if bound is None:
        return None
    column = _column_of_time(reading, frame) if bound.hours is not None else _column_of_number(reading, frame)
    if column is None:
        return None
    if bound.hours is not None and "pct" not in column:
        bound = replace(bound, number=in_unit(bound.hours, column))
    elif re.search(r"%|\bpercent\b", bound.words) and (frame[column].cast(pl.Float64).max() or 0) <= 1:  # type: ignore[operator]
        bound = replace(bound, number=bound.number / 100)
    never = reading.asked.matches(r"\btime to \w+ yet above\b")  # what was not done at all took longer, too
    where = bound.within(pl.col(column)).fill_null(never)
    words = f"{bound.words} so far" if never else bound.words
    return Constraint(f"bound:{column}", f"with {heading(column)} {words}", where, after=True)


def _column_of_time(reading: Reading, frame: pl.DataFrame) -> str | None:
    """The column that a length of time is held against."""
    asked = reading.asked
    said = (*columns_of(reading, "attribute", frame), *reversed(columns_of(reading, "measure", frame)))
    named = [one for one in said if "hours" in one or "days" in one]
    timed = time_measure(reading)
    found = [
        *(("age_days",) if asked.matches(r"\b(?:old|ago|open (?:for )?(?:over|more|at least))\b") else ()),
        *(("late_days",) if asked.matches(r"\b(?:late|overdue|behind|past due)\b") else ()),
        *(() if timed is None else (timed,)),
        *named,
        *(one for one in reading.entity.measures if "hours" in one),
        "effort_hours",
    ]
    return next((one for one in found if one in frame.columns), None)


def _column_of_number(reading: Reading, frame: pl.DataFrame) -> str | None:
    """The column that a plain number is held against: the one that is named, else the scale of the thing."""
    at = reading.asked.bound.at if reading.asked.bound is not None else 0
    nearest = sorted(reading.pieces, key=lambda piece: (min(abs(piece.end - at), abs(piece.at - at)), piece.at))
    close = replace(reading, pieces=tuple(nearest))
    named = [*columns_of(close, "attribute", frame), *columns_of(close, "measure", frame)]
    found = next((name for name in named if frame.schema[name].is_numeric()), None)
    return reading.entity.scale if found is None and not named else found


_IT = r"(?: (?:they|it|its|their|the|of|being|who|that|as|also|whoever))*"
# how two columns of a row stand to each other, by the words between their verbs
_RELATIONS: tuple[tuple[str, re.Pattern[str], str, str], ...] = tuple(
    (kind, re.compile(f"{pattern}{_IT}"), text, sign)
    for kind, pattern, text, sign in (
        ("date", r"(?:(?:on|within)? ?the same day|on the day)(?: on which)?", "on the day of", "="),
        ("date", r"(?:after|past|beyond|later than)(?: the day)?", "after the day of", ">"),
        ("date", r"(?:before|earlier than)(?: the day)?", "before the day of", "<"),
        ("role", r"(?:by )?(?:some|any)(?:one|body)(?: else)? (?:except|than)", "not by the same person as", "!"),
        ("role", r"(?:by )?(?:the same (?:person|one|colleague)|someone who|whoever)", "by the same person as", "="),
    )
)
_BE = re.compile(r"\b(?:were|was|are|is|had been|been|being|got)\b")


def columns_apart(reading: Reading, frame: pl.DataFrame) -> tuple[list[Constraint], tuple[str, ...]]:
    """How two days or people of a row stand to each other ("resolved on the day they were opened", "fixed after they
    were due", "decided by the same person who asked"), and the words used up with them."""
    made: list[Constraint] = []
    used: list[str] = []
    for kind, pattern, text, sign in _RELATIONS:
        said = [(piece.at, piece.end, sense.column) for piece in reading.pieces if (sense := piece.sense(kind))]
        for (at, end, first), (second_at, _, second) in pairwise(said):
            between = " ".join(_BE.sub("", " ".join(reading.asked.words[end:second_at])).split())
            if first == second or not pattern.fullmatch(between) or not {first, second} <= set(frame.columns):
                continue
            left, right = pl.col(first), pl.col(second)
            where = {"=": left == right, ">": left > right, "<": left < right, "!": left != right}[sign]
            day = next(
                (one.column for piece in reading.pieces if piece.at == at and (one := piece.sense("date"))), None
            )
            if day in frame.columns:  # "performed by": what is planned was not
                where &= pl.col(day).is_not_null()
            label = f"{heading(first)} {text} '{heading(second)}'"
            parts = [piece.at for piece in reading.pieces if end <= piece.at <= second_at]
            ends = tuple(Constraint("", "", pl.lit(True), at=one) for one in parts)
            made.append(Constraint(f"apart:{second}", label, where.fill_null(False), True, at, ends))
            used += between.split()
    return made, tuple(used)


def equal_of(reading: Reading, frame: pl.DataFrame) -> tuple[list[Constraint], tuple[str, ...]]:
    """Numbers beside the name of a column ("port 443", "above CVSS 9", "a 99.95 target", "whose objective is 99.9"),
    and the words used up with them."""
    made, used = [], []
    ordered = any(piece.sense("order") for piece in reading.pieces)  # "top 3 budgets": how many, not which
    for piece in reading.pieces:
        sense, said_of = piece.sense("attribute", "measure"), reading.asked.words
        if sense is None or not frame.schema[sense.column].is_numeric():
            continue
        behind = next((word for word in said_of[piece.end :] if word not in ("of", "is", "at", "are", "was")), "")
        before = "" if ordered or not piece.at else said_of[piece.at - 1]
        text = next((word for word in (behind, before) if re.fullmatch(r"\d+(?:\.\d+)?", word)), None)
        if text is None:
            continue
        said = re.search(rf"\b({SIGN}) (?:an? |the )?$", " ".join(reading.asked.words[: piece.at]) + " ")
        limit = NumberLimit("=" if said is None else SIGNS[said[1]], float(text), text)
        label = f"with {heading(sense.column)} {text if said is None else f'{said[1]} {text}'}"
        where = limit.within(pl.col(sense.column)).fill_null(False)
        made.append(Constraint(f"bound:{sense.column}", label, where, after=True, at=piece.at))
        used += [text, "whose", *(() if said is None else said[1].split())]
    for word in () if ordered else reading.unknown:
        unit = reading.asked.matches(rf"\b{re.escape(word)} (?:hour|minute|day|week|month|%|percent)")
        bare = word.isdigit() and word not in used and not unit
        column = _only_holder(reading, frame, word) if bare else None
        if column is not None:
            held = (pl.col(column) == int(word)).fill_null(False)
            made.append(Constraint(f"bound:{column}", f"with {heading(column)} {word}", held, after=True))
            used.append(word)
    return made, tuple(used)


def _only_holder(reading: Reading, frame: pl.DataFrame, number: str) -> str | None:
    """The one column of numbers that people ask for and that has this number."""
    asked = dict.fromkeys((*reading.entity.measures, *reading.entity.attributes)).keys() & set(frame.columns)
    found = [one for one in asked if frame.schema[one].is_numeric() and (frame[one] == int(number)).any()]
    return found[0] if len(found) == 1 else None
