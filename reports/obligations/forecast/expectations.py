"""Duties that nobody knows of yet: how many requests a week usually brings, and how well forecasts did before."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask

LEAST_WEEKS = 8
BACKTEST = 8
SUFFICIENT, INSUFFICIENT = "sufficient", "insufficient_history"
ENOUGH = pl.len() >= LEAST_WEEKS
CHECKED = (pl.len() >= BACKTEST) & (pl.col("planned") > 0)
ERROR_PCT = 100 * pl.col("error").abs() / pl.col("planned")


def arrivals(requests: pl.DataFrame, obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The weeks behind with the requests that arrived in each and the hours that they usually take.

    History begins with the first request ever; a week without any counts as 0.
    """
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    past = requests.filter(pl.col("opened_on") < monday)
    first = past.select(pl.col("opened_on").dt.truncate("1w").min()).item()
    weeks = min(int(ask.settings["history_weeks"]), (monday - first).days // 7) if first else 0
    starts = [monday - timedelta(weeks=number) for number in range(weeks, 0, -1)]
    efforts = obligations.filter(pl.col("kind") == "evidence_request")["effort_hours"].drop_nulls().sort()
    effort = float(efforts.sum()) / len(efforts) if len(efforts) else 0.0
    arrived = past.group_by(week_start_on=pl.col("opened_on").dt.truncate("1w")).agg(requests=pl.len().cast(pl.Int64))
    return (
        pl.DataFrame({"week_start_on": starts}, schema={"week_start_on": pl.Date})
        .join(arrived, on="week_start_on", how="left", maintain_order="left")
        .with_columns(pl.col("requests").fill_null(0))
        .select(
            week=pl.col("week_start_on").dt.strftime("%G-W%V"),
            week_start_on="week_start_on",
            requests="requests",
            hours=pl.col("requests") * effort,
        )
    )


def request_history(requests: pl.DataFrame, obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row: how many weeks of requests lie behind, and whether that is enough to expect anything."""
    return _standing(arrivals(requests, obligations, ask).height, LEAST_WEEKS)


def forecast_errors(obligation_weeks: pl.DataFrame) -> pl.DataFrame:
    """The last weeks that had a forecast, with its error; a week in which nothing was planned has no percentage."""
    return (
        obligation_weeks.filter(pl.col("forecast").is_not_null())
        .sort("week_start_on")
        .tail(BACKTEST)
        .select("week", "forecast", "planned", error=pl.col("forecast") - pl.col("planned"))
        .with_columns(error_pct=pl.when(pl.col("planned") > 0).then(ERROR_PCT.round(1)))
    )


def backtest(obligation_weeks: pl.DataFrame) -> pl.DataFrame:
    """One row: how many forecasts can be checked, and whether that is enough; a week without plans checks none."""
    errors = forecast_errors(obligation_weeks)
    return _standing(errors.height if (errors["planned"] > 0).any() else 0, BACKTEST)


def _standing(weeks: int, least: int) -> pl.DataFrame:
    return pl.DataFrame({"weeks": [weeks], "standing": [SUFFICIENT if weeks >= least else INSUFFICIENT]})
