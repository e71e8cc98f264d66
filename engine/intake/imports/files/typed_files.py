"""Files whose cells carry types: JSON Lines, Parquet, XLSX."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import fastexcel
import msgspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from engine.intake.imports.batches import Batch, frame_batches, text_cell
from engine.intake.imports.files.parquet_limits import check_parquet, plain_batches
from engine.intake.imports.files.size_limits import SizeBounds, check_workbook
from engine.intake.imports.files.spool import BATCH_ROWS
from engine.intake.imports.problems import Problems
from engine.intake.imports.values.names import squash
from engine.model.errors import InvalidData

FORMULA_ERRORS = {
    "(Div0)": "#DIV/0!",
    "(NA)": "#N/A",
    "(Name)": "#NAME?",
    "(Null)": "#NULL!",
    "(Num)": "#NUM!",
    "(Ref)": "#REF!",
}
# Polars panics over days that no calendar has; in lists they are a ValueError, as is a name that is no UTF-8
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, OSError)
_decode_line = msgspec.json.Decoder(dict[str, object]).decode


def read_json_lines(path: Path, file: str, structured: frozenset[str], problems: Problems) -> Iterator[Batch]:
    """One object a line; rows are lines, from 1. A member that is absent is an empty cell."""
    with path.open("rb") as source:
        first_row = 1
        while lines := list(islice(source, BATCH_ROWS)):
            records = [_record(line, file, row, problems) for row, line in enumerate(lines, start=first_row)]
            header = tuple(dict.fromkeys(name for record in records for name in record))
            numeric = frozenset(i for i, name in enumerate(header) if any(_is_number(r.get(name)) for r in records))
            columns = [_member(name, records, squash(name) in structured) for name in header]
            yield Batch(header, columns, first_row, numeric)
            first_row += len(lines)


def _member(name: str, records: list[dict[str, object]], structured: bool) -> pl.Series:
    return pl.Series(name, [text_cell(record.get(name), structured) for record in records], dtype=pl.String)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _record(line: bytes, file: str, row: int, problems: Problems) -> dict[str, object]:
    text = line.removeprefix(b"\xef\xbb\xbf") if row == 1 else line
    if not text.strip():
        return {}
    try:
        return _decode_line(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        problems.add(file, row, "(line)", "a JSON object on one line", text.decode(errors="replace").strip())
        return {}


def read_parquet(
    path: Path, file: str, structured: frozenset[str], bounds: SizeBounds | None, problems: Problems
) -> Iterator[Batch]:
    """Rows count as below a header: the first is 2. InvalidData where it would become larger than ``bounds``."""
    try:
        schema = pq.read_schema(path)
        source = pq.ParquetFile(path, read_dictionary=check_parquet(path, file, bounds))
        batches = plain_batches(source.iter_batches(BATCH_ROWS), schema, file, bounds)
        frames = (_frame(pa.Table.from_batches([batch])) for batch in batches)
        empty = iter([_frame(schema.empty_table())]) if source.metadata.num_rows == 0 else frames
        yield from frame_batches(empty, structured)
    except _UNREADABLE as error:
        raise InvalidData(f"{file} is not a Parquet file that can be read: {error}") from error


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


def open_workbook(path: Path, bounds: SizeBounds | None = None) -> fastexcel.ExcelReader:
    """The workbook; InvalidData for a file that is none, or that would become too large."""
    check_workbook(path, bounds)
    try:
        return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidData(f"{path.name} is not an XLSX workbook that can be read: {reason}") from error


def read_worksheet(
    workbook: fastexcel.ExcelReader, name: str, exact: frozenset[str], problems: Problems
) -> Iterator[Batch]:
    """The cells of a sheet, real dates as ISO 8601; the first row is the header.

    ``exact`` are the squashed headers for which it matters whether a cell is a number or text.
    """
    try:
        frame = _cells(workbook.load_sheet(name, header_row=None, skip_rows=0, dtypes="string"))
    except fastexcel.FastExcelError as error:
        raise InvalidData(f"The sheet {name!r} cannot be read: {error}") from error
    if frame.is_empty():
        yield Batch((), (), 2)
        return
    header = tuple(cell or "" for cell in frame.row(0))
    numeric = frozenset(i for i, cell in enumerate(header) if squash(cell) in exact and _numbers(workbook, name, i))
    for start in range(1, max(frame.height, 2), BATCH_ROWS):
        yield Batch(header, frame.slice(start, BATCH_ROWS).get_columns(), start + 1, numeric)


def _cells(sheet: fastexcel.ExcelSheet) -> pl.DataFrame:
    """All cells as text; the errors of formulas, which would come as empty cells, under their own names."""
    batch, errors = sheet.to_arrow_with_errors()
    frame = _frame(pa.Table.from_batches([batch]))
    for error in errors.errors if errors else ():
        row, column = error.position
        label = next((text for word, text in FORMULA_ERRORS.items() if word in error.detail), "#VALUE!")
        frame[row, column] = label
    return frame


def _numbers(workbook: fastexcel.ExcelReader, name: str, column: int) -> bool:
    """Whether a column has number cells; where it mixes types, assume that there are some."""
    try:
        sheet = workbook.load_sheet(
            name, header_row=0, use_columns=[column], schema_sample_rows=None, dtype_coercion="strict"
        )
        return sheet.to_polars().dtypes[0].is_numeric()
    except fastexcel.FastExcelError:
        return True
