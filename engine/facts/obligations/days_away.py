"""Working days on which people are not there: holidays, absences and part-time, and the hours that auditors take."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.facts.expressions import shape
from engine.model.recurrence import occurrences

WEEKS_AHEAD = 53
WORKING_DAYS = 5

_Day = tuple[str, str | None, date, date, float, float]


def days_away(absences_rows: pl.DataFrame, audit_windows_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """A row for each working day from today on, within 53 weeks, on which somebody is not there or auditors are.

    An absence without an address is everybody's: its ``owner`` is null. ``auditor_hours`` are those of a whole week.
    """
    today: dict[str, date] = dict(asked.select("org_id", "as_of").iter_rows())
    rows: list[_Day] = []
    for row in absences_rows.sort("org_id", "id").iter_rows(named=True):
        rows += _of_absence(row, today[row["org_id"]])
    for row in audit_windows_rows.sort("org_id", "id").iter_rows(named=True):
        rows += _of_window(row, today[row["org_id"]])
    names = ("org_id", "owner", "on", "week_start_on", "away_share", "auditor_hours")
    kinds = (pl.String, pl.String, pl.Date, pl.Date, pl.Float64, pl.Float64)
    frame = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    return shape("days_away", frame).sort("org_id", "on", "owner", "away_share", "auditor_hours")


def away_of_owners(days_away: pl.DataFrame, owners: pl.DataFrame) -> pl.DataFrame:
    """The days of each of ``owners`` (org_id, owner): no more than the whole of a day is ever away."""
    named = owners.select("org_id", "owner").drop_nulls("owner").unique()
    everybody = days_away.filter(pl.col("owner").is_null()).drop("owner").join(named, on="org_id")
    own = days_away.join(named, on=["org_id", "owner"])
    return (
        pl.concat([own, everybody.select(own.columns)])
        .group_by("org_id", "owner", "on", "week_start_on")
        .agg(pl.col("away_share").sum().clip(upper_bound=1.0), pl.col("auditor_hours").sum())
        .sort("org_id", "owner", "on")
    )


def _of_absence(row: Mapping[str, Any], today: date) -> Iterator[_Day]:
    first, last = today, _last_day(today)
    length = max(((row["ends_on"] or row["starts_on"]) - row["starts_on"]).days, 0)
    starts = [row["starts_on"]]
    if row["repeats"]:
        starts = _starts(row, first - timedelta(days=length), last)
    share = (100.0 if row["share_pct"] is None else row["share_pct"]) / 100
    days = sorted({on for start in starts for on in _working_days(start, start + timedelta(days=length), first, last)})
    return ((row["org_id"], row["email"], on, _monday(on), share, 0.0) for on in days)


def _starts(row: Mapping[str, Any], first: date, last: date) -> list[date]:
    """The days on which it begins; the first alone where the rule is none, which the import refuses."""
    try:
        return occurrences(row["starts_on"], row["repeats"], first, last)
    except ValueError:
        return [row["starts_on"]]


def _of_window(row: Mapping[str, Any], today: date) -> Iterator[_Day]:
    start = row["fieldwork_from"]
    if start is None or not row["weekly_hours"]:
        return
    for on in _working_days(start, row["fieldwork_until"] or start, today, _last_day(today)):
        for person in dict.fromkeys(one.strip() for one in (row["people"] or "").split(";") if one.strip()):
            yield row["org_id"], person, on, _monday(on), 0.0, row["weekly_hours"]


def _working_days(start: date, end: date, first: date, last: date) -> Iterator[date]:
    start, end = max(start, first), min(end, last)
    every = (start + timedelta(days=number) for number in range((end - start).days + 1))
    return (on for on in every if on.weekday() < WORKING_DAYS)


def _monday(on: date) -> date:
    return on - timedelta(days=on.weekday())


def _last_day(today: date) -> date:
    return _monday(today) + timedelta(weeks=WEEKS_AHEAD, days=-1)
