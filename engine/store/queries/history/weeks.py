"""Whether a week is remembered: what the scheduler asks every few minutes, without anything that computes."""

from datetime import date, timedelta

from engine.model.figures.formulas import iso_week
from engine.model.records import ObligationSnapshotRow
from engine.store import Reader, rows
from engine.store.schema.outputs import obligation_snapshots, readiness_snapshots


def has_snapshot(connection: Reader, org_id: str, day: date) -> bool:
    """Whether the week has a snapshot, from its Monday on up to ``day``."""
    week = [day - timedelta(days=number) for number in range(day.weekday() + 1)]
    return bool(rows.many(connection, readiness_snapshots, org_id, limit=1, taken_on=week))


def has_plan(connection: Reader, org_id: str, day: date) -> bool:
    """Whether the plan of the week is written."""
    row = rows.first(connection, obligation_snapshots, org_id, week=iso_week(day))
    return row is not None and not is_blank(row)


def is_blank(row: ObligationSnapshotRow) -> bool:
    """Whether a week has a forecast and no plan yet."""
    return not row["planned"] and row["completed"] is None
