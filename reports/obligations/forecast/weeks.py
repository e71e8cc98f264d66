"""What each week of the horizon asks for: duties due, hours of work against hours there are, and what drives it."""

from collections.abc import Mapping
from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.density import density
from reports.shared import ledger

DRIVERS = 3


def demand(duties: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Each week of the horizon: duties known and their effort, demand (F7), capacity, utilisation, shortfall.

    Overdue duties are no longer due in any week, and no week has the work on them.
    """
    known = (
        duties.filter(pl.col("place") == "known")
        .group_by("week")
        .agg(known=pl.len().cast(pl.Int64), known_hours=pl.col("effort_hours").sum().round(3))
    )
    work = owner_weeks.group_by("week").agg(
        demand_hours=pl.col("demand_hours").sum().round(3),
        available_hours=pl.col("available_hours").sum().round(3),
        shortfall_hours=pl.col("shortfall_hours").sum().round(3),
    )
    return (
        ledger.horizon(ask)
        .join(known, on="week", how="left", maintain_order="left")
        .join(work, on="week", how="left", maintain_order="left")
        .with_columns(pl.col("known").fill_null(0), pl.col("^.*_hours$").fill_null(0.0))
        .with_columns(utilisation_pct=utilisation())
    )


def fullest(duties: ledger.Pending) -> pl.DataFrame:
    """The weeks of the horizon in which duties fall due, most duties first; ties to the earlier week."""
    return (
        duties.filter(pl.col("place") == "known")
        .group_by("week", "week_start_on")
        .agg(obligations=pl.len().cast(pl.Int64), hours=pl.col("effort_hours").sum().round(3))
        .sort("obligations", "week_start_on", descending=[True, False])
    )


def utilisation(demand: str = "demand_hours", available: str = "available_hours") -> pl.Expr:
    """Demand in percent of what is available: 0 without demand, null where nobody has hours for it."""
    return (
        pl.when(pl.col(demand) <= 0)
        .then(0.0)
        .when(pl.col(available) > 0)
        .then((100 * pl.col(demand) / pl.col(available)).round(1))
    )


def behind(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The weeks behind, oldest first, with the duties that were due in each; cancelled ones never were."""
    count = int(ask.settings["history_weeks"])
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    starts = [monday - timedelta(weeks=count - number) for number in range(count)]
    due = (
        obligations.filter(pl.col("state") != "cancelled")
        .group_by(week_start_on=pl.col("due_on").dt.truncate("1w"))
        .agg(due=pl.len().cast(pl.Int64))
    )
    return (
        pl.DataFrame({"week_start_on": starts}, schema={"week_start_on": pl.Date})
        .join(due, on="week_start_on", how="left", maintain_order="left")
        .select(
            week=pl.col("week_start_on").dt.strftime("%G-W%V"),
            week_start_on="week_start_on",
            due=pl.col("due").fill_null(0),
        )
    )


def history(obligations: pl.DataFrame, ask: Ask) -> list[int]:
    """How many duties were due in each of the weeks behind, oldest first."""
    return behind(obligations, ask)["due"].to_list()


def with_levels(frame: pl.DataFrame, bounds: density.Limits, sent: Mapping[str, str] | None = None) -> pl.DataFrame:
    """``frame`` with ``level``, given the level last sent for a week (hysteresis); without ``sent`` the plain one."""
    before = sent or {}
    levels = [
        density.standing(known, used, bounds, before.get(week, "ok"))
        for week, known, used in frame.select("week", "known", "utilisation_pct").iter_rows()
    ]
    return frame.with_columns(level=pl.Series(levels, dtype=pl.String))


def drivers(duties: pl.DataFrame, by: str, name: pl.Expr) -> pl.DataFrame:
    """The largest groups of each week, as texts such as ``attestation 12``; ties go by the alphabet."""
    return (
        duties.filter(pl.col("place") == "known")
        .group_by("week", name=name)
        .agg(n=pl.len())
        .sort("week", "n", "name", descending=[False, True, False])
        .group_by("week", maintain_order=True)
        .agg(pl.format("{} {}", "name", "n").head(DRIVERS).alias(by))
    )
