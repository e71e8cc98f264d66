"""CSV in every dialect that spreadsheets write: commas, semicolons, tabs, bars; UTF-8, UTF-16, Windows-1252."""

import codecs
import csv
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import polars as pl

from engine.intake.imports.batches import Batch
from engine.intake.imports.files.spool import BATCH_ROWS
from engine.intake.imports.problems import Problems
from engine.intake.imports.values.names import squash

DELIMITERS = (",", ";", "\t", "|")
BLOCK = 1 << 20
_MARKED = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Dialect:
    """How a file is written. ``offset`` is 1 where Excel's own line ``sep=;`` stands before the header."""

    encoding: str
    delimiter: str
    offset: int = 0


def encoding_of(path: Path) -> str | None:
    """By the byte order mark, else UTF-8 where all of it is, else Windows-1252; None for neither."""
    with path.open("rb") as file:
        head = file.read(4)
        for mark, encoding in _MARKED.items():
            if head.startswith(mark):
                return encoding
        if b"\0" in head[:2]:
            return None
        file.seek(0)
        for encoding in ("utf-8", "cp1252"):
            if _decodes(iter(lambda: file.read(BLOCK), b""), encoding):
                return encoding
            file.seek(0)
    return None


def _decodes(blocks: Iterator[bytes], encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks:
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def dialect_of(path: Path, encoding: str, known: Collection[str]) -> Dialect:
    """The delimiter under which the header names the most of the known columns, then the most columns."""
    with path.open(
        encoding=encoding, errors="replace", newline=""
    ) as file:  # whoever reads the rows says what is wrong
        first = file.readline(BLOCK)
        declared = re.fullmatch(r"sep=(.)", first.strip("\r\n"), re.IGNORECASE)
        if declared:
            return Dialect(encoding, declared[1], offset=1)
        if squash(first) == "" and not first.strip("\r\n"):
            return Dialect(encoding, ",")

    def fit(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([first], delimiter=delimiter), [])
        return len(set(known).intersection(map(squash, cells))), len(cells)

    return Dialect(encoding, max(DELIMITERS, key=fit))


def read_delimited(path: Path, file: str, dialect: Dialect, problems: Problems) -> Iterator[Batch]:
    """The rows of a file in batches. A quote that is never closed ends the reading with a bad row."""
    with path.open(encoding=dialect.encoding, newline="") as source:
        for _ in range(dialect.offset):
            source.readline()
        yield from _batches(source, file, dialect.delimiter, problems)


def _batches(source: TextIO, file: str, delimiter: str, problems: Problems) -> Iterator[Batch]:
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    head, _ = _records(reader, 1, 1, file, problems)
    header = tuple(head[0]) if head else ()
    first_row, more = 2, True
    while more:
        rows, more = _records(reader, BATCH_ROWS, first_row, file, problems)
        if rows or first_row == 2:
            yield Batch(header, _columns(rows, header, first_row, file, problems), first_row)
        first_row += len(rows)


def _records(
    reader: Iterator[list[str]], count: int, first_row: int, file: str, problems: Problems
) -> tuple[list[list[str]], bool]:
    """Up to ``count`` rows, and whether there may be more. After a row that cannot be read there are none."""
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, count))
    except csv.Error as error:
        expected = "cells whose quotes are closed and doubled inside"
        problems.add(file, first_row + len(rows), "(row)", expected, str(error))
        return rows, False
    except UnicodeDecodeError as error:
        found = repr(error.object[error.start :][:4])
        problems.add(file, first_row + len(rows), "(row)", f"text in {error.encoding}", found)
        return rows, False
    return rows, len(rows) == count


def _columns(
    rows: list[list[str]], header: Sequence[str], first_row: int, file: str, problems: Problems
) -> list[pl.Series]:
    width = len(header)
    if not {width}.issuperset(map(len, rows)):
        for number, row in enumerate(rows, start=first_row):
            extra = [cell for cell in row[width:] if cell.strip()]
            if extra:
                found = f"{len(row)} cells, among them {extra[0]!r}"
                problems.add(file, number, "(row)", f"{width} cells as in the header", found)
        rows = [row[:width] + [""] * (width - len(row)) for row in rows]
    cells = zip(*rows, strict=True) if rows else [()] * width
    return [pl.Series(str(i), column, dtype=pl.String) for i, column in enumerate(cells)]
