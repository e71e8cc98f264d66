"""From the rows that explain a figure back to its value, as somebody with a spreadsheet would do it."""

import math

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.figures.aggregates import Count, Distinct, First, Maximum, Minimum, Percentile, Score, Share, Sum
from engine.model.figures.figure import DIGITS, Figure, Figures
from tests.factories import ask, rows


def recompute(figure: Figure, explained: pl.DataFrame) -> object:
    """The value that the explained rows give."""
    held = explained.to_dict(as_series=False)
    match figure.aggregate:
        case Count() | Distinct():
            return sum(held["flag"])
        case Sum(known_without_rows=False) if not held["amount"]:
            return None
        case Sum():
            return sum(amount for amount in held["amount"] if amount is not None)
        case Share():
            return 100 * sum(held["flag"]) / len(held["flag"]) if held["flag"] else None
        case Score():
            present = [
                part for part, value in zip(held["contribution"], held["value"], strict=True) if value is not None
            ]
            return sum(present) if present else None
        case First():
            return held["value"][0] if held["value"] else None
        case Minimum() | Maximum() | Percentile():
            values = sorted(held["value"])
            if not values:
                return getattr(figure.aggregate, "empty", None)
            if isinstance(figure.aggregate, Percentile):
                return values[max(math.ceil(figure.aggregate.pct / 100 * len(values)), 1) - 1]
            return values[0] if isinstance(figure.aggregate, Minimum) else values[-1]
    whole = sum(held["denominator"])
    scale = getattr(figure.aggregate, "scale", 1.0)
    return scale * sum(held["numerator"]) / whole if whole else None


def follows(figure: Figure, figures: Figures) -> bool:
    """Whether the value of a figure is what its explained rows give, in the digits of its unit."""
    value, found = figures[figure.id], recompute(figure, figures.explained_rows(figure.id))
    if isinstance(value, float) and isinstance(found, int | float):
        return math.isclose(value, found, abs_tol=0.51 * 10 ** -DIGITS.get(figure.unit, 2))
    return value == found


def values_follow(report: Report, question: Ask | None = None, **facts: pl.DataFrame) -> None:
    """Every figure of the report equals what its explained rows give."""
    frames = {name: facts.get(name, rows(name)) for name in report.facts}
    figures = report.values(frames, question or ask())
    assert [figure.id for figure in report.figures if not follows(figure, figures)] == []
