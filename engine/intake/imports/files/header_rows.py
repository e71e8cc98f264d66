"""Files whose header is not in their first row: titles and dates of a report stand above it."""

import csv
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

from engine.intake.imports.files.csv_files import BLOCK, DELIMITERS
from engine.intake.imports.values.names import squash

LOOKED_AT = 20  # rows
ENOUGH = 2  # columns that a row names before it is taken for a header


def header_row(rows: Sequence[Sequence[str | None]], known: Collection[str]) -> int:
    """The row, from 1, that names the most of the known columns: the first unless another names several."""
    named = [len({squash(cell or "") for cell in row} & set(known)) for row in rows[:LOOKED_AT]]
    best = max(range(len(named)), key=lambda place: named[place], default=0)
    return best + 1 if named and named[best] >= ENOUGH and named[best] > named[0] else 1


def header_row_of(path: Path, encoding: str, known: Collection[str]) -> int:
    """The same of a delimited file, under the delimiter that makes most of it."""
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        lines = list(islice(iter(lambda: file.readline(BLOCK), ""), LOOKED_AT))
    header_rows = (header_row([_cells(line, delimiter) for line in lines], known) for delimiter in DELIMITERS)
    return next((row for row in header_rows if row > 1), 1)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # whoever reads the rows says what is wrong
        return []
