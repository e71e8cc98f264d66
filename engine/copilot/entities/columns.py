"""Columns by their own names: a flag is a state, a day a verb, few words are choices, all else is asked of a row."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Literal, NamedTuple

import polars as pl

from engine.copilot.answers.cells import heading
from engine.copilot.entities.entity import Entity, RowState, flag, phrases

MOST_TEXTS = 30  # different texts of a column that are choices
_LONGEST = 4  # words of a choice
_LONGEST_REASON = 7
_TITLE = 3  # words that a title has at least to be said as a whole
# what places a row in a frame, or says where it came from: nobody asks for it by name
_INNER = phrases("_id, _ids, _at, _right, sha256, _key, _rank, _ref, _all, _event, _note, _state, _system, _local")
_HIDDEN = frozenset(
    phrases(
        "id, revision, rank, step, position, sequence, weekday, hour, week, called, because, leverage, "
        "control, age_days, late_days, age_ratio, needs, through, from_name, to_name, name, title, active, "
        "current, about, part, total, kinds_required, kinds_present, kinds_stale, low_hours, high_hours, "
        "applicable, raw_severity, summary"
    )
)


class ColumnWord(NamedTuple):
    """What a phrase says of a column; ``state`` where it says which rows."""

    said: str
    kind: Literal["state", "choice", "date", "role", "attribute"]
    column: str
    value: str = ""
    state: RowState | None = None


def words_of(entity: Entity, frame: pl.DataFrame) -> Iterator[ColumnWord]:
    """What the columns of a frame are called by their own names and headings, and the words that stand in them."""
    declared = {*entity.choices, *entity.dates, *entity.people, *entity.attributes, *entity.links.values()}
    spoken = {*entity.choices, *entity.people, *entity.links.values(), *entity.names}
    if "title" in entity.names and frame.schema.get("title") == pl.String:
        yield from _titles(frame["title"])
    yield from _periods(frame)
    yield from _higher_than_before(entity, frame)
    for column, kind in frame.schema.items():
        if column in _HIDDEN or column.endswith(_INNER) or column == entity.key or column in entity.names:
            continue
        said = sorted({column.removesuffix("_on").removesuffix("_pct").replace("_", " "), heading(column).lower()})
        if kind == pl.Boolean:
            state = RowState(heading(column), flag(column), after=True)
            yield from (ColumnWord(one, "state", column, state=state) for one in said)
            yield from _flag_opposites(column)
        elif kind == pl.List(pl.String):
            yield from _members(column, frame)
            yield from (ColumnWord(one, "attribute", column) for one in said)
        elif column in declared:
            plain = kind == pl.String and column in entity.attributes and column not in spoken
            longest = _LONGEST_REASON if column == entity.reason else _LONGEST
            yield from _texts(column, frame, longest) if plain and not _are_people(frame[column]) else ()
        else:
            role = kind == pl.String and _are_people(frame[column])
            yield from (
                ColumnWord(one, "date" if kind == pl.Date else "role" if role else "attribute", column) for one in said
            )
            longest = _LONGEST_REASON if column == entity.reason else _LONGEST
            yield from _texts(column, frame, longest) if kind == pl.String and not role else ()


def _flag_opposites(column: str) -> Iterator[ColumnWord]:
    """What a flag of a thing and what was done with it says turned round: "CUECs not mapped"."""
    thing, _, done = column.replace("_", " ").rpartition(" ")
    if thing and done.endswith("ed"):
        state = RowState(f"{thing} not {done}", flag(column, False), after=True)
        turned = (f"{thing} {be}not {done}" for be in ("", "are ", "is "))
        for said in (*turned, f"un{done} {thing}", f"without {thing} {done}", f"without {done} {thing}"):
            yield ColumnWord(said, "state", column, state=state)


def _higher_than_before(entity: Entity, frame: pl.DataFrame) -> Iterator[ColumnWord]:
    """Numbers that rose since the last time: "more likely now than before"."""
    for before in (one for one in frame.columns if one.startswith("previous_") and one[9:] in frame.columns):
        name = before.removeprefix("previous_")
        rose = RowState(f"with more {name} than before", _above(name, before), after=True)
        for said in dict.fromkeys((name, *entity.attributes.get(name, ()))):
            for now in ("", " now"):
                yield ColumnWord(f"more {said}{now} than before", "state", name, state=rose)
            yield ColumnWord(f"higher {said} than before", "state", name, state=rose)


def _above(column: str, other: str) -> Callable[[date], pl.Expr]:
    return lambda _: pl.col(column) > pl.col(other)


def _periods(frame: pl.DataFrame) -> Iterator[ColumnWord]:
    """The first and the last day of a span that a row is about: "what period does it cover"."""
    for first in (one for one in frame.columns if one.endswith("_start_on")):
        named = first.removesuffix("_start_on")
        if (last := f"{named}_end_on") in frame.columns and named != "week":
            for said in ("period", named, "cover", "covers", "covered", "span"):
                yield from (ColumnWord(said, "attribute", one) for one in (first, last))


def _texts(column: str, frame: pl.DataFrame, longest: int = _LONGEST) -> Iterator[ColumnWord]:
    for value in _values(frame[column], longest):
        yield ColumnWord(value.replace("_", " ").lower(), "choice", column, value)


def _titles(texts: pl.Series) -> Iterator[ColumnWord]:
    """Whole titles that many rows share, as "Backup did not finish": each is that title, whatever its words mean."""
    for value in (one for one in texts.drop_nulls().unique().sort() if len(one.split()) >= _TITLE):
        if texts.n_unique() <= MOST_TEXTS:
            yield ColumnWord(value.lower(), "choice", "title", value)


def _members(column: str, frame: pl.DataFrame) -> Iterator[ColumnWord]:
    """The words of a column of lists, each a state of the rows whose list has it."""
    for value in _values(frame[column].explode()):
        text = value.replace("_", " ")
        yield ColumnWord(text.lower(), "state", column, state=RowState(f"with {text}", _has(column, value), after=True))


def _has(column: str, value: str) -> Callable[[date], pl.Expr]:
    return lambda _: pl.col(column).list.contains(value)


def _values(texts: pl.Series, longest: int = _LONGEST) -> list[str]:
    strs = [str(one) for one in texts.drop_nulls().unique().sort()]
    return [one for one in strs if _is_word(one, longest)] if len(strs) <= MOST_TEXTS else []


def _is_word(value: str, longest: int) -> bool:
    return not any(c.isdigit() or c in "@:/" for c in value) and 0 < len(value.split()) <= longest


def _are_people(values: pl.Series) -> bool:
    first = values.drop_nulls().head(1)
    return len(first) == 1 and "@" in first[0]
