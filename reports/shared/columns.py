"""Expressions for the columns that reports on controls share: the order of identifiers and percentages."""

import polars as pl


def in_order(column: str) -> pl.Expr:
    """Sort key that follows the numbering of a standard: A.5.2 before A.5.10, clause 9 before clause 10."""
    return pl.col(column).str.extract_all(r"\d+|\D+").list.eval(pl.element().str.zfill(4)).list.join("")


def share_pct(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Percent with one decimal; null where the whole is 0, because nothing is not 0 %."""
    return pl.when(whole > 0).then((100 * part / whole).round(1))


def with_first(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The same rows with these columns first: what decides stands where a reader begins."""
    return frame.select(*names, pl.exclude(*names))
