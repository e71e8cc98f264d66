"""What turns a question round or opens it up: "not" and "except" before a word, "without" before a column, "or"."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, pairwise

import polars as pl

from engine.copilot.answers.cells import heading
from engine.copilot.grammar.constraints import CHECK, choices_of, names_of, states_of, titles_of
from engine.copilot.grammar.lexicon import Sense
from engine.copilot.grammar.moments import TimeWindow
from engine.copilot.grammar.pieces import Piece
from engine.copilot.grammar.query import Constraint, Query
from engine.copilot.grammar.reading import Reading
from engine.copilot.grammar.spans import spans_of

_SAYING = ("state", "choice", "name", "title", "mine", "date")


def turned_dates(reading: Reading) -> list[str]:
    """The dates of verbs behind "not": "not reviewed since May"."""
    dates = ((piece, _only_date(piece)) for piece in reading.turned)
    return [sense.column for piece, sense in dates if sense is not None and not _is_apart(reading, piece)]


def _is_apart(reading: Reading, turned: Piece) -> bool:
    """Whether the one span of time is that of another verb before it: "opened this month, not submitted"."""
    if len(reading.asked.windows) != 1 or not any(p.sense("date") and p.at < turned.at for p in reading.pieces):
        return False
    text, span = reading.asked.text, reading.asked.windows[0].words
    return -1 < text.find(span) < text.rfind(turned.words)


def _only_date(piece: Piece) -> Sense | None:
    """The date of a verb that says nothing else; a state of that name is no longer, where the day is kept."""
    return None if piece.sense("state", "name", "title") else piece.sense("date")


def turned_of(
    reading: Reading, frame: pl.DataFrame, today: date, asker: str
) -> tuple[list[Constraint], tuple[str, ...]]:
    """The constraints that "not" and "except" make, and the words that they could not be made of."""
    turned = [piece for piece in reading.turned if not (piece.sense("choice") and _only_date(piece))]
    made, orphans = _plain(reading, turned, frame, today, asker)
    constraints = [_not(one) for one in made]
    excepted, lost = _plain(reading, reading.excluded, frame, today, asker)
    orphans += lost
    if excepted:
        where = pl.all_horizontal(one.where for one in excepted).fill_null(False)
        label = f"except {' '.join(one.label for one in sorted(excepted, key=lambda one: one.after))}"
        searched = next((one.dimension for one in excepted if one.dimension.startswith("title:")), label)
        constraints.append(Constraint(f"not:{searched}", label, ~where, after=True, at=excepted[0].at))
    for piece in reading.turned:
        sense = _only_date(piece)
        if sense is not None and (not reading.asked.windows or _is_apart(reading, piece)):
            if sense.column in frame.columns and piece.words.endswith(("ed", "met", "sent", "ran")):
                where = pl.col(sense.column).is_null() | (pl.col(sense.column) > today)
                constraints.append(
                    Constraint(f"not:{sense.column}", f"not {piece.words}", where, after=True, at=piece.at)
                )
            else:
                orphans.append(f"not {piece.words}")
    for piece in reading.turned:
        role = piece.sense("role")
        if role is not None and not piece.sense(*_SAYING) and role.column in frame.columns:
            label = f"without {heading(role.column)}"
            constraints.append(Constraint(f"empty:{role.column}", label, pl.col(role.column).is_null(), True, piece.at))
    used = {one.at for one in (*made, *excepted, *constraints)}
    orphans += [
        f"not {piece.words}"
        for piece in (*reading.turned, *reading.excluded)
        if piece.at not in used
        and _only_date(piece) is None
        and not any(part.at == piece.at for one in (*made, *excepted) for part in one.parts)
    ]
    return constraints, tuple(orphans)


def turned_spans(reading: Reading, today: date, frame: pl.DataFrame) -> list[Constraint] | None:
    """Spans of time behind a verb that "not" stands before, turned round; None where there is none."""
    dates = turned_dates(reading)
    if not dates or not reading.asked.windows:
        return None
    asked = tuple(_after_last(window) for window in reading.asked.windows)
    made, _, _ = spans_of(replace(reading, asked=replace(reading.asked, windows=asked)), dates, today, frame)
    return [_not(one) for one in made]


def _after_last(window: TimeWindow) -> TimeWindow:
    """What was "not done since July" was done in July at the latest."""
    gone = window.named is not None and window.last is not None and window.named < window.last
    return replace(window, first=window.named + timedelta(days=1)) if gone and window.named else window


def _plain(
    reading: Reading, pieces: Sequence[Piece], frame: pl.DataFrame, today: date, asker: str
) -> tuple[list[Constraint], list[str]]:
    if not pieces:
        return [], []
    names, orphans = names_of(reading, pieces, frame, asker)
    made = [
        *states_of(reading, pieces, today),
        *choices_of(reading, pieces),
        *names,
        *titles_of(reading, pieces, frame),
    ]
    rows = [sense.value for piece in pieces for sense in piece.senses if sense.kind == "row"]
    if rows:
        made.append(Constraint("rows", " and ".join(rows), pl.col(reading.entity.key).is_in(rows), True, pieces[0].at))
    return made, orphans


def _not(one: Constraint) -> Constraint:
    label = f"not {one.label}"
    return Constraint(
        f"not:{one.dimension}:{one.label}", label, ~one.where.fill_null(False), after=one.after, at=one.at
    )


def missing_of(reading: Reading, frame: pl.DataFrame) -> tuple[list[Constraint], tuple[str, ...]]:
    """What "without" or "with a" before the name of a column says, and the words that are used up with it."""
    made: list[Constraint] = []
    used: list[str] = []
    for piece in reading.pieces:
        sense = piece.sense("attribute", "measure", "role", "date")
        if sense is None or piece.sense("state", "choice", "order") or sense.column not in frame.columns:
            continue
        before = _before(reading, piece)
        if piece.sense("noun") and not (before in _WITHOUT and piece.sense("attribute", "date")):
            continue
        after = next((word for word in reading.asked.words[piece.end :] if word != "of"), "")
        if before in _WITH and after.isdigit():
            continue  # "with an impact of 5"
        if before not in (*_WITHOUT, *_WITH) or (before in _WITH and sense.kind == "measure"):
            continue
        where, kind = pl.col(sense.column).is_null(), frame.schema[sense.column]
        if reading.entity.unrated is not None and sense.column == reading.entity.size:
            where = pl.col(reading.entity.unrated)
        elif kind == pl.Boolean:
            where = ~pl.col(sense.column).fill_null(False)
        elif kind == pl.String:
            where = where | (pl.col(sense.column) == "")
        elif kind.is_numeric():
            where = where | (pl.col(sense.column) == 0)
        missing = before in _WITHOUT
        label = f"{'without' if missing else 'with'} {heading(sense.column)}"
        made.append(Constraint(f"empty:{sense.column}", label, where if missing else ~where, after=True, at=piece.at))
        used.append(before)
    return made, tuple(used)


_WITHOUT = ("without", "no", "missing", "lack", "lacks")
_WITH = ("with", "have", "has", "having", "had", "to")


def _before(reading: Reading, piece: Piece) -> str:
    """The word before a piece, articles aside; of "to a vendor" the article says that it is no verb."""
    said = reading.asked.words[: piece.at]
    bare = [word for word in said if word not in ("a", "an", "any", "the", "some", "recorded")]
    found = bare[-1] if bare else ""
    return found if found in _WITHOUT or found != (said[-1] if said else "") else ""


def alternatives(made: Sequence[Constraint], words: Sequence[str]) -> list[Constraint]:
    """Constraints with "or" between them: either of the two will do, whatever each is about."""
    constraints = sorted(made, key=lambda one: one.at)
    for at, word in enumerate(words):
        if word != "or":
            continue
        left = [one for one in constraints if 0 <= one.at < at]
        right = [one for one in constraints if one.at > at]
        if not left or not right or any(part.at > at for part in left[-1].parts):
            continue
        one, other = left[-1], right[0]
        if other.at - at > 3 or one.dimension.startswith("own") or other.dimension.startswith("own"):
            continue
        if one.dimension.startswith("not:") and other.dimension.startswith("not:"):
            continue  # "not caused by a release or a vendor": neither of them
        where = pl.any_horizontal(one.where.fill_null(False), other.where.fill_null(False))
        parts = (*(one.parts or (one,)), *(other.parts or (other,)))
        both = Constraint("state", f"{one.label} or {other.label}", where, one.after or other.after, one.at, parts)
        constraints = [both if each is one else each for each in constraints if each is not other]
    return constraints


_VERSUS = frozenset(("vs", "versus", "against", "than"))
_BETWEEN_SIDES = _VERSUS | {"and", "compared"}


def sides_of(query: Query, reading: Reading, frame: pl.DataFrame, *, compared: bool) -> Query | None:
    """A number for each of what stands side by side: where two are ``compared``, the values of a column or what is on
    either side of "versus"; else conditions that no row meets at once, apart by "and" or "vs"."""
    several = _several(query)
    if compared and several is not None and len(several.parts) == 2:
        used, halves = [several], sorted(several.parts, key=lambda one: one.at)
    else:
        stated = sorted((one for one in query.constraints if one.dimension.startswith(_STATED)), key=lambda one: one.at)
        states = [one for one in stated if one.dimension.startswith("state:")]
        used = _around(stated, reading.asked.words) if compared else states
        if len(used) < 2 or not (compared or _are_apart(used, query, reading, frame)):
            return None
        halves = [_beside_value(one, used[not number], frame) for number, one in enumerate(used)]
    kept = tuple(each for each in query.constraints if not any(each is one for one in used))
    left = query.unknown if compared else tuple(word for word in query.unknown if word not in _BETWEEN_SIDES)
    return replace(query, intent="compare", constraints=kept, halves=tuple(halves), unknown=left)


_STATED = ("state:", "choice:")


def _around(stated: Sequence[Constraint], said: Sequence[str]) -> list[Constraint]:
    """The conditions on either side of "versus"."""
    at = next((number for number, word in enumerate(said) if word in _VERSUS), -1)
    left, right = [one for one in stated if 0 <= one.at < at], [one for one in stated if 0 <= at < one.at]
    return [left[-1], right[0]] if left and right else []


def _are_apart(states: Sequence[Constraint], query: Query, reading: Reading, frame: pl.DataFrame) -> bool:
    """Whether states stand side by side, and no row has two of them at once."""
    if query.intent not in ("list", "count") or reading.asked.matches(CHECK):
        return False
    between = [reading.asked.words[one.at + 1 : other.at] for one, other in pairwise(states)]
    same = len({frozenset(one.where.meta.root_names()) for one in states}) == 1
    listed = same and set(between) <= {("and",), ()} and not any(one.after for one in states)
    joined = listed or (len(states) == 2 and "and" not in between[0])
    apart = all(frame.filter(one.where, other.where).is_empty() for one, other in combinations(states, 2))
    return joined and any(_BETWEEN_SIDES & set(words) for words in between) and apart


def _beside_value(one: Constraint, other: Constraint, frame: pl.DataFrame) -> Constraint:
    """A state as the value of the column that the other side is a value of: "open" beside "acknowledged"."""
    kind, _, column = other.dimension.partition(":")
    if kind != "choice" or not one.dimension.startswith("state:") or one.label not in frame[column].unique():
        return one
    return replace(one, where=pl.col(column) == one.label, dimension=other.dimension)


def _several(query: Query) -> Constraint | None:
    """The first condition that is met by either of several values."""
    made = (one for one in query.constraints if one.parts)
    return next((one for one in made if not one.dimension.startswith(("own", "apart"))), None)


def each_of(query: Query, reading: Reading) -> Query:
    """A number for each of what "and" joins: "for critical incidents, and for high ones"."""
    several = _several(query)
    if several is None:
        return query
    parts = tuple(sorted(several.parts, key=lambda one: one.at))
    if "and" not in reading.asked.words[parts[0].at : parts[-1].at]:
        return query
    return replace(query, constraints=tuple(one for one in query.constraints if one is not several), halves=parts)
