"""Weeks in which some owners lack hours while others have them, and the actions that would relieve these weeks."""

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.capacity import proposals, relief, shortfall, workload
from reports.capacity.proposals import NEW, UNDECIDED
from reports.figures import select
from reports.shared import ledger, personal, setup
from reports.shared.meetings import NextMeeting, decide_by, next_meeting
from reports.shared.wording import SHOWN_HOURS, count, hours, inside
from reports.staffing import wording

FOREMOST = (
    *("peak_shortfall_hours", "peak_weeks", "peak_relief_hours", "peak_remaining_hours"),
    *("staffing_proposals_undecided", "unowned_hours"),
)
HIDDEN = ("week_start_on", "week_end_on", "imbalance", "gini", "unowned_hours", "drivers")
TONES: dict[str, Tone] = {"relief by moving": "good", "still short": "watch"}
TAKE_UP = (
    "In the chat with the button of the proposal, which can also decline it: then it stays proposed and is not asked "
    "again. Elsewhere by importing it with the status tracked and the day. "
    "Once its peak week is over it has lapsed."
)
SAID = {NEW: "new", "proposed": "proposed before", "tracked": "taken up", "open": "open", "completed": "completed"}
DEFINITIONS = {
    "No peak": "Weeks that are short and even, or uneven and not short, are not here: where both coincide, there is "
    "somebody to help.",
    "Max / mean": "Largest over mean utilisation of the owners with any work; uneven from the organization's limit on.",
    "Relief": "Hours by which the shortfall falls when duties are handed over or done earlier; the rest is to "
    "bring in. A proposal can free its owner of more than is missing; less than half an hour is not proposed to bring "
    "in.",
    "Reassign": "To somebody who does that kind of duty, is not accountable for it and is below 70 %.",
    "Pull forward": "Done up to two weeks earlier by the same owner. Due dates never move.",
    "On record": "What the action has the owner freed of since somebody recorded it; relief is what is needed by the "
    "records of today. Recorded hours are not changed by this digest.",
    "Status": "New: recorded as proposed when the digest is delivered, once. Others are recorded already.",
    "To take one up": TAKE_UP,
    **SHOWN_HOURS,
}


def build(figures: Figures, ask: Ask) -> Document:
    weeks, actions = figures.rows(proposals.peaks), figures.rows(proposals.proposal_rows)
    duties = figures.rows(ledger.pending)
    deadlines = _deadlines(actions, duties, ask)
    ranked = _worst_first(deadlines, weeks, figures.rows(workload.in_horizon))
    act = pl.col("what").str.head(1).str.to_lowercase() + pl.col("what").str.slice(1)
    first = pl.format("{} for {} ({})", act, "owner", "week")
    return Document(
        *_opening(weeks, ranked, next_meeting(duties), figures),
        tables=(
            Table(
                "actions",
                "Proposals, the first to be decided first, then those for the shortest of hours",
                ranked.select(
                    "week",
                    "due_on",
                    "owner",
                    "what",
                    "relief_hours",
                    "recorded_hours",
                    "status",
                    "kind",
                    "action_id",
                    "duties",
                    "assignees",
                    "to_weeks",
                    "obligation_ids",
                    "recipients",
                ),
                labels={"action_id": "Identifier", "what": "Proposal", "due_on": "Decide by"},
                state=("status",),
                hidden=("action_id", "kind", "duties", "assignees", "to_weeks", "obligation_ids", "recipients"),
            ),
            Table("weeks", "Peak weeks", weeks, labels=relief.LABELS, hidden=HIDDEN),
            Table(
                "owners",
                "To each owner and helper",
                personal.sections(wording.to_each(actions), "status", SAID, first, "The first:"),
                note="One section of the digest for each.",
            ),
        ),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=workload.without_owner(
            figures["unowned_hours"], figures.rows(ledger.pending), figures.rows(workload.in_horizon)
        ),
        foremost=FOREMOST if weeks.height else (),
        footnotes=("Which duties move where: obligation load balancing; the duties of each proposal: JSON and CSV.",),
    )


def _deadlines(actions: pl.DataFrame, duties: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The proposals with the day by which each is to be decided (``due_on``): before its week, or that of the work.

    What somebody has taken up is decided.
    """
    days = [
        decide_by(duties, ledger.monday(min([row["week"], *row["to_weeks"]])), ask.as_of)
        if row["status"] in UNDECIDED
        else None
        for row in actions.iter_rows(named=True)
    ]
    return actions.with_columns(pl.Series("due_on", days, dtype=pl.Date))


def _worst_first(actions: pl.DataFrame, weeks: pl.DataFrame, grid: pl.DataFrame) -> pl.DataFrame:
    """The proposals, the first to be decided first; of these the week that lacks most, and in it whoever lacks most."""
    lacks = grid.select("owner", "week", lack="shortfall_hours")
    worst = weeks.select("week", week_lack="shortfall_hours")
    return (
        actions.join(worst, on="week", how="left")
        .join(lacks, on=["owner", "week"], how="left")
        .sort(
            *("due_on", "week_lack", "week", "lack", "owner", "relief_hours", "action_id"),
            descending=[False, True, False, True, False, True, False],
            nulls_last=True,
        )
        .drop("week_lack", "lack")
    )


def _who(undecided: pl.DataFrame, proposed: str, total: int, meeting: NextMeeting | None) -> str:
    """Who decides on how many proposals when: those whose work begins before the next meeting cannot wait for it."""
    begin = undecided["due_on"][0]
    of_all = f"{undecided.height:,} of {proposed}" if undecided.height < total else proposed
    if meeting is None:
        return f"Decide on {of_all}, first by {spelled_day(begin)} for"
    sooner = undecided.filter(pl.col("due_on") < meeting.on).height
    if sooner:
        chair = meeting.chair or "whoever leads it"
        return f"{count(sooner, 'proposal')} cannot wait for {meeting}: {chair} decides by {spelled_day(begin)} for"
    then = undecided.filter(pl.col("due_on") == begin).height
    some = f"{then:,} of {proposed}" if then < total else proposed
    return f"On {spelled_day(begin)} {meeting.committee} decides on {some}, first for"


def _opening(weeks: pl.DataFrame, actions: pl.DataFrame, meeting: NextMeeting | None, figures: Figures) -> Opening:
    span = count(figures["horizon_weeks"], "week")
    if not figures["demand_hours"]:
        return Opening("No work falls into the coming weeks, so no week can peak.", setup.DUTIES)
    if weeks.is_empty():
        return _without_peak(span, figures)
    worst = weeks.sort("shortfall_hours", "week_start_on", descending=[True, False]).row(0, named=True)
    missing, eased = hours(figures["peak_shortfall_hours"]), quarters(figures["peak_relief_hours"])
    proposed = count(figures["staffing_proposals"], "proposal")
    text = at_most(
        f"Owners lack {missing} in {figures['peak_weeks']} of the next {span} while others have room",
        f", most {worst['busiest']} in {worst['week']}",
    )
    undecided = actions.filter(pl.col("status").is_in(UNDECIDED))
    if undecided.is_empty():
        return Opening(f"{text}.", f"Finish what was taken up: every one of {proposed} was.")
    first = undecided.row(0, named=True)
    left = figures["peak_remaining_hours"]
    borrow = f"; {quarters(left)} {'is' if left == 1 else 'are'} to be brought in" if left else ""
    return Opening(
        f"{text}.",
        f"{_who(undecided, proposed, figures['staffing_proposals'], meeting)} {first['week']}: {inside(first['what'])} "
        f"for {first['owner']}. Moving duties relieves {eased} of the {missing}{borrow}.",
    )


def _without_peak(span: str, figures: Figures) -> Opening:
    """No week in which others could help; owners may lack hours all the same."""
    missing = figures["shortfall_hours"]
    if not missing:
        return Opening(f"In none of the next {span} do owners lack hours: nothing to staff.")
    short = figures.rows(relief.by_week).filter(pl.col("shortfall_hours") > 0)
    worst = short.sort("shortfall_hours", "week_start_on", descending=[True, False]).row(0, named=True)
    owner = workload.most_short(figures.rows(workload.in_horizon), worst["week"])
    return Opening(
        f"Owners lack {hours(missing)} in {short.height} of the next {span}, in none of them with others who have "
        "clearly more room.",
        f"In {worst['week']} {relief.recommendation(worst)}{owner}.",
    )


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if weeks.is_empty():
        return []
    frame = weeks.select("week", **{"relief by moving": "relief_hours", "still short": "remaining_hours"}).unpivot(
        index="week", variable_name="part", value_name="hours"
    )
    alt = "Shortfall of each peak week: hours that moving duties relieves and hours that are still short."
    return [Chart("stacked", "Shortfall by week", frame, "week", "hours", alt, series="part", tones=TONES)]


REPORT = Report(
    name="peak-week-staffing-digest",
    title="Peak-week staffing",
    description="Weeks in which lack of hours and uneven load coincide, with proposals that relieve them.",
    build=build,
    figures=select(
        *("horizon_weeks", "demand_hours", *shortfall.IDS),
        *("peak_shortfall_hours", "peak_relief_hours", "peak_remaining_hours"),
        *("staffing_proposals", "staffing_proposals_undecided", "staffing_proposals_new"),
        *(f"staffing_proposals_{kind}" for kind in proposals.PROPOSED_KINDS),
    ),
    schema_version=2,
    parameters=(ledger.WEEKS,),
)
