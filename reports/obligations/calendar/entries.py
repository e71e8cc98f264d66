"""The entries of the compliance calendar, and the events of its feed: the same duties on the page and in the feed."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import CalendarEvent, Opening, Table
from engine.model.figures.figure import Figures
from reports.shared import ledger, setup
from reports.shared.ordering import rank
from reports.shared.wording import SHOWN_HOURS, count, sentence

LISTED_DAYS = 30
FEED = "/api/governance/compliance/obligation-ics"
HIDDEN = (
    *("week", "kind", "accountable", "controls", "vendor_id", "recurrence", "effort_hours", "source_ref"),
    *("obligation_id", "ics_uid", "sequence", "changed_on", "due_at"),
)
PAUSED = "paused"
LISTED = (*ledger.PENDING, PAUSED)  # what is not done
LABELS = {"hard": "Fixed by law or contract", "owner": "With"}
DEFINITIONS = {
    "duty": "A dated obligation: attestation, vendor review, bundle, test window, evidence request, policy review, "
    "remediation milestone, exception expiry, audit checkpoint, committee meeting or notification of an incident.",
    "POA&M": ledger.NUMBERED,
    "due": "In time until the end of the due date, in the organization's time zone.",
    "open, overdue": "Not done, before and after the due date. Listed until it is done, however far ahead; "
    "a request that waits for whoever asked is paused, and not late whatever its date.",
    "with": "Who does it: of a test whoever performs it, of an attestation its delegate, else the owner.",
    "done, late": "Done in time, done after the due date. Listed for 30 days after the later of the two dates.",
    "cancelled": "No longer owed. Listed for 30 days, so that calendars that subscribe remove it.",
    "fixed": "A legal or contractual deadline that may not be moved.",
    **SHOWN_HOURS,
}
FOREMOST = (
    *("obligations_overdue", "obligations_due_in_30_days", "obligations_without_owner", "obligations_pending"),
    *("obligations_finished_in_period", "obligations_finished_late_in_period"),
)
FIGURES = (
    *("calendar_entries", "obligations_pending", "obligations_overdue", "obligations_overdue_week_change"),
    *("obligations_due_in_30_days", "obligations_pending_hours", "obligations_without_owner"),
    *("calendar_entries_done", "calendar_entries_late", "calendar_entries_cancelled"),
    *("obligations_finished_in_period", "obligations_finished_late_in_period"),
)


def entries(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every pending duty, and for a while what was finished or cancelled, in order of their dates."""
    last_on = pl.max_horizontal("due_on", "done_on")
    waits = (pl.col("state") == "open") & pl.col("paused").fill_null(False)
    pending, cancelled = pl.col("status").is_in(LISTED), pl.col("status") == "cancelled"
    recent = pl.when(cancelled).then("changed_on").otherwise(last_on) >= ask.as_of - timedelta(days=LISTED_DAYS)
    kept = (
        obligations.with_columns(
            status=pl.when(waits).then(pl.lit(PAUSED)).otherwise("state"), days_left=pl.when(~waits).then("days_left")
        )
        .filter(pending | recent)
        .sort("due_on", "kind", "title", "obligation_id")
    )
    uids = [_uid(key, org) for key, org in kept.select("obligation_id", "org_id").iter_rows()]
    return kept.with_columns(pl.Series("ics_uid", uids, dtype=pl.String)).select(
        *("due_on", "week", "kind", "title", "owner", "accountable", "frameworks", "controls", "vendor_id", "status"),
        *("days_left", "done_on", "recurrence", "hard", "effort_hours", "source_ref", "obligation_id", "ics_uid"),
        *("sequence", "changed_on", "due_at"),
    )


def events(listed: pl.DataFrame) -> list[CalendarEvent]:
    """One event for each row; it changes only when the duty does, never because a day went by."""
    return [_event(row) for row in listed.iter_rows(named=True)]


def tables(listed: pl.DataFrame, requests: pl.DataFrame, ask: Ask) -> tuple[Table, ...]:
    """What is late, what comes next, and all of it: a list of all by date begins years ago."""
    late = ledger.gravest_first(listed.filter(pl.col("status") == "overdue"), requests)
    note = ledger.HANDED_IN if late["handed_in"].any() else ""
    last = ask.as_of + timedelta(days=LISTED_DAYS)
    # of what is paused, the day may be over: it is owed all the same, is not late, and comes last
    coming = listed.filter(pl.col("status").is_in(("open", PAUSED)), pl.col("due_on") <= last)
    coming = coming.sort(pl.col("status") == PAUSED, maintain_order=True)
    same = ("done_on", "status")
    return (
        replace(_table("late", ledger.GRAVEST_FIRST, late.drop("handed_in"), *same), note=note),
        _table("coming", f"Due in the next {LISTED_DAYS} days", coming, *same),
        _table("obligations", "All duties by date", listed),
    )


def _table(name: str, title: str, rows: pl.DataFrame, *hidden: str) -> Table:
    part_of = () if name == "obligations" else ("obligations",)
    hide = (*HIDDEN, *hidden)
    return Table(name, title, rows, labels=LABELS, state=["status"], words=["kind"], hidden=hide, part_of=part_of)


def feed_table(listed: pl.DataFrame) -> Table:
    """The same duties as what a calendar shows of them, those to come first: each entry by its title."""
    titles = [_title(row) for row in listed.select("status", "title").iter_rows(named=True)]
    first = ("due_on", "entry", "kind", "owner", "frameworks", "status", "sequence", "changed_on", "reminds")
    shown = ("due_on", "entry", "owner", "status", "changed_on")
    frame = (
        listed.with_columns(pl.Series("entry", titles, dtype=pl.String), reminds=pl.col("status").is_in(ledger.PENDING))
        .select(*first, pl.exclude(first))
        .sort(rank("status", LISTED), "due_on", "kind", "title", "obligation_id")
    )
    return Table(
        "obligations",
        "Entries of the feed, those to come first",
        frame,
        note="One entry for each duty, all-day unless a law names the hour. One that moves gets a new version, and "
        "calendars move it.",
        state=["status"],
        words=["kind"],
        hidden=[name for name in frame.columns if name not in shown],
        labels={**LABELS, "changed_on": "Last changed"},
    )


def opening(listed: pl.DataFrame, requests: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if not figures["obligations_pending"]:
        return Opening("No dated duty is pending.", setup.DUTIES)
    waiting = listed.filter(pl.col("status").is_in(LISTED)).rename({"status": "state"})
    first = waiting.sort(pl.col("state") == PAUSED, maintain_order=True).row(0, named=True)
    soon, late = figures["obligations_due_in_30_days"], figures["obligations_overdue"]
    due = sentence(f"{count(soon, 'duty', 'duties')} {'is' if soon == 1 else 'are'} due in the next 30 days")
    start = ledger.first_overdue(waiting, requests, ask)
    start = start or f"{ledger.act(first, ask)} ({ledger.whose(first)})"
    if not late:
        return Opening(f"{due} and none is overdue.", f"{sentence(start)}.")
    most = ledger.most_with(waiting.filter(pl.col("state") == "overdue"))
    with_them = f", most with {most[0]} ({most[1]:,})," if most and late > 1 else ""
    text = f"{count(late, 'duty is', 'duties are')} overdue{with_them} and {soon or 'none'}"
    return Opening(f"{text} {'is' if soon == 1 else 'are'} due in the next 30 days.", f"{sentence(start)}.")


def feed_opening(figures: Figures) -> Opening:
    """What the feed holds and how to get it; the calendar says what comes first."""
    if not figures["calendar_entries"]:
        return Opening("The feed holds no entry.", setup.DUTIES)
    held, pending = count(figures["calendar_entries"], "entry", "entries"), figures["obligations_pending"]
    done = figures["calendar_entries"] - pending
    return Opening(
        f"The feed holds {held}: {pending:,} pending, {done:,} finished or cancelled, of the last {LISTED_DAYS} days.",
        f"Subscribe your calendar program to {FEED}: each duty is an entry, with an alarm until it is done. "
        "What to do first is on the compliance calendar.",
    )


def _title(row: dict[str, Any]) -> str:
    mark = {"done": "Done: ", "late": "Done late: ", "cancelled": "Cancelled: ", PAUSED: "Paused: "}.get(
        row["status"], ""
    )
    return f"{mark}{row['title']}"


def _event(row: dict[str, Any]) -> CalendarEvent:
    facts = {
        "Kind": row["kind"].replace("_", " "),
        "With": row["owner"] or "nobody",
        "Accountable": row["accountable"],
        "Frameworks": ", ".join(row["frameworks"] or []),
        "Controls": ", ".join(row["controls"] or []),
        "Due at": f"{row['due_at']:%Y-%m-%d %H:%M} UTC" if row["due_at"] else None,
        "Effort": f"{row['effort_hours']:g} h" if row["effort_hours"] is not None else None,
        "Recurrence": row["recurrence"],
        "Deadline": "fixed by law or contract" if row["hard"] else None,
        "Source": row["source_ref"],
    }
    return CalendarEvent(
        uid=row["ics_uid"],
        on=row["due_on"],
        title=_title(row),
        description="\n".join(f"{name}: {text}" for name, text in facts.items() if text),
        categories=tuple(row["frameworks"] or ()) or (row["kind"],),
        sequence=row["sequence"]
        + (row["status"] == "cancelled"),  # calendars take a cancellation only as a later version
        status="CANCELLED" if row["status"] == "cancelled" else "CONFIRMED",
        changed_on=max(day for day in (row["changed_on"], row["done_on"]) if day),
        remind=row["status"] in ledger.PENDING,
        at=row["due_at"],
    )


def _uid(obligation_id: str, org_id: str) -> str:
    return f"{sha256(obligation_id.encode()).hexdigest()[:32]}@{org_id}"
