"""Weeks as they were planned: what a week held at its start, what became of it, what had been forecast for it."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import polars as pl

from engine.model.figures.formulas import iso_week, week_start
from engine.model.records import ObligationSnapshotRow
from engine.reporting.snapshot.week_plan import AHEAD, completed_in, due_in, expected_in, outcome, planned_hours
from engine.runtime.services import Services
from engine.store import rows
from engine.store.queries.history.weeks import is_blank
from engine.store.schema.outputs import obligation_snapshots

Rows = list[dict[str, object]]


def take(services: Services, org_id: str, actor: str, *, now: datetime) -> str:
    """This week as planned, what became of the weeks before, one forecast."""
    with services.snapshots.open(org_id, now=now) as today:
        obligations, requests = today.fact("obligations"), today.fact("requests")
        history = int(today.subject.settings["history_weeks"])
    with services.store.revision(org_id, actor, now=now) as revision:
        known = rows.many(revision.connection, obligation_snapshots, org_id)
        weeks = plans(obligations, requests, known, today.as_of, history)
        for week in weeks:
            revision.upsert(obligation_snapshots, [week])
        if weeks:
            revision.record("snapshot.weeks", details={"weeks": [week["week"] for week in weeks]})
    return f"{len(weeks)} weeks written"


def plans(
    obligations: pl.DataFrame, requests: pl.DataFrame, known: Sequence[ObligationSnapshotRow], day: date, history: int
) -> Rows:
    """What is to be written about weeks that are not settled yet. ``known`` are the stored ones; what they say stands.

    The week four ahead gets its forecast alone: until its plan is written it holds nothing planned and no outcome. A
    week whose start nobody saw stays like that.
    """
    stored = {row["week"]: row for row in known}
    monday = day - timedelta(days=day.weekday())
    this, later = iso_week(monday), iso_week(monday + AHEAD)
    found = [
        {"week": week, **outcome(row["planned"], completed_in(obligations, week_start(week)))}
        for week, row in sorted(stored.items())
        if week < this and row["planned"] and row["completed"] is None
    ]
    if this not in stored or is_blank(stored[this]):
        due = due_in(obligations, monday)
        row: dict[str, object] = {"week": this, "planned": due.height, "planned_hours": planned_hours(due)}
        found.append(row if due.height else {**row, "completed": 0, "slipped": 0})
    if later not in stored:
        expected = expected_in(obligations, requests, monday, history)
        found.append({"week": later, "planned": 0, "planned_hours": 0.0, "forecast": expected})
    return found
