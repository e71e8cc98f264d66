"""From the rows that a figure counts to its value: counts, sums, shares, ratios, means, ranks, extremes, scores.

Each aggregate names the columns that it takes (``parts``), so that whoever has its rows in a spreadsheet gets the same
value: ``flag`` (1 where the row counts), ``amount``, ``numerator`` and ``denominator``, ``value``, ``contribution``.
``rows`` are those rows, ``measures`` what is taken of them; one look at a frame measures for all figures that count it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import nearest_rank

# a column, an expression over the columns of a row, or one that depends on what is asked (its day, period, settings,
# parameters)
Expression: TypeAlias = str | pl.Expr | Callable[[Ask], pl.Expr]
Parts: TypeAlias = Mapping[str, Expression]
Counted: TypeAlias = Callable[[Expression], pl.Expr]  # what an expression says of the rows that count
Measures: TypeAlias = Mapping[str, pl.Expr]  # of all of them, one value each
Measured: TypeAlias = Mapping[str, Any]  # a number, a day, a word, a list of them or None
ONE = pl.repeat(1, pl.len(), dtype=pl.Int64)
EVERY_ROW = pl.first()


def expression(given: Expression, ask: Ask) -> pl.Expr:
    """The expression for this question; a text is the column of that name."""
    if isinstance(given, str):
        return pl.col(given)
    return given if isinstance(given, pl.Expr) else given(ask)


@dataclass(frozen=True)
class Count:
    """How many rows there are."""

    @property
    def parts(self) -> Parts:
        return {"flag": ONE}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted

    def measures(self, counted: Counted) -> Measures:
        return {"rows": counted(EVERY_ROW).len()}

    def value(self, found: Measured) -> object:
        return found["rows"]


@dataclass(frozen=True)
class Distinct:
    """How many different values a column has, nothing not being one; the first row of each stands for it."""

    of: str

    @property
    def parts(self) -> Parts:
        return {"flag": ONE}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col(self.of).is_not_null()).unique(self.of, keep="first", maintain_order=True)

    def measures(self, counted: Counted) -> Measures:
        return {"values": counted(self.of).drop_nulls().n_unique()}

    def value(self, found: Measured) -> object:
        return found["values"]


@dataclass(frozen=True)
class Sum:
    """The sum of ``amount``; 0 without rows, or None where no rows means that nothing is known."""

    amount: Expression
    known_without_rows: bool = True

    @property
    def parts(self) -> Parts:
        return {"amount": self.amount}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted

    def measures(self, counted: Counted) -> Measures:
        return {"sum": counted(self.amount).sum(), "rows": counted(EVERY_ROW).len()}

    def value(self, found: Measured) -> object:
        return found["sum"] if found["rows"] or self.known_without_rows else None


@dataclass(frozen=True)
class Share:
    """The percentage of the rows whose ``flag`` is true; None without rows, because nothing is not 0 %."""

    flag: Expression

    @property
    def parts(self) -> Parts:
        return {"flag": self.flag}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.with_columns(pl.col("flag").fill_null(False).cast(pl.Int64))

    def measures(self, counted: Counted) -> Measures:
        return {"flagged": counted(self.flag).sum(), "rows": counted(EVERY_ROW).len()}

    def value(self, found: Measured) -> object:
        return 100 * int(found["flagged"]) / found["rows"] if found["rows"] else None


@dataclass(frozen=True)
class Ratio:
    """The sum of the numerators over that of the denominators, times ``scale``; None where the latter is 0."""

    numerator: Expression
    denominator: Expression
    scale: float = 100.0

    @property
    def parts(self) -> Parts:
        return {"numerator": self.numerator, "denominator": self.denominator}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted

    def measures(self, counted: Counted) -> Measures:
        return {"numerator": counted(self.numerator).sum(), "denominator": counted(self.denominator).sum()}

    def value(self, found: Measured) -> object:
        whole = float(found["denominator"])
        return self.scale * float(found["numerator"]) / whole if whole else None


@dataclass(frozen=True)
class WeightedMean:
    """The mean of ``of``, each value as often as its ``weight`` says (each once without one); None without weight.

    Rows without a value do not weigh.
    """

    of: Expression
    weight: Expression = ONE

    @property
    def parts(self) -> Parts:
        return {"value": self.of, "denominator": self.weight}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col("value").is_not_null()).with_columns(
            numerator=pl.col("value") * pl.col("denominator")
        )

    def measures(self, counted: Counted) -> Measures:
        value, weight = counted(self.of), counted(self.weight)
        has_value = value.is_not_null()
        return {"numerator": (value * weight).filter(has_value).sum(), "denominator": weight.filter(has_value).sum()}

    def value(self, found: Measured) -> object:
        whole = float(found["denominator"])
        return float(found["numerator"]) / whole if whole else None


@dataclass(frozen=True)
class Percentile:
    """The ``pct`` percentile of ``of`` by nearest rank (50: the median): a value that occurred; None without values."""

    of: Expression
    pct: float = 50.0

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col("value").is_not_null())

    def measures(self, counted: Counted) -> Measures:
        return {"values": counted(self.of).drop_nulls().implode()}

    def value(self, found: Measured) -> object:
        return nearest_rank(found["values"], self.pct)


@dataclass(frozen=True)
class Minimum:
    """The smallest or earliest value; None without values."""

    of: Expression

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col("value").is_not_null())

    def measures(self, counted: Counted) -> Measures:
        return {"value": counted(self.of).min()}

    def value(self, found: Measured) -> object:
        return found["value"]


@dataclass(frozen=True)
class Maximum:
    """The largest or latest value; ``empty`` without values."""

    of: Expression
    empty: int | None = None

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col("value").is_not_null())

    def measures(self, counted: Counted) -> Measures:
        return {"value": counted(self.of).max()}

    def value(self, found: Measured) -> object:
        return self.empty if found["value"] is None else found["value"]


@dataclass(frozen=True)
class First:
    """The value of the first row, in the order of the fact; None without rows."""

    of: Expression

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.head(1)

    def measures(self, counted: Counted) -> Measures:
        return {"value": counted(self.of).first()}

    def value(self, found: Measured) -> object:
        return found["value"]


@dataclass(frozen=True)
class Score:
    """The sum of the contributions of components (R4); None where no component has a value."""

    weight: Expression = "weight"
    of: Expression = "value"
    contribution: Expression = "contribution"

    @property
    def parts(self) -> Parts:
        return {"weight": self.weight, "value": self.of, "contribution": self.contribution}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted

    def measures(self, counted: Counted) -> Measures:
        has_value = counted(self.of).is_not_null()
        return {"sum": counted(self.contribution).filter(has_value).sum(), "present": has_value.sum()}

    def value(self, found: Measured) -> object:
        return found["sum"] if found["present"] else None


Aggregate: TypeAlias = (
    Count | Distinct | Sum | Share | Ratio | WeightedMean | Percentile | Minimum | Maximum | First | Score
)
