"""What the rows of a figure do to make its value, in a sentence with the numbers in place."""

import polars as pl
import pytest

from engine.model.figures.aggregates import (
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
from engine.model.figures.ways import way_to_value

ROWS = pl.DataFrame(
    {
        "flag": [1, 0, 1],
        "amount": [1200.0, 0.5, None],
        "numerator": [10.0, 20.0, 0.0],
        "denominator": [1, 2, 1],
        "value": [10.0, 10.0, 0.0],
        "contribution": [1.1, 2.2, None],
    }
)


@pytest.mark.parametrize(
    ("aggregate", "way"),
    [
        (Count(), "The number of rows: 3."),
        (Distinct("vendor_id"), "The number of rows, one for each vendor id: 3."),
        (Sum("x"), "The sum of amount: 1,200.5."),
        (Share("x"), "100 × the sum of flag ÷ the number of rows: 100 × 2 ÷ 3."),
        (Ratio("x", "y"), "100 × the sum of numerator ÷ the sum of denominator: 100 × 30 ÷ 4."),
        (Ratio("x", "y", 1), "The sum of numerator ÷ the sum of denominator: 30 ÷ 4."),
        (WeightedMean("x"), "The sum of numerator (value × denominator) ÷ the sum of denominator: 30 ÷ 4."),
        (Percentile("x", 80), "Of the 3 values in ascending order the one at place 3, by nearest rank."),
        (Minimum("x"), "The smallest or earliest value."),
        (Maximum("x"), "The largest or latest value."),
        (First("x"), "The value of the first row."),
        (Score(), "The sum of contribution: 3.3."),
    ],
)
def test_every_aggregate_says_its_way(aggregate, way):
    assert way_to_value(aggregate, ROWS) == way


@pytest.mark.parametrize(
    ("aggregate", "way"),
    [
        (Count(), "The number of rows: 0."),
        (
            Sum("x", known_without_rows=False),
            "No row counts, so that there is nothing to compute: the sum is not known.",
        ),
        (Share("x"), "100 × the sum of flag ÷ the number of rows: not known, as it would divide by 0."),
        (Percentile("x"), "No row counts, so that there is nothing to compute: no rank has a value."),
    ],
)
def test_without_rows_it_says_that_nothing_is_known(aggregate, way):
    assert way_to_value(aggregate, ROWS.clear()) == way
