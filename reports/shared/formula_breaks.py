"""What is said where snapshots were computed by other formulas than today's, and nothing is compared with them."""

import polars as pl


def prior(rows: pl.DataFrame) -> list[str]:
    """Of facts with the last snapshot before the period: which change keeps it from being compared, if one does."""
    return _sentences(rows, "prior_formula_change", "prior_on")


def past(rows: pl.DataFrame) -> list[str]:
    """Of snapshots: up to which day a change keeps them from being compared with today."""
    return _sentences(rows, "formula_change", "taken_on")


def comparable(rows: pl.DataFrame) -> pl.DataFrame:
    """The snapshots by today's formulas."""
    return rows.filter(pl.col("formula_change").is_null())


def _sentences(rows: pl.DataFrame, change: str, day: str) -> list[str]:
    frame = rows.filter(pl.col(change).is_not_null()).group_by(change).agg(pl.col(day).max()).sort(day, change)
    return [
        f'The series breaks: snapshots up to {until} are by an earlier formula, from before the change "{name}" of the '
        "changelog, and the records of their days are not there to compute them anew. They are not compared."
        for name, until in frame.iter_rows()
    ]
