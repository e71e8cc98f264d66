"""The value of a cell, decided once: JSON takes ``plain`` values, CSV their ``texts``, people the ``shown`` ones.

Tables hold scalars and lists of scalars. Anything else, NaN and infinity included, is a mistake of the report
and raises a ValueError that names the table and the column.
"""

from collections.abc import Mapping

import polars as pl

from engine.model.days import spelled_days
from engine.model.documents.document import Table
from engine.render import words
from engine.render.plain_values import CONTROL, LINE_BREAK

_MEMO = "_shown_cells"
DAY = "%-d %b %Y"  # as spelled_day
WORDS = (pl.String, pl.Categorical, pl.Enum)


def plain(table: Table) -> pl.DataFrame:
    """Days and instants become ISO 8601 text (instants in UTC with Z); the rest stays what it is."""
    return table.frame.select(_plain(table, name) for name in table.frame.columns)


def text(table: Table, name: str) -> pl.Expr:
    """A column as text: lists joined by ``; ``, booleans ``true`` and ``false``."""
    cell = _plain(table, name)
    if table.schema[name].is_nested():
        return cell.list.eval(pl.element().cast(pl.String)).list.join("; ", ignore_nulls=True)
    return cell.cast(pl.String)


def display_cells(table: Table) -> pl.DataFrame:
    """The columns that people see, as text: booleans are yes and no, declared words have spaces, no cell is null.

    Kept with the table, which never changes: HTML and Markdown show the same.
    """
    kept = vars(table)
    if _MEMO not in kept:
        finite(table)
        kept[_MEMO] = table.frame.select(
            _display(table, name) for name in table.frame.columns if name not in table.unseen
        )
    found: pl.DataFrame = kept[_MEMO]
    return found


def is_word_column(dtype: pl.DataType) -> bool:
    """Whether cells are texts, or lists of them."""
    return _scalar(dtype) in WORDS


def finite(table: Table) -> None:
    """Raise ValueError when a number of the table is NaN or infinite."""
    floats = [name for name, dtype in table.schema.items() if _scalar(dtype).is_float()]
    if not floats:
        return
    flat = (pl.col(name).explode() if table.schema[name].is_nested() else pl.col(name) for name in floats)
    sound = table.frame.select(cell.is_finite().all() for cell in flat).row(0)
    if not all(sound):
        name = floats[sound.index(False)]
        raise ValueError(f"Table {table.name}, column {name}: expected finite numbers, found NaN or infinity.")


def _display(table: Table, name: str) -> pl.Expr:
    if table.schema[name] == pl.Boolean:
        return (
            pl.when(name).then(pl.lit("yes")).when(~pl.col(name)).then(pl.lit("no")).otherwise(pl.lit("")).alias(name)
        )
    if table.schema[name] == pl.Date:
        return pl.col(name).dt.strftime(DAY).fill_null("")
    if isinstance(table.schema[name], pl.Datetime):
        return _utc(table.schema[name], pl.col(name)).dt.strftime(f"{DAY} %H:%M").fill_null("")
    cell = text(table, name)
    spelled = words.spelled_number(name) if table.schema[name].is_numeric() else None
    if spelled is not None:
        return cell.map_elements(spelled, return_dtype=pl.String).fill_null("")
    cell = cell.fill_null("")
    if is_word_column(table.schema[name]) or table.schema[name].is_nested():
        cell = cell.map_elements(spelled_days, return_dtype=pl.String)
    if is_word_column(table.schema[name]):
        cell = cell.str.replace_all(LINE_BREAK, "\n").str.replace_all(CONTROL, "\ufffd")
    if name not in table.state and name not in table.words:
        return cell
    spaced = cell.str.replace_all("_", " ", literal=True)
    if isinstance(table.words, Mapping) and name in table.words:
        return pl.when(cell.is_in(list(table.words[name]))).then(spaced).otherwise(cell)
    return spaced


def _plain(table: Table, name: str) -> pl.Expr:
    dtype = table.schema[name]
    try:
        if not dtype.is_nested():
            return _plain_scalar(dtype, pl.col(name))
        items = pl.col(name).arr.to_list() if dtype == pl.Array else pl.col(name)
        return items.list.eval(_plain_scalar(_scalar(dtype), pl.element()))
    except TypeError as error:
        raise ValueError(f"Table {table.name}, column {name}: {error}") from error


def _plain_scalar(dtype: pl.DataType, cell: pl.Expr) -> pl.Expr:
    if isinstance(dtype, pl.Datetime):
        return _utc(dtype, cell).dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")
    if dtype in (pl.Date, pl.Time, pl.Categorical, pl.Enum):
        return cell.cast(pl.String)
    if dtype.is_decimal():
        return cell.cast(pl.Float64)
    if dtype in (pl.String, pl.Boolean, pl.Null) or dtype.is_numeric():
        return cell
    raise TypeError(f"expected scalars or lists of scalars, found {dtype}.")


def _utc(dtype: pl.DataType, cell: pl.Expr) -> pl.Expr:
    return cell.dt.convert_time_zone("UTC") if isinstance(dtype, pl.Datetime) and dtype.time_zone else cell


def _scalar(dtype: pl.DataType) -> pl.DataType:
    """The type of the items of a list, of anything else the type itself."""
    inner = dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype
    return inner if isinstance(inner, pl.DataType) else inner()
