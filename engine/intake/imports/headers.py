"""From a sheet's batches to frames of stripped text under the names of the table's columns."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from engine.intake.imports.batches import Batch, SheetRows
from engine.intake.imports.names import by_squashed, closest_name, squash
from engine.intake.imports.notations import Notations
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import Importable

ROW = "#row"


@dataclass
class Header:
    """The columns that a file turned out to have: ``given`` in the table's order, ``numeric`` among them."""

    table: Importable
    file: str
    problems: Problems
    notations: Notations = field(default_factory=Notations)
    given: tuple[str, ...] = ()
    numeric: set[str] = field(default_factory=set)
    _seen: dict[str, str | None] = field(default_factory=dict)
    _twice: set[str] = field(default_factory=set)

    def frames(self, sheet: SheetRows) -> Iterator[pl.DataFrame]:
        """Rows with something in them, empty cells null, their spreadsheet row under ``ROW``."""
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
            text = _stripped(series)
            name = self._name(cell, position, text, batch.first_row)
            if name is None:
                continue
            if name in columns and name not in self._twice:
                self._twice.add(name)
                self.problems.add(self.file, 1, cell, f"one column for {name}", "two")
            columns[name] = text
            if position in batch.numeric:
                self.numeric.add(name)
        self.given = tuple(name for name in self.table.fields if name in columns or name in self.given)
        numbers = pl.int_range(batch.first_row, batch.first_row + rows, eager=True).alias(ROW)
        frame = pl.DataFrame([numbers, *(series.alias(name) for name, series in columns.items())])
        return frame.filter(pl.any_horizontal(pl.col(columns).is_not_null())) if columns else frame.clear()

    def _name(self, cell: str, position: int, text: pl.Series, first_row: int) -> str | None:
        key = squash(cell)
        if not key:
            filled = text.is_not_null().arg_true()
            if filled.len():
                row = first_row + int(filled[0])
                self.problems.add(self.file, row, f"(column {position + 1})", "a header above it", text[int(filled[0])])
            return None
        if key not in self._seen:
            self._seen[key] = by_squashed(self.table.fields).get(key)
            if self._seen[key] is None:
                self.problems.add(self.file, 1, cell.strip(), self._expected(key), cell.strip())
        return self._seen[key]

    def _expected(self, key: str) -> str:
        if key in by_squashed(self.table.assigned):
            return "no such column: the console fills it in"
        near = closest_name(key, list(self.table.fields))
        return f"a column of {self.table.name}" + (f", probably {near}" if near else "")


def _stripped(series: pl.Series) -> pl.Series:
    """Cells without white space around them; nothing left is null."""
    text = series.str.strip_chars().str.strip_chars("\ufeff\u200b")
    return text.set(text == "", None)
