"""Answers by name: which gap and whose, which owner and week, which vendor and why; a few lines under each question."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial

import polars as pl

from engine.facts.controls.horizons import ENDS_SOON, lapsed_on
from engine.model.days import spelled_day, spelled_days
from engine.model.documents.document import Document, FrameRow
from engine.model.documents.vendor_documents import deciding_document
from engine.planning.outlook import make_plan
from engine.planning.question import MOST_DAYS, Goal, PlanQuestion
from engine.render import words
from engine.reporting.site.things import distinct_titles
from engine.reporting.site.vendor_needs import VendorNeed, needs_of_vendors
from engine.reporting.snapshot.snapshot import Snapshot

Lines = Callable[[Snapshot, Document], Sequence[str]]
"""An answer of a snapshot, and of the document that the question leads to: a line that answers, and what follows it."""
LEAST_HOURS = 0.25  # of which anybody is short: less reads as none
FEW = 3
WORST_FIRST = ("shortfall_hours", "week_start_on", "owner")  # of weeks that lack hours, most first


def of_records(answer: Callable[[Snapshot], Sequence[str]]) -> Lines:
    """An answer that needs the records alone."""
    return lambda snapshot, _document: answer(snapshot)


def first_gaps(snapshot: Snapshot) -> list[str]:
    """The most urgent gaps, each with its owner."""
    names = _names(snapshot)
    gaps = snapshot.fact("gaps").sort("priority", "gap_id", descending=[True, False], nulls_last=True).head(FEW)
    said = [
        f"{gap['control_id']} {gap['title']} ({_name(names, gap['owner'])}{_day(gap, snapshot.as_of)}{_waits(gap)})"
        for gap in gaps.iter_rows(named=True)
    ]
    return _in_order("First", said)


def _day(gap: FrameRow, today: date) -> str:
    if gap["due_on"] is None:
        return ", not planned yet"
    return f", remediation {'due' if gap['due_on'] >= today else 'overdue since'} {short_day(gap['due_on'])}"


def _waits(gap: FrameRow) -> str:
    return f", waits for {gap['blocked_by']}" if gap["blocked_by"] else ""


def lapses(snapshot: Snapshot) -> list[str]:
    """What ends within thirty days: how much renews itself, and for whom the rest is, by week."""
    until = snapshot.as_of + timedelta(days=ENDS_SOON)
    ending = snapshot.fact("evidence_endings")
    if ending.is_empty():
        return [f"Nothing lapses until {spelled_day(until)}."]
    rows = ending.filter(pl.col("by_hand_on").is_not_null()).with_columns(week=pl.col("by_hand_on").dt.truncate("1w"))
    what = "1 control" if ending.height == 1 else f"{ending.height:,} controls"
    if rows.is_empty():
        alone = f"The evidence of {what} ends until {spelled_day(until)} and renews itself: nobody has to do anything."
        return [alone]
    weeks = rows.group_by("week").len().sort("week")
    owners = rows.group_by("owner").len().sort("len", "owner", descending=[True, False], nulls_last=True)
    by_week = ", ".join(f"{short_day(week)} {count}" for week, count in weeks.iter_rows())
    most = ", ".join(
        f"{_name(_names(snapshot), owner or 'without an owner')} {count}"
        for owner, count in owners.head(FEW).iter_rows()
    )
    others = ending.height - rows.height
    alone = f", {others:,} {'renews itself' if others == 1 else 'renew themselves'}" if others else ""
    needed = f"The evidence of {what} ends: {rows.height:,} {'needs' if rows.height == 1 else 'need'} somebody{alone}."
    return [needed, f"By week: {by_week}.", f"Most: {most}.", *_renewed_in_time(snapshot, until)]


def _renewed_in_time(snapshot: Snapshot, until: date) -> list[str]:
    """Of how many controls of the framework with the nearest target date evidence lapses that does not come again by
    itself, and of how many the plan renews all of it before; nothing without such a date."""
    targets, last = snapshot.fact("framework_targets"), snapshot.as_of + timedelta(days=MOST_DAYS)
    near = targets.filter(pl.col("target_on").is_between(snapshot.as_of, last)).sort("target_on", "framework").head(1)
    if near.is_empty():
        return []
    framework, day = near.select("framework", "target_on").row(0)
    slack = int(snapshot.subject.settings["plan_slack_days"])
    plan = make_plan(snapshot.fact, PlanQuestion((Goal(framework, 100, day),), slack), snapshot.as_of)
    (goal,) = plan.goals
    lapsing = goal.projection.lapses.filter(pl.col("lapses_on") <= until)
    name = f"{snapshot.framework_name(framework)} on {short_day(day)}"
    if lapsing.is_empty():
        return [f"For {name} none of it has to be renewed: it comes again by itself, or is of others."]
    late = {
        control
        for on, control, kind in lapsing.select("lapses_on", "control_id", "evidence").iter_rows()
        if goal.with_plan.on(on).filter(lapsed_on(kind, pl.lit(on)), control_id=control).height
    }
    controls = lapsing["control_id"].n_unique()
    of = "1 control" if controls == 1 else f"{controls:,} controls"
    return [f"For {name} the evidence of {of} has to be renewed; the plan renews {controls - len(late):,} in time."]


def overload(snapshot: Snapshot, document: Document) -> list[str]:
    """Who lacks most hours in one week of the report's horizon, and in which; who comes next, and who lacks some
    soonest."""
    short = short_weeks(snapshot, document.summary["horizon_weeks"])
    if short.is_empty():
        return []
    worst, names = short.sort(*WORST_FIRST, descending=[True, False, False]), _names(snapshot)
    shown = worst.unique("owner", keep="first", maintain_order=True).head(FEW).rows(named=True)
    soonest = short.sort("week_start_on", "shortfall_hours", "owner", descending=[False, True, False])
    first = next(soonest.iter_rows(named=True))
    sooner = [] if first in shown else [f"Soonest: {_lack(names, first)}."]
    return [*_in_order("Most short of hours:", [_lack(names, one) for one in shown]), *sooner]


def short_weeks(snapshot: Snapshot, horizon_weeks: int) -> pl.DataFrame:
    """Owners and weeks of a horizon in which they lack hours."""
    enough = pl.col("shortfall_hours") >= LEAST_HOURS
    end = snapshot.as_of + timedelta(weeks=horizon_weeks, days=-snapshot.as_of.weekday())
    inside = pl.col("week_start_on") < end
    return snapshot.fact("owner_weeks").filter(enough, inside, pl.col("owner").is_not_null())


def _lack(names: Mapping[str, str], row: FrameRow) -> str:
    week = f"in the week of {short_day(row['week_start_on'])}"
    return f"{_name(names, row['owner'])} {week}, {_hours(row['shortfall_hours'])}"


def weak_vendors(snapshot: Snapshot, document: Document) -> list[str]:
    """The vendors that block controls in the order of the report that it leads to, and why."""
    rows = _rows_of(document, "vendors")
    needs = needs_of_vendors(snapshot)
    register = {row["vendor_id"]: row for row in snapshot.fact("vendors").iter_rows(named=True)}
    said = [
        f"{one['name']} ({one['tier']}, {_assurance(register[one['vendor_id']])}): "
        f"{_needs_text(needs.get(one['vendor_id'], []))}; "
        f"{one['gaps']} {'control waits' if one['gaps'] == 1 else 'controls wait'} for it"
        for one in rows.head(FEW).iter_rows(named=True)
    ]
    return [f"{one}." for one in said]


def _assurance(vendor: FrameRow) -> str:
    """What the vendor's assurance is, and by which document; one that lapsed is among what the controls wait for."""
    document = deciding_document(vendor) if vendor["assurance"] in ("assured", "expiring") else None
    return f"{words.spell(vendor['assurance'], 'assurance')}{f' by {spelled_days(document)}' if document else ''}"


def _needs_text(needs: Sequence[VendorNeed]) -> str:
    """The two documents that most controls wait for."""
    return " and ".join(need.text for need in needs[:2]) or "no evidence that counts"


def late_requests(snapshot: Snapshot, document: Document) -> list[str]:
    """The late requests of auditors in the order of the report that it leads to, each with its owner."""
    rows = _rows_of(document, "overdue")
    titles = dict(distinct_titles(snapshot.fact("requests"), snapshot).select("id", "title").iter_rows())
    names = _names(snapshot)
    said = [
        f"“{titles[one['id']]}” ({_name(names, one['owner'])}, due {short_day(one['due_on'])})"
        for one in rows.head(FEW).iter_rows(named=True)
    ]
    return _in_order("First", said)


def _rows_of(document: Document, name: str) -> pl.DataFrame:
    return next((table.frame for table in document.tables if table.name == name), pl.DataFrame())


def called_by(snapshot: Snapshot) -> Callable[[object], str]:
    """What somebody with an address is called; nobody without one."""
    return partial(_name, _names(snapshot))


def _names(snapshot: Snapshot) -> Mapping[str, str]:
    people = snapshot.fact("people").select("email", "name").rows()
    return {email: name for email, name in people if name}


def _name(names: Mapping[str, str], email: object) -> str:
    return names.get(str(email), str(email)) if email else "nobody"


def short_day(day: date) -> str:
    """The day and the month: 22 Jan."""
    return spelled_day(day).rpartition(" ")[0]


def _hours(value: float) -> str:
    """Hours to the quarter."""
    return f"{round(value * 4) / 4:g} h"


def _in_order(lead: str, said: Sequence[str]) -> list[str]:
    """The first behind its lead, and what follows it."""
    return [f"{lead if not number else 'then'} {one}." for number, one in enumerate(said)]
