"""Every dated compliance duty from thirty days ago to a year ahead, as a list and as calendar events."""

from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import polars as pl

from engine.model.document import (
    CalendarEvent,
    Chart,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.wording import count_of

PAST, AHEAD = timedelta(days=30), timedelta(days=365)
STATES = ("open", "overdue", "done", "late", "cancelled")
PENDING = ("open", "overdue")
HIDDEN = ("week", "accountable", "vendor_id", "obligation_id", "ics_uid", "sequence", "changed_on")
LABELS = {"due_on": "Due", "days_left": "Days left", "effort_hours": "Hours", "source_ref": "Source", "hard": "Fixed"}
DEFINITIONS = {
    "duty": "A dated obligation: attestation, vendor review, bundle, test window, evidence request, policy review, "
    "remediation milestone, exception expiry, audit checkpoint or committee meeting.",
    "due": "In time until the end of the due date, in the organization's time zone.",
    "open, overdue": "Not done, before and after the due date. An overdue duty stays listed until it is done.",
    "done, late": "Done in time, done after the due date. Listed for 30 days after the later of the two dates.",
    "cancelled": "No longer owed. Listed for 30 days, so that calendars that subscribe remove it.",
    "fixed": "A legal or contractual deadline that may not be moved.",
    "window": "From 30 days before the day of the report to 365 days after it.",
}


def build(obligations: pl.DataFrame, ask: Ask) -> Document:
    listed = entries(obligations, ask.as_of)
    months = _months(listed)
    return Document(
        headline=headline(listed, ask.as_of),
        summary=totals(listed, obligations, ask),
        tables=(table(listed), Table("months", "By month", months, labels=LABELS)),
        charts=_charts(months),
        events=events(listed),
        definitions=DEFINITIONS,
        warnings=warnings(listed),
    )


def entries(obligations: pl.DataFrame, as_of: date) -> pl.DataFrame:
    """The duties of the window in order of their dates; the calendar feed has exactly these rows."""
    last_on = pl.max_horizontal("due_on", "done_on")
    pending, cancelled = pl.col("status").is_in(PENDING), pl.col("status") == "cancelled"
    recent = pl.when(cancelled).then(pl.col("changed_on")).otherwise(last_on) >= as_of - PAST
    kept = (
        obligations.rename({"state": "status"})
        .filter((pl.col("due_on") <= as_of + AHEAD) & (pending | recent))
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
    return Table(
        "obligations", "Duties by date", listed, labels=LABELS, state=["status"], words=["kind"], hidden=HIDDEN
    )


def totals(listed: pl.DataFrame, obligations: pl.DataFrame, ask: Ask) -> dict[str, Any]:
    pending = listed.filter(pl.col("status").is_in(PENDING))
    finished = obligations.filter(pl.col("done_on").is_between(ask.period_start, ask.as_of))
    return {
        "obligations": listed.height,
        **{state: listed.filter(pl.col("status") == state).height for state in STATES},
        "due_next_30_days": _due_within(listed, ask.as_of, 30).height,
        "pending_hours": round(pending["effort_hours"].sum(), 1),
        "without_owner": pending.filter(pl.col("owner").is_null()).height,
        "finished_in_period": finished.height,
        "finished_late_in_period": finished.filter(pl.col("state") == "late").height,
    }


def headline(listed: pl.DataFrame, as_of: date) -> str:
    pending = listed.filter(pl.col("status").is_in(PENDING))
    if pending.is_empty():
        return f"No dated duty is open up to {as_of + AHEAD}: check that attestations, reviews and audits are recorded."
    first, overdue = pending.row(0, named=True), pending.filter(pl.col("status") == "overdue").height
    soon = _due_within(listed, as_of, 30).height
    due = f"{count_of(soon, 'duty', 'duties')} {'is' if soon == 1 else 'are'} due in the next 30 days"
    who = f" ({first['owner']})" if first["owner"] else ", which nobody owns"
    return f"{due} and {overdue:,} overdue: first comes {first['title']}, due {first['due_on']}{who}."


def warnings(listed: pl.DataFrame) -> list[str]:
    nobody = listed.filter(pl.col("status").is_in(PENDING) & pl.col("owner").is_null()).height
    if not nobody:
        return []
    return [f"{count_of(nobody, 'open duty has', 'open duties have')} no owner: nobody will be reminded."]


def _due_within(listed: pl.DataFrame, as_of: date, days: int) -> pl.DataFrame:
    return listed.filter(
        (pl.col("status") == "open") & pl.col("due_on").is_between(as_of, as_of + timedelta(days=days))
    )


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
        remind=row["status"] in ("open", "overdue"),
    )


def _uid(obligation_id: str, org_id: str) -> str:
    return f"{sha256(obligation_id.encode()).hexdigest()[:32]}@{org_id}"


def _months(listed: pl.DataFrame) -> pl.DataFrame:
    pending = pl.col("status").is_in(PENDING)
    return (
        listed.group_by(month=pl.col("due_on").dt.strftime("%Y-%m"))
        .agg(
            obligations=pl.len().cast(pl.Int64),
            **{state: (pl.col("status") == state).sum().cast(pl.Int64) for state in STATES},
            pending_hours=pl.col("effort_hours").filter(pending).sum().round(1),
        )
        .sort("month")
    )


def _charts(months: pl.DataFrame) -> list[Chart]:
    if months.is_empty():
        return []
    parts = months.select("month", "open", "overdue", done=pl.col("done") + pl.col("late"))
    frame = parts.unpivot(["overdue", "open", "done"], index="month", variable_name="status", value_name="obligations")
    return [
        Chart(
            "stacked",
            "Duties by month",
            frame,
            "month",
            "obligations",
            "Duties due in each month: overdue, open, and done in time or late.",
            series="status",
        )
    ]


REPORT = Report(
    name="calendar",
    title="Compliance calendar",
    description="Attestations, vendor reviews, bundles, audits and other dated duties, 30 days back and a year ahead.",
    build=build,
)
