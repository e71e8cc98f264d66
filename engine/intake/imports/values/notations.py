"""What a whole column says about its dates and numbers, gathered while the file is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from engine.intake.imports.tables import TableField
from engine.intake.imports.values.cells import Notation, number_readings

_ORDERED = r"^(\d{1,2})[/-](\d{1,2})[/-]\d{4}"
_MARKED = r"\d[.,'’\s]\d|^[+-]?[.,]\d|\d[.,]$"


@dataclass
class Notations:
    """Column by column: which orders of day and month occur, and which decimal marks."""

    dates: dict[str, set[str]] = field(default_factory=dict)
    decimals: dict[str, set[str]] = field(default_factory=dict)

    def gather(self, frame: pl.DataFrame, fields: Mapping[str, TableField]) -> None:
        """Look at one batch of text cells."""
        for name in frame.columns:
            kind = fields[name].kind if name in fields else ""
            if kind in ("day", "instant"):
                self.dates.setdefault(name, set()).update(_orders(frame[name]))
            elif kind in ("whole", "number") and len(self.decimals.setdefault(name, set())) < 2:
                self.decimals[name].update(_decimals(frame[name]))

    def of(self, field: TableField, decimal: str | None) -> Notation:
        """The reading of one column; ``decimal`` is the file's own mark where no cell of the column shows one."""
        if field.kind in ("day", "instant"):
            orders = self.dates.get(field.name, set())
            return Notation(dates="mixed" if len(orders) > 1 else next(iter(orders), None))
        marks = self.decimals.get(field.name, set())
        return Notation(decimal=next(iter(marks)) if len(marks) == 1 else None if marks else decimal)


def _orders(cells: pl.Series) -> set[str]:
    parts = cells.drop_nulls().str.extract_groups(_ORDERED).struct.unnest().drop_nulls()
    first, second = (parts[name].cast(pl.Int64) for name in parts.columns)
    found = {"dmy"} if bool(((first > 12) & (second <= 12)).any()) else set()
    return found | ({"mdy"} if bool(((second > 12) & (first <= 12)).any()) else set())


def _decimals(cells: pl.Series) -> set[str]:
    marked = cells.drop_nulls()
    readings = [number_readings(text) for text in marked.filter(marked.str.contains(_MARKED)).unique()]
    found = {"."} if any(dot is not None and comma is None for dot, comma in readings) else set()
    return found | ({","} if any(comma is not None and dot is None for dot, comma in readings) else set())
