"""Numbers within sentences, in columns: thousands stand apart."""

import polars as pl


def with_thousands(number: pl.Expr) -> pl.Expr:
    """Whole numbers as text: 999, 12,345, 1,234,567."""
    text = number.cast(pl.String)
    for _ in range(6):  # a comma each time, from the right: as many as an Int64 takes
        text = text.str.replace(r"(\d)(\d{3})(,|$)", "${1},${2}${3}")
    return text
