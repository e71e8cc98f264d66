"""CSV after RFC 4180: a header, CRLF, UTF-8; the only place that makes cells safe for spreadsheets.

    control,state,due_on,owners
    CC6.1,stale,2026-12-07,ana@aurora.example; ben@aurora.example

A spreadsheet runs text that begins like a formula. Such text gets a leading apostrophe; numbers stay numbers.
"""

from collections.abc import Iterable, Iterator

import polars as pl

from engine.model.document import Edition, Table
from engine.reporting.render import cells

FORMULA = r"^[\s\p{Cc}\p{Cf}]*[=+\-@|%`\\＝＋－＠｜％｀＼\t\r\n\x00]"


def render(edition: Edition) -> bytes:
    """The rows of one table; of several under a first column ``section``; of none the summary as name and value.

    A table with ``headings`` has those columns and exactly those headings.
    """
    document = edition.document
    if not document.tables:
        return _csv(_summary(edition))
    if len(document.tables) == 1:
        return _csv(_safe(document.tables[0]))
    return _csv(pl.concat([_section(table) for table in document.tables], how="diagonal"))


def csv_chunks(frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    """Frames of scalars and lists of scalars as one CSV with a header, a chunk for each; all have the same columns."""
    columns: list[str] | None = None
    for frame in frames:
        if columns is not None and frame.columns != columns:
            raise ValueError(f"Expected the columns {columns}, found {frame.columns}.")
        yield _csv(_safe(Table("rows", "", frame)), header=columns is None)
        columns = frame.columns


def safe_text(text: pl.Expr) -> pl.Expr:
    """Text that no spreadsheet takes for a formula, whatever blank or invisible characters come first."""
    return pl.when(~text.str.contains(FORMULA)).then(text).otherwise(pl.concat_str(pl.lit("'"), text))


def _safe(table: Table) -> pl.DataFrame:
    cells.finite(table)
    if table.headings:
        return table.frame.select(_column(table, name).alias(heading) for name, heading in table.headings.items())
    return table.frame.select(_column(table, name) for name in table.frame.columns)


def _column(table: Table, name: str) -> pl.Expr:
    dtype = table.schema[name]
    text = cells.text(table, name)
    inert = dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean
    return (text if inert else safe_text(text)).alias(_safe_name(name))


def _safe_name(name: str) -> str:
    if name.replace("_", "").isalnum():
        return name
    safe: str = pl.select(safe_text(pl.lit(name))).item()
    return safe


def _section(table: Table) -> pl.DataFrame:
    if "section" in table.frame.columns:
        raise ValueError(f"Table {table.name}: a column named section collides with the first column of the CSV.")
    frame = _safe(table)
    return frame.select(pl.lit(_safe_name(table.name)).alias("section"), pl.all()).head(frame.height)


def _summary(edition: Edition) -> pl.DataFrame:
    pairs = cells.flat("", cells.plain_value(edition.document.summary, "summary"))
    texts = [value if isinstance(value, str) else None for _, value in pairs]
    rest = [None if value is None or isinstance(value, str) else cells.scalar_text(value) for _, value in pairs]
    frame = pl.DataFrame(
        {"name": [name for name, _ in pairs], "text": texts, "rest": rest},
        schema={"name": pl.String, "text": pl.String, "rest": pl.String},
    )
    return frame.select(safe_text(pl.col("name")), pl.coalesce(safe_text(pl.col("text")), "rest").alias("value"))


def _csv(frame: pl.DataFrame, *, header: bool = True) -> bytes:
    if frame.width == 1:
        frame = frame.fill_null("")  # written as "": an empty line would be skipped by many readers
    return frame.write_csv(include_header=header, line_terminator="\r\n").encode()
