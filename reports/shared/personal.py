"""The personal sections of a digest: what it says to each recipient, in one row and one sentence."""

from collections.abc import Mapping

import polars as pl


def sections(
    items: pl.DataFrame, by: str, states: Mapping[str, str], first: pl.Expr, begin: str = "Begin with"
) -> pl.DataFrame:
    """One row for each recipient: how many items in each state of the column ``by``, and a message.

    ``states`` gives each state, the most urgent first, with the words that follow its count in the message. ``items``
    are in order of urgency and have a ``recipient``; ``first`` words the most urgent one behind ``begin``. Recipients
    with most in the first of ``states`` come first; items of nobody come last.
    """
    counts = {state: (pl.col(by) == state).sum().cast(pl.Int64) for state in states}
    parts = [
        pl.when(pl.col(state) > 0).then(pl.format("{} {}", state, pl.lit(words))) for state, words in states.items()
    ]
    return (
        items.with_columns(first=first)
        .group_by("recipient", maintain_order=True)
        .agg(items=pl.len().cast(pl.Int64), **counts, first=pl.col("first").first())
        .with_columns(message=pl.concat_list(parts).list.drop_nulls().list.join(", "))
        .with_columns(message=pl.format("{}. {} {}.", "message", pl.lit(begin), "first"))
        .sort(pl.col("recipient").is_null(), *states, "recipient", descending=[False, *[True] * len(states), False])
        .drop("first")
    )


def days(number: str, late: str, ahead: str) -> pl.Expr:
    """``3 days late``, ``due today``, ``due in 1 day`` from a column of days left."""
    left = pl.col(number)
    apart = left.abs()
    thousands = pl.format("{},{}", apart // 1000, (apart % 1000).cast(pl.String).str.zfill(3))
    shown = pl.when(apart < 1000).then(apart.cast(pl.String)).otherwise(thousands)
    many = pl.when(apart == 1).then(pl.lit("day")).otherwise(pl.lit("days"))
    return (
        pl.when(left < 0)
        .then(pl.format("{} {} {}", shown, many, pl.lit(late)))
        .when(left == 0)
        .then(pl.lit(f"{ahead} today"))
        .otherwise(pl.format("{} in {} {}", pl.lit(ahead), shown, many))
    )


def whom(people: pl.DataFrame, *columns: str) -> pl.Expr:
    """Whom to ask: of these columns the first whose person is there. Nobody where all of them have left."""
    gone = people.filter(~pl.col("active"))["email"].to_list()
    return pl.coalesce(pl.when(~pl.col(column).is_in(gone)).then(column) for column in columns)
