"""The way from the rows of a figure to its value, in words and with the numbers in place."""

from math import ceil

import polars as pl

from engine.model.figures.aggregates import (
    Aggregate,
    Count,
    Distinct,
    First,
    Maximum,
    Minimum,
    Percentile,
    Ratio,
    Score,
    Share,
    Sum,
    WeightedMean,
)

NO_ROWS = "No row counts, so that there is nothing to compute"


def way_to_value(aggregate: Aggregate, rows: pl.DataFrame) -> str:
    """A sentence on how ``rows``, which explain a figure, make its value; columns are named as the table has them."""
    match aggregate:
        case Count():
            return f"The number of rows: {rows.height:,}."
        case Distinct():
            return f"The number of rows, one for each {aggregate.of.replace('_', ' ')}: {rows.height:,}."
        case Sum(known_without_rows=False) if rows.is_empty():
            return f"{NO_ROWS}: the sum is not known."
        case Sum():
            return f"The sum of amount: {_total(rows, 'amount')}."
        case Share():
            return _division(
                "100 × the sum of flag ÷ the number of rows", 100, _total(rows, "flag"), f"{rows.height:,}"
            )
        case Ratio():
            times = "" if aggregate.scale == 1 else f"{aggregate.scale:g} × "
            words = f"{times}the sum of numerator ÷ the sum of denominator"
            return _division(words, aggregate.scale, _total(rows, "numerator"), _total(rows, "denominator"))
        case WeightedMean():
            words = "The sum of numerator (value × denominator) ÷ the sum of denominator"
            return _division(words, 1, _total(rows, "numerator"), _total(rows, "denominator"))
        case Percentile() if rows.is_empty():
            return f"{NO_ROWS}: no rank has a value."
        case Percentile():
            place = max(ceil(aggregate.pct / 100 * rows.height), 1)
            return f"Of the {rows.height:,} values in ascending order the one at place {place:,}, by nearest rank."
        case Minimum():
            return "The smallest or earliest value." if rows.height else f"{NO_ROWS}: there is no smallest value."
        case Maximum():
            return "The largest or latest value." if rows.height else f"{NO_ROWS}: there is no largest value."
        case First():
            return "The value of the first row." if rows.height else f"{NO_ROWS}: there is no first row."
        case Score():
            return f"The sum of contribution: {_total(rows, 'contribution')}."


def _division(words: str, scale: float, numerator: str, denominator: str) -> str:
    times = "" if scale == 1 else f"{scale:g} × "
    if denominator == "0":
        return f"{words[0].upper()}{words[1:]}: not known, as it would divide by 0."
    return f"{words[0].upper()}{words[1:]}: {times}{numerator} ÷ {denominator}."


def _total(rows: pl.DataFrame, column: str) -> str:
    total = float(rows[column].cast(pl.Float64).sum())
    return f"{int(total):,}" if total.is_integer() else f"{round(total, 6):,}"
