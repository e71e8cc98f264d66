"""Days of the past on which something was to be kept and was not: the facts of all of them in one pass.

What is computed is remembered: what was recorded by the end of a day does not change.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Generic, TypeVar

import polars as pl

from engine.facts import FactQuestion, Facts, Scan
from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.replica.replica import Replica
from engine.replica.scans.audit import local_day
from engine.reporting.snapshot.subject import Subject
from engine.reporting.snapshot.subjects import question, subjects
from engine.store.chain.chain import OWN_EVENTS
from engine.store.log.history import BEGUN

# ruff: noqa: S608 -- what is put in is an expression and a word of ours

T = TypeVar("T")
KEPT_DAYS = 2_000
# an event of that name that was imported says nothing
_BEGUN = f"action = '{BEGUN}' AND event_id = '{OWN_EVENTS}' || seq"
_BEGINNINGS = f"""
    SELECT q.org_id, q.as_of, {local_day("e.first_at")} AS since_on
    FROM asked q
    JOIN (
        SELECT org_id, coalesce(max(recorded_at) FILTER ({_BEGUN}), min(recorded_at)) AS first_at
        FROM audit_log GROUP BY org_id
    ) e USING (org_id)
    ORDER BY q.org_id
"""
_ENDS = f"""
    SELECT a.org_id, {local_day("a.recorded_at")} AS day, max(a.seq) AS seq, arg_max(a.hash, a.seq) AS hash
    FROM audit_log a JOIN asked q USING (org_id) GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True)
class DayEnd:
    """The end of a day, and where the chain of an organization stood then."""

    org_id: str
    day: date
    position: Position


@dataclass(frozen=True)
class RecordSpan:
    """Since when there are records of an organization, and the day that is asked about."""

    org_id: str
    as_of: date
    since_on: date


def record_spans(scan: Scan) -> list[RecordSpan]:
    """Of each organization that is asked about, the days of its records."""
    return [RecordSpan(*row) for row in scan(_BEGINNINGS).iter_rows()]


def day_ends(scan: Scan, wanted: Iterable[tuple[str, date]]) -> list[DayEnd]:
    """Where the chains of organizations stood at the end of days; none of a day before the records."""
    days = sorted(set(wanted))
    if not days:
        return []
    ends, found = scan(_ENDS), []
    for org_id, day in days:
        until = ends.filter(pl.col("org_id") == org_id, pl.col("day") <= day)
        if until.height:
            _, _, seq, digest = until.row(until["seq"].arg_max() or 0)
            found.append(DayEnd(org_id, day, Position(seq, digest)))
    return found


def mondays(since_on: date, until: date, weeks: int) -> list[date]:
    """The Mondays from a day on, of so many weeks before that of another one."""
    until -= timedelta(days=until.weekday())
    since_on = max(since_on, until - timedelta(weeks=weeks))
    first = since_on + timedelta(days=-since_on.weekday() % 7)
    return [first + timedelta(days=number) for number in range(0, (until - first).days, 7)]


class PastScan(Generic[T]):
    """What ``compute`` makes of days, each of which is an organization of its own: ``"0"``, ``"1"`` and so on.

    For one process. Threads may share one.
    """

    def __init__(self, replica: Replica, compute: Callable[[Facts, Sequence[Subject], Sequence[DayEnd]], list[T]]):
        self._replica = replica
        self._compute = compute
        self._known: dict[DayEnd, T] = {}
        self._guard = threading.Lock()

    def __call__(self, days: Sequence[DayEnd]) -> Mapping[DayEnd, T]:
        """What is known of the days, and maybe of others. Unavailable where the records were copied anew meanwhile."""
        with self._guard:
            unknown = [day for day in days if day not in self._known]
            if unknown:
                if len(self._known) + len(unknown) > KEPT_DAYS:
                    self._known = {day: self._known[day] for day in days if day in self._known}
                self._known = {**self._known, **self._scan_past(unknown)}
            return self._known

    def _scan_past(self, days: Sequence[DayEnd]) -> Mapping[DayEnd, T]:
        self._replica.sync({day.org_id for day in days}, with_past=True)
        moments = pl.DataFrame(
            [(number, str(number), day.org_id, day.position.seq, day.position.hash) for number, day in enumerate(days)],
            schema={"number": pl.Int64, "id": pl.String, "org_id": pl.String, "seq": pl.Int64, "hash": pl.String},
            orient="row",
        )
        with self._replica.view() as view:
            if not view.look_back_each(moments):
                raise Unavailable(
                    "The records were copied anew while they were read: try again.", headers={"Retry-After": "1"}
                )
            found = sorted(subjects(view, moments["id"].to_list(), lambda zone: date.min), key=_number)
            facts = Facts(view, [_question(question(each), days) for each in found])
            return dict(zip(days, self._compute(facts, found, days), strict=True))


def _number(subject: Subject) -> int:
    return int(subject.organization.id)


def _question(asked: FactQuestion, days: Sequence[DayEnd]) -> FactQuestion:
    return replace(asked, as_of=days[int(asked.org_id)].day)
