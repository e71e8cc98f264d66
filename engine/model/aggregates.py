"""From the rows that a figure counts to its value: counts, sums, shares, ratios, means, ranks, extremes, scores.

Each aggregate names the columns that it takes (``parts``), so that whoever has its rows in a spreadsheet gets the same
value: ``flag`` (1 where the row counts), ``amount``, ``numerator`` and ``denominator``, ``value``, ``contribution``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import polars as pl

from engine.model.ask import Ask
from engine.model.formulas import nearest_rank

# a column, an expression over columns, or one that depends on what is asked (its day, period, settings, parameters)
Expression: TypeAlias = str | pl.Expr | Callable[[Ask], pl.Expr]
Parts: TypeAlias = Mapping[str, Expression]
ONE = pl.lit(1, dtype=pl.Int64)


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

    def value(self, rows: pl.DataFrame) -> object:
        return rows.height


@dataclass(frozen=True)
class Distinct:
    """How many different values a column has, nothing not being one; the first row of each stands for it."""

    of: str

    @property
    def parts(self) -> Parts:
        return {"flag": ONE}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col(self.of).is_not_null()).unique(self.of, keep="first", maintain_order=True)

    def value(self, rows: pl.DataFrame) -> object:
        return rows.height


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

    def value(self, rows: pl.DataFrame) -> object:
        return rows["amount"].sum() if rows.height or self.known_without_rows else None


@dataclass(frozen=True)
class Share:
    """The percentage of the rows whose ``flag`` is true; None without rows, because nothing is not 0 %."""

    flag: Expression

    @property
    def parts(self) -> Parts:
        return {"flag": self.flag}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.with_columns(pl.col("flag").fill_null(False).cast(pl.Int64))

    def value(self, rows: pl.DataFrame) -> object:
        return 100 * int(rows["flag"].sum()) / rows.height if rows.height else None


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

    def value(self, rows: pl.DataFrame) -> object:
        whole = float(rows["denominator"].sum())
        return self.scale * float(rows["numerator"].sum()) / whole if whole else None


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

    def value(self, rows: pl.DataFrame) -> object:
        whole = float(rows["denominator"].sum())
        return float(rows["numerator"].sum()) / whole if whole else None


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

    def value(self, rows: pl.DataFrame) -> object:
        return nearest_rank(rows["value"].to_list(), self.pct)


@dataclass(frozen=True)
class Minimum:
    """The smallest or earliest value; None without values."""

    of: Expression

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.filter(pl.col("value").is_not_null())

    def value(self, rows: pl.DataFrame) -> object:
        return rows["value"].min()


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

    def value(self, rows: pl.DataFrame) -> object:
        return rows["value"].max() if rows.height else self.empty


@dataclass(frozen=True)
class First:
    """The value of the first row, in the order of the fact; None without rows."""

    of: Expression

    @property
    def parts(self) -> Parts:
        return {"value": self.of}

    def rows(self, counted: pl.DataFrame) -> pl.DataFrame:
        return counted.head(1)

    def value(self, rows: pl.DataFrame) -> object:
        return rows["value"][0] if rows.height else None


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

    def value(self, rows: pl.DataFrame) -> object:
        present = rows.filter(pl.col("value").is_not_null())
        return present["contribution"].sum() if present.height else None


Aggregate: TypeAlias = (
    Count | Distinct | Sum | Share | Ratio | WeightedMean | Percentile | Minimum | Maximum | First | Score
)
