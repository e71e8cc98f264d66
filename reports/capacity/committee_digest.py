"""The quarter for the committees on one page: coming peaks, work to share, punctuality, staffing, decisions."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, FrameRow, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.capacity import agenda, outlook, quarters, shortfall
from reports.figures import select
from reports.obligations.crossover.crossovers import cluster_rows
from reports.shared import ledger, setup
from reports.shared.columns import with_first
from reports.shared.meetings import NextMeeting, next_meeting
from reports.shared.ordering import rank
from reports.shared.wording import SHOWN_HOURS, all_of, count, hours, inside, percent, sentence, with_whom
from reports.staffing import wording

TONES: dict[str, Tone] = {"work": "main", "hours there are": "third"}
FOREMOST = (
    *("committee_decisions", "shortfall_hours", "obligations_overdue_hours", "staffing_actions_breached"),
    *("requests_on_time_in_quarter_pct", "obligations_kept_in_quarter_pct"),
)
SHOWN = 5
LABELS = {
    "week": "Peak week",
    "reason": "Because",
    "owner": "With",
    "due_on": "Decide by",
    "known": "Duties",
    "demand_hours": "Work (h)",
    "available_hours": "Hours there are",
    "now": "This quarter",
    "before": "Last quarter",
    "name": "Committee",
    "standing": "Stands at",
    "better": "Direction",
}
DEFINITIONS = {
    "Compared": "Each figure of this quarter so far with the same figure as of the last day of the quarter before.",
    "Stands at": wording.DEFINITIONS["Standing"],
    **SHOWN_HOURS,
}


def build(committees: pl.DataFrame, staffing_actions: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    duties, asked = figures.rows(ledger.pending), figures.rows(agenda.decisions_needed)
    coming, compared = figures.rows(outlook.forecast), quarters.comparison(figures, ask)
    return Document(
        *_opening(asked, coming, next_meeting(duties), figures),
        tables=(
            Table(
                "decisions",
                "Decisions needed, the first due first",
                with_first(asked, "decision", "owner", "due_on", "reason"),
                labels=LABELS,
                hidden=("footnote",),
            ),
            Table(
                "figures",
                f"{_quarter(figures['quarter'])} so far against {_quarter(figures['quarter_before'])}",
                compared,
                labels=LABELS,
                state=("better",),
                hidden=("unit",),
                units=quarters.units(figures),
            ),
            Table(
                "peaks",
                "Fullest coming weeks",
                outlook.peaks(coming),
                labels=LABELS,
                state=("level",),
                hidden=("shortfall_hours",),
            ),
            Table(
                "crossovers",
                "Work that one collection of evidence would serve",
                _crossovers(figures.rows(cluster_rows), ask),
                labels=LABELS,
                hidden=("cluster_id", "hours_alone", "hours_together"),
            ),
            Table("staffing", "Staffing actions", _staffing(staffing_actions), labels=LABELS, state=("standing",)),
            Table(
                "meetings",
                "Meetings to come",
                _meetings(duties, committees),
                labels=LABELS,
                hidden=("committee_id", "members"),
            ),
            Table(
                "owners",
                "To each member of a committee",
                agenda.members(committees, asked),
                note="All get the same page, and this line.",
            ),
        ),
        charts=_charts(coming),
        definitions=DEFINITIONS,
        warnings=_warnings(committees, compared),
        foremost=[name for name in FOREMOST if figures[name] is not None],
        footnotes=tuple(f"{what} {agenda.MARKS[name]}: {route}" for name, (what, route) in agenda.SOURCES.items()),
    )


def _quarter(key: str) -> str:
    """``Q4 2026`` for ``2026-Q4``."""
    year, _, number = key.partition("-")
    return f"{number} {year}"


def _crossovers(frame: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    best = frame.head(SHOWN)
    what = [
        f"{agenda.frameworks(row['frameworks'], ask)}: {row['titles'][0]} and "
        f"{count(row['duties'] - 1, 'more', 'more')}"
        for row in best.iter_rows(named=True)
    ]
    return best.select(
        "cluster_id",
        pl.Series("what", what, dtype=pl.String),
        "duties",
        "best_on",
        pl.col("hours_alone", "hours_together").round(2),
        "hours_to_save",
        "lead",
    )


def _staffing(actions: pl.DataFrame) -> pl.DataFrame:
    return (
        actions.group_by("standing")
        .agg(actions=pl.len().cast(pl.Int64), relief_hours=pl.col("relief_hours").sort().sum().round(2))
        .sort(rank("standing", wording.STANDINGS))
    )


def _meetings(duties: pl.DataFrame, committees: pl.DataFrame) -> pl.DataFrame:
    meets = (
        duties.filter(pl.col("kind") == "committee", pl.col("state") == "open")
        .group_by(name=pl.col("title").str.strip_suffix(" meets"))
        .agg(meets_on=pl.col("due_on").min())
    )
    return (
        committees.join(meets, on="name", how="left")
        .select("committee_id", "meets_on", "name", "chair", "members")
        .sort("meets_on", "name", "committee_id", nulls_last=True)
    )


def _opening(asked: pl.DataFrame, coming: pl.DataFrame, meeting: NextMeeting | None, figures: Figures) -> Opening:
    period, needed = figures["quarter"], figures["committee_decisions"]
    if not figures["obligations_pending"] and not needed:
        return Opening(f"{_quarter(period)}: no duty is pending and nothing awaits a decision.", setup.DUTIES)
    over, span = figures["weeks_over_limit"], figures["horizon_weeks"]
    if over:
        top = outlook.peaks(coming).row(0, named=True)
        used = "no hours for it" if top["utilisation_pct"] is None else f"{percent(top['utilisation_pct'])} of capacity"
        full = "is too full" if over == 1 else "are too full"
        weeks = f"{over} of the next {span} weeks {full}, first of all {top['week']} ({used})"
    else:
        weeks = f"none of the next {span} weeks is too full"
    step = _step(asked.row(0, named=True), meeting) if needed else ""
    if not step and figures["hours_to_save"]:
        step = f"Collect evidence once: it saves {hours(round(figures['hours_to_save'], 1))}."
    board = asked.filter(~pl.col("footnote").is_in([agenda.MARKS[name] for name in agenda.OWN])).height
    among = f", {board:,} of them on the executive summary" if 0 < board < needed else ""
    noun = count(needed, "decision is", "decisions are")
    text = f"{sentence(noun)} needed{among}"
    if meeting and needed:
        sooner = asked.filter(pl.col("due_on") < meeting.on).height
        cannot = f", and {sooner:,} cannot wait for it" if sooner else ""
        text = at_most(text, f"; {meeting.committee} meets next, on {spelled_day(meeting.on)}{cannot}")
    return Opening(at_most(text, f"; {weeks}") + ".", step)


def _step(first: FrameRow, meeting: NextMeeting | None) -> str:
    """The decision to take first, the same as on the executive summary where that has it."""
    by = "by the meeting of" if meeting and first["due_on"] == meeting.on else "by"
    return f"Decide first: {inside(first['decision'])} ({with_whom(first['owner'], first['due_on'], by)})."


def _charts(forecast: pl.DataFrame) -> list[Chart]:
    if not forecast["demand_hours"].sum():
        return []
    frame = forecast.select("week", work="demand_hours", **{"hours there are": "available_hours"}).unpivot(
        index="week", variable_name="line", value_name="hours"
    )
    alt = "Hours of work that fall into each coming week, and hours that owners have; overdue work is in none."
    return [Chart("lines", "Work and hours", frame, "week", "hours", alt, series="line", tones=TONES)]


def _warnings(committees: pl.DataFrame, compared: pl.DataFrame) -> list[str]:
    warnings = []
    if committees.is_empty():
        warnings.append("No committee is recorded: the digest reaches nobody.")
    unknown = compared.filter(pl.col("now").is_null())["figure"].to_list()
    if unknown:
        warnings.append(f"Not known this quarter: {all_of([inside(name) for name in unknown])}.")
    return warnings


REPORT = Report(
    name="committee-digest",
    title="Committee digest",
    description="The quarter for the committees: decisions, coming peaks, work to share, punctuality and staffing.",
    build=build,
    figures=select(
        *("quarter", "quarter_before", "committee_decisions", "horizon_weeks", "weeks_over_limit", *shortfall.IDS),
        *("obligations_pending", "hours_to_save", *quarters.COMPARED),
        *("staffing_actions_tracked", "staffing_actions_open", "staffing_actions_completed"),
        *("staffing_actions_breached", "staffing_actions_breached_week_change"),
    ),
    schema_version=2,
    parameters=(ledger.WEEKS,),
)
