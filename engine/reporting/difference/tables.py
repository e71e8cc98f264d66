"""The difference of two tables: rows that came, went and changed, all that it takes to make the one
of the other, order included.

Rows are told apart by what people tell them apart by: the columns of ``IDENTITY`` that the table has, as many of them
as it takes; where those do not do, by further columns that are no measures; where even those are equal, by their place
among their equals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from engine.model.documents.document import FrameRow
from engine.model.figures.figure import IDENTITY

_TELLING = (pl.String, pl.Date, pl.Int64)
Key: TypeAlias = tuple[Any, ...]
"""The values of the key columns, then the place among rows that are equal in them."""


@dataclass(frozen=True)
class ChangedCell:
    """A cell of a row that is there before and after. A column that came or went has None on the other side."""

    column: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ChangedRow:
    """A row that is there before and after, whole as it was and as it is, with the cells that differ."""

    key: Key
    before: FrameRow
    after: FrameRow
    cells: tuple[ChangedCell, ...]


@dataclass(frozen=True)
class TableDifference:
    """How one table becomes another. ``order`` holds the keys of the second table where it is not the first's."""

    key: tuple[str, ...]
    schema: Mapping[str, pl.DataType]
    came: Mapping[Key, FrameRow]
    went: Mapping[Key, FrameRow]
    changed: tuple[ChangedRow, ...]
    order: tuple[Key, ...] | None

    @property
    def is_empty(self) -> bool:
        """Whether both tables say the same, in the same order."""
        return not self.came and not self.went and not self.changed and self.order is None


def diff(before: pl.DataFrame, after: pl.DataFrame) -> TableDifference:
    """What makes ``after`` of ``before``."""
    key = _key_columns(before, after)
    schema = dict(after.schema)
    if before.schema == after.schema and before.equals(after):
        return TableDifference(key, schema, {}, {}, (), None)
    old, new = _by_key(before, key), _by_key(after, key)
    changed = (_changed_row(name, old[name], row) for name, row in new.items() if name in old)
    return TableDifference(
        key,
        schema,
        came={name: row for name, row in new.items() if name not in old},
        went={name: row for name, row in old.items() if name not in new},
        changed=tuple(row for row in changed if row.cells),
        order=None if list(old) == list(new) and before.schema == after.schema else tuple(new),
    )


def _changed_row(key: Key, before: FrameRow, after: FrameRow) -> ChangedRow:
    columns = dict.fromkeys((*after, *before))
    cells = ((column, before.get(column), after.get(column)) for column in columns)
    return ChangedRow(key, before, after, tuple(ChangedCell(*cell) for cell in cells if not _same(cell[1], cell[2])))


def _same(one: object, other: object) -> bool:
    """Equal and of one type; minus zero is not zero, as it is not written as such."""
    return one == other and type(one) is type(other) and (not isinstance(one, float) or str(one) == str(other))


def _by_key(frame: pl.DataFrame, key: Sequence[str]) -> dict[Key, FrameRow]:
    """The rows in their order, by key."""
    seen: Counter[Key] = Counter()
    rows = {}
    for row in frame.iter_rows(named=True):
        values = tuple(row.get(name) for name in key)
        rows[*values, seen[values]] = row
        seen[values] += 1
    return rows


def _key_columns(before: pl.DataFrame, after: pl.DataFrame) -> tuple[str, ...]:
    """The fewest columns, in the order of the candidates, that tell the rows of both tables apart; else the first."""
    frames = [frame for frame in (before, after) if frame.height]
    candidates = list(_candidates(before, after))
    for number in range(1, len(candidates) + 1):
        some = candidates[:number]
        if all(frame.select(some).n_unique() == frame.height for frame in frames):
            return tuple(some)
    identity = [name for name in candidates if name in IDENTITY]
    return tuple(identity or candidates[:1])


def _candidates(before: pl.DataFrame, after: pl.DataFrame) -> Iterator[str]:
    """Columns of both tables: those of ``IDENTITY`` in its order, then further words, days, whole numbers."""
    shared = [name for name, kind in after.schema.items() if before.schema.get(name) == kind]
    yield from (name for name in IDENTITY if name in shared and after.schema[name] in _TELLING)
    for kind in _TELLING:
        yield from (name for name in shared if name not in IDENTITY and after.schema[name] == kind)
