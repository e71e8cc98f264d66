"""Numbers within sentences."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from engine.model.figures.thousands import with_thousands


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_thousands_stand_apart_as_python_writes_them(numbers):
    frame = pl.DataFrame({"n": numbers}, schema={"n": pl.Int64})
    assert frame.select(with_thousands(pl.col("n"))).to_series().to_list() == [
        None if n is None else f"{n:,}" for n in numbers
    ]
