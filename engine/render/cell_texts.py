"""The cells of a table, spelled once for all formats: JSON has ``plain`` values, CSV ``texts``, people other columns.

Tables have scalars and lists of scalars. Anything else, NaN and infinity included, is a mistake of the report and
raises a ValueError that names the table and the column. A column is its different values (``DictionaryColumn``).
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import polars as pl

from engine.model.days import spelled_day, spelled_days, spelled_month
from engine.model.documents.document import Table
from engine.render import words
from engine.render.plain_values import CONTROL, LINE_BREAK

_MEMO = "_cell_texts"
ACTIONS = ("action", "actions", "event_action")  # columns of what the audit log calls what was done
COMPARED = ("before", "after", "change")  # texts of figures, in the unit of their row
MONTH = "month"  # the column of months, as year and number
_ACTS = re.compile(r"[a-z][\w.-]*(?:; [a-z][\w.-]*)*")  # none is a sentence, which may cite a control
_JOINTS = re.compile(r"(?<=\w)[._](?=\w)")
_BAD_LINES = re.compile(LINE_BREAK)
_BAD_CONTROLS = re.compile(CONTROL)

T = TypeVar("T")
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
        return DictionaryColumn([None if value is None else spell(value) for value in self.values], self.rows)

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.rows)


class CellTexts:
    """The cells of one table, column by column, each form made when it is first asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._types = {name: _spelled_type(table, name) for name in table.schema}
        self.values = {name: _dictionary(table.frame.get_column(name), dtype) for name, dtype in self._types.items()}
        _check_finite(table, self.values)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.table.frame.height

    @cached_property
    def plain(self) -> Mapping[str, DictionaryColumn]:  # scalars and lists of scalars
        """What JSON has: days and instants as ISO 8601 text (instants in UTC with Z), the rest as it is."""
        return {name: self._plain(name) for name in self.values}

    @cached_property
    def texts(self) -> Mapping[str, DictionaryColumn]:  # texts and null
        """Text: lists joined by ``; ``, booleans ``true`` and ``false``, null where there is nothing."""
        return {name: self._texts(name) for name in self.values}

    @cached_property
    def display_columns(self) -> Mapping[str, DictionaryColumn]:  # texts
        """The columns that people see: booleans are yes and no, declared words have spaces, no cell is null."""
        return {name: self._display_column(name) for name in self.values if name not in self.table.unseen}

    def _plain(self, name: str) -> DictionaryColumn:
        dtype, column = self._types[name], self.values[name]
        inner = _scalar(dtype)
        if not inner.is_temporal():
            return column
        spelled = _speller(inner)
        if dtype.is_nested():
            return column.map(lambda row: row and [None if one is None else spelled(one) for one in row])
        return column.map_text(spelled)

    def _texts(self, name: str) -> DictionaryColumn:
        dtype, column = self._types[name], self.values[name]
        spelled = _speller(_scalar(dtype))
        if dtype.is_nested():
            return column.map_text(lambda row: "; ".join(spelled(one) for one in row if one is not None))
        return column if is_word_column(dtype) else column.map_text(spelled)

    def _display_column(self, name: str) -> DictionaryColumn:
        dtype, table = self._types[name], self.table
        if dtype == pl.Boolean:
            return self.values[name].map(lambda cell: "" if cell is None else "yes" if cell else "no")
        if dtype == pl.Date:
            return self.values[name].map(lambda day: "" if day is None else spelled_day(day))
        if dtype == pl.Datetime:
            return self.values[name].map(
                lambda at: "" if at is None else f"{spelled_day(at)} {at.hour:02}:{at.minute:02}"
            )
        if dtype.is_numeric() and not words.has_own_unit(name):
            return self._free_numbers(name)
        spelled = words.spelled_number(name) if dtype.is_numeric() else None
        column = self.texts[name].map(lambda cell: spelled(cell) if spelled and cell else cell or "")
        if dtype.is_nested() or is_word_column(dtype):
            column = column.map(spelled_days)
        if is_word_column(dtype):
            column = column.map(readable)
        if table.units and name in COMPARED and is_word_column(dtype):
            units = [table.units.get(figure, "") for figure in table.frame.to_series(0).to_list()]
            cells = [words.text_in_row(text, unit, name) for text, unit in zip(column, units, strict=True)]
            return DictionaryColumn(cells, range(len(cells)))
        if name == MONTH:
            return column.map(spelled_month)
        if name in ACTIONS:
            return column.map(lambda cell: plain_action(cell) if _ACTS.fullmatch(cell) else cell)
        if name not in table.state and name not in table.words:
            return column
        if isinstance(table.words, Mapping) and name in table.words:
            own = frozenset(table.words[name])
            return column.map(lambda cell: words.spell(cell, name) if cell in own else cell)
        return column.map(lambda cell: words.spell(cell, name))

    def _free_numbers(self, name: str) -> DictionaryColumn:
        """Numbers under a heading that says no unit: in that of their row, else whole ones without decimals."""
        texts, numbers, units = self.texts[name], self.values[name], self.table.units
        if not units:
            whole = all(text is None or text.endswith(".0") for text in texts.values)
            return texts.map(lambda text: words.plain_number(text) if whole and text else text or "")
        figures = self.table.frame.to_series(0).to_list()
        cells = [
            "" if number is None else words.number_in_row(number, units.get(figure, ""), name)
            for figure, number in zip(figures, numbers, strict=True)
        ]
        return DictionaryColumn(cells, range(len(cells)))


def plain_action(action: str) -> str:
    """An action of the audit log as people read it: ``access.review_done`` is access review done."""
    return _JOINTS.sub(" ", action)


def cell_texts(table: Table) -> CellTexts:
    """The cells of a table, kept with it."""
    return remember_with(table, _MEMO, CellTexts)


def remember_with(table: Table, name: str, make: Callable[[Table], T]) -> T:
    """What is made of a table, kept with it as a cached_property would be: it never changes."""
    kept = vars(table)
    if name not in kept:
        kept[name] = make(table)
    value: T = kept[name]
    return value


def display_rows(table: Table) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the columns that people see, and the rows as people read them."""
    columns = cell_texts(table).display_columns
    return list(columns), list(zip(*columns.values(), strict=True))


def is_word_column(dtype: pl.DataType) -> bool:
    """Whether cells are texts, or lists of them."""
    return _scalar(dtype).base_type() in _WORDS


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


def _instant_text(instant: Any) -> str:  # a datetime in UTC
    text = str(instant.isoformat())
    fraction = instant.microsecond
    return f"{text[:-3]}Z" if fraction and not fraction % 1000 else f"{text}Z"


def _truth(value: Any) -> str:  # a bool
    return "true" if value else "false"


def _day_text(value: Any) -> str:  # a date
    return str(value.isoformat())


_WORDS = (pl.String, pl.Categorical, pl.Enum)
_SPELLED: Mapping[Any, Spelled] = {
    pl.Boolean: _truth,
    pl.Float64: number_text,
    pl.Date: _day_text,
    pl.Datetime: _instant_text,
}


def _speller(dtype: pl.DataType) -> Spelled:
    return _SPELLED.get(dtype.base_type(), str)


def _spelled_type(table: Table, name: str) -> pl.DataType:
    """The type in which the cells of a column are spelled; ValueError for what no format has."""
    dtype = table.schema[name]
    inner = _scalar(dtype)
    if inner.is_decimal() or inner.is_float():
        inner = pl.Float64()
    elif inner == pl.Datetime:
        inner = pl.Datetime("us")  # in UTC
    elif inner == pl.Time:
        inner = pl.String()
    elif not (inner.is_integer() or inner.base_type() in (*_WORDS, pl.Boolean, pl.Date, pl.Null)):
        raise ValueError(f"Table {table.name}, column {name}: expected scalars or lists of scalars, found {inner}.")
    return pl.List(inner) if dtype.is_nested() else inner


def _scalar(dtype: pl.DataType) -> pl.DataType:
    """The type of the items of a list, of anything else the type itself."""
    inner = dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype
    return inner if isinstance(inner, pl.DataType) else inner()


def readable(text: str) -> str:
    """Text as people see it: line breaks of one kind, no control characters."""
    return text if text.isprintable() else _BAD_CONTROLS.sub("\ufffd", _BAD_LINES.sub("\n", text))


def _dictionary(column: pl.Series, dtype: pl.DataType) -> DictionaryColumn:
    if _scalar(column.dtype) == pl.Float32:  # as it is written: 0.1 and not 0.10000000149011612
        column = column.cast(pl.List(pl.String) if dtype.is_nested() else pl.String)
    cells = column.cast(dtype).to_list()
    if _scalar(dtype).is_float():  # 0.0 and -0.0 are equal, and are not the same
        return DictionaryColumn(cells, range(len(cells)))
    if not dtype.is_nested():
        return DictionaryColumn(*_number(cells))
    values, rows = _number([None if cell is None else tuple(cell) for cell in cells])
    return DictionaryColumn([None if value is None else list(value) for value in values], rows)


def _number(cells: Sequence[Any]) -> tuple[Sequence[Any], Sequence[int]]:
    """The different values, and where among them each cell is."""
    values = list(dict.fromkeys(cells))
    if len(values) == len(cells):
        return values, range(len(values))
    numbers = {value: number for number, value in enumerate(values)}
    return values, list(map(numbers.__getitem__, cells))


def _check_finite(table: Table, columns: Mapping[str, DictionaryColumn]) -> None:
    for name, dtype in table.schema.items():
        if _scalar(dtype).is_float() and not all(map(_is_finite, columns[name].values)):
            raise ValueError(f"Table {table.name}, column {name}: expected finite numbers, found NaN or infinity.")


def _is_finite(cell: float | list[float | None] | None) -> bool:
    if isinstance(cell, list):
        return all(map(_is_finite, cell))
    return cell is None or math.isfinite(cell)
