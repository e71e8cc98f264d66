"""The shades of heat columns and the legend that says their bands."""

from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from engine.model.documents.document import Table
from engine.model.documents.heat import NUMBER, HeatScale

STEPS = range(5)


@dataclass(frozen=True)
class Shades:
    """How a table shades its heat columns."""

    table: Table
    scale: HeatScale

    def of(self, name: str) -> list[str]:
        """The class of each cell of a column; empty where there is no figure."""
        by = self.scale.by if self.scale.by is not None else self.table.frame
        return ["" if value is None else f" {self._shade(self.scale.step(value))}" for value in by.get_column(name)]

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The class and the band of each step."""
        if not self.table.heat:
            return []
        names = self.scale.names or _bands(self.scale.starts, all(name.endswith("_pct") for name in self.table.heat))
        return [(self._shade(step), name) for step, name in zip(STEPS, names, strict=True) if name]

    def _shade(self, step: int) -> str:
        match self.scale.better:
            case "less":
                return f"h{step}"
            case "more":
                return f"h{STEPS[-1] - step}"
            case "neither":
                return f"a{step}"


def shades(table: Table) -> Shades:
    """The table's own scale; without one, numbers and fifths that judge nothing."""
    return Shades(table, table.scale or _amounts(table))


def _amounts(table: Table) -> HeatScale:
    if not table.heat or all(table.schema[name].is_integer() for name in table.heat):
        return NUMBER
    if all(name.endswith("_pct") for name in table.heat):
        return HeatScale((20.0, 40.0, 60.0, 80.0), "neither")
    largest = table.frame.select(pl.max_horizontal(pl.col(name).max().cast(pl.Float64) for name in table.heat)).item()
    first, second, third, fourth = (float(f"{(largest or 1.0) * part:.2g}") for part in (0.2, 0.4, 0.6, 0.8))
    return HeatScale((first, second, third, fourth), "neither")


def _bands(starts: tuple[float, ...], percent: bool) -> list[str]:
    unit = "\u00a0%" if percent else ""
    between = [f"{low:g} to {high:g}{unit}" for low, high in pairwise(starts)]
    return [f"under {starts[0]:g}{unit}", *between, f"{starts[-1]:g}{unit} and more"]
