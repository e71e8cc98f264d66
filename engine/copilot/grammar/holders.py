"""Things by what they have: "services with more than 5 open findings", "who has the most hours", "active vs closed"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl

from engine.copilot.answers.cells import BETWEEN
from engine.copilot.entities.entity import phrases
from engine.copilot.grammar.lexicon import GROUP_WORDS
from engine.copilot.grammar.lexicon import nouns as nouns_of
from engine.copilot.grammar.pieces import Piece
from engine.copilot.grammar.query import Constraint, Intent, Order, Query, columns_of, dates_of
from engine.copilot.grammar.reading import NumberLimit, Reading
from engine.copilot.grammar.text import stem

_DOES = r"^(?:so |and )?(?:what|which \w+) (?:is|are|was|were|keeps?|has been) (?:still |currently )?(?P<does>\w+ing)\b"
_PLACES = phrases("source, region, location, from_name, service, environment")  # what "where" asks for
# the days on which somebody ended a thing: whoever has it did, unless another column says who
ENDS = phrases("resolved_on, closed_on, fixed_on, mitigated_on, done_on, completed_on, submitted_on")
_HOLDING = frozenset(
    phrases(
        "has, have, with, without, had, having, by, carry, cover, covers, lack, no, affected, hold, holds, get, got, "
        "saw, see"
    )
)
_WORDS_OF_ROWS = ("severity", "status", "state", "kind", "tier")
_NONE = frozenset(("without", "no", "lack", "not"))


# how many different ones there are, not how many rows: "on how many days", "how many distinct CVEs"
_DISTINCT = (
    r"\b(?:on how many (?P<span>days|weeks|months)|"
    r"how many (?:different |distinct |unique |separate )?(?P<who>people|persons|engineers)|"
    r"how many (?:different|distinct|unique|separate) (?P<what>\w+))\b"
)


def group_by_holder(query: Query, reading: Reading, frame: pl.DataFrame) -> Query | None:
    """Groups that have so many rows, or none; None where the question asks for the rows themselves."""
    holders = _holders(reading, frame)
    if holders is None or _first_of(query, reading):
        return None
    column, at = holders
    bound = reading.asked.bound
    having, used = NumberLimit(">=", 1, ""), set[str]()
    if bound is not None and _counts(reading):
        having, used = bound, {bound.words, *(_HOLDING & set(reading.asked.words[at : bound.at]))}
    elif _NONE & set(reading.asked.words[at:]) & set(query.unknown):
        having, used = NumberLimit("=", 0, ""), set(_NONE)
    kept = tuple(each for each in query.constraints if not (used and each.dimension.startswith("bound")))
    kept, people = _of_holders(kept, reading, frame, column, at)
    most = any(piece.sense("order") is not None for piece in reading.pieces)
    unknown = (*(word for word in query.unknown if word not in used), *people)
    return replace(
        query,
        intent="group",
        group=column,
        constraints=kept,
        unknown=unknown,
        columns=(),
        having=None if most else having,
    )


def _first_of(query: Query, reading: Reading) -> bool:
    """Whether one row is asked for, as in "which service has the oldest open finding"."""
    counts = any((sense := piece.sense("order")) and sense.column == "count" for piece in reading.pieces)
    return (
        query.order is not None
        and not counts
        and reading.asked.matches(
            r"\b(?:has|have|had|with)\b(?: the)? "
            r"(?:oldest|newest|latest|earliest|longest|shortest|worst|highest|lowest|last)\b"
        )
    )


def _of_holders(
    made: tuple[Constraint, ...], reading: Reading, frame: pl.DataFrame, column: str, at: int
) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
    """Constraints where a person owns the holders, as in "services that lena owns with open incidents"."""
    noun = min((piece.at for piece in reading.pieces if piece.sense("noun") and piece.at > at), default=999)
    kept: list[Constraint] = []
    lost: list[str] = []
    for each in made:
        if not each.dimension.startswith("name:person") or not at < each.at < noun:
            kept.append(each)
        elif column == "service" and "service_owner" in frame.columns:
            names = [
                sense.name.keys
                for piece in reading.pieces
                if piece.at == each.at
                for sense in piece.senses
                if sense.name is not None
            ]
            where = pl.col("service_owner").is_in([key for keys in names for key in keys])
            label = each.label.replace("owned by", "on a service owned by")
            kept.append(replace(each, where=where, label=label, dimension="name:person/service_owner"))
        else:
            lost.append(each.label)
    return tuple(kept), tuple(lost)


def _holders(reading: Reading, frame: pl.DataFrame) -> tuple[str, int] | None:
    """The column whose values are asked for, and its place: "services" in "which services have open findings"."""
    words = reading.asked.words
    own = {one for phrase in nouns_of(reading.entity) for one in phrase}
    for word, column in GROUP_WORDS.items():
        at = next((n for n, one in enumerate(words) if one in (word, f"{word}s")), None)
        if word in own or at is None or column not in frame.columns or column in _WORDS_OF_ROWS:
            continue
        nouns = [piece for piece in reading.pieces if piece.sense("noun") and piece.at > at]
        if nouns and set(words[at + 1 : nouns[0].at]) & _HOLDING and not set(words[:at]) & {"per", "by", "each", "on"}:
            return column, at
    told = [piece.at for piece in reading.pieces if piece.sense("noun")]
    for piece in reading.pieces:  # "which change tickets cover more than one deploy"
        sense = None if piece.at > 3 or piece.sense("noun", "state") else piece.sense("attribute")
        asks = not piece.at or words[:1] in (("which",), ("what",), ("how",))
        after = any(at > piece.at for at in told) and asks
        if sense is not None and after and _counts(reading) and frame.schema[sense.column] == pl.String:
            return sense.column, piece.at
    if reading.asked.bound is not None and words[:1] == ("who",) and _counts(reading):
        return next(((one, 0) for one in reading.entity.people if one in frame.columns), None)
    return None


def _counts(reading: Reading) -> bool:
    """Whether the number of the question is one of things, as in "more than 5 open findings"."""
    bound = reading.asked.bound
    nouns = [piece.at for piece in reading.pieces if piece.sense("noun") and bound is not None and piece.at >= bound.at]
    if bound is None or not nouns:
        return False
    return all(any(piece.at <= at < piece.end for piece in reading.pieces) for at in range(bound.at, nouns[0]))


def distinct_query(query: Query, reading: Reading, frame: pl.DataFrame) -> Query | None:
    """The groups that have any row, where it is they that are counted."""
    match = re.search(_DISTINCT, reading.asked.text)
    if match is None:
        return None
    if match["span"] is not None:
        day = next(iter([*dates_of(reading), *reading.entity.dates]), None)
        column = None if day is None or frame.schema.get(day) != pl.Date else f"{match['span'][:-1]}:{day}"
    elif match["who"] is not None:
        usual = "person" if "person" in reading.entity.people else None  # of a rota, whoever is on it
        column = next((sense.column for piece in reading.pieces if (sense := piece.sense("role"))), usual)
    else:
        pieces = [piece for piece in reading.pieces if match["what"] in (piece.words, f"{piece.words}s")]
        columns = [
            one.column for piece in pieces for one in piece.senses if one.kind in ("attribute", "role", "choice")
        ]
        column = GROUP_WORDS.get(stem(match["what"]), next(iter(columns), None))
        column = column if column in frame.columns else None
    if column is None:
        return None
    left = tuple(word for word in query.unknown if word not in match[0].split())
    return replace(query, intent="group", group=column, having=NumberLimit(">=", 1, ""), unknown=left, columns=())


def most_work(query: Query, reading: Reading, frame: pl.DataFrame, group: str | None) -> Query | None:
    """Whoever a sum is largest or smallest of: "who has the most hours of overdue duties"."""
    piece = next((one for one in reading.pieces if (of := one.sense("order")) and of.column == "count"), None)
    behind = [one for one in reading.pieces if piece is not None and piece.end <= one.at <= piece.end + 2]
    column = next((one.column for each in behind if (one := each.sense("measure"))), None)
    if piece is None or column is None or column not in frame.columns or query.order is not None:
        return None
    by = next(iter(columns_of(reading, "role", frame) or reading.entity.people), None)
    by = by if query.intent == "who" else group
    order = piece.sense("order")
    if by is None or order is None or frame.schema[by] != pl.String or not column.endswith("_hours"):
        return None
    ranked = Order(column, order.value == "down", 1, piece.words)
    return replace(query, intent="measure", measure=(column, "sum"), group=by, columns=(), order=ranked)


def limits(query: Query, measures: Sequence[str]) -> bool:
    """Whether a measure says which rows: "incidents that lasted over 3 hours"."""
    said = {f"{what}:{one}" for what in ("bound", "empty") for one in measures}
    return any(each.dimension in said for each in query.constraints)


def counted_column(query: Query, reading: Reading, frame: pl.DataFrame) -> str | None:
    """The column of whole numbers that "how many" counts: "how many deviations did tests find"."""
    counted = re.search(r"\bhow many (\w+)\b", reading.asked.text)
    if counted is None or query.intent != "count" or query.lookup:
        return None
    piece = next((one for one in reading.pieces if counted[1] in (one.words, f"{one.words}s")), None)
    sense = None if piece is None or piece.sense("noun", "name") else piece.sense("attribute", "measure")
    column = "" if sense is None else sense.column
    return column if column in frame.columns and frame.schema[column].is_integer() else None


def times_counted(query: Query, reading: Reading, frame: pl.DataFrame) -> Query | None:
    """The sum of the column that counts it: "how many times were exceptions renewed" is no number of exceptions."""
    if query.lookup or not re.search(r"\bhow (?:many times|often) (?:was|were|has|have|had|did)\b", reading.asked.text):
        return None
    for piece in reading.pieces:
        sense = piece.sense("attribute", "measure")
        if sense is not None and not piece.sense("noun", "name") and frame.schema[sense.column].is_integer():
            kept = tuple(each for each in query.constraints if each.at != piece.at)
            return replace(query, intent="measure", measure=(sense.column, "sum"), constraints=kept, columns=())
    return None


def days_between(reading: Reading, frame: pl.DataFrame) -> tuple[str, tuple[int, int]] | None:
    """The days from one step of a row to another, and where both stand: "from proposed to completed"."""
    said = reading.asked.words
    if not reading.asked.matches(r"\b(?:days?|time|long|average|median)\b"):
        return None
    dated = [(piece, sense.column) for piece in reading.pieces if (sense := piece.sense("date"))]
    for (one, first), (two, last) in pairwise(dated):
        ends = said[one.at - 1 : one.at], said[one.end : two.at]
        steps = ends in ((("from",), ("to",)), (("from",), ("until",)), (("between",), ("and",)))
        if steps and first != last and {frame.schema.get(first), frame.schema.get(last)} == {pl.Date}:
            return f"{first}{BETWEEN}{last}_days", (one.at, two.at)
    return None


def row_columns(reading: Reading, frame: pl.DataFrame) -> tuple[str, ...]:
    """The columns that are asked of one row, of whatever kind: "owner and due date of REQ-2026-0004"."""
    found = [piece.sense("attribute", "measure", "date", "role") for piece in reading.pieces]
    return tuple(dict.fromkeys(one.column for one in found if one is not None and one.column in frame.columns))


def numbers_of_time(query: Query, reading: Reading, frame: pl.DataFrame) -> Query | None:
    """The column of days or hours that "how many days" asks for, where that is a column by its own name."""
    said = re.search(r"\bhow many (days|hours|weeks|months)\b", reading.asked.text)
    piece = next((one for one in reading.pieces if said is not None and one.words == said[1]), None)
    sense = None if piece is None or query.intent != "count" else piece.sense("attribute")
    if sense is None or not frame.schema[sense.column].is_numeric():
        return None
    if not query.lookup and sense.column in query.entity.measures:
        return replace(query, intent="measure", measure=(sense.column, "sum"), columns=())
    return replace(query, intent="what", columns=(sense.column,))


def without_windows(reading: Reading) -> str:
    """The text without its spans of time and limits: "by year end" is no count by year, "older than" no comparison."""
    asked = reading.asked
    text = asked.text
    for words in (*(window.words for window in asked.windows), *((asked.bound.words,) if asked.bound else ())):
        text = text.replace(words, " ")
    return text


def is_agent(by: Piece, reading: Reading) -> bool:
    """Whether "by" stands before who did it: "reported by the network scanner"."""
    before = reading.asked.words[by.at - 1] if by.at else ""
    after = reading.asked.words[by.end : by.end + 1]
    if after in (("what",), ("whom",), ("who",), ("which",)):
        return by.words == "by"
    beside = reading.asked.matches(rf"\b{re.escape(before)} by\b")  # "captured in October by source" counts by it
    return by.words == "by" and beside and before.endswith(("ed", "en", "wn")) and bool(after)


def group_of(reading: Reading, frame: pl.DataFrame, intent: Intent) -> str | None:
    """The column to count by: after "by" or "per", or before "the most"."""
    most = any((sense := piece.sense("order")) and sense.column == "count" for piece in reading.pieces)
    by = next(
        (n for n, piece in enumerate(reading.pieces) if piece.sense("group") and not is_agent(piece, reading)), None
    )
    if by is None and not most:
        return _under_way(reading, frame)
    words, own = reading.asked.words, (reading.entity.key, *reading.entity.names)
    which = re.match(r"(?:which|what) (\w+)(?: (\w+))?", reading.asked.text) if most else None
    for word in () if which is None else which.groups(""):
        if (wanted := GROUP_WORDS.get(stem(word))) is not None and wanted in frame.columns:
            return wanted
    head = None if which is None else next((one for one in reading.pieces if one.at == 1), None)
    if head is not None and not head.sense("noun", "name", "state"):
        sense = head.sense("role", "attribute")  # "which scanner found the most"
        if sense is not None and frame.schema.get(sense.column) == pl.String:
            return sense.column
    if most and reading.asked.matches(r"^(?:so |and )?(?:from |by )?where\b"):
        return next((one for one in _PLACES if one in frame.columns and one not in own), None)
    if most and intent == "who":
        roles = columns_of(reading, "role", frame)
        owing = (
            reading.asked.matches(
                r"\bwho (?:else )?(?:has|have|had|got|gets|sits|is|are|with|did|does|do|made|makes|handles|handled)\b"
            )
            or "actor" in reading.entity.people
            or any((one := piece.sense("date")) and one.column in ENDS for piece in reading.pieces)
        )
        return next(iter(roles or (reading.entity.people if owing else ())), None)
    after = reading.pieces[by + 1 :] if by is not None else reading.pieces
    start = next((piece.at for piece in reading.pieces if (one := piece.sense("order")) and one.column == "count"), 0)
    for piece in after:
        said = piece.sense("state", "noun") is not None  # "fewest open gaps" are not counted by status
        numbers = {one for one in piece.senses if one.kind == "attribute" and frame.schema[one.column].is_numeric()}
        for sense in sorted(piece.senses, key=lambda one: most and one not in numbers):
            number = sense in numbers
            if (said and not number) or (number and by is None and piece.at < start < len(words) - 1):
                continue  # a number is what there is most of: "the most users", never "users with the most"
            if sense.kind in ("attribute", "choice", "role") and sense.column in frame.columns:
                return sense.column
    for word, column in GROUP_WORDS.items():
        if (word in words or f"{word}s" in words) and column in frame.columns:
            return column
    return None


def _under_way(reading: Reading, frame: pl.DataFrame) -> str | None:
    """The column of "what is blocking remediations": what stands there, and how often."""
    verb = re.match(_DOES, reading.asked.text)
    named = next((one for one in reading.pieces if verb is not None and verb["does"] == one.words), None)
    doing = None if named is None or named.sense("state", "choice") else named.sense("attribute")
    return doing.column if doing is not None and frame.schema.get(doing.column) == pl.String else None
