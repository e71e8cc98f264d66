"""From paths to sheets: which table each file and each worksheet holds."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import polars as pl

from engine.intake.imports.batches import Batch, SheetRows, frame_batches
from engine.intake.imports.evidence_files import ITEMS, top_names
from engine.intake.imports.files import rotas, silences, tickets
from engine.intake.imports.files.calendar_files import read_calendar
from engine.intake.imports.files.csv_files import dialect_of, encoding_of, read_delimited
from engine.intake.imports.files.header_rows import LOOKED_AT, header_row, header_row_of
from engine.intake.imports.files.mixed_files import mixed_dialect, mixed_sheets
from engine.intake.imports.files.size_limits import SizeBounds
from engine.intake.imports.files.typed_files import open_workbook, read_json_lines, read_parquet, read_worksheet
from engine.intake.imports.mapping import PLAIN, ColumnMapping
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import Importable, find_table, importable, is_table
from engine.intake.imports.values.names import squash
from engine.model.errors import InvalidData, Problem, Usage

DELIMITED = (".csv", ".tsv", ".txt")
WORKBOOKS = (".xlsx", ".xlsm")
JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet",)
CALENDARS = (".ics",)  # of who is on call where its name says so, else of absences
_ANY = datetime(1970, 1, 1, tzinfo=UTC)  # where no row is looked at
SUFFIXES = (*DELIMITED, *WORKBOOKS, *JSON_LINES, *PARQUET, *CALENDARS)


def sheets(
    paths: Sequence[Path], mapping: ColumnMapping = PLAIN, *, now: datetime, bounds: SizeBounds | None = None
) -> list[SheetRows]:
    """What the files and folders hold, in the order given; Usage for what is no file, no format or no table.

    What comes again without an end is read until some time after ``now``.
    """
    files = [file for path in paths for file in files_in(path, mapping)]
    sheet_rows = [sheet for file in files for sheet in _sheets(file, mapping, now, bounds)]
    if not files:
        raise Usage("There is nothing to import: name a file or a folder with files.")
    first: dict[str, str] = {}
    for sheet in sheet_rows:
        if sheet.table in first:
            raise Usage(f"{first[sheet.table]} and {sheet.file} both hold {sheet.table}; import one at a time.")
        first[sheet.table] = sheet.file
    return sheet_rows


def _evidence_of(path: Path, mapping: ColumnMapping) -> set[str]:
    """What lies in a folder because rows of its evidence items name it: no table, and passed over."""
    sheet_rows = []
    for file in sorted(path.iterdir()):
        may_have = squash(file.stem) == squash(ITEMS) or file.suffix.lower() in WORKBOOKS or not is_table(file.stem)
        if file.is_file() and file.suffix.lower() in SUFFIXES and may_have and not file.name.startswith((".", "~$")):
            with suppress(Problem):  # what is no table may be such a file; if it is none, that is said when it is read
                sheet_rows += [sheet for sheet in _sheets(file, mapping, _ANY) if sheet.table == ITEMS]
    return top_names(sheet_rows, mapping)


def files_in(path: Path, mapping: ColumnMapping = PLAIN) -> Iterator[Path]:
    """The file itself, or those of a folder in the order of their names; Usage for neither.

    What evidence items of the folder name as their files is passed over.
    """
    if not path.exists():
        raise Usage(f"{path} does not exist.")
    if not path.is_dir():
        yield path
        return
    passed_over = _evidence_of(path, mapping)
    for file in sorted(path.iterdir()):
        if file.name.startswith((".", "~$")) or file.name in passed_over:
            continue
        if file.is_dir():
            raise Usage(f"{file} is a folder inside a folder; name it by itself to import it.")
        yield file


def _sheets(path: Path, mapping: ColumnMapping, now: datetime, bounds: SizeBounds | None = None) -> list[SheetRows]:
    return [replace(sheet, folder=path.parent) for sheet in _read_sheets(path, mapping, now, bounds)]


def _read_sheets(path: Path, mapping: ColumnMapping, now: datetime, bounds: SizeBounds | None) -> list[SheetRows]:
    suffix = path.suffix.lower()
    if suffix in CALENDARS and rotas.is_rota(path):
        return [_of_rota(path, now)]
    if silences.is_silences(path):
        return [_of_frame(silences.TABLE, path, partial(silences.read_silences, path))]
    if tickets.is_issues(path):
        return [_of_frame(tickets.TABLE, path, partial(tickets.read_tickets, path))]
    if suffix not in SUFFIXES:
        raise Usage(f"{path.name} is in no format that can be imported; there are {', '.join(SUFFIXES)}.")
    if suffix in WORKBOOKS:
        return _worksheets(path, mapping, bounds)
    if suffix in CALENDARS:
        return [SheetRows("absences", path.name, partial(read_calendar, path, path.name), sha256=_digest(path))]
    if suffix in DELIMITED and not is_table(path.stem):
        dialect = mixed_dialect(path)
        if dialect is not None:
            return mixed_sheets(path, dialect, _digest(path))
        if tickets.has_tickets(path):
            return [_of_frame(tickets.TABLE, path, partial(tickets.read_tickets, path))]
    table = find_table(path.stem, path.name)
    structured = importable(table).headers("json")
    if suffix in JSON_LINES:
        return [
            SheetRows(table, path.name, partial(read_json_lines, path, path.name, structured), sha256=_digest(path))
        ]
    if suffix in PARQUET:
        read = partial(read_parquet, path, path.name, structured, bounds)
        return [SheetRows(table, path.name, read, sha256=_digest(path))]
    return [_delimited_rows(path, importable(table), mapping)]


def _of_rota(path: Path, now: datetime) -> SheetRows:
    structured = importable(rotas.TABLE).headers("json")

    def batches(problems: Problems) -> Iterator[Batch]:
        shifts, left_out = rotas.read_shifts(path, now)
        for event in left_out:
            problems.leave_out(path.name, event)
        yield from frame_batches(iter([shifts]), structured)

    return SheetRows(rotas.TABLE, path.name, batches, sha256=_digest(path))


def _of_frame(table: str, path: Path, read: Callable[[], pl.DataFrame]) -> SheetRows:
    structured = importable(table).headers("json")

    def batches(problems: Problems) -> Iterator[Batch]:
        yield from frame_batches(iter([read()]), structured)

    return SheetRows(table, path.name, batches, sha256=_digest(path))


def _delimited_rows(path: Path, table: Importable, mapping: ColumnMapping) -> SheetRows:
    encoding = encoding_of(path)
    if encoding is None:
        raise InvalidData(f"{path.name} is neither UTF-8 nor Windows-1252 text nor UTF-16 with a byte order mark.")
    known = mapping.columns(table)
    dialect = dialect_of(path, encoding, known)
    return SheetRows(
        table.name,
        path.name,
        partial(read_delimited, path, path.name, dialect),
        decimal={",": ".", ";": ","}.get(dialect.delimiter),
        sha256=_digest(path),
        header_row=1 if dialect.offset else header_row_of(path, encoding, known),
    )


def _worksheets(path: Path, mapping: ColumnMapping, bounds: SizeBounds | None) -> list[SheetRows]:
    workbook, digest = open_workbook(path, bounds), _digest(path)
    names = workbook.sheet_names
    single = len(names) == 1 and (is_table(path.stem) or not is_table(names[0]))
    sheet_rows = []
    for name in names:
        if not single and not is_table(name) and workbook.load_sheet(name, header_row=None).height == 0:
            continue
        table = importable(find_table(path.stem if single else name, f"{path.name}, sheet {name}"))
        exact = table.headers("control")
        label = path.name if single else f"{path.name}, sheet {name}"
        read = partial(read_worksheet, workbook, name, exact)
        top = workbook.load_sheet(name, header_row=None, skip_rows=0, n_rows=LOOKED_AT, dtypes="string")
        row = header_row(top.to_polars().rows(), mapping.columns(table)) if top.height else 1
        sheet_rows.append(SheetRows(table.name, label, read, sha256=digest, header_row=row))
    return sheet_rows


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
