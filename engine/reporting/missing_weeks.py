"""Weeks without a snapshot: what one of their Monday would have kept, from the records as they were at its end.

Readiness, posture and states of controls are kept once a week. Where nothing ran in a week, whoever reads snapshots
reads this instead, so that no trend has a gap. All weeks that are missing are one pass over the past, and are
remembered: what was recorded by the end of a day does not change. So a report is still named by its revision and its
day. A week is missing once it is over, as the present one may still get its own, and for about a year.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from engine.model.document import Position
from engine.model.errors import Unavailable
from engine.reporting.facts import WEEKLY, FactQuestion, Facts, Scan
from engine.reporting.facts.audit_scans import local_day
from engine.reporting.replica import Replica
from engine.reporting.standing import Standing, standing
from engine.reporting.subjects import question, subjects
from engine.store.chain import OWN_EVENTS
from engine.store.history import BEGUN

# ruff: noqa: S608 -- what is put in is an expression and a word of ours

WEEKS_BACK = 53  # no trend shows more
KEPT_WEEKS = 2_000
_KEY = ("org_id", "framework", "control_id")
# an event of that name that was imported says nothing
_BEGUN = f"action = '{BEGUN}' AND event_id = '{OWN_EVENTS}' || seq"
# where records begin, and the earliest day on which a framework was adopted; no row where none ever was
_BEGINNINGS = f"""
    SELECT q.org_id, q.as_of, greatest({local_day("e.first_at")}, f.adopted_on) AS since_on
    FROM asked q
    JOIN (
        SELECT org_id, coalesce(max(recorded_at) FILTER ({_BEGUN}), min(recorded_at)) AS first_at
        FROM audit_log GROUP BY org_id
    ) e USING (org_id)
    JOIN (
        SELECT org_id, min(coalesce(adopted_on, DATE '0001-01-01')) AS adopted_on
        FROM organization_frameworks GROUP BY org_id
    ) f USING (org_id)
    ORDER BY q.org_id
"""
_ENDS = f"""
    SELECT a.org_id, {local_day("a.recorded_at")} AS day, max(a.seq) AS seq, arg_max(a.hash, a.seq) AS hash
    FROM audit_log a JOIN asked q USING (org_id) GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True)
class _Monday:
    """The end of a day on which a snapshot was to be taken."""

    org_id: str
    day: date
    position: Position


class MissingWeeks:
    """What the snapshots of missing weeks would say, for one process. Threads may share one."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._known: dict[_Monday, Standing] = {}
        self._guard = threading.Lock()

    def complete(self, scan: Scan, stored: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
        """The scans of snapshots with the weeks that none is stored of; those that are stored stay as they are."""
        readiness, posture, changes = (stored[name] for name in WEEKLY)
        mondays = _missing(scan, readiness)
        if mondays:
            standings = self._standings(mondays)
            found = [(monday.day, standings[monday]) for monday in mondays]
            readiness = _added(readiness, [_on("taken_on", day, at.readiness) for day, at in found])
            posture = _added(posture, [_on("taken_on", day, at.posture) for day, at in found])
            changes = _added(changes, [_on("observed_on", day, at.states) for day, at in found])
        return dict(zip(WEEKLY, (readiness, posture, _consecutive(changes)), strict=True))

    def _standings(self, mondays: Sequence[_Monday]) -> Mapping[_Monday, Standing]:
        with self._guard:
            unknown = [monday for monday in mondays if monday not in self._known]
            if unknown:
                if len(self._known) + len(unknown) > KEPT_WEEKS:
                    self._known = {monday: self._known[monday] for monday in mondays if monday in self._known}
                self._known = {**self._known, **self._look_back(unknown)}
            return self._known

    def _look_back(self, mondays: Sequence[_Monday]) -> Mapping[_Monday, Standing]:
        """Each of them as an organization of its own, so that all are computed at once."""
        self._replica.sync({monday.org_id for monday in mondays}, with_past=True)
        moments = pl.DataFrame(
            [
                (number, str(number), monday.org_id, monday.position.seq, monday.position.hash)
                for number, monday in enumerate(mondays)
            ],
            schema={"number": pl.Int64, "id": pl.String, "org_id": pl.String, "seq": pl.Int64, "hash": pl.String},
            orient="row",
        )
        with self._replica.view() as view:
            if not view.look_back_each(moments):
                raise Unavailable(
                    "The records were copied anew while they were read: try again.", headers={"Retry-After": "1"}
                )
            found = subjects(view, moments["id"].to_list(), lambda zone: date.min)
            facts = Facts(view, [_question(question(each), mondays) for each in found])
            together = standing(facts.__getitem__)
        return {monday: _of(together, str(number), monday.org_id) for number, monday in enumerate(mondays)}


def _question(asked: FactQuestion, mondays: Sequence[_Monday]) -> FactQuestion:
    return replace(asked, as_of=mondays[int(asked.org_id)].day)


def _of(together: Standing, number: str, org_id: str) -> Standing:
    """One standing out of those that were computed together, with the organization that it is of."""
    mine, named = pl.col("org_id") == number, pl.lit(org_id).alias("org_id")
    frames = (together.readiness, together.states, together.posture)
    return Standing(*(frame.filter(mine).with_columns(named) for frame in frames))


def _missing(scan: Scan, stored: pl.DataFrame) -> list[_Monday]:
    """The Mondays of the weeks before the present one that have no snapshot, from where the records begin."""
    taken = set(stored.select("org_id", pl.col("taken_on").dt.truncate("1w")).iter_rows())
    days = [
        (org_id, day) for org_id, as_of, since_on in scan(_BEGINNINGS).iter_rows() for day in _mondays(since_on, as_of)
    ]
    missing = [(org_id, day) for org_id, day in days if (org_id, day) not in taken]
    if not missing:
        return []
    ends = scan(_ENDS)
    found = []
    for org_id, day in missing:
        until = ends.filter(pl.col("org_id") == org_id, pl.col("day") <= day)
        _, _, seq, digest = until.row(until["seq"].arg_max() or 0)
        found.append(_Monday(org_id, day, Position(seq, digest)))
    return found


def _mondays(since_on: date, until: date) -> list[date]:
    """The Mondays from a day on, of the last weeks before that of another one."""
    until -= timedelta(days=until.weekday())
    since_on = max(since_on, until - timedelta(weeks=WEEKS_BACK))
    first = since_on + timedelta(days=-since_on.weekday() % 7)
    return [first + timedelta(days=number) for number in range(0, (until - first).days, 7)]


def _on(column: str, day: date, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(day).alias(column))


def _added(stored: pl.DataFrame, found: Sequence[pl.DataFrame]) -> pl.DataFrame:
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
