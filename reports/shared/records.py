"""Where records begin: nothing is compared with a time of which nothing is known."""

from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Ask


def since(known_since: pl.DataFrame, *frameworks: str) -> date | None:
    """The day from which the records of all these frameworks that are in scope speak; null where there are none.

    Without frameworks, of all that the frame has.
    """
    rows = known_since.filter(pl.col("framework").is_in(frameworks)) if frameworks else known_since
    days = rows["known_since"]
    last = days.max()
    return last if isinstance(last, date) and not days.has_nulls() else None


def before_on(ask: Ask) -> date:
    """The first day of the period of equal length before the present one."""
    return ask.period_start - timedelta(days=ask.period_days)


def reaches(first_on: date, known: date | None) -> bool:
    """Whether the records go back to a day."""
    return known is not None and known <= first_on


def sentence(known: date | None, of: str = "") -> str:
    """What a report says where it compares with nothing; ``of``: what the records are of, where not of everything."""
    if known is None:
        return "Nothing was recorded up to this day, so there is nothing to compare with."
    return f"Records{of and f' of {of}'} begin on {known}, so there is nothing to compare with before."
