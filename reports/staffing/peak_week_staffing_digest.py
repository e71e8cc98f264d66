"""Weeks in which some owners lack hours while others have them, and the actions that would relieve these weeks."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.capacity import proposals
from reports.shared import ledger, personal
from reports.shared.wording import (
    all_of,
    count,
    hours,
    inside,
)
from reports.staffing import wording

NEW = "new"
TAKE_UP = (
    "In the chat with the button of the proposal, which can also decline it: then it stays proposed and is not asked "
    "again. Elsewhere by importing staffing_actions: its identifier as id, tracked as status, the day as tracked_on. "
    "Once its peak week is over it has lapsed."
)
SAID = {
    NEW: "new",
    "proposed": "proposed before",
    "tracked": "taken up",
    "open": "open",
    "completed": "completed",
}
LABELS = {
    **wording.LABELS,
    **personal.LABELS,
    "action_id": "Identifier",
    "what": "Proposal",
    "week": "Week",
    "shortfall_hours": "Shortfall h",
    "owners_short": "Owners short",
    "unowned_hours": "Unowned h",
    "imbalance": "Max / mean",
    "busiest": "Most short",
    "borrow_hours": "To borrow h",
    "week_start_on": "From",
}
DEFINITIONS = {
    "Peak week": "Owners lack hours and work is spread unevenly, both in the same week: there is somebody to help. "
    "Weeks that are short and even, or uneven and not short, are not here; nor those that lack less than half an hour.",
    "Shortfall": "Hours of work above what its owner has, owner by owner. The committee capacity budget adds "
    "unowned work to it.",
    "Max / mean": "Largest over mean utilisation of the owners with any work; uneven from the organization's "
    "imbalance_ratio on.",
    "Relief": "Hours by which the shortfall falls when duties are handed over or done earlier; the rest is to borrow. "
    "A single proposal can free its owner of more than is missing; less than half an hour is not proposed to borrow.",
    "Reassign": "To somebody who does that kind of duty, is not accountable for it and is below 70 %.",
    "Pull forward": "Done up to two weeks earlier by the same owner. Due dates never move.",
    "Status": "New: recorded as proposed when the digest is delivered, once. Others are recorded already.",
    "To take one up": TAKE_UP,
}


def build(
    owner_weeks: pl.DataFrame, load: pl.DataFrame, people: pl.DataFrame, staffing_actions: pl.DataFrame, ask: Ask
) -> Document:
    plan = proposals.plan(owner_weeks, load, people, ask)
    known = staffing_actions.select("action_id", "status")
    whom = pl.concat_list(pl.concat_list("owner"), "assignees").list.unique(maintain_order=True)
    actions = plan.actions.join(known, on="action_id", how="left", maintain_order="left").with_columns(
        pl.col("status").fill_null(NEW), recipients=whom
    )
    first = pl.format("{} ({})", pl.col("what").str.head(1).str.to_lowercase() + pl.col("what").str.slice(1), "week")
    grid = owner_weeks.filter(pl.col("demand_hours") > 0)
    return Document(
        headline=_headline(plan.weeks, actions, grid, ask),
        summary={
            "weeks": ledger.horizon(ask).height,
            "peak_weeks": plan.weeks.height,
            **{
                name: round(float(plan.weeks[name].sum()), 2)
                for name in ("shortfall_hours", "relief_hours", "borrow_hours", "unowned_hours")
            },
            "proposals": actions.height,
            "new": actions.filter(pl.col("status") == NEW).height,
            **{kind: actions.filter(pl.col("kind") == kind).height for kind in proposals.PROPOSED_KINDS},
        },
        tables=(
            Table("weeks", "Peak weeks", plan.weeks, labels=LABELS, hidden=("week_start_on", "week_end_on", "gini")),
            Table("actions", "Proposals",
                  actions.select("action_id", "week", "kind", "owner", "what", "relief_hours", "status", "duties",
                                 "assignees", "to_weeks", "obligation_ids", "recipients"),
                  labels=LABELS, state=("kind", "status"),
                  hidden=("action_id", "duties", "assignees", "to_weeks", "obligation_ids", "recipients")),
            Table("owners", "To each owner and helper",
                  personal.sections(wording.to_each(actions), "status", SAID, first),
                  note="One section of the digest for each.", labels=LABELS),
        ),
        charts=_charts(plan.weeks),
        definitions=DEFINITIONS,
        warnings=_warnings(plan.weeks),
        footnotes=("Which duties move where: obligation load balancing; the duties of each proposal: JSON and CSV.",),
    )  # fmt: skip


def _headline(weeks: pl.DataFrame, actions: pl.DataFrame, grid: pl.DataFrame, ask: Ask) -> str:
    span = count(ledger.horizon(ask).height, "week")
    if grid.is_empty():
        return "No work falls into the coming weeks, so no week can peak: check that duties are recorded."
    if weeks.is_empty():
        return f"In none of the next {span} do owners lack hours while work is spread unevenly: nothing to staff."
    worst = weeks.sort("shortfall_hours", "week_start_on", descending=[True, False]).row(0, named=True)
    new = actions.filter(pl.col("status") == NEW).height
    driven = all_of([inside(name) for name in worst["drivers"][:2]])
    total, relief = (round(float(weeks[name].sum()), 1) for name in ("shortfall_hours", "relief_hours"))
    return (
        f"Owners lack {hours(total)} in {weeks.height} of the next {span} while others have room, most in "
        f"{worst['week']} ({hours(round(worst['shortfall_hours'], 1))}, {driven}): moving duties would give "
        f"{hours(relief)} of relief, the other {hours(round(total - relief, 1))} are to borrow; take up "
        f"{count(actions.height, 'proposal')}, {new or 'none'} of them new."
    )


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if weeks.is_empty():
        return []
    frame = weeks.select("week", relief="relief_hours", **{"to borrow": "borrow_hours"}).unpivot(
        index="week", variable_name="hours", value_name="value"
    )
    alt = "Shortfall of each peak week: hours that proposals relieve and hours to borrow."
    return [Chart("stacked", "Shortfall by week", frame, "week", "value", alt, series="hours")]


def _warnings(weeks: pl.DataFrame) -> list[str]:
    unowned = round(float(weeks["unowned_hours"].sum()), 2)
    return (
        [f"{hours(unowned)} of work in these weeks have no owner, or one who has left: name owners first."]
        if unowned
        else []
    )


REPORT = Report(
    name="peak-week-staffing-digest",
    title="Peak-week staffing",
    description="Weeks in which lack of hours and uneven load coincide, with proposals that relieve them.",
    build=build,
    parameters=(ledger.WEEKS,),
)
