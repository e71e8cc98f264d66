"""Things by what they have: "services with more than 5 open findings", "who has the most hours", "active vs closed"."""

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from engine.copilot.entities.entity import phrases
from engine.copilot.grammar.lexicon import GROUP_WORDS
from engine.copilot.grammar.lexicon import nouns as nouns_of
from engine.copilot.grammar.query import Constraint, Order, Query, columns_of, dates_of
from engine.copilot.grammar.reading import NumberLimit, Reading
from engine.copilot.grammar.text import stem

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
        sense = None if piece.at > 3 or piece.sense("noun") else piece.sense("attribute")
        after = any(at > piece.at for at in told) and words[:1] in (("which",), ("what",), ("how",))
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


_SIDES = frozenset(("vs", "versus", "against", "and", "compared"))
_POLAR_START = r"^(?:is|are|was|were|do|does|did|has|have)\b"


def two_states(query: Query, reading: Reading, frame: pl.DataFrame) -> Query | None:
    """Two states that no row has at once, with "vs" or "and" between them: a number of each."""
    stated = sorted((one for one in query.constraints if one.dimension.startswith("state:")), key=lambda one: one.at)
    if len(stated) != 2 or query.intent not in ("list", "count") or reading.asked.matches(_POLAR_START):
        return None
    one, other = stated
    between = reading.asked.words[one.at + 1 : other.at]
    same = set(one.where.meta.root_names()) == set(other.where.meta.root_names())
    joined = "and" not in between or (same and between == ("and",) and not (one.after or other.after))
    if not joined or not _SIDES & set(between) or frame.filter(one.where, other.where).height:
        return None
    kept = tuple(each for each in query.constraints if each not in stated)
    left = tuple(word for word in query.unknown if word not in _SIDES)
    return replace(query, intent="compare", constraints=kept, halves=(one, other), unknown=left)


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
    return replace(query, intent="what", columns=(sense.column,))


def without_windows(reading: Reading) -> str:
    """The text without its spans of time and limits: "by year end" is no count by year, "older than" no comparison."""
    asked = reading.asked
    text = asked.text
    for words in (*(window.words for window in asked.windows), *((asked.bound.words,) if asked.bound else ())):
        text = text.replace(words, " ")
    return text
