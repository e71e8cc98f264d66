"""Weeks without a snapshot: what one of their Monday would have kept, from the records as they were at its end.

Readiness, posture and states of controls are kept once a week, and so is what a week was planned to hold. Where nothing
ran in a week, whoever reads snapshots reads this instead, so that no trend has a gap. All weeks that are missing are
one pass over the past, and are remembered. So a report is still named by its revision and its day. A week is missing
once it is over, as the present one may still get its own, and for about a year.

A snapshot by another formula than today's is read the same way, as far back and where the records of its day are there:
both sides of a comparison follow from one formula. Where they are not, it stays as it is, and its versions say so.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import polars as pl

from engine.facts import PLANNED, WEEKLY, Facts, Scan
from engine.facts.controls.readiness import (
    POSTURE_FORMULAS,
    READINESS_FORMULAS,
    posture_formula_change,
    readiness_formula_change,
)
from engine.model.figures.versions import FORMULAS, versions_of
from engine.model.vocabulary import Json
from engine.replica.replica import Replica
from engine.reporting.snapshot.look_back import DayEnd, PastScan, day_ends, mondays, record_spans
from engine.reporting.snapshot.missing_plans import MissingPlans
from engine.reporting.snapshot.subject import Subject
from engine.reporting.snapshot.weekly_state import Standing, standing
from engine.store.types import canonical_json

WEEKS_BACK = 53  # no trend shows more
_KEY = ("org_id", "framework", "control_id")
# the earliest day on which a framework was adopted; no row where none ever was
_ADOPTED = """
    SELECT q.org_id, min(coalesce(f.adopted_on, DATE '0001-01-01')) AS adopted_on
    FROM organization_frameworks f JOIN asked q USING (org_id) GROUP BY q.org_id
"""


class MissingWeeks:
    """What the snapshots of missing weeks would say, for one process. Threads may share one."""

    def __init__(self, replica: Replica) -> None:
        self._standings = PastScan(replica, _standings)
        self._plans = MissingPlans(replica)

    def complete(self, scan: Scan, stored: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
        """The scans of snapshots with the weeks that none is stored of, by today's formulas where those were others.

        All other snapshots stay as they are stored.
        """
        if PLANNED[0] in stored:
            return {PLANNED[0]: self._plans.complete(scan, stored[PLANNED[0]])}
        readiness, posture, changes = (stored[name] for name in WEEKLY)
        missing, others = _missing(scan, readiness), _days_of_other_formulas(scan, readiness, posture)
        standings = self._standings([*missing, *others]) if missing or others else {}
        if others:
            found = [(each.day, standings[each]) for each in others]
            readiness = _replace(readiness, [_on("taken_on", day, _with_formulas(at).readiness) for day, at in found])
            posture = _replace(posture, [_on("taken_on", day, _with_formulas(at).posture) for day, at in found])
            changes = _without(changes, others)
            changes = _append(changes, [_on("observed_on", day, at.states) for day, at in found])
        if missing:
            found = [(monday.day, _with_formulas(standings[monday])) for monday in missing]
            readiness = _append(readiness, [_on("taken_on", day, at.readiness) for day, at in found])
            posture = _append(posture, [_on("taken_on", day, at.posture) for day, at in found])
            changes = _append(changes, [_on("observed_on", day, at.states) for day, at in found])
        return dict(zip(WEEKLY, (readiness, posture, _consecutive(changes)), strict=True))


def _standings(facts: Facts, subjects: Sequence[Subject], days: Sequence[DayEnd]) -> list[Standing]:
    together = standing(facts.__getitem__)
    return [_of(together, str(number), day.org_id) for number, day in enumerate(days)]


def _of(together: Standing, number: str, org_id: str) -> Standing:
    """One standing out of those that were computed together, with the organization that it is of."""
    named, mine = pl.lit(org_id).alias("org_id"), together.of(number)
    return Standing(*(frame.with_columns(named) for frame in (mine.readiness, mine.states, mine.posture)))


def _missing(scan: Scan, stored: pl.DataFrame) -> list[DayEnd]:
    """The Mondays of the weeks before the present one that have no snapshot, from where the records begin."""
    taken = set(stored.select("org_id", pl.col("taken_on").dt.truncate("1w")).iter_rows())
    adopted: dict[str, date] = dict(scan(_ADOPTED).iter_rows())
    days = [
        (one.org_id, day)
        for one in record_spans(scan)
        if one.org_id in adopted
        for day in mondays(max(one.since_on, adopted[one.org_id]), one.as_of, WEEKS_BACK)
    ]
    return day_ends(scan, [each for each in days if each not in taken])


def _days_of_other_formulas(scan: Scan, readiness: pl.DataFrame, posture: pl.DataFrame) -> list[DayEnd]:
    """The days with a snapshot by another formula than today's whose records are there."""
    days = {
        iter_row
        for frame, change in ((readiness, readiness_formula_change()), (posture, posture_formula_change()))
        for iter_row in frame.filter(change.is_not_null()).select("org_id", "taken_on").iter_rows()
    }
    if not days:
        return []
    spans = {one.org_id: one for one in record_spans(scan)}
    return day_ends(
        scan,
        [
            (org_id, day)
            for org_id, day in days
            if org_id in spans
            and max(spans[org_id].since_on, spans[org_id].as_of - timedelta(weeks=WEEKS_BACK)) <= day
            and day <= spans[org_id].as_of
        ],
    )


def _with_formulas(at: Standing) -> Standing:
    """A standing as a snapshot of today keeps it: with the versions of its formulas."""
    readiness, posture = (
        pl.lit(canonical_json(dict[str, Json](versions_of(names)))).alias(FORMULAS)
        for names in (tuple(READINESS_FORMULAS.values()), POSTURE_FORMULAS)
    )
    return Standing(at.readiness.with_columns(readiness), at.states, at.posture.with_columns(posture))


def _replace(stored: pl.DataFrame, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What is stored with what was computed anew in its place; of what nothing was computed stays as it is."""
    key = [name for name in ("org_id", "framework", "taken_on") if name in stored.columns]
    names = [name for name in stored.columns if name in frames[0].columns]
    anew = pl.concat([frame.select(names) for frame in frames]).cast({name: stored.schema[name] for name in names})
    return stored.update(anew, on=key, how="left", include_nulls=True)


def _without(changes: pl.DataFrame, days: Sequence[DayEnd]) -> pl.DataFrame:
    """What was seen on other days than these."""
    gone = pl.DataFrame(
        [(each.org_id, each.day) for each in days], schema={"org_id": pl.String, "observed_on": pl.Date}, orient="row"
    )
    return changes.join(gone, on=["org_id", "observed_on"], how="anti", maintain_order="left")


def _on(column: str, day: date, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(day).alias(column))


def _append(stored: pl.DataFrame, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What is stored with what was found; null where nothing of a column was found."""
    names = [name for name in stored.columns if name in frames[0].columns]
    return pl.concat([stored, *(frame.select(names) for frame in frames)], how="diagonal_relaxed")


def _consecutive(changes: pl.DataFrame) -> pl.DataFrame:
    """Each state that a control was seen in after another one, with that one."""
    before = pl.col("state").shift(1).over(_KEY)
    frame = changes.sort(*_KEY, "observed_on").with_columns(before=before)
    return (
        frame.filter(pl.col("before").is_null() | (pl.col("before") != pl.col("state")))
        .with_columns(previous=pl.coalesce("before", "previous"))
        .drop("before")
    )
