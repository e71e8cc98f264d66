"""A CSV with rows of several tables: its first column, ``table``, says of which each is."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from engine.intake.imports.batches import Batch, SheetRows
from engine.intake.imports.files.csv_files import Dialect, dialect_of, encoding_of, read_delimited
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import find_table, importable
from engine.intake.imports.values.names import squash

TABLE = "table"


def mixed_dialect(path: Path) -> Dialect | None:
    """How the file is written, if its first column is ``table``."""
    encoding = encoding_of(path)
    if encoding is None:
        return None
    dialect = dialect_of(path, encoding, [TABLE])
    first = next(read_delimited(path, path.name, dialect, Problems()), None)
    return dialect if first is not None and first.header and squash(first.header[0]) == TABLE else None


def mixed_sheets(path: Path, dialect: Dialect, sha256: str) -> list[SheetRows]:
    """The rows of each table as a sheet; a column of which it has no cell is none of its own, but for those of its key.

    Usage for a name that is no table.
    """
    used: dict[str, set[int]] = {}
    problems = Problems()
    for batch in read_delimited(path, path.name, dialect, problems):
        for number, row in enumerate(zip(*batch.columns, strict=True), start=batch.first_row):
            if any(cell.strip() for cell in row):
                filled = {place for place, cell in enumerate(row) if place and cell.strip()}
                table = find_table(row[0], f"{path.name}, row {number}")
                used.setdefault(table, _key_places(table, batch.header)).update(filled)
    problems.raise_any()
    decimal = {",": ".", ";": ","}.get(dialect.delimiter)
    return [
        SheetRows(table, f"{path.name}, {table}", partial(_read, path, dialect, table, sorted(places)), decimal, sha256)
        for table, places in used.items()
    ]


def _key_places(table: str, header: Sequence[str]) -> set[int]:
    """Where the columns are that tell its rows apart: of an empty one the rows are wrong, not the file."""
    keys = {squash(name) for name in importable(table).key}
    return {place for place, cell in enumerate(header) if place and squash(cell) in keys}


def _read(path: Path, dialect: Dialect, table: str, places: list[int], problems: Problems) -> Iterator[Batch]:
    """The rows of a table, each under the number that it has in the file."""
    for batch in read_delimited(path, path.name, dialect, problems):
        header = tuple(batch.header[place] for place in places)
        named = {cell: find_table(cell, path.name) for cell in batch.columns[0].unique() if cell.strip()}
        for start, length in _runs([named.get(cell) == table for cell in batch.columns[0]]):
            columns = [batch.columns[place].slice(start, length) for place in places]
            yield Batch(header, columns, batch.first_row + start)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Where true stretches begin, and how long they are."""
    start = None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            yield start, place - start
            start = None
