"""Snapshots: readiness, posture and states of controls as they were computed on a day.

What is stored is never recomputed, and says by which versions of the formulas it was computed: where these are others
today, reports compare with what the records of that day come to by today's. A week that has none, because nothing ran
in it, gets that of its Monday from the records as they were.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

import msgspec
import polars as pl

from engine.model.declarations.as_of import AsOf
from engine.model.errors import BadRequest
from engine.model.figures.versions import FORMULAS, versions_of
from engine.reporting.snapshot.weekly_state import Standing, standing
from engine.runtime.services import Services
from engine.store import Revision, rows
from engine.store.schema.outputs import control_state_changes, posture_snapshots, readiness_snapshots

WEEKS_BACK = 13  # that are made up for: each takes as long as a snapshot
_KEY = ["framework", "control_id"]
Rows = list[dict[str, object]]


class DayFacts(Protocol):
    """The facts of one organization on one day, such as a ``Snapshot`` of the replica."""

    @property
    def as_of(self) -> date: ...

    def fact(self, name: str) -> pl.DataFrame: ...


@dataclass(frozen=True)
class DaySnapshot:
    """Rows of the three tables of one day."""

    readiness: Rows
    changes: Rows
    posture: Rows


def take(services: Services, org_id: str, actor: str, *, now: datetime) -> str:
    """A snapshot of today; those that are missing come first."""
    missing = [_as_it_was(services, org_id, monday, now) for monday in _without(services, org_id, now)]
    day_snapshots = [snapshot for snapshot in missing if snapshot is not None and snapshot.readiness]
    if day_snapshots:
        with services.store.revision(org_id, actor, now=now) as revision:
            for snapshot in day_snapshots:
                keep(revision, snapshot)
    with services.snapshots.open(org_id, now=now) as today:
        snapshot = take_snapshot(today)
    with services.store.revision(org_id, actor, now=now) as revision:
        changed = keep(revision, snapshot)
    text = f"{changed} rows written, {len(snapshot.changes)} controls in another state"
    return f"{text}; weeks without a snapshot: {len(day_snapshots)}" if day_snapshots else text


def _without(services: Services, org_id: str, now: datetime) -> list[date]:
    """The Mondays of the last weeks that have no snapshot, from the week of the first one on."""
    monday = _monday(services.store.today(org_id, now))
    since = monday - timedelta(weeks=WEEKS_BACK)
    with services.store.reader() as connection:
        first = rows.first(connection, readiness_snapshots, org_id, order=("taken_on",))
        each = [since + timedelta(days=number) for number in range((monday - since).days)]
        taken = {_monday(row["taken_on"]) for row in rows.many(connection, readiness_snapshots, org_id, taken_on=each)}
    if first is None:
        return []
    weeks = [since + timedelta(weeks=number) for number in range(WEEKS_BACK)]
    return [week for week in weeks if week > first["taken_on"] and week not in taken]


def _as_it_was(services: Services, org_id: str, monday: date, now: datetime) -> DaySnapshot | None:
    """What a snapshot of that day had said; None where the records do not go back so far."""
    try:
        with services.snapshots.open(org_id, now=now, at=AsOf(monday)) as then:
            return take_snapshot(then)
    except BadRequest:
        return None


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def take_snapshot(today: DayFacts, found: Standing | None = None) -> DaySnapshot:
    """What is to be remembered of a day, from its facts; ``found`` is where it stands, where that is known."""
    found = found or standing(today.fact)
    return DaySnapshot(
        _readiness(today, found.readiness), _changes(today, found.states), _posture(today, found.posture)
    )


def keep(revision: Revision, snapshot: DaySnapshot) -> int:
    """Store a snapshot; a second one of the same day replaces the first. Returns how many rows changed."""
    counts = [
        revision.upsert(table, kept)
        for table, kept in (
            (readiness_snapshots, snapshot.readiness),
            (control_state_changes, snapshot.changes),
            (posture_snapshots, snapshot.posture),
        )
    ]
    changed = sum(count.created + count.updated for count in counts)
    if changed:
        revision.record("snapshot.taken", details={"rows": changed, "changes": len(snapshot.changes)})
    return changed


def _readiness(today: DayFacts, found: pl.DataFrame) -> Rows:
    from engine.facts.controls.readiness import READINESS_FORMULAS  # what computes is no part of what answers

    before = (
        today.fact("readiness_days")
        .filter(pl.col("taken_on") < today.as_of)
        .sort("taken_on")
        .group_by("framework")
        .last()
        .select("framework", before_on="taken_on", before_open="gaps_open")
    )
    opened = (
        today.fact("gaps")
        .join(before, on="framework", how="left")
        .group_by("framework")
        .agg(gaps_opened=(pl.col("detected_on") > pl.col("before_on")).sum().cast(pl.Int64))
    )
    frame = (
        found.drop("org_id")
        .join(before, on="framework", how="left")
        .join(opened, on="framework", how="left")
        .with_columns(gaps_opened=pl.when(pl.col("before_on").is_not_null()).then(pl.col("gaps_opened").fill_null(0)))
        .with_columns(
            gaps_closed=pl.max_horizontal(pl.col("before_open") + pl.col("gaps_opened") - pl.col("gaps_open"), 0)
        )
        .with_columns(gaps_closed=pl.when(pl.col("before_open").is_not_null()).then("gaps_closed"))
        .drop("before_on", "before_open")
    )
    formulas = versions_of(tuple(READINESS_FORMULAS.values()))
    return [{"taken_on": today.as_of, FORMULAS: formulas, **row} for row in frame.iter_rows(named=True)]


def _changes(today: DayFacts, found: pl.DataFrame) -> Rows:
    """Controls in another state than is stored of a day before today; those of which none is are seen now."""
    seen = (
        today.fact("stored_state_changes_rows")
        .filter(pl.col("observed_on") < today.as_of)
        .sort("observed_on")
        .group_by(_KEY)
        .last()
        .select(*_KEY, previous="state")
    )
    frame = (
        found.drop("org_id")
        .join(seen, on=_KEY, how="left", maintain_order="left")
        .filter(pl.col("previous").is_null() | (pl.col("previous") != pl.col("state")))
    )
    return [{"observed_on": today.as_of, **row} for row in frame.iter_rows(named=True)]


def _posture(today: DayFacts, frame: pl.DataFrame) -> Rows:
    from engine.facts.controls.readiness import POSTURE_FORMULAS  # what computes is no part of what answers

    return [
        {
            "taken_on": today.as_of,
            "score": score,
            "components": msgspec.json.decode(components),
            FORMULAS: versions_of(POSTURE_FORMULAS),
        }
        for score, components in frame.select("score", "components").iter_rows()
    ]
