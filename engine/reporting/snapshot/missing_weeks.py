"""Weeks without a snapshot: what one of their Monday would have kept, from the records as they were at its end.

Readiness, posture and states of controls are kept once a week, and so is what a week was planned to hold. Where nothing
ran in a week, whoever reads snapshots reads this instead, so that no trend has a gap. All weeks that are missing are
one pass over the past, and are remembered. So a report is still named by its revision and its day. A week is missing
once it is over, as the present one may still get its own, and for about a year.
"""

from collections.abc import Mapping, Sequence
from datetime import date

import polars as pl

from engine.facts import PLANNED, WEEKLY, Facts, Scan
from engine.replica.replica import Replica
from engine.reporting.snapshot.look_back import DayEnd, PastScan, day_ends, mondays, record_spans
from engine.reporting.snapshot.missing_plans import MissingPlans
from engine.reporting.snapshot.subject import Subject
from engine.reporting.snapshot.weekly_state import Standing, standing

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
        """The scans of snapshots with the weeks that none is stored of; those that are stored stay as they are."""
        if PLANNED[0] in stored:
            return {PLANNED[0]: self._plans.complete(scan, stored[PLANNED[0]])}
        readiness, posture, changes = (stored[name] for name in WEEKLY)
        missing = _missing(scan, readiness)
        if missing:
            standings = self._standings(missing)
            found = [(monday.day, standings[monday]) for monday in missing]
            readiness = _append(readiness, [_on("taken_on", day, at.readiness) for day, at in found])
            posture = _append(posture, [_on("taken_on", day, at.posture) for day, at in found])
            changes = _append(changes, [_on("observed_on", day, at.states) for day, at in found])
        return dict(zip(WEEKLY, (readiness, posture, _consecutive(changes)), strict=True))


def _standings(facts: Facts, found: Sequence[Subject], days: Sequence[DayEnd]) -> list[Standing]:
    together = standing(facts.__getitem__)
    return [_of(together, str(number), day.org_id) for number, day in enumerate(days)]


def _of(together: Standing, number: str, org_id: str) -> Standing:
    """One standing out of those that were computed together, with the organization that it is of."""
    mine, named = pl.col("org_id") == number, pl.lit(org_id).alias("org_id")
    frames = (together.readiness, together.states, together.posture)
    return Standing(*(frame.filter(mine).with_columns(named) for frame in frames))


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


def _on(column: str, day: date, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(day).alias(column))


def _append(stored: pl.DataFrame, found: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What is stored with what was found; null where nothing of a column was found."""
    names = [name for name in stored.columns if name in found[0].columns]
    return pl.concat([stored, *(frame.select(names) for frame in found)], how="diagonal_relaxed")


def _consecutive(changes: pl.DataFrame) -> pl.DataFrame:
    """Each state that a control was seen in after another one, with that one."""
    before = pl.col("state").shift(1).over(_KEY)
    frame = changes.sort(*_KEY, "observed_on").with_columns(before=before)
    return (
        frame.filter(pl.col("before").is_null() | (pl.col("before") != pl.col("state")))
        .with_columns(previous=pl.coalesce("before", "previous"))
        .drop("before")
    )
