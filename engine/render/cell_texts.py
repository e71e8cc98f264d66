"""The cells of a table of usual size, spelled once for all formats: an engine for frames costs more than such a table.

Each column is kept as its different values (``DictionaryColumn``). Larger tables, and types that reports do not use, go
through Polars (``cells``), to the same bytes.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import polars as pl

from engine.model.days import spelled_day, spelled_days
from engine.model.documents.document import Table
from engine.render import cells, words
from engine.render.plain_values import CONTROL, LINE_BREAK

MOST_CELLS = 50_000
_MEMO = "_cell_texts"
_BAD_LINES = re.compile(LINE_BREAK)
_BAD_CONTROLS = re.compile(CONTROL)

Spelled: TypeAlias = Callable[[Any], str]  # of a cell that is not null, of the type of its column


@dataclass(frozen=True)
class DictionaryColumn:
    """The cells of a column as its different values, and for each row which of them it has.

    The same few words stand in most rows: what is done to a cell is done to each value, once.
    """

    values: Sequence[Any]
    rows: Sequence[int]

    def map(self, change: Callable[[Any], Any]) -> "DictionaryColumn":
        """The column with every value changed."""
        return DictionaryColumn(list(map(change, self.values)), self.rows)

    def map_text(self, spell: Spelled) -> "DictionaryColumn":
        """The column as text, null where it is null."""
        return self.map(lambda value: None if value is None else spell(value))

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.rows)


class CellTexts:
    """The cells of one small table, column by column, each form made when it is first asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._columns = {column.name: _dictionary(column) for column in table.frame.get_columns()}
        _check_finite(table, self._columns)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.table.frame.height

    @cached_property
    def plain(self) -> Mapping[str, DictionaryColumn]:  # scalars and lists of scalars
        """As ``cells.plain``: what JSON has."""
        return {name: self._plain(name) for name in self._columns}

    @cached_property
    def texts(self) -> Mapping[str, DictionaryColumn]:  # texts and null
        """As ``cells.text``: lists joined by ``; ``, null where there is nothing."""
        return {name: self._texts(name) for name in self._columns}

    @cached_property
    def display_columns(self) -> Mapping[str, DictionaryColumn]:  # texts
        """As ``cells.display_cells``: the columns that people see."""
        return {name: self._display_column(name) for name in self._columns if name not in self.table.unseen}

    def _plain(self, name: str) -> DictionaryColumn:
        dtype, column = self.table.schema[name], self._columns[name]
        inner = dtype.inner if isinstance(dtype, pl.List) else dtype
        if inner != pl.Date and not isinstance(inner, pl.Datetime):
            return column
        spelled = _SPELLED[inner.base_type()]
        if isinstance(dtype, pl.List):
            return column.map(lambda row: row and [None if one is None else spelled(one) for one in row])
        return column.map_text(spelled)

    def _texts(self, name: str) -> DictionaryColumn:
        dtype, column = self.table.schema[name], self._columns[name]
        if isinstance(dtype, pl.List):
            spelled = _SPELLED[dtype.inner.base_type()]
            return column.map_text(lambda row: "; ".join(spelled(one) for one in row if one is not None))
        return column if dtype.base_type() in _WORDS else column.map_text(_SPELLED[dtype.base_type()])

    def _display_column(self, name: str) -> DictionaryColumn:
        dtype, table = self.table.schema[name], self.table
        if dtype == pl.Boolean:
            return self._columns[name].map(lambda cell: "" if cell is None else "yes" if cell else "no")
        if dtype == pl.Date:
            return self._columns[name].map(lambda day: "" if day is None else spelled_day(day))
        if isinstance(dtype, pl.Datetime):
            return self._columns[name].map(lambda at: "" if at is None else f"{spelled_day(at)} {at:%H:%M}")
        spelled = words.spelled_number(name) if dtype.is_numeric() else None
        found = self.texts[name].map(lambda cell: spelled(cell) if spelled and cell else cell or "")
        if dtype.is_nested() or dtype.base_type() in _WORDS:
            found = found.map(spelled_days)
        if (dtype.inner if isinstance(dtype, pl.List) else dtype).base_type() in _WORDS:
            found = found.map(lambda cell: cell if cell.isprintable() else readable(cell))
        if name not in table.state and name not in table.words:
            return found
        if isinstance(table.words, Mapping) and name in table.words:
            own = frozenset(table.words[name])
            return found.map(lambda cell: cell.replace("_", " ") if cell in own else cell)
        return found.map(lambda cell: cell.replace("_", " "))


def cell_texts(table: Table) -> CellTexts | None:
    """The cells of a table, kept with it; None where Polars is to spell them.

    ValueError when a number of the table is NaN or infinite.
    """
    kept = vars(table)
    if _MEMO not in kept:
        frame = table.frame
        usual = frame.height * frame.width <= MOST_CELLS and all(map(_is_usual, table.schema.values()))
        kept[_MEMO] = CellTexts(table) if usual else None  # as a cached_property would: the table never changes
    found: CellTexts | None = kept[_MEMO]
    return found


def display_rows(table: Table) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the columns that people see, and the rows as people read them."""
    texts = cell_texts(table)
    if texts is None:
        frame = cells.display_cells(table)
        return frame.columns, frame.rows()
    return list(texts.display_columns), list(zip(*texts.display_columns.values(), strict=True))


def is_inert(dtype: pl.DataType) -> bool:
    """Whether the text of a cell has no character that a format or a spreadsheet reads as more than itself."""
    return dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean


def number_text(value: float) -> str:
    """The shortest decimal of this number, as Polars writes it: 0.00001 and 1e-7 where Python has 1e-05 and 1e-07."""
    text = repr(value)
    if "e-0" not in text:
        return text
    digits, _, power = text.partition("e-0")
    if power != "5":
        return f"{digits}e-{power}"
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    return f"{sign}0.0000{digits.replace('.', '')}"


def _instant_text(instant: Any) -> str:  # a datetime, of Polars
    whole = instant.strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{instant.microsecond:06d}" if instant.microsecond % 1000 else f"{instant.microsecond // 1000:03d}"
    return f"{whole}.{fraction}Z" if instant.microsecond else f"{whole}Z"


def _truth(value: Any) -> str:  # a bool
    return "true" if value else "false"


def _same(value: Any) -> str:  # a text
    return str(value)


def _day_text(value: Any) -> str:  # a date
    return str(value.isoformat())


_WORDS = (pl.String, pl.Categorical, pl.Enum)
_SPELLED: Mapping[Any, Spelled] = {
    pl.Boolean: _truth,
    pl.Float64: number_text,
    pl.Date: _day_text,
    pl.Datetime: _instant_text,
    **dict.fromkeys((pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64), str),
    **dict.fromkeys((*_WORDS, pl.Null), _same),
}


def _is_usual(dtype: pl.DataType) -> bool:
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    if isinstance(inner, pl.Datetime) and (inner.time_unit == "ns" or inner.time_zone not in (None, "UTC")):
        return False
    return inner.base_type() in _SPELLED and dtype != pl.List(pl.Float64)


def readable(text: str) -> str:
    """Text as people see it: line breaks of one kind, no control characters."""
    return _BAD_CONTROLS.sub("\ufffd", _BAD_LINES.sub("\n", text))


def _dictionary(column: pl.Series) -> DictionaryColumn:
    cells = column.to_list()
    if column.dtype.is_float():  # 0.0 and -0.0 are equal, and are not the same
        return DictionaryColumn(cells, range(len(cells)))
    if column.dtype != pl.List:
        values, rows = _number(cells)
        return DictionaryColumn(values, rows)
    values, rows = _number([None if cell is None else tuple(cell) for cell in cells])
    return DictionaryColumn([None if value is None else list(value) for value in values], rows)


def _number(cells: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """The different values, and where among them each cell is."""
    values = list(dict.fromkeys(cells))
    numbers = {value: number for number, value in enumerate(values)}
    return values, list(map(numbers.__getitem__, cells))


def _check_finite(table: Table, columns: Mapping[str, DictionaryColumn]) -> None:
    for name, dtype in table.schema.items():
        if dtype == pl.Float64 and not all(cell is None or math.isfinite(cell) for cell in columns[name].values):
            raise ValueError(f"Table {table.name}, column {name}: expected finite numbers, found NaN or infinity.")
