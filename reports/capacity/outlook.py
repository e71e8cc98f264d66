"""How full the coming weeks are against the limits of density, as committees see them."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.density import density
from reports.obligations.forecast import weeks
from reports.shared import ledger
from reports.shared.ordering import rank

SHOWN = 5


def forecast(duties: ledger.Pending, obligations: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every week of the horizon whose working days are not over with its level: by what falls into it, whatever alerts
    were sent before."""
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    return weeks.with_levels(weeks.demand(duties, owner_weeks, ask).filter(~ledger.is_over(ask)), bounds)


def peaks(coming: pl.DataFrame) -> pl.DataFrame:
    """The fullest weeks by level and utilisation; work without any hours is fullest of all."""
    return (
        coming.filter((pl.col("demand_hours") > 0) | (pl.col("known") > 0))
        .sort(
            rank("level", ("critical", "warning", "ok")),
            pl.col("utilisation_pct").fill_null(float("inf")),
            "week_start_on",
            descending=[False, True, False],
        )
        .head(SHOWN)
        .select(
            "week",
            "week_start_on",
            "known",
            pl.col("demand_hours", "available_hours", "shortfall_hours").round(1),
            "utilisation_pct",
            "level",
        )
    )
