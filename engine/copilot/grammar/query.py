"""A question as a query: which rows of which kind of thing, and what is asked of them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from engine.copilot.entities.entity import Entity, phrases
from engine.copilot.entities.wordbook import shared_words
from engine.copilot.grammar.lexicon import Sense
from engine.copilot.grammar.moments import TimeWindow
from engine.copilot.grammar.pieces import Piece
from engine.copilot.grammar.reading import NumberLimit, Reading
from engine.copilot.grammar.text import stem

Intent = Literal[
    "count", "list", "who", "when", "why", "what", "check", "every", "group", "measure", "compare", "share", "tally"
]


_INTENTS: tuple[tuple[Intent, str], ...] = (
    (
        "why",
        r"\bwhy\b|\bhow come\b|\bwhat (?:is |was )?(?:the )?(?:root )?cause|"
        r"\bwhat caused\b|\breason (?:for|of|behind)\b|"
        r"(?<!without )(?<!without a )(?<!no )\broot cause\b(?! analys)",
    ),
    ("count", r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow much (?:of|work)\b"),
    (
        "who",
        r"(?<!vendors )(?<!suppliers )(?<!people )(?<!users )"
        r"(?<!somebody )(?<!person )(?<!owners )\bwho\b|"
        r"\bwhom\b|^whose\b|\bwhich (?:person|people|owner|colleague|engineer)\b",
    ),
    (
        "when",
        r"^(?!which|what|who|how many|list|show|are|is|do|does|did|any).*\bwhen\b|"
        r"\b(?:and|or|know|say|tell|exactly|since|until) when\b|\bhow old\b|\b(?:what|which) (?:date|day)\b|"
        r"\bhow soon\b|\buntil when\b|\bdeadline (?:for|of)\b|"
        r"(?<!past )(?<!past their )(?<!past its )(?<!past the )(?<!no )(?<!\ba )(?<!after )(?<!after their )"
        r"(?<!after its )(?<!after the )(?<!before )(?<!before their )(?<!before its )\b"
        r"(?:target|due|expiry|review|end) date\b",
    ),
)


@dataclass(frozen=True)
class Constraint:
    """Which rows count. ``label`` is how it reads: before the noun, or behind it where ``after``.

    ``at`` is where the question says it, -1 where it does not. ``parts`` are the single values of alternatives.
    """

    dimension: str
    label: str
    where: pl.Expr
    after: bool = False
    at: int = -1
    parts: tuple["Constraint", ...] = ()


@dataclass(frozen=True)
class Order:
    """By which column the rows are ordered, from which end, and how many are asked for."""

    column: str
    down: bool
    count: int
    words: str


@dataclass(frozen=True)
class Tally:
    """How many rows of another kind each thing has: ``rows`` holds its ``key`` and the ``number``, in order.

    ``of`` is what was counted, ``ranked`` whether the first or last are asked for, ``among`` how many things there are.
    """

    rows: pl.DataFrame
    of: "Query"
    ranked: bool
    quantity: str
    among: int


@dataclass(frozen=True)
class Query:
    """A question as a query. ``columns`` are what is asked of the rows; ``unknown`` could not be applied."""

    entity: Entity
    intent: Intent
    constraints: tuple[Constraint, ...] = ()
    columns: tuple[str, ...] = ()
    measure: tuple[str, str] | None = None
    group: str | None = None
    having: NumberLimit | None = None
    order: Order | None = None
    halves: tuple[Constraint, ...] = ()
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    unused: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()  # the dates whose verbs are said: a later "and when?" is about them
    named: bool = True
    lookup: bool = False
    topic: int = -1  # up to where the thing is named, with what stands before the question: "of those in May, how many"
    polar: bool = False  # asks for yes or no
    checks: tuple[Constraint, ...] = ()
    presumed: bool = False
    stands: bool = False  # asks how things stand now: "are", "still", "older than"
    absent: str = ""  # the state that is meant where none is said, and that none of the rows has
    window: tuple[str, TimeWindow] | None = None
    tally: Tally | None = None
    minutes: bool = False  # a time is asked for in minutes
    assumed: tuple[str, ...] = ()  # what was taken for granted in reading it: such an answer is never sure

    @property
    def where(self) -> pl.Expr:
        """All constraints together."""
        return pl.all_horizontal(pl.lit(True), *(each.where for each in self.constraints))


def intent_of(reading: Reading) -> Intent:
    asked = reading.asked
    return next((intent for intent, pattern in _INTENTS if asked.matches(pattern)), "list")


def is_the_one(reading: Reading) -> bool:
    """Whether it speaks of one thing as known: "is the fix overdue"."""
    said, nouns = reading.asked.words, [piece for piece in reading.pieces if piece.sense("noun")]
    known = (said[one.at : one.end] for one in nouns if said[one.at - 1 : one.at] in (("the",), ("its",)))
    return any(words == tuple(map(stem, words)) for words in known)


def dates_of(reading: Reading) -> list[str]:
    timed = verb_timed(reading)
    return [sense.column for piece in reading.pieces if (sense := piece.sense("date")) and sense.column not in timed]


def verb_of_window(reading: Reading, window: TimeWindow) -> str | None:
    """The date of the verb that a span of time stands behind, where verbs of several dates are said."""
    said = [(piece, sense.column) for piece in reading.pieces if (sense := piece.sense("date"))]
    if len({column for _, column in said}) < 2:
        return None
    text, before = reading.asked.text, reading.asked.text.find(window.words)
    places = [(text.find(" ".join(reading.asked.words[one.at : one.end])), column) for one, column in said]
    return next((column for at, column in sorted(places, reverse=True) if -1 < at < before), None)


TIMED = {
    "acknowledged_on": "hours_to_acknowledge",
    "mitigated_on": "hours_to_mitigate",
    "resolved_on": "hours_to_resolve",
    "closed_on": "hours_to_close",
    "fixed_on": "days_to_fix",
    "finished_on": "days_to_close",
    "submitted_on": "days_to_submit",
    "accepted_on": "days_to_accept",
    "decided_on": "hours_to_decide",
}
_HOW_LONG = (
    r"\bhow (?:long|fast|quick|quickly|soon|slow|slowly|many (?:days|hours|minutes))\b|(?<!in )(?<!on )\btime\b|"
    r"\b(?:takes?|took) (?:us |them |me |the )?(?:longest |shortest )?to\b|\b(?:average|avg|mean|median|typical)\b"
)


def verb_timed(reading: Reading) -> dict[str, str]:
    """The dates of verbs of which a question asks how long they take ("to acknowledge"), each with its measure."""
    if not reading.asked.matches(_HOW_LONG):
        return {}
    measures = reading.entity.measures
    columns = [
        sense.column
        for piece in reading.pieces
        if (sense := piece.sense("date"))
        and timed_by(sense.column, measures) in measures
        and (
            reading.asked.matches(rf"\bto {re.escape(piece.words)}\b")
            or (
                reading.asked.matches(rf"\b(?:do|does|did|are|were|was|is|get|got) .*\b{re.escape(piece.words)}")
                and reading.asked.matches(r"\bhow\b")
            )
        )
    ]
    return {column: timed_by(column, measures) for column in columns}


def timed_by(column: str, measures: Collection[str]) -> str:
    """The measure of how long it took until a day, in hours or in days."""
    usual = TIMED.get(column, "")
    return usual if usual in measures else usual.replace("hours_", "days_")


def is_about_end(reading: Reading, windows: Sequence[TimeWindow], dates: Sequence[str]) -> bool:
    """Whether a span is about what was done in it, as it is of how long that took: "median days to close since May"."""
    entity = reading.entity
    timed = "" if entity.done is None or entity.due is None else timed_by(entity.done, entity.measures)
    said = any(len(piece.phrase) > 1 and piece.sense("measure") for piece in reading.pieces)
    said = said and any((sense := piece.sense("measure")) and sense.column == timed for piece in reading.pieces)
    return bool(windows) and said and not dates and not windows[0].age


def columns_of(reading: Reading, kind: str, frame: pl.DataFrame) -> list[str]:
    # "saved hours" are those that were saved: the bare unit says less than any other word
    pieces = sorted(reading.pieces, key=lambda one: kind != "measure" or one.words not in ("hour", "hours"))
    columns = [sense.column for piece in pieces for sense in piece.senses if sense.kind == kind]
    return [column for column in columns if column in frame.columns]


# superlatives that say what is good or bad, and the columns of which more is better; of all others, more is worse
WORST, BEST = frozenset(shared_words("worst")), frozenset(shared_words("best"))
_BETTER = re.compile(r"weighted|strict|readiness|coverage|_left|left_|effective|remaining|score_pct")
# superlatives of the scale of severity, whatever else the rows are ordered by
_SEVERE = frozenset(("most serious", "most severe", "most critical", "least serious", "least severe", "least critical"))
# what is longest is what began first, where no measure says how long, and it is not over
_LASTS = r"\b(?:open|standing|running|outstanding|active|pending|wait\w*|unresolved|silent|in force|been|had|serving)\b"
_NOT_OVER = r"\b(?:open|blocked|stuck|pending|waiting|outstanding|unresolved|in progress|under way|sitting)\b"
_LATELY = ("lately", "recently", "recent", "most recently")


def order_of(reading: Reading, frame: pl.DataFrame) -> Order | None:
    """The superlative of the question, by a date or by size."""
    entity = reading.entity
    for piece in reading.pieces:
        sense = piece.sense("order")
        ahead = sense is not None and sense.column == "due" and bool(reading.asked.windows) and entity.due is not None
        ahead = ahead or (piece.words in _LATELY and intent_of(reading) == "count")
        ahead = ahead or (piece.sense("measure") is not None and reading.asked.matches(r"\bhow long\b"))  # did it last
        if sense is not None and sense.column == "count" and (sized := _most_of(reading, piece, frame)) is not None:
            return Order(sized, sense.value == "down", 1, piece.words)
        if sense is None or ahead or sense.column == "count" or piece.sense("state", "choice") is not None:
            continue
        column, down = _ordered_by(reading, frame, sense, piece.words)
        if column is not None and column in frame.columns:
            count = next((number for number in _numbers_alone(reading) if 0 < number <= 100), 1)
            nouns = [reading.asked.words[one.end - 1] for one in reading.pieces if one.sense("noun")]
            plural = any(stem(word) != word for word in nouns)
            plural = plural and sense.column != "due" and not reading.asked.matches(r"\b(?:which|what) one\b")
            most = count if count > 1 else 5 if plural else 1
            said = "first" if piece.words.endswith(" first") else piece.words
            return Order(column, down, most, "latest" if piece.words in _LATELY else said)
    return None


def _numbers_alone(reading: Reading) -> Iterator[int]:
    """The whole numbers that are no part of a name: SOC 2 is none."""
    named = {at for one in reading.pieces if one.end - one.at > 1 for at in range(one.at, one.end)}
    yield from (int(word) for at, word in enumerate(reading.asked.words) if word.isdigit() and at not in named)


_HAVING = frozenset(phrases("with, that, which, has, had, have, having, the, of, by, were, was, affected, hit"))


def _most_of(reading: Reading, most: Piece, frame: pl.DataFrame) -> str | None:
    """The measure behind "the most" of one thing: "which one brings the most relief", "incident with most users"."""
    asked, nouns = reading.asked, [piece for piece in reading.pieces if piece.sense("noun")]
    behind = next((piece for piece in reading.pieces if piece.at == most.end), None)
    number = None if behind is None else behind.sense("measure", "attribute")
    if number is None or not frame.schema[number.column].is_numeric():
        return None
    held = nouns[:1] and nouns[0].end <= most.at and set(asked.words[nouns[0].end : most.at]) <= _HAVING
    head = next((piece for piece in reading.pieces if piece.at == 1), None)
    each_once = held or (asked.matches(r"^(?:which|what) (?!person|are|is)") and (head is None or head in nouns))
    if not (each_once or asked.matches(r"\bwhich (?:one|of (?:them|these|those))\b")):
        return None
    return number.column


def _ordered_by(reading: Reading, frame: pl.DataFrame, sense: Sense, words: str) -> tuple[str | None, bool]:
    """The column of a superlative, and whether its largest comes first."""
    entity, down = reading.entity, sense.value == "down"
    usual = entity.begun if sense.column in ("date", "measure") else None
    said = [] if words in ("oldest", "newest") and intent_of(reading) == "when" else dates_of(reading)
    first = next(iter(said), usual or next(iter(entity.dates), None))  # "when is the oldest one due"
    if sense.column == "due" and entity.due is None and not words.startswith("first"):
        return None, down  # of what happened there is no next one
    if sense.column == "late":
        return "late_days", down
    if sense.column == "measure":
        dates = [one.column for piece in reading.pieces if (one := piece.sense("date"))]
        verbs = [timed_by(one, entity.measures) for one in dates]
        numbers = [*columns_of(reading, "measure", frame), *columns_of(reading, "attribute", frame)]
        named = [one for one in numbers if frame.schema[one].is_numeric()]
        measures = (*(one for one in verbs if one in entity.measures), *named, *entity.measures)
        measure = next(iter(measures), None)
        if measure is None or (reading.asked.matches(_NOT_OVER) and measure not in named):
            lasts = measure is not None or reading.asked.matches(_LASTS)
            return (first if lasts and entity.name != "deploy" else None), False
        return measure, down
    if sense.column == "size":
        if words in _SEVERE and (
            scale := next((one for one in ("severity_rank", "rank") if one in frame.columns), None)
        ):
            return scale, down
        sized = [name for name in columns_of(reading, "attribute", frame) if frame.schema[name].is_numeric()]
        column = sized[0] if sized else entity.size
        better = column is not None and _BETTER.search(column) is not None
        return column, not better if words in WORST else better if words in BEST else down
    return (entity.due if sense.column == "due" and entity.due is not None else first), down
