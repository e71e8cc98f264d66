"""Every dated compliance duty that is pending, and what was lately finished, as a list and as calendar events."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Table
from engine.model.documents.pictures import CalendarPicture
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.calendar import entries
from reports.shared import ledger

STATES = (*entries.LISTED, "done", "late", "cancelled")
CHART_DAYS, CHART_BACK_DAYS = 365, 90
MONTHS = 6
LEGEND: dict[str, Tone] = {"overdue": "bad", "fixed deadline": "watch", "open": "neutral", "all done": "good"}
TONES = tuple(LEGEND.values())


def build(requests: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    listed = figures.rows(entries.entries)
    months = _months(listed)
    *dated, everything = entries.tables(listed, requests, ask)
    return Document(
        *entries.opening(listed, requests, figures, ask),
        tables=(*dated, Table("months", "By month", months), everything),
        charts=_charts(months, ask),
        pictures=_days(listed, ask),
        definitions=entries.DEFINITIONS,
        warnings=ledger.without_owner(figures.rows(ledger.pending)),
        foremost=entries.FOREMOST,
    )


def _months(listed: pl.DataFrame) -> pl.DataFrame:
    pending = pl.col("status").is_in(entries.LISTED)
    return (
        listed.group_by(month=pl.col("due_on").dt.strftime("%Y-%m"))
        .agg(
            obligations=pl.len().cast(pl.Int64),
            **{state: (pl.col("status") == state).sum().cast(pl.Int64) for state in STATES},
            pending_hours=pl.col("effort_hours").filter(pending).sum().round(1),
        )
        .sort("month")
    )


def _days(listed: pl.DataFrame, ask: Ask) -> list[CalendarPicture]:
    """The months ahead by day; what is overdue stands on the day on which it was due, as far as that month is shown."""
    first = ask.as_of.replace(day=1)
    owed = listed.filter(pl.col("status") != "cancelled", pl.col("due_on") >= first)
    if owed.is_empty():
        return []
    rank = pl.col("status").replace_strict({"overdue": 0, "open": 2, entries.PAUSED: 2}, default=3)
    worst = pl.when(pl.col("hard") & (pl.col("status") == "open")).then(1).otherwise(rank)
    days = owed.group_by("due_on").agg(number=pl.len(), worst=worst.min()).sort("due_on")
    shown = {day: (number, TONES[rank]) for day, number, rank in days.iter_rows()}
    alt = (
        f"The days of {MONTHS} months with the number of duties due on each; the colour is that of the most pressing "
        "one. Today has a frame."
    )
    return [CalendarPicture("Duties by day", alt, first, MONTHS, ask.as_of, shown, LEGEND)]


def _charts(months: pl.DataFrame, ask: Ask) -> list[Chart]:
    """The months of a year and the three before: what has waited for years, or is years ahead, would not fit a page."""
    first, last = (f"{ask.as_of + timedelta(days=days):%Y-%m}" for days in (-CHART_BACK_DAYS, CHART_DAYS))
    parts = months.filter(pl.col("month").is_between(pl.lit(first), pl.lit(last))).select(
        "month", "overdue", open=pl.col("open") + pl.col(entries.PAUSED), done=pl.col("done") + pl.col("late")
    )
    if parts.is_empty():
        return []
    frame = parts.unpivot(["overdue", "open", "done"], index="month", variable_name="status", value_name="obligations")
    alt = "Duties due in each month from three months ago to a year ahead: overdue, open, and done in time or late."
    return [Chart("stacked", "Duties by month", frame, "month", "obligations", alt, series="status")]


REPORT = Report(
    name="calendar",
    title="Compliance calendar",
    description="Attestations, vendor reviews, bundles, audits: all that are pending, and those finished in 30 days.",
    build=build,
    figures=select(*entries.FIGURES),
    schema_version=2,
)
