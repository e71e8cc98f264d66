"""What the weeks behind held as planned, what slipped, and which alerts were sent about them."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import iso_week
from reports.obligations.density import density
from reports.shared.ordering import rank

WEEKS = 13


def _weeks(ask: Ask) -> pl.DataFrame:
    """The weeks before the present one, oldest first."""
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    days = [monday - timedelta(weeks=number) for number in range(WEEKS, 0, -1)]
    return pl.DataFrame({"week": [iso_week(day) for day in days], "week_start_on": days})


def history(obligation_weeks: pl.DataFrame, density_alerts: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The weeks behind with what was recorded of each, and the highest level that was sent about it in time."""
    frame = _weeks(ask)
    told = (
        density_alerts.filter(pl.col("status").is_in(["pending", "sent"]), pl.col("level").is_in(density.ALERTING))
        .join(frame, on="week")
        .filter(pl.col("created_on") < pl.col("week_start_on") + pl.duration(days=7))
        .sort(rank("level", ("critical", "warning")))
        .group_by("week", maintain_order=True)
        .agg(alert_level=pl.col("level").first(), alerts=pl.len().cast(pl.Int64))
    )
    recorded = obligation_weeks.select("week", "planned", "planned_hours", "completed", "slipped", "forecast")
    return (
        frame.join(recorded, on="week", how="left", maintain_order="left")
        .join(told, on="week", how="left", maintain_order="left")
        .with_columns(
            pl.col("alerts").fill_null(0),
            slip_pct=pl.when(pl.col("planned") > 0).then((100 * pl.col("slipped") / pl.col("planned")).round(1)),
        )
        .with_columns(accurate=pl.when(pl.col("alert_level").is_not_null()).then(pl.col("slipped") > 0))
        .select(
            *("week", "week_start_on", "planned", "planned_hours", "completed", "slipped", "slip_pct", "forecast"),
            *("alert_level", "alerts", "accurate"),
        )
    )


def deliveries(density_alerts: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Alerts decided in the weeks behind or about one of them, newest first."""
    weeks = _weeks(ask)
    about = pl.col("week").is_in(weeks["week"].to_list()) | (pl.col("created_on") >= weeks["week_start_on"].min())
    return (
        density_alerts.filter(about, pl.col("level").is_in(density.ALERTING))
        .sort("created_at", "week", "channel", "recipient", "delivery_id", "alert_id", descending=[True] + [False] * 5)
        .select("created_on", "week", "level", "channel", "recipient", "status", "sent_on", "alert_id", "delivery_id")
        .unique(maintain_order=True)
    )
