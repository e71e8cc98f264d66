"""Rows as frames that have exactly the columns and types of the importable tables."""

from collections.abc import Mapping, Sequence
from json import dumps

import polars as pl
from sqlalchemy import BigInteger, Boolean, Column, Date, Float, Table

from data.demo.history.story import Row
from engine.store.schema import IMPORTABLE
from engine.store.types import Instant, Json

UNIVERSAL = ("org_id", "revision", "seq", "recorded_at", "hash")
INSTANT = pl.Datetime("us", "UTC")
DTYPES: Mapping[type, pl.DataType] = {
    BigInteger: pl.Int64(),
    Float: pl.Float64(),
    Boolean: pl.Boolean(),
    Date: pl.Date(),
    Instant: INSTANT,
}


def columns(table: Table) -> list[Column[object]]:
    """The columns that somebody who imports fills in."""
    return [column for column in table.columns if column.name not in UNIVERSAL and not column.info.get("internal")]


def dtype(column: Column[object]) -> pl.DataType:
    return DTYPES.get(type(column.type), pl.String())


def frame(name: str, rows: Sequence[Row]) -> pl.DataFrame:
    """The rows of a table in the order of its key; what a row leaves out is the column's default, else null."""
    primary = list(IMPORTABLE[name].info["primary"])
    built = ordered_frame(name, rows)
    return built.sort(primary) if primary else built


def ordered_frame(name: str, rows: Sequence[Row]) -> pl.DataFrame:
    """As ``frame``, in the order of the rows."""
    table = IMPORTABLE[name]
    unknown = {key for row in rows for key in row} - {column.name for column in columns(table)}
    if unknown:
        raise KeyError(f"{name} has no column {', '.join(sorted(unknown))}")
    series = []
    for column in columns(table):
        values = [row.get(column.name, column.info.get("default")) for row in rows]
        if isinstance(column.type, Json):
            values = [None if value is None else json_text(value) for value in values]
        series.append(pl.Series(column.name, values, dtype=dtype(column)))
    return pl.DataFrame(series)


def json_text(value: object) -> str:
    """JSON as the store keeps it: sorted keys, no white space."""
    return dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
