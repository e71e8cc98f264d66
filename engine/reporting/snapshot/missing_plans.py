"""Weeks whose plan or outcome nobody wrote down: what would have been written, from the records as they were.

The plan is that of the week's Monday, the outcome that of the Monday after, the forecast that of the Monday four weeks
before; each at the end of its day, and at the end of the week itself where the Monday after is not over yet.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import polars as pl

from engine.facts import Facts, Scan
from engine.model.figures.formulas import iso_week
from engine.replica.replica import Replica
from engine.reporting.snapshot.look_back import DayEnd, PastScan, day_ends, mondays, record_spans
from engine.reporting.snapshot.subject import Subject
from engine.reporting.snapshot.week_plan import AHEAD, completed_in, due_in, expected_in, outcome, planned_hours

WEEKS_BACK = 26  # as many as thresholds and expectations are usually taken from
WEEK, DAY = timedelta(weeks=1), timedelta(days=1)
_Row = dict[str, object]


class _Outlook(NamedTuple):
    """What was seen on a day: this week's plan, what is expected four weeks on, what was done of the week before."""

    planned: int
    planned_hours: float
    expected: int
    done: int


class MissingPlans:
    """What there is to add to the plans of weeks, for one process. Threads may share one."""

    def __init__(self, replica: Replica) -> None:
        self._outlooks = PastScan(replica, _outlooks)

    def complete(self, scan: Scan, stored: pl.DataFrame) -> pl.DataFrame:
        """The weeks that are over with a plan and an outcome each; what is stored of them stays."""
        known: dict[tuple[str, str], _Row] = {(row["org_id"], row["week"]): row for row in stored.iter_rows(named=True)}
        wanted: dict[tuple[str, str], Sequence[date]] = {}
        for one in record_spans(scan):
            for monday in mondays(one.since_on, one.as_of, WEEKS_BACK):
                key = one.org_id, iso_week(monday)
                before = [monday - AHEAD] if monday - AHEAD >= one.since_on else []
                if not _is_complete(known.get(key), forecast=bool(before)):
                    wanted[key] = [monday, min(monday + WEEK, one.as_of - DAY), *before]
        ends = day_ends(scan, [(org_id, day) for (org_id, _), days in wanted.items() for day in days])
        if not ends:
            return stored
        outlooks = self._outlooks(ends)
        seen = {(day.org_id, day.day): outlooks[day] for day in ends}
        made = [_row(org_id, week, known.get((org_id, week)), seen, days) for (org_id, week), days in wanted.items()]
        rows = [*(row for key, row in known.items() if key not in wanted), *made]
        return pl.DataFrame(rows, schema=stored.schema, orient="row")


def _is_complete(row: Mapping[str, object] | None, *, forecast: bool) -> bool:
    """Whether a plan and its outcome are stored, and a forecast where there can be one."""
    return row is not None and row["completed"] is not None and (row["forecast"] is not None or not forecast)


def _row(
    org_id: str,
    week: str,
    stored: Mapping[str, object] | None,
    seen: Mapping[tuple[str, date], _Outlook],
    days: Sequence[date],
) -> _Row:
    """A week with what is stored of it, and the rest from the days on which it would have been written."""
    monday, after, *before = (seen.get((org_id, day)) for day in days)
    row: _Row = {"org_id": org_id, "week": week, "forecast": None, **(stored or {})}
    if row["forecast"] is None and before and before[0] is not None:
        row["forecast"] = before[0].expected
    if row.get("completed") is not None:
        return row
    if not row.get("planned"):
        row |= {"planned": monday.planned if monday else 0, "planned_hours": monday.planned_hours if monday else 0.0}
    planned = row["planned"]
    return row if after is None or not isinstance(planned, int) else {**row, **outcome(planned, after.done)}


def _outlooks(facts: Facts, subjects: Sequence[Subject], days: Sequence[DayEnd]) -> list[_Outlook]:
    made = []
    for subject, day in zip(subjects, days, strict=True):
        obligations, requests = (facts.of(subject.organization.id, name) for name in ("obligations", "requests"))
        made.append(_outlook(obligations, requests, subject, day.day))
    return made


def _outlook(obligations: pl.DataFrame, requests: pl.DataFrame, subject: Subject, day: date) -> _Outlook:
    monday = day - timedelta(days=day.weekday())
    over = day + DAY - timedelta(days=(day + DAY).weekday()) - WEEK  # the last week that was over by the end of the day
    due = due_in(obligations, monday)
    expected = expected_in(obligations, requests, monday, int(subject.settings["history_weeks"]))
    return _Outlook(due.height, planned_hours(due), expected, completed_in(obligations, over))
