"""What each week of the last quarter held as planned, what slipped, and whether the alerts about it were right."""

from datetime import timedelta

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.formulas import iso_week
from engine.model.report import Ask, Report
from reports.obligations import density
from reports.shared.ordering import rank
from reports.shared.wording import count, percent

QUARTER_WEEKS = 13
LABELS = {
    "week_start_on": "From",
    "slip_pct": "Slipped (%)",
    "forecast": "Forecast",
    "alert_level": "Alerted",
    "alerts": "Alerts sent",
    "created_on": "Decided",
    "sent_on": "Accepted",
    "accurate": "Was right",
}
DEFINITIONS = {
    "Planned": "Duties that the week held at its start, as recorded then; never recomputed.",
    "Slipped": "Planned and not completed in the week.",
    "Forecast": "What had been forecast four weeks before.",
    "Alerted": "The highest level sent about the week up to its end. Failed and skipped deliveries told nobody.",
    "Accepted": "When the receiving side took the alert; empty while it has not.",
    "Precision": "Alerted weeks in which something slipped, in percent of alerted weeks with a known outcome.",
    "Recall": "Alerted weeks in which something slipped, in percent of all weeks in which something did.",
}


def build(obligation_weeks: pl.DataFrame, density_alerts: pl.DataFrame, ask: Ask) -> Document:
    history = _history(obligation_weeks, density_alerts, ask)
    recorded = history.filter(pl.col("slipped").is_not_null())
    alerted = recorded.filter(pl.col("alert_level").is_not_null())
    slipped = recorded.filter(pl.col("slipped") > 0)
    right = alerted.filter(pl.col("slipped") > 0).height
    precision = round(100 * right / alerted.height, 1) if alerted.height else None
    recall = round(100 * right / slipped.height, 1) if slipped.height else None
    planned, late = int(recorded["planned"].sum()), int(recorded["slipped"].sum())
    sent = _deliveries(density_alerts, history)
    return Document(
        headline=_headline(recorded, alerted.height, right, history.height),
        summary={
            "weeks": history.height,
            "weeks_recorded": recorded.height,
            "planned": planned,
            "completed": int(recorded["completed"].sum()),
            "slipped": late,
            "slip_pct": round(100 * late / planned, 1) if planned else None,
            "alerts": sent.height,
            "alerted_weeks": alerted.height,
            "precision_pct": precision,
            "recall_pct": recall,
        },
        tables=(
            Table("weeks", "Week by week", history, labels=LABELS, state=("alert_level",)),
            Table(
                "deliveries",
                "Alerts sent",
                sent,
                labels=LABELS,
                state=("level", "status"),
                hidden=("alert_id", "delivery_id"),
            ),
        ),
        coverage=Coverage(recorded.height, history.height),
        charts=_charts(recorded),
        definitions=DEFINITIONS,
        warnings=_warnings(history, recorded, alerted.height),
    )


def _history(recorded: pl.DataFrame, alerts: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    days = [monday - timedelta(weeks=number) for number in range(QUARTER_WEEKS, 0, -1)]
    frame = pl.DataFrame({"week": [iso_week(day) for day in days], "week_start_on": days})
    told = (
        alerts.filter(pl.col("status").is_in(["pending", "sent"]), pl.col("level").is_in(density.ALERTING))
        .join(frame, on="week")
        .filter(pl.col("created_on") < pl.col("week_start_on") + pl.duration(days=7))
        .sort(rank("level", ("critical", "warning")))
        .group_by("week", maintain_order=True)
        .agg(alert_level=pl.col("level").first(), alerts=pl.len().cast(pl.Int64))
    )
    held = recorded.select("week", "planned", "planned_hours", "completed", "slipped", "forecast")
    return (
        frame.join(held, on="week", how="left", maintain_order="left")
        .join(told, on="week", how="left", maintain_order="left")
        .with_columns(
            pl.col("alerts").fill_null(0),
            slip_pct=pl.when(pl.col("planned") > 0).then((100 * pl.col("slipped") / pl.col("planned")).round(1)),
        )
        .with_columns(
            accurate=pl.when(pl.col("alert_level").is_not_null()).then(pl.col("slipped") > 0),
        )
        .select(
            *("week", "week_start_on", "planned", "planned_hours", "completed", "slipped", "slip_pct", "forecast"),
            *("alert_level", "alerts", "accurate"),
        )
    )


def _deliveries(alerts: pl.DataFrame, history: pl.DataFrame) -> pl.DataFrame:
    """Alerts decided in the quarter or about one of its weeks, newest first."""
    first = history["week_start_on"].min()
    about = pl.col("week").is_in(history["week"].to_list()) | (pl.col("created_on") >= first)
    return (
        alerts.filter(about, pl.col("level").is_in(density.ALERTING))
        .sort("created_at", "week", "channel", "recipient", "delivery_id", "alert_id", descending=[True] + [False] * 5)
        .select("created_on", "week", "level", "channel", "recipient", "status", "sent_on", "alert_id", "delivery_id")
        .unique(maintain_order=True)
    )


def _headline(recorded: pl.DataFrame, alerted: int, right: int, weeks: int) -> str:
    if recorded.is_empty():
        return f"None of the last {weeks} weeks was recorded, so nothing can be said about how plans held."
    planned, late = int(recorded["planned"].sum()), int(recorded["slipped"].sum())
    share = percent(100 * late / planned) if planned else "none"
    text = f"{late:,} of {count(planned, 'planned duty', 'planned duties')} slipped in the last quarter ({share})"
    if late:
        worst = recorded.sort("slipped", "week_start_on", descending=[True, True]).row(0, named=True)
        text += f", most in {worst['week']}: {worst['slipped']:,} of {worst['planned']:,}"
    if not alerted:
        return f"{text}; no week was alerted{': send density alerts' if late else ''}."
    return f"{text}; {right} of {count(alerted, 'alerted week')} really slipped."


def _charts(recorded: pl.DataFrame) -> list[Chart]:
    if recorded.is_empty():
        return []
    frame = recorded.select("week", "planned", "completed", "slipped").unpivot(
        index="week", variable_name="duties", value_name="count"
    )
    alt = "Duties planned at the start of each week, completed in it, and slipped."
    return [Chart("lines", "Planned, completed, slipped", frame, "week", "count", alt, series="duties")]


def _warnings(history: pl.DataFrame, recorded: pl.DataFrame, alerted: int) -> list[str]:
    warnings = []
    missing = history.height - recorded.height
    if missing:
        warnings.append(f"{count(missing, 'week')} without a record: what they held cannot be told afterwards.")
    if not alerted:
        warnings.append("No alert was sent about a recorded week: precision is not known.")
    return warnings


REPORT = Report(
    name="obligation-density-trend-history",
    title="Obligation density history",
    description="The last quarter by week: planned, completed, slipped, alerts sent and how often they were right.",
    build=build,
    parameters=(),
)
