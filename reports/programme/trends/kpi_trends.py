"""Key figures of the programme by week: how fast remediations close, attestations keep up, where readiness goes."""

from datetime import date

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.trends import kpi_weeks
from reports.programme.trends.kpi_weeks import AVERAGED, by_framework, weekly
from reports.shared import formula_breaks, setup
from reports.shared.columns import with_first
from reports.shared.wording import count, in_points, inside, percent, with_whom

SHOWN = ("week", "weighted_pct", "strict_pct", "opened", "closed", "still_open", "attestation_pct")
TONES: dict[str, Tone] = {"strict": "main", "weighted": "second", "opened": "main"}
WEEKS = Parameter("weeks", kpi_weeks.WEEKS, "weeks up to that of the report's day, the present one included", 1, 53)
# what a page leads with, as far as it is known
FOREMOST = (
    *("snapshot_weighted_mean_pct", "snapshot_strict_mean_pct", "snapshot_fresh_mean_pct", "remediations_open"),
    *("remediations_closed_in_weeks", "attestations_decided_in_week_pct"),
)
LABELS = {"median_days": "Median days to close", "name": "Framework"}
DEFINITIONS = {
    "Opened, closed, net": "Tracked remediations by the day they were opened or closed; net is opened less closed. "
    "Empty before the first one on record.",
    "Still open": "Remediations opened and not closed by the end of the week.",
    "Days to close": "Of the remediations closed in the week: median and 90th percentile by nearest rank. Empty in a "
    "week in which none was closed.",
    "Attestation closure": "Attestations due in the week, up to the report's day, that were signed or rejected by its "
    "end. Empty in a week in which none was due.",
    "Readiness and freshness": "As recorded in the last snapshot of the week: the mean over the frameworks recorded in "
    "that week, each counting the same. Empty without a snapshot. Where a formula changed since, computed anew from "
    "the records of that day; where these are not there, the change is named and the week is not compared.",
    "4-week average": f"Mean of the week and the {AVERAGED - 1} before it; empty where one of them is missing. "
    "The present week is not over, so closures of it have no average yet.",
}


def build(
    readiness_weeks: pl.DataFrame, remediations: pl.DataFrame, organization: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    frame = figures.rows(weekly).with_columns(pl.col(kpi_weeks.RECORDED).round(1))
    known = frame.filter(pl.col("weighted_pct").is_not_null())
    breaks = formula_breaks.past(figures.rows(kpi_weeks.recorded_weeks))
    stands = _stands_at(readiness_weeks, ask)
    return Document(
        *_opening(frame, _oldest(remediations, ask), _last_week(known), figures),
        tables=(
            Table(
                "weeks",
                "By week, newest first",
                with_first(frame, *SHOWN).sort("week_start_on", descending=True),
                note=stands and f"{stands} Openings, closures and attestations are up to {spelled_day(ask.as_of)}.",
                labels=LABELS,
                hidden=tuple(name for name in frame.columns if name not in SHOWN),
            ),
            Table(
                "frameworks",
                "Readiness of each framework by week, newest first",
                by_framework(readiness_weeks, organization, ask).sort("week", descending=True, maintain_order=True),
                note=stands,
                labels=LABELS,
                hidden=("framework", "taken_on"),
            ),
        ),
        coverage=Coverage(figures["trend_weeks_recorded"], frame.height, "recorded"),
        charts=_charts(frame, formula_breaks.comparable(known)),
        definitions=DEFINITIONS,
        foremost=[name for name in FOREMOST if figures[name] is not None],
        warnings=[*_warnings(frame, known), *breaks],
    )


def _stands_at(readiness_weeks: pl.DataFrame, ask: Ask) -> str:
    """Of which day the newest readiness is, where that is before the day of the report."""
    newest = readiness_weeks["taken_on"].max()
    if not isinstance(newest, date) or newest >= ask.as_of:
        return ""
    return f"Readiness is that of each week's last snapshot, the newest of {spelled_day(newest)}, not today's."


def _last_week(known: pl.DataFrame) -> str:
    """Where the last snapshot is not of today, its week; the present values stand on other pages."""
    return f" in {known.sort('week_start_on')['week'][-1]}" if known.height else ""


def _opening(frame: pl.DataFrame, oldest: str, in_week: str, figures: Figures) -> Opening:
    weeks, span = f"In {count(frame.height, 'week')}", ""
    now, moved = figures["snapshot_weighted_mean_pct"], figures["snapshot_weighted_mean_change"]
    if now is None:
        readiness = "no snapshot of readiness was recorded"
    elif moved is None:
        readiness = f"the frameworks' mean weighted readiness was recorded once, at {percent(now)}"
    else:
        way = "stayed at" if moved == 0 else f"{'rose' if moved > 0 else 'fell'} by {in_points(abs(moved))} to"
        first = figures.rows(kpi_weeks.readiness_course)["first_week"][0]
        if first > frame["week"].min():
            weeks, span = f"Since {first}", f" {inside(weeks)}"
        readiness = f"the frameworks' mean weighted readiness {way} {percent(now)}{in_week}"
    if now is None and figures["remediations_backlog"] is None:
        return Opening(f"{weeks} {readiness}.", setup.fill("readiness_snapshots", "remediations"))
    if figures["remediations_backlog"] == "growing":
        more, backlog = figures["remediations_net_weekly"], figures["remediations_open"]
        keep = f"Close {more:g} more remediations a week to keep the backlog of {backlog:,} from growing"
        return Opening(f"{weeks} {readiness}.", f"{keep}{oldest and f', first {oldest}'}.")
    nothing = setup.fill("remediations") if figures["remediations_backlog"] is None else ""
    return Opening(f"{weeks} {readiness}; {_flow(figures, span)}.", f"Close first {oldest}." if oldest else nothing)


def _oldest(remediations: pl.DataFrame, ask: Ask) -> str:
    """The open remediation that is due first, with whom it is; empty without one that has a day."""
    waiting = remediations.filter(pl.col("closed_on").is_null(), pl.col("due_on").is_not_null()).sort("due_on", "id")
    if waiting.is_empty():
        return ""
    row = waiting.row(0, named=True)
    control = f"{ask.framework_name(row['framework'])} {row['control_id']}"
    what = f"the remediation “{row['title']}” of {control}" if row["title"] else control
    days = (ask.as_of - row["due_on"]).days
    late = f", {count(days, 'day')} late" if days > 0 else ""
    return f"{what} ({with_whom(row['owner'], row['due_on'])}{late})"


def _flow(figures: Figures, span: str) -> str:
    backlog, opened, closed = (
        figures[f"remediations_{name}"] for name in ("open", "opened_in_weeks", "closed_in_weeks")
    )
    if figures["remediations_backlog"] is None:
        return "no remediation is on record"
    if backlog == 0:
        return "no remediation is open"
    return (
        f"{count(opened, 'remediation was', 'remediations were')} opened and {closed:,} closed{span}, "
        f"{backlog:,} still open"
    )


def _charts(frame: pl.DataFrame, known: pl.DataFrame) -> list[Chart]:
    charts = []
    if known.height > 1:
        lines = known.select("week", strict="strict_pct", weighted="weighted_pct", fresh="fresh_pct").unpivot(
            index="week", variable_name="figure", value_name="pct"
        )
        alt = "Strict and weighted readiness and freshness of evidence by week, as recorded."
        charts.append(
            Chart("lines", "Readiness by week", lines, "week", "pct", alt, series="figure", percent=True, tones=TONES)
        )
    recorded = frame.filter(pl.col("opened").is_not_null())
    if int(recorded["opened"].sum()) + int(recorded["closed"].sum()) > 0:
        lines = recorded.select("week", "opened", "closed").unpivot(
            index="week", variable_name="remediations", value_name="number"
        )
        alt = "Remediations opened and closed by week."
        charts.append(
            Chart(
                *("lines", "Remediations opened and closed", lines, "week", "number", alt),
                series="remediations",
                tones=TONES,
            )
        )
    return charts


def _warnings(frame: pl.DataFrame, known: pl.DataFrame) -> list[str]:
    warnings = []
    if missing := frame.height - known.height:
        warnings.append(f"{count(missing, 'week has', 'weeks have')} no snapshot of readiness; these cells are empty.")
    breaks = known.filter(pl.col("frameworks") != pl.col("frameworks").shift(1))["week"].to_list()
    if breaks:
        warnings.append(
            f"Other frameworks were recorded from {', '.join(breaks)} on: the means before and after differ."
        )
    return warnings


REPORT = Report(
    name="kpi-trends",
    title="KPI trends",
    description="Remediation velocity, attestation closure and recorded readiness by week.",
    build=build,
    figures=select(
        *("trend_weeks", "trend_weeks_recorded", "remediations_opened_in_weeks", "remediations_closed_in_weeks"),
        *("remediations_net_in_weeks", "remediations_net_weekly", "remediations_open", "remediations_backlog"),
        *("weeks_to_clear", "snapshot_strict_mean_pct", "snapshot_weighted_mean_pct"),
        *("snapshot_weighted_mean_change", "snapshot_fresh_mean_pct", "attestations_decided_in_week_pct"),
        *(f"snapshot_{name}_mean_week_change" for name in ("weighted", "strict", "fresh")),
        "remediations_open_week_change",
        *("incident_median_hours_to_restore", "incident_family_median_hours_to_restore"),
        *("incident_median_minutes_to_acknowledge", "acknowledged_on_call_pct", "alert_transit_p95_minutes"),
    ),
    parameters=(WEEKS,),
    schema_version=2,
)
