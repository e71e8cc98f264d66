"""How the reference spells the expressions of figures."""

from datetime import timedelta

import polars as pl
import pytest

from tests.factories import DAY, ask
from tests.formulas import formula_text

A, B = pl.col("a"), pl.col("b")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (A == "high", "`a` = high"),
        (~(A == "in place"), "`a` ≠ “in place”"),
        (A & ~B & (pl.col("c") == "stale"), "`a` and not `b` and `c` = stale"),
        ((A | B) & pl.col("c").is_null(), "(`a` or `b`) and `c` is absent"),
        (A.is_in(["x", "y", "z", "w"]), "`a` is x or y or z or w"),
        (A.abs() > 5, "|`a`| > 5"),
        (100 * (A - B), "100 × (`a` − `b`)"),
        (A.is_between(ask().period_start, DAY), "`a` from {period_start} to {as_of}"),
        (A.list.contains("owner"), "`a` has owner"),
        (A.fill_null(0) > 0, "(`a` or 0) > 0"),
        # a day that follows from a setting is not that day in general, and what is chosen row by row takes a sentence
        (A.is_between(DAY, DAY + timedelta(days=9)), None),
        (pl.when(A).then(B).otherwise(None), None),
    ],
)
def test_an_expression_is_said_in_a_formula_or_not_at_all(expression, words):
    assert formula_text(expression) == words
