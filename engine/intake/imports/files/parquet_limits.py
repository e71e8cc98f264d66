"""How large a Parquet file may become, found out before any of it is unpacked.

Its end says how many rows, values and bytes there are, and may say anything: what counts is the larger of that and of
what each page says of itself, which is what a reader makes room for. A text that is kept once and used by many rows has
its length in neither; texts are read as they are kept, and their length is added up before they are written out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.intake.imports.files import size_limits
from engine.intake.imports.files.parquet_pages import page_sizes
from engine.intake.imports.files.size_limits import SizeBounds, bounds_or_own, hold


def check_parquet(path: Path, file: str, bounds: SizeBounds | None = None) -> list[str]:
    """The paths of columns of text or bytes, also of those in lists and structures, which can be read unexpanded.

    InvalidData for a file that would become larger than ``bounds``, those of an import without.
    """
    bounds = bounds_or_own(bounds)
    with path.open("rb") as raw, pq.ParquetFile(path) as source:
        about, columns = source.metadata, [source.schema.column(at) for at in range(source.metadata.num_columns)]
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        chunks = [(group.column(at), columns[at]) for group in groups for at in range(group.num_columns)]
        values = sum(chunk.num_values for chunk, _ in chunks)
        _hold(file, "rows", about.num_rows, size_limits.MOST_ROWS, bounds)
        _hold(file, "cells", max(about.num_rows * len(columns), values), size_limits.MOST_CELLS, bounds)
        told = sum(max(chunk.total_uncompressed_size, chunk.num_values * _width(column)) for chunk, column in chunks)
        said = max(told, sum(group.total_byte_size for group in groups))
        _hold(file, "bytes when unpacked", said, bounds.expanded, bounds)
        unpacked = sum(_page_bytes(raw, chunk) for chunk, _ in chunks)
        _hold(file, "bytes when unpacked", unpacked, bounds.expanded, bounds)
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def plain_batches(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, file: str, bounds: SizeBounds | None = None
) -> Iterator[pa.RecordBatch]:
    """The batches with their texts written out as ``schema`` has them, once their length is known; InvalidData beyond
    the bounds.

    What is no UTF-8 is an ArrowInvalid: Polars would take it in unchecked.
    """
    bounds, rows, expanded = bounds_or_own(bounds), 0, 0
    for batch in batches:
        batch.validate(full=True)
        rows += batch.num_rows
        _hold(file, "rows", rows, size_limits.MOST_ROWS, bounds)
        expanded += sum(_text_bytes(column) for column in batch.columns)
        _hold(file, "bytes of text", expanded, bounds.expanded, bounds)
        columns = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _hold(file: str, what: str, found: int, most: int, bounds: SizeBounds) -> None:
    hold(file, what, found, most, f"{found:,} came; {bounds.instead}")


def _page_bytes(raw: BinaryIO, chunk: pq.ColumnChunkMetaData) -> int:
    """What the pages of a column make a reader unpack. ValueError for what is no page."""
    dictionary = chunk.dictionary_page_offset
    starts = [chunk.data_page_offset, *([dictionary] if dictionary else ())]
    return sum(page_sizes(raw, min(starts), chunk.total_compressed_size, chunk.num_values))


def _width(column: pq.ColumnSchema) -> int:
    """How many bytes every value of a column has, where that is declared."""
    width: int = column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
    return width


def _text_bytes(column: pa.Array) -> int:
    """How many bytes the texts of a column are once each is written out, those of its lists and structures, too."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
        return pc.sum(lengths).as_py() or 0
    if pa.types.is_map(kind):
        return _text_bytes(column.keys) + _text_bytes(column.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _text_bytes(column.flatten())
    if pa.types.is_struct(kind):
        return sum(_text_bytes(part) for part in column.flatten())
    return 0
