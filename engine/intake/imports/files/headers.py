"""From a sheet's batches to frames of stripped text under the names of the table's columns."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from engine.intake.imports.batches import Batch, SheetRows
from engine.intake.imports.mapping import PLAIN, ColumnMapping
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import Importable
from engine.intake.imports.values.names import by_squashed, closest_name, squash
from engine.intake.imports.values.notations import Notations

ROW = "#row"


@dataclass
class Header:
    """The columns that a file turned out to have: ``given`` in the table's order, ``numeric`` among them.

    ``ignored``: headers that are left out as unknown, each with the column that is nearest in name.
    """

    table: Importable
    file: str
    problems: Problems
    mapping: ColumnMapping = PLAIN
    notations: Notations = field(default_factory=Notations)
    given: tuple[str, ...] = ()
    numeric: set[str] = field(default_factory=set)
    ignored: dict[str, str | None] = field(default_factory=dict)
    _seen: dict[str, str | None] = field(default_factory=dict)
    _twice: set[str] = field(default_factory=set)

    def frames(self, sheet: SheetRows) -> Iterator[pl.DataFrame]:
        """Rows with something in them, empty cells null, their spreadsheet row under ``ROW``."""
        if sheet.header_row > 1:
            above = "the row above it" if sheet.header_row == 2 else f"the {sheet.header_row - 1} rows above it"
            wanted = f"the columns of {self.table.name} in the first row"
            found = f"your header is in row {sheet.header_row}: remove {above}"
            self.problems.add(self.file, 1, "(header)", wanted, found)
            return
        named = False
        for batch in sheet.read(self.problems):
            named = named or any(cell.strip() for cell in batch.header)
            frame = self._frame(batch)
            self.notations.gather(frame, self.table.fields)
            yield frame
        if not named:
            self.problems.add(self.file, 1, "(header)", f"the columns of {self.table.name} in the first row", None)

    def _frame(self, batch: Batch) -> pl.DataFrame:
        rows = batch.columns[0].len() if batch.columns else 0
        columns: dict[str, pl.Series] = {}
        for position, (cell, series) in enumerate(zip(batch.header, batch.columns, strict=True)):
            text = _strip(series)
            name = self._name(cell, position, text, batch.first_row)
            if name is None:
                continue
            if name in columns:
                self._report_twice(name, cell)
            columns[name] = text
            if position in batch.numeric:
                self.numeric.add(name)
        filled = list(columns)
        for name, value in self.mapping.values.get(self.table.name, {}).items():
            if name in columns:
                self._report_twice(name, f"the value {value!r} of the mapping")
            columns[name] = pl.repeat(value or None, rows, dtype=pl.String, eager=True)
        self.given = tuple(name for name in self.table.fields if name in columns or name in self.given)
        numbers = pl.int_range(batch.first_row, batch.first_row + rows, eager=True).alias(ROW)
        frame = pl.DataFrame([numbers, *(series.alias(name) for name, series in columns.items())])
        return frame.filter(pl.any_horizontal(pl.col(filled).is_not_null())) if filled else frame.clear()

    def _report_twice(self, name: str, other: str) -> None:
        if name not in self._twice:
            self._twice.add(name)
            self.problems.add(self.file, 1, other, f"one column for {name}", "two")

    def _name(self, cell: str, position: int, text: pl.Series, first_row: int) -> str | None:
        key = squash(cell)
        if not key:
            filled = text.is_not_null().arg_true()
            if filled.len():
                row = first_row + int(filled[0])
                self.problems.add(self.file, row, f"(column {position + 1})", "a header above it", text[int(filled[0])])
            return None
        if key not in self._seen:
            known = self.mapping.columns(self.table)
            self._seen[key] = known.get(key) or None
            if key not in known:
                self._refuse(cell.strip(), key)
        return self._seen[key]

    def _refuse(self, header: str, key: str) -> None:
        """A header that nobody knows: left out where that is asked for."""
        if self.mapping.ignores_unknown:
            self.ignored[header] = closest_name(key, list(self.table.fields))
            return
        self.problems.add(self.file, 1, header, self._expectation(key), header)
        self.problems.advise("--map says what other headers mean, --ignore-unknown leaves unknown columns out.")

    def _expectation(self, key: str) -> str:
        if key in by_squashed(self.table.assigned):
            return "no such column: the console fills it in"
        near = closest_name(key, list(self.table.fields))
        return f"a column of {self.table.name}" + (f", probably {near}" if near else "")


def _strip(series: pl.Series) -> pl.Series:
    """Cells without white space around them; nothing left is null."""
    text = series.str.strip_chars().str.strip_chars("\ufeff\u200b")
    return text.set(text == "", None)
