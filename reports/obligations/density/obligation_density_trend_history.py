"""What each week of the last quarter held as planned, what slipped, and whether the alerts about it were right."""

from datetime import date, timedelta

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.density import density_history
from reports.shared import setup
from reports.shared.wording import count, percent

SHOWN = ("week", "slipped", "planned", "slip_pct", "completed", "forecast")
LATELY = 4  # weeks
TONES: dict[str, Tone] = {"planned": "third"}
LABELS = {"alerts": "Alerts sent", "created_on": "Decided", "sent_on": "Accepted"}
DEFINITIONS = {
    "Planned": "Duties that the week held at its start, as recorded then; never recomputed.",
    "Slipped": "Planned and not completed in the week.",
    "Forecast": "What had been forecast four weeks before.",
    "Alerted": "The highest level sent about the week up to its end. Failed and skipped deliveries told nobody.",
    "Accepted": "When the receiving side took the alert; empty while it has not.",
}


def build(obligations: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    history = figures.rows(density_history.history)
    newest_first = history.sort("week_start_on", descending=True)
    recorded = figures.counted_rows("density_weeks_recorded")
    alerted = bool(history["alerts"].sum())
    return Document(
        *_opening(recorded, obligations, figures, ask),
        tables=(
            Table(
                "weeks",
                "Week by week, the latest first",
                newest_first.select(*SHOWN, pl.exclude(SHOWN)),
                labels=LABELS,
                state=("alert_level",),
                hidden=("week_start_on", "planned_hours", *(() if alerted else ("alert_level", "alerts", "accurate"))),
            ),
            Table(
                "deliveries",
                "Alerts sent",
                figures.rows(density_history.deliveries),
                labels=LABELS,
                state=("level", "status"),
                hidden=("alert_id", "delivery_id"),
            ),
        ),
        coverage=Coverage(recorded.height, history.height, "recorded"),
        charts=_charts(recorded),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
    )


def _opening(recorded: pl.DataFrame, obligations: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    weeks = f"the last {density_history.WEEKS} weeks"
    planned, late = figures["obligations_planned_in_13_weeks"], figures["obligations_slipped_in_13_weeks"]
    if recorded.is_empty():
        return Opening(
            f"None of {weeks} was recorded, so nothing can be said about how plans held.",
            "Leave hq scheduler running, which records each week, or import obligation_snapshots.csv with hq import.",
        )
    if not planned:
        missing = setup.DUTIES if obligations.is_empty() else ""
        recorded_weeks = count(recorded.height, "recorded week")
        return Opening(f"No duty was planned in {recorded_weeks} of the last {density_history.WEEKS}.", missing)
    text = f"{f'{late:,}' if late else 'None'} of {count(planned, 'planned duty', 'planned duties')} slipped in {weeks}"
    alerted = figures["density_weeks_alerted"]
    step = (
        f"An administrator sends the density alerts by {spelled_day(_next_monday(ask))}: none was sent about these "
        "weeks, so nobody was told."
        if late and not alerted
        else ""
    )
    if late:
        worst = recorded.sort("slipped", "week_start_on", descending=[True, True]).row(0, named=True)
        share = percent(figures["obligations_slipped_in_13_weeks_pct"])
        lately = "" if alerted else _lately(recorded)
        text += f" ({share}){lately}, most in {worst['week']} ({worst['slipped']:,} of {worst['planned']:,})"
        step = step or f"Look at what slipped in {worst['week']} and who owned it."
    if not alerted:
        return Opening(f"{text}; no week was alerted." if not late else f"{text}.", step)
    right = figures["density_weeks_alerted_and_slipped"]
    return Opening(f"{text}; {right or 'none'} of {count(alerted, 'alerted week')} really slipped.", step)


def _next_monday(ask: Ask) -> date:
    return ask.as_of + timedelta(days=7 - ask.as_of.weekday())


def _lately(recorded: pl.DataFrame) -> str:
    """The share that slipped in the latest weeks, where there are enough of them to compare."""
    last = recorded.sort("week_start_on").tail(LATELY)
    planned, slipped = (int(last[name].sum()) for name in ("planned", "slipped"))
    if recorded.height < 2 * LATELY or not planned:
        return ""
    return f", {percent(100 * slipped / planned)} in the last {LATELY}"


def _charts(recorded: pl.DataFrame) -> list[Chart]:
    if recorded.is_empty():
        return []
    frame = recorded.select("week", "planned", "completed", "slipped").unpivot(
        index="week", variable_name="duties", value_name="count"
    )
    alt = "Duties planned at the start of each week, completed in it, and slipped."
    return [Chart("lines", "Planned, completed, slipped", frame, "week", "count", alt, series="duties", tones=TONES)]


def _warnings(figures: Figures) -> list[str]:
    warnings = []
    missing = density_history.WEEKS - figures["density_weeks_recorded"]
    if missing:
        warnings.append(f"{count(missing, 'week')} without a record: what they held cannot be told afterwards.")
    if not figures["density_weeks_alerted"]:
        warnings.append("No alert was sent about a recorded week, so whether alerts are right is not known.")
    return warnings


REPORT = Report(
    name="obligation-density-trend-history",
    title="Obligation density history",
    description="The last quarter by week: planned, completed, slipped, alerts sent and how often they were right.",
    build=build,
    figures=select(
        *("density_weeks_recorded", "obligations_planned_in_13_weeks", "obligations_completed_in_13_weeks"),
        *("obligations_slipped_in_13_weeks", "obligations_slipped_in_13_weeks_pct", "density_alerts_recorded"),
        *("density_weeks_alerted", "density_weeks_alerted_and_slipped", "alert_precision_pct", "alert_recall_pct"),
    ),
    parameters=(),
    schema_version=2,
)
