"""The entries of the compliance calendar, and the events of its feed: the same duties on the page and in the feed."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

import polars as pl

from engine.model.ask import Ask
from engine.model.document import CalendarEvent, Table
from engine.model.figure import Figures
from reports.shared import ledger
from reports.shared.wording import count, sentence

LISTED_DAYS = 30
HIDDEN = ("week", "accountable", "vendor_id", "obligation_id", "ics_uid", "sequence", "changed_on")
DEFINITIONS = {
    "duty": "A dated obligation: attestation, vendor review, bundle, test window, evidence request, policy review, "
    "remediation milestone, exception expiry, audit checkpoint or committee meeting.",
    "due": "In time until the end of the due date, in the organization's time zone.",
    "open, overdue": "Not done, before and after the due date. Listed until it is done, however far ahead; "
    "a request that waits for whoever asked is paused and stays open past its date.",
    "done, late": "Done in time, done after the due date. Listed for 30 days after the later of the two dates.",
    "cancelled": "No longer owed. Listed for 30 days, so that calendars that subscribe remove it.",
    "fixed": "A legal or contractual deadline that may not be moved.",
}
FIGURES = (
    *("calendar_entries", "obligations_pending", "obligations_overdue", "obligations_due_in_30_days"),
    *("obligations_pending_hours", "obligations_without_owner"),
    *("calendar_entries_done", "calendar_entries_late", "calendar_entries_cancelled"),
    *("obligations_finished_in_period", "obligations_finished_late_in_period"),
)


def entries(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every pending duty, and for a while what was finished or cancelled, in order of their dates."""
    last_on = pl.max_horizontal("due_on", "done_on")
    pending, cancelled = pl.col("status").is_in(ledger.PENDING), pl.col("status") == "cancelled"
    recent = pl.when(cancelled).then("changed_on").otherwise(last_on) >= ask.as_of - timedelta(days=LISTED_DAYS)
    kept = (
        obligations.rename({"state": "status"})
        .filter(pending | recent)
        .sort("due_on", "kind", "title", "obligation_id")
    )
    uids = [_uid(key, org) for key, org in kept.select("obligation_id", "org_id").iter_rows()]
    return kept.with_columns(pl.Series("ics_uid", uids, dtype=pl.String)).select(
        *("due_on", "week", "kind", "title", "owner", "accountable", "frameworks", "controls", "vendor_id", "status"),
        *("days_left", "done_on", "recurrence", "hard", "effort_hours", "source_ref", "obligation_id", "ics_uid"),
        *("sequence", "changed_on"),
    )


def events(listed: pl.DataFrame) -> list[CalendarEvent]:
    """One event for each row; it changes only when the duty does, never because a day went by."""
    return [_event(row) for row in listed.iter_rows(named=True)]


def table(listed: pl.DataFrame) -> Table:
    return Table("obligations", "Duties by date", listed, state=["status"], words=["kind"], hidden=HIDDEN)


def headline(listed: pl.DataFrame, figures: Figures) -> str:
    if not figures["obligations_pending"]:
        return "No dated duty is pending: check that attestations, reviews and audits are recorded."
    first = listed.filter(pl.col("status").is_in(ledger.PENDING)).row(0, named=True)
    soon, late = figures["obligations_due_in_30_days"], figures["obligations_overdue"]
    due = sentence(f"{count(soon, 'duty', 'duties')} {'is' if soon == 1 else 'are'} due in the next 30 days")
    who = f" ({first['owner']})" if first["owner"] else ", which nobody owns"
    overdue = f"{late:,} overdue" if late else "none is overdue"
    return f"{due} and {overdue}. First comes {first['title']}, due {first['due_on']}{who}."


def warnings(figures: Figures) -> list[str]:
    nobody = figures["obligations_without_owner"]
    if not nobody:
        return []
    return [f"{count(nobody, 'pending duty has', 'pending duties have')} no owner: nobody will be reminded."]


def _event(row: dict[str, Any]) -> CalendarEvent:
    mark = {"done": "Done: ", "late": "Done late: ", "cancelled": "Cancelled: "}.get(row["status"], "")
    facts = {
        "Kind": row["kind"].replace("_", " "),
        "Owner": row["owner"] or "nobody",
        "Accountable": row["accountable"],
        "Frameworks": ", ".join(row["frameworks"] or []),
        "Controls": ", ".join(row["controls"] or []),
        "Effort": f"{row['effort_hours']:g} h" if row["effort_hours"] is not None else None,
        "Recurrence": row["recurrence"],
        "Deadline": "fixed by law or contract" if row["hard"] else None,
        "Source": row["source_ref"],
    }
    return CalendarEvent(
        uid=row["ics_uid"],
        on=row["due_on"],
        title=f"{mark}{row['title']}",
        description="\n".join(f"{name}: {text}" for name, text in facts.items() if text),
        categories=tuple(row["frameworks"] or ()) or (row["kind"],),
        sequence=row["sequence"]
        + (row["status"] == "cancelled"),  # calendars take a cancellation only as a later version
        status="CANCELLED" if row["status"] == "cancelled" else "CONFIRMED",
        changed_on=max(day for day in (row["changed_on"], row["done_on"]) if day),
        remind=row["status"] in ledger.PENDING,
    )


def _uid(obligation_id: str, org_id: str) -> str:
    return f"{sha256(obligation_id.encode()).hexdigest()[:32]}@{org_id}"
