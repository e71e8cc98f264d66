"""A piece of a sheet as it was read: named text columns, before anything is known of the table."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from engine.intake.imports.problems import Problems
from engine.intake.imports.values.names import squash
from engine.store.types import canonical_json


@dataclass(frozen=True)
class Batch:
    """Consecutive rows from ``first_row`` as a spreadsheet counts them: one series of text for each header cell.

    ``numeric`` names the positions of columns that the source holds as real numbers.
    """

    header: tuple[str, ...]
    columns: Sequence[pl.Series]
    first_row: int
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class SheetRows:
    """A table in a file. ``decimal`` is the mark that the format implies; ``read`` yields at least one batch.

    ``header_row`` is where the header was found, if not in the first row: then there is nothing else to read.
    ``folder`` is where it lies, which names of further files in it are looked for in.
    """

    table: str
    file: str
    read: Callable[[Problems], Iterator[Batch]]
    decimal: str | None = "."
    sha256: str | None = None
    header_row: int = 1
    folder: Path | None = None


def text_cell(value: object, structured: bool) -> str | None:
    """A value of a typed source as a cell. Structures become JSON, but lists of text are joined by ``; ``
    unless the column is ``structured``."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not structured and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return canonical_json(value) if isinstance(value, dict | list) else str(value)


def text_column(series: pl.Series, structured: bool) -> pl.Series:
    """A typed column as text cells, without loss; moments without a zone are UTC."""
    kind = series.dtype
    if isinstance(kind, pl.Datetime):
        moments = series.dt.convert_time_zone("UTC") if kind.time_zone else series
        return moments.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
    if kind.is_nested() or kind == pl.Object:
        return pl.Series(series.name, [text_cell(value, structured) for value in series.to_list()], dtype=pl.String)
    return series.cast(pl.String, strict=False)


def frame_batches(frames: Iterator[pl.DataFrame], structured: frozenset[str]) -> Iterator[Batch]:
    """Typed frames as batches, the first row below a header. ``structured`` are the squashed names of JSON columns."""
    row = 2
    for frame in frames:
        numeric = frozenset(i for i, kind in enumerate(frame.dtypes) if kind.is_numeric())
        columns = [text_column(series, squash(series.name) in structured) for series in frame.get_columns()]
        yield Batch(tuple(frame.columns), columns, row, numeric)
        row += frame.height
