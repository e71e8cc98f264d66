"""Duties that nobody knows of yet: how many requests a week usually brings, and how well forecasts did before."""

from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from engine.model.formulas import nearest_rank
from engine.model.report import Ask

LEAST_WEEKS = 8
BACKTEST = 8
INSUFFICIENT = "insufficient_history"


@dataclass(frozen=True)
class UnplannedLoad:
    """Requests that arrive in a week: mean, median and 80th percentile of the weeks behind, and their effort."""

    weeks: int
    mean: float | None
    p50: float | None
    p80: float | None
    hours: float | None


@dataclass(frozen=True)
class Backtest:
    """Mean absolute percentage error of the last forecasts; ``mape_pct`` None: too few weeks to say."""

    weeks: int
    mape_pct: float | None


def unplanned_load(requests: pl.DataFrame, obligations: pl.DataFrame, ask: Ask) -> UnplannedLoad:
    """The empirical week. History begins with the first request ever; a week without any counts as 0."""
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    past = requests.filter(pl.col("opened_on") < monday)
    first = past.select(pl.col("opened_on").dt.truncate("1w").min()).item()
    weeks = min(int(ask.settings["history_weeks"]), (monday - first).days // 7) if first else 0
    if weeks < LEAST_WEEKS:
        return UnplannedLoad(weeks, None, None, None, None)
    starts = pl.DataFrame({"start": [monday - timedelta(weeks=number) for number in range(weeks, 0, -1)]})
    arrived = past.group_by(start=pl.col("opened_on").dt.truncate("1w")).agg(n=pl.len())
    counts = starts.join(arrived, on="start", how="left")["n"].fill_null(0).to_list()
    efforts = obligations.filter(pl.col("kind") == "evidence_request")["effort_hours"].drop_nulls()
    mean = sum(counts) / weeks
    effort = float(efforts.sum()) / len(efforts) if len(efforts) else 0.0
    return UnplannedLoad(
        weeks, round(mean, 2), nearest_rank(counts, 50), nearest_rank(counts, 80), round(mean * effort, 2)
    )  # fmt: skip


def forecast_errors(obligation_weeks: pl.DataFrame) -> pl.DataFrame:
    """The last weeks that had a forecast, with its error; a week in which nothing was planned has no percentage."""
    return (
        obligation_weeks.filter(pl.col("forecast").is_not_null())
        .sort("week_start_on")
        .tail(BACKTEST)
        .select("week", "forecast", "planned", error=pl.col("forecast") - pl.col("planned"))
        .with_columns(
            error_pct=pl.when(pl.col("planned") > 0).then((100 * pl.col("error").abs() / pl.col("planned")).round(1))
        )
    )


def backtest(obligation_weeks: pl.DataFrame) -> Backtest:
    """MAPE of the last eight forecasts, made four weeks before; fewer are insufficient history."""
    weeks = forecast_errors(obligation_weeks)
    errors = [
        abs(forecast - planned) / planned
        for forecast, planned in weeks.select("forecast", "planned").iter_rows()
        if planned
    ]
    if weeks.height < BACKTEST or not errors:
        return Backtest(weeks.height, None)
    return Backtest(weeks.height, round(100 * sum(errors) / len(errors), 1))
