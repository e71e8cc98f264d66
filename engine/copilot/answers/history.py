"""How scores were and how they went: posture, readiness and open gaps from the snapshots that are taken each week."""

from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell
from engine.copilot.answers.library import Library
from engine.copilot.answers.series import ScoreSeries, series_of
from engine.copilot.entities.entity import phrases
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.moments import TimeWindow
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion, NumberLimit
from engine.copilot.grammar.text import stem, words_of_file
from engine.model.vocabulary import Confidence

_UP = r"\b(?:up|better|improv\w*|increas\w*|ris\w*|rose|grow\w*|grew|gain\w*|higher|more|progress\w*)\b"
_DOWN = r"\b(?:down|worse\w*|decreas\w*|fall\w*|fell|drop\w*|declin\w*|los\w+|lower|fewer|less|slip\w*|deteriorat\w*)\b"
_OTHER = (
    r"\b(?:trend\w*|history|historical|over time|develop\w*|evol\w*|chang\w*|compar\w*|than|versus|vs|moved?|moving)\b"
)
# what says that something moved, where no time is said
_MOVED = (
    r"\b(?:gone|go|goes|going|went|improv\w*|trend\w*|chang\w*|progress\w*|increas\w*|decreas\w*|drop\w*|fell|fall\w*|"
    r"rising|rose|risen|declin\w*|develop\w*|evol\w*|over time|history|getting|got|becom\w*|became|worsen\w*|"
    r"deteriorat\w*)\b"
)
_EVER = r"\b(?:ever|never|since we (?:started|began)|since the (?:start|beginning)|all time|so far)\b"
_WHY = r"\bwhy\b|\bhow come\b|\breasons?\b|\bcause[sd]?\b|\bwhat (?:made|drove|dragged|pulled|pushed)\b"
_PEAK = r"\b(?:highest|best|peak|maximum|max)\b"
_LEAST = r"\b(?:lowest|worst|minimum|min|weakest)\b"
_KNOWN = words_of_file("scores.txt")  # all words that a question about a score may have
_SPELT = frozenset(  # parts of the names of frameworks
    phrases("soc, 2, soc2, iso, 27001, pci, dss, hipaa, nist, csf, cis, cmmc, gdpr, fedramp, v8, l2, type, ii")
)
MOST_LISTED = 10
USUAL_DAYS = 30


def history(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What a score was or how it went; None where the question asks of nothing of the kind."""
    subject = _subject(asked, names)
    past = [window for window in asked.windows if window.first is not None and window.first < library.today]
    ever = asked.matches(_EVER)
    peaks = asked.matches(_PEAK) or asked.matches(_LEAST)
    trend = ever or peaks or asked.bound is not None or any(asked.matches(pattern) for pattern in (_UP, _DOWN, _OTHER))
    still = not past and asked.bound is None and not ever and not asked.matches(_MOVED) and not asked.matches(_PEAK)
    if still and not asked.matches(_LEAST):
        return None
    if asked.matches(r"\b(?:would|could|should|can|will)\b"):
        return None
    if subject is None or not (past or trend) or any(window not in past for window in asked.windows):
        return None
    frameworks = list(dict.fromkeys(name.keys[0] for name in names if name.kind == "framework"))
    labels = {stem(word) for name in names for word in name.label.lower().replace("-", " ").split()}
    spoken = {stem(word) for name in names for key in name.keys for word in (key, *key.split("-"))}
    telling = [word for word in asked.words if not (is_filler(word) or is_everyday(word))]
    strange = [
        word
        for word in telling
        if stem(word) not in _KNOWN | labels | spoken
        and word not in _KNOWN
        and not any(word_matches(word, pattern) for pattern in (_UP, _DOWN, _OTHER))
        and not word.isdigit()
        and not (frameworks and word in (*_SPELT, "controls"))
    ]
    if strange:
        words = ", ".join(f"'{word}'" for word in strange)
        return AnswerPart(
            (
                f"I have no data on that with {words}: the snapshots do not say it, and without it the answer would be "
                "to another question.",
            ),
            "none",
        )
    lines: list[str] = []
    unsure = False
    strict = subject == "readiness" and asked.matches(r"\bstrict\b")
    score_series = series_of("strict readiness" if strict else subject, frameworks, library)
    if asked.matches(r"\bwhich\b") and len(score_series) > 1:
        ranked = _rank_series(score_series, asked, past, library.today)
        return (
            None
            if ranked is None
            else AnswerPart(
                tuple(f"{text} {citations.cite('readiness_snapshots', None, f'{day}')}" for text, day in ranked), "high"
            )
        )
    for series in score_series:
        said, sure = _change_sentence(series, asked, past, library.today)
        unsure |= not sure
        days = [day for day in said[1] if day != library.today]
        marks = " ".join(citations.cite(series.table, None, f"{day}") for day in days[:3])
        lines += [f"{said[0][0]} {marks}".strip(), *said[0][1:]]
    if not lines:
        return AnswerPart(("I have no data on that: no snapshot of it was taken.",), "none")
    if all(line.startswith("I have no data") for line in lines):
        return AnswerPart(tuple(lines), "none")
    confidence: Confidence = "medium" if unsure else "high"
    if asked.matches(_WHY):
        lines.append("Why it changed I do not know: the snapshots hold the values and no cause.")
        confidence, unsure = "low", False
        return AnswerPart(tuple(lines), confidence, "the change is known, its cause is not")
    reason = ("the snapshot before that day" if past else "no time was said") if unsure else ""
    return AnswerPart(tuple(lines), confidence, reason)


def word_matches(word: str, pattern: str) -> bool:
    """Whether a word alone matches."""
    return CopilotQuestion(word, (word,), ()).matches(pattern)


def _subject(asked: CopilotQuestion, names: Sequence[OwnName]) -> str | None:
    if asked.matches(r"\battack (?:paths?|routes?)\b"):
        return None  # which has a score of its own
    if any(name.kind not in ("framework",) for name in names):
        return None
    if asked.matches(r"\bgaps\b") and not asked.matches(r"\b(?:critical|high|medium|low|overdue|owner)\b"):
        asks_then = asked.matches(r"\b(?:were|was|did we have|had)\b") and not asked.matches(
            r"\b(?:clos|detect|found|new)\w*"
        )
        moves = asked.matches(r"\b(?:trend|over time|going (?:up|down)|gone (?:up|down)|history|more|fewer|than)\b")
        return "gaps" if asks_then or (moves and not asked.windows) else None
    framework = any(name.kind == "framework" for name in names)
    if asked.matches(r"\b(?:posture|compliance score|security score|overall score|(?:our|the|what) score)\b"):
        return None if framework else "posture"
    moved = any(asked.matches(pattern) for pattern in (_UP, _DOWN, _OTHER))
    if asked.matches(r"\b(?:readiness|ready)\b") or (
        (framework or asked.matches(r"\bframeworks?\b"))
        and moved
        and not asked.matches(
            r"\b(?:controls?|requests?|gaps?|duties|attestations?|tests?|remediations?|exceptions?|polic\w+|findings?)\b"
        )
    ):
        return "readiness"
    return None


def _change_sentence(
    series: ScoreSeries, asked: CopilotQuestion, past: Sequence[TimeWindow], today: date
) -> tuple[tuple[list[str], list[date]], bool]:
    """The sentence with the days that it names, and whether the question said which time is meant."""
    if asked.bound is not None:
        return _bound_lines(series, asked.bound, past[0] if past else None), True
    if asked.matches(_PEAK) or asked.matches(_LEAST):
        return _extreme(series, past[0] if past else None, asked.matches(_PEAK)), True
    if asked.matches(_EVER) and not past:
        return _against(series, series.on(today), series.days.row(0), asked), True
    if len(past) == 2:
        ends = [series.on(min(window.last or today, today)) for window in past]
        return _against(series, ends[0], ends[1], asked), True
    window = past[0] if past else None
    now = series.on(today)
    moved = any(asked.matches(pattern) for pattern in (_UP, _DOWN, _OTHER))
    if window is not None and (window.last is None or window.last >= today or moved):
        to = window.last if moved and window.last is not None and window.last < today else window.first
        return _against(series, now, series.on(to or today), asked), True
    if window is not None:
        within = _within(series, window)
        return within, window.first != window.last or within[1] in ([], [window.last])
    return _against(series, now, series.on(today - timedelta(days=USUAL_DAYS)), asked), False


def _rank_series(
    score_series: Sequence[ScoreSeries], asked: CopilotQuestion, past: Sequence[TimeWindow], today: date
) -> list[tuple[str, date]] | None:
    """The series by how far they moved, the one that is asked for first; None where no direction is said."""
    down = asked.matches(_DOWN) and not asked.matches(_UP.replace("|more|", "|"))
    if len(past) > 1 or not (down or asked.matches(_UP)):
        return None
    since = (past[0].first if past else None) or today - timedelta(days=USUAL_DAYS)
    moved = []
    for series in score_series:
        now, then = series.on(today), series.on(since)
        if now is not None and then is not None:
            moved.append((round(now[1] - then[1], 1), series.title, now, then))
    moved.sort(reverse=not down)
    return [
        (
            f"{'' if number == 0 else '- '}{title[:1].upper()}{title[1:]}: {change:+g} points, {cell(then[1])} % on "
            f"{then[0]} to {cell(now[1])} % "
            f"on {now[0]}.",
            then[0],
        )
        for number, (change, title, now, then) in enumerate(moved)
    ]


def _within(series: ScoreSeries, window: TimeWindow) -> tuple[list[str], list[date]]:
    """What the value was at the end of a span, and within it."""
    last = window.last or date.max
    held = series.days.filter(pl.col("on").is_between(window.first or date.min, last))
    end = series.on(last)
    if end is None:
        first = series.days["on"][0]
        return [f"I have no data on the {series.title} {window.words}: the first snapshot is of {first}."], []
    if held.height < 2:
        return [f"The {series.title} was {_value(series, end)} {window.words}, by the snapshot of {end[0]}."], [end[0]]
    low, high = held["value"].min(), held["value"].max()
    text = (
        f"The {series.title} was {_value(series, end)} at the end of it (snapshot of {end[0]}); "
        f"{window.words} it lay "
        f"between {cell(low)} and {cell(high)}{series.unit}."
    )
    return [text, *(f"- {day}: {cell(value)}{series.unit}" for day, value in held.tail(MOST_LISTED).iter_rows())], [
        end[0]
    ]


def _values_within(series: ScoreSeries, window: TimeWindow | None) -> tuple[pl.DataFrame, str]:
    """The values of a span, of all of them without one, and how it is said."""
    if window is None:
        return series.days, f"since {series.days['on'][0]}"
    return series.days.filter(pl.col("on").is_between(window.first or date.min, window.last or date.max)), window.words


def _bound_lines(series: ScoreSeries, bound: NumberLimit, window: TimeWindow | None) -> tuple[list[str], list[date]]:
    """Whether the value was ever so high or so low, and when first and last."""
    held, text = _values_within(series, window)
    fits = held.filter(bound.within(pl.col("value")))
    down = bound.sign.startswith("<")
    if held.is_empty():
        return [f"I have no data on the {series.title} {text}."], []
    day, value = held.sort("value", "on", descending=[not down, False]).row(0)
    end = f"the {'lowest' if down else 'highest'} was {cell(value)}{series.unit} on {day}"
    if fits.is_empty():
        return [f"No: the {series.title} was never {bound.words} {text}; {end}."], [day]
    first, last = fits["on"][0], fits["on"][-1]
    return [
        f"Yes: the {series.title} was {bound.words} on {fits.height} of {held.height} days {text}, first on "
        f"{first} "
        f"and last on {last}; {end}."
    ], [day]


def _extreme(series: ScoreSeries, window: TimeWindow | None, peak: bool) -> tuple[list[str], list[date]]:
    held, words = _values_within(series, window)
    if held.is_empty():
        return [f"I have no data on the {series.title} {words}."], []
    day, value = held.sort("value", "on", descending=[peak, False]).row(0)
    return [f"{cell(value)}{series.unit} on {day}: the {'highest' if peak else 'lowest'} {series.title} {words}."], [
        day
    ]


def _against(
    series: ScoreSeries, now: tuple[date, float] | None, then: tuple[date, float] | None, asked: CopilotQuestion
) -> tuple[list[str], list[date]]:
    if now is None or then is None:
        first = series.days["on"][0]
        return [f"I have no data on the {series.title} so far back: the first snapshot is of {first}."], []
    change = round(now[1] - then[1], 1)
    way = "unchanged" if not change else f"{'up' if change > 0 else 'down'} by {cell(abs(change))}{_points(series)}"
    wanted = asked.matches(_UP) is not asked.matches(_DOWN)
    claimed = change > 0 if _rises(series, asked) else change < 0
    yes = f"{'Yes' if claimed else 'No'}: t" if wanted and asked.matches(_POLAR) else "T"
    text = (
        f"{yes}he {series.title} is {way}: {_value(series, now)} on {now[0]} against {_value(series, then)} "
        f"on {then[0]}."
    )
    return [text], [now[0], then[0]]


_POLAR = r"^(?:so |and )?(?:is|are|was|were|has|have|had|did|does|do)\b"


def _rises(series: ScoreSeries, asked: CopilotQuestion) -> bool:
    """Whether the question claims that the number grew: better means more, but fewer gaps."""
    if "gap" in series.title and asked.matches(r"\b(?:better|improv\w*|progress\w*)\b"):
        return False
    if "gap" in series.title and asked.matches(r"\b(?:worse\w*|deteriorat\w*)\b"):
        return True
    return asked.matches(_UP)


def _points(series: ScoreSeries) -> str:
    return " points" if series.title != "open gaps" and not series.title.startswith("open") else ""


def _value(series: ScoreSeries, held: tuple[date, float]) -> str:
    return f"{cell(held[1])}{series.unit}"
