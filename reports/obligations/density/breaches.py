"""The weeks of the horizon against the limits, and what a density alert would say of each that is over them."""

from hashlib import sha256
from typing import Annotated

import polars as pl

from engine.model.declarations.ask import Ask
from reports.capacity import relief
from reports.obligations.density import density, shifts
from reports.obligations.forecast import weeks
from reports.shared import ledger

ALERT_ID_DIGITS = 16


def limits(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """A row for each level: from how many duties in a week on it holds, and where that comes from."""
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    rows = [
        ("warning", bounds.warn_count, bounds.warn_source),
        ("critical", bounds.critical_count, bounds.critical_source),
    ]
    return pl.DataFrame(rows, schema={"level": pl.String, "limit": pl.Float64, "source": pl.String}, orient="row")


def rated_weeks(
    duties: ledger.Pending,
    obligations: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    relieved: relief.Relieved,
    density_alerts: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Every week of the horizon with its level, its drivers, and the shift that would relieve it."""
    sent = last_levels(density_alerts)
    bounds = density.limits(weeks.history(obligations, ask), ask.settings)
    frame = weeks.with_levels(weeks.demand(duties, owner_weeks, ask), bounds, sent)
    kinds = weeks.drivers(duties, "kinds", ledger.kind_name())
    frameworks = weeks.drivers(duties, "frameworks", ledger.framework_name(ask))
    known = pl.Series([sent.get(week, "ok") for week in frame["week"]], dtype=pl.String)
    return (
        shifts.with_suggestions(frame.with_columns(previous_level=known), duties, bounds, relief.of_short(relieved))
        .join(kinds, on="week", how="left", maintain_order="left")
        .join(frameworks, on="week", how="left", maintain_order="left")
        .with_columns(pl.col("kinds", "frameworks").fill_null([]))
    )


def last_levels(alerts: pl.DataFrame) -> dict[str, str]:
    """The level that was last sent for each week; failed and skipped deliveries told nobody."""
    frame = alerts.filter(pl.col("status").is_in(["pending", "sent"])).sort("created_at", "delivery_id", "alert_id")
    return {week: level for week, level in frame.select("week", "level").iter_rows() if level in density.LEVELS}


def alert_id(org_id: str, week: str, level: str) -> str:
    """The same breach has the same identifier in every preview and delivery."""
    return sha256(f"{org_id}|{week}|{level}".encode()).hexdigest()[:ALERT_ID_DIGITS]


def breaches(rated: Annotated[pl.DataFrame, rated_weeks], obligations: pl.DataFrame) -> pl.DataFrame:
    """Weeks over a limit, and those that were and no longer are, so that whoever was told hears of it."""
    org_id = str(obligations["org_id"][0]) if obligations.height else ""
    bad = rated.filter((pl.col("level") != "ok") | (pl.col("previous_level") != "ok"))
    said, keys = [], []
    for week, now, before in bad.select("week", "level", "previous_level").iter_rows():
        said.append(density.news(now, before))
        keys.append(alert_id(org_id, week, now))
    return bad.with_columns(alert_id=pl.Series(keys, dtype=pl.String), news=pl.Series(said, dtype=pl.String)).select(
        *("alert_id", "week", "week_start_on", "level", "known", "known_hours", "utilisation_pct", "causes", "kinds"),
        *("frameworks", "movable", "suggestion", "previous_level", "news"),
        send=pl.col("news").is_in(density.TO_SEND),
    )
