"""Hours that each owner has in each coming week against the hours of work in it, for committees to decide on."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import ANY_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.capacity import budget_tables, relief, shortfall, workload
from reports.figures import select
from reports.shared import ledger, setup
from reports.shared.meetings import decide_by, meeting_before
from reports.shared.wording import SHOWN_HOURS, count, hours, percent

FOREMOST = (
    *("shortfall_hours", "owners_short", "weeks_short", "borrow_hours", "unowned_hours", "obligations_overdue_hours"),
)
FULL_PCT = 100
SEVERAL = 2
TONES: dict[str, Tone] = {"demand": "main", "available": "third"}
LABELS = {**{"next_on": "Next meeting", "kinds": "Demand by kind"}, **relief.LABELS}
DEFINITIONS = {
    **SHOWN_HOURS,
    "Budget": "Contracted compliance hours of the week; without a record those of the organization's settings.",
    "Relief by moving, to bring in": "What of the shortfall goes with the moves of load balancing; what stays then.",
    "Flag": "Green below 70 %, amber up to the organization's warning, red above, shortfall above 100 % of "
    "what is available, or a week that is short. Uncovered: nobody is there to do it. Over: no working day is left.",
}


def build(load: pl.DataFrame, committees: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    grid = figures.rows(workload.in_horizon)
    weeks = figures.rows(relief.by_week).with_columns(
        flag=pl.when(ledger.is_over(ask)).then(pl.lit("over")).otherwise(workload.flag(pl.col("short"), ask.settings))
    )
    return Document(
        *_opening(weeks, grid, figures, ask),
        tables=(
            *budget_tables.utilisation(grid, ask),
            Table(
                "weeks",
                "All owners by week",
                note="A week is short as soon as one owner has more work than hours, even if all together have room.",
                frame=weeks.select(
                    "week",
                    "week_start_on",
                    "budget_hours",
                    "absence_hours",
                    "available_hours",
                    "demand_hours",
                    "utilisation_pct",
                    "shortfall_hours",
                    "owners_short",
                    "unowned_hours",
                    "relief_hours",
                    "remaining_hours",
                    "shift_hours",
                    "borrow_hours",
                    "flag",
                ),
                labels=LABELS,
                state=("flag",),
                hidden=(
                    *("week_start_on", "budget_hours", "absence_hours", "unowned_hours", "shift_hours"),
                    *("borrow_hours", "flag"),
                ),
            ),
            Table(
                "committees",
                "Members of each committee over the horizon",
                budget_tables.by_committee(grid, load, committees),
                note="Who sits in several committees is counted in each.",
                labels=LABELS,
                hidden=("committee_id",),
            ),
            Table(
                "owner_weeks",
                "Owner by owner",
                budget_tables.by_owner(grid, load),
                note="A dash is nobody.",
                labels=LABELS,
                state=("flag",),
                hidden=("week_start_on", *(f"{kind}_hours" for kind in ledger.KINDS)),
            ),
            Table(
                "overdue",
                "Overdue work, in no week",
                budget_tables.overdue(load),
                note="A dash is nobody.",
                labels=LABELS,
            ),
        ),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _opening(weeks: pl.DataFrame, grid: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    overdue = figures["obligations_overdue_hours"]
    late = f"{hours(round(overdue, 1))} {_is(overdue)} overdue and in no week: plan them first." if overdue else ""
    if not figures["demand_hours"]:
        return Opening("No work falls into the coming weeks, so no hours are needed.", late or setup.DUTIES)
    week, span = relief.worst(weeks), count(figures["horizon_weeks"], "week")
    if week is None:
        top = weeks.sort("utilisation_pct", "week_start_on", descending=[True, False]).row(0, named=True)
        full = percent(top["utilisation_pct"])
        return Opening(f"Everybody has the hours for the next {span}; {top['week']} is fullest at {full}.", late)
    duties = figures.rows(ledger.pending)
    meeting = meeting_before(duties, week["week_start_on"])
    until = meeting or spelled_day(decide_by(duties, week["week_start_on"], ask.as_of))
    return Opening(
        f"{at_most(_lacking(weeks, span, figures), _together(weeks, figures))}.",
        f"Agree by {until}: in {week['week']}, the worst, "
        f"{relief.recommendation(week)}{workload.most_short(grid, week['week'])}.",
    )


def _lacking(weeks: pl.DataFrame, span: str, figures: Figures) -> str:
    """How many owners lack how much, and what nobody is there to do."""
    nobodys = hours(figures["unowned_hours"])
    if not figures["owners_short"]:
        return f"No owner lacks hours in the next {span}, but {nobodys} of work have no owner and others no room for it"
    lacking = weeks.filter(pl.col("shortfall_hours") > 0).height
    owners = count(figures["owners_short"], "owner lacks", "owners lack")
    unowned = f", and {nobodys} of work have no owner" if figures["unowned_hours"] else ""
    return f"{owners} {hours(figures['shortfall_hours'])} in {lacking} of the next {span}{unowned}"


def _together(weeks: pl.DataFrame, figures: Figures) -> str:
    """The weeks whose work is more than the hours of all owners, of several: where there are no hours at all, too."""
    if figures["owners_staffed"] < SEVERAL:
        return ""
    fits = (pl.col("utilisation_pct") <= FULL_PCT).fill_null(False)
    over = weeks.filter(pl.col("demand_hours") > 0, ~fits, pl.col("flag") != "over").height
    return f"; in {count(over, 'week')} even all together have too few" if over else ""


def _is(number: float) -> str:
    return "is" if number == 1 else "are"


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if not weeks["demand_hours"].sum():
        return []
    lines = weeks.select("week", demand="demand_hours", available="available_hours", shortfall="shortfall_hours")
    frame = lines.unpivot(index="week", variable_name="line", value_name="hours")
    alt = "Hours of work, hours available, and the hours that single owners are short of, by week."
    return [Chart("lines", "Hours by week", frame, "week", "hours", alt, series="line", tones=TONES)]


def _warnings(figures: Figures) -> list[str]:
    late, duties = figures["obligations_overdue_hours"], figures.rows(ledger.pending)
    warnings: list[str] = list(
        workload.without_owner(figures["unowned_hours"], duties, figures.rows(workload.in_horizon))
    )
    if late:
        most = ledger.most_with(duties.filter(pl.col("place") == "overdue"))
        first = f", {most[0]} with {count(most[1], 'duty', 'duties')} before all" if most else ""
        warnings.append(
            Alarm(f"{hours(late)} of overdue work {_is(late)} in no week: its owners agree new dates first{first}.")
        )
    return warnings


REPORT = Report(
    name="committee-capacity-budget",
    title="Committee capacity budget",
    description="Weekly hours of each owner against the work in them, with shortfalls and what to shift or borrow.",
    build=build,
    figures=select(
        *("horizon_weeks", "owners_staffed", "available_hours", "demand_hours", *shortfall.IDS),
        *("shift_hours", "borrow_hours"),
    ),
    schema_version=2,
    parameters=(ledger.WEEKS,),
    plans=ANY_FRAMEWORK,
)
