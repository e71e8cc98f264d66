"""What the weekly snapshots of the past year said, and the work on gaps that followed from it.

A snapshot is taken by the product itself, from the facts of its day. So it says what the diary had come to by then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

import polars as pl

from data.demo.cast import people
from data.demo.frames import frame
from data.demo.history import stories
from data.demo.history.chronicle import some
from data.demo.history.past import DatedRows, PastDay, facts_but, key_of, questions, tables_of
from data.demo.history.story import Story
from data.demo.programme.plan import Control
from engine.facts import FACTS, Facts
from engine.programme.snapshots import take_snapshot
from engine.replica.view import frame_view
from engine.reporting.snapshot.weekly_state import standing

WANTED = ("control_status", "control_evidence", "gaps", "readiness", "posture", "state_changes")
# how fresh evidence was when somebody signed takes long to find and is no part of a snapshot
NEEDLESS = ("audit_days_rows", "named_when_signed_rows")
# written by what follows from the states
FOLLOWING = ("control_state_changes", "remediations")
SEASON = 27  # weeks that are computed together: more take more memory, fewer more time
TABLES = ("readiness_snapshots", "control_state_changes", "posture_snapshots")
TITLES = {
    "partial": "Complete the evidence",
    "stale": "Collect current evidence",
    "ineffective": "Correct the failure",
    "no_data": "Begin to operate the control",
}
GOOD = ("effective", "not_applicable")


@dataclass(frozen=True)
class Change:
    """A control was seen in another state than the week before."""

    on: date
    state: str
    previous: str | None


Changes = Mapping[tuple[str, str], Sequence[Change]]


def fill(story: Story, controls: list[Control]) -> Changes:
    """The snapshots of every week, and remediations; returns how each control came to its state."""
    mondays = [story.monday(ago) for ago in reversed(range(story.profile.weeks))]
    days = [monday for monday in mondays if monday >= story.first_day]
    known = {name for name, rows in story.tables.items() if rows} | set(story.frames)
    tables = {table: DatedRows(story, table) for table in tables_of(WANTED, known)}
    seasons = [days[start : start + SEASON] for start in range(0, len(days), SEASON)]
    before = [_before(story, season, tables) for season in seasons]
    changes = _changes(story, pl.concat([status for status, _ in before]), days)
    if controls:
        _remediations(story, controls, changes)
    for (framework, control_id), path in sorted(changes.items()):
        for change in path:
            story.add(
                "control_state_changes",
                framework=framework,
                control_id=control_id,
                observed_on=change.on,
                state=change.state,
                previous=change.previous,
            )
    following = {table: DatedRows(story, table) for table in FOLLOWING}
    story.tables["control_state_changes"].clear()
    for season, (_, given) in zip(seasons, before, strict=True):
        with frame_view({table: rows.on(season) for table, rows in following.items()}) as view:
            _take(story, season, Facts(view, questions(story, season), given))
    return changes


def _before(
    story: Story, days: Sequence[date], tables: Mapping[str, DatedRows]
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """The states of controls on each day, and what else snapshots rest on that does not follow from them."""
    asked = questions(story, days)
    with frame_view({}) as nothing:
        left_out = Facts(nothing, asked)
        needless = {scan: left_out[scan] for scan in NEEDLESS}
    with frame_view({table: rows.on(days) for table, rows in tables.items()}) as view:
        facts = Facts(view, asked, needless)
        return facts["control_status"], facts_but(facts, WANTED, [f"{table}_rows" for table in FOLLOWING])


def _changes(story: Story, status: pl.DataFrame, days: Sequence[date]) -> Changes:
    day = pl.col("org_id").replace_strict({key_of(story, day): day for day in days}, return_dtype=pl.Date)
    control = ["framework", "control_id"]
    seen = (
        status.select(*control, "state", day=day)
        .sort("day")
        .with_columns(previous=pl.col("state").shift().over(control))
        .filter(pl.col("previous").is_null() | (pl.col("previous") != pl.col("state")))
    )
    paths: dict[tuple[str, str], list[Change]] = {}
    for framework, control_id, on, state, previous in seen.select(*control, "day", "state", "previous").iter_rows():
        paths.setdefault((framework, control_id), []).append(Change(on, state, previous))
    return paths


def _take(story: Story, days: Sequence[date], facts: Facts) -> None:
    """Each snapshot knows those before it."""
    together = standing(facts.__getitem__)
    for day in days:
        key = key_of(story, day)
        taken = frame("readiness_snapshots", story.tables["readiness_snapshots"]).with_columns(org_id=pl.lit(key))
        frames = {"readiness_days": FACTS["readiness_days"](taken)}
        snapshot = take_snapshot(PastDay(day, key, facts, frames), together.of(key))
        for table, rows in zip(TABLES, (snapshot.readiness, snapshot.changes, snapshot.posture), strict=True):
            story.tables[table] += rows


def _remediations(story: Story, controls: list[Control], changes: Changes) -> None:
    """Work on every gap that was closed, and on most of those that are open; each began when the gap was seen."""
    rng = story.rng("remediations")
    told_of = {*stories.QUICK_WINS[story.profile.org], stories.RELIED_ON[story.profile.org]}
    work: list[tuple[date, str, date | None, Control]] = []
    for control in controls:
        key = (control.framework, control.control_id)
        path = changes[key]
        found: Change | None = None
        for change in path:
            if change.state in GOOD:
                if found and change.state == "effective":
                    work.append((found.on, found.state, change.on, control))
                found = None
            elif found is None:
                found = change
        if found and (key in told_of or rng.random() < 0.55):
            work.append((found.on, path[-1].state, None, control))
    for opened, state, closed, control in sorted(work, key=lambda item: (item[0], item[3].key)):
        _remediation(story, control, rng, state, opened, closed)


def _remediation(story: Story, control: Control, rng: Random, state: str, opened_on: date, closed: date | None) -> None:
    done = None if closed is None else max(opened_on, closed - timedelta(days=rng.randint(1, 6)))
    on_time = rng.random() < story.profile.care
    if done is None:
        due_on = story.day(-rng.randint(3, 110) if on_time else rng.randint(1, 40))
    else:
        due_on = done + timedelta(days=rng.randint(0, 45) if on_time else -rng.randint(1, 30))
    status = rng.choices(("open", "in_progress", "blocked"), (50, 38, 12))[0]
    waits_for = rng.choice(("budget approval", "a vendor's answer", "the migration"))
    relied = (control.framework, control.control_id) == stories.RELIED_ON[story.profile.org]
    row = story.add(
        "remediations",
        since=opened_on,
        id=story.yearly("REM", opened_on),
        framework=control.framework,
        control_id=control.control_id,
        title=f"{TITLES[state]}: {control.title}",
        owner=people.leaver(story) if rng.random() < 0.012 else control.owner,
        opened_on=opened_on,
        due_on=max(due_on, opened_on),
        status="open",
        blocked_by=None,
        compensating="EXC-001" if relied else None,
        severity="high" if state == "ineffective" else None,
    )
    taken_up = min(opened_on + timedelta(days=1 + some(11, row["id"])), done or story.today, story.today)
    story.amend(row, taken_up, status=status, blocked_by=waits_for if status == "blocked" else None)
    if done is not None:
        story.amend(row, done, closed_on=done, status="closed", blocked_by=None)
