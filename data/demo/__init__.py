"""Four believable organizations, three with a year of history and one in its first month, up to a day that is given.

``generate`` returns frames by table name, with exactly the columns of the importable tables (without the
organization, which whoever loads them names). Same organization and day: same frames.
"""

from datetime import date

import polars as pl

from data.demo.cast import dune, people
from data.demo.cast.organizations import PROFILES
from data.demo.frames import frame, ordered_frame
from data.demo.history import events
from data.demo.history.story import Story
from data.demo.operations import automation, deploys, duty, findings, incidents, senders, services, slo, systems
from data.demo.programme import (
    controls,
    duties,
    holds,
    maturity,
    policies,
    practice,
    requests,
    risk,
    signatures,
    snapshots,
    testing,
    vendors,
    weaknesses,
    work,
)
from engine.intake.imports.days import DayRows

DEMO_ORGANIZATIONS = tuple(PROFILES)
MOMENTS = {"audit_log": "occurred_at", "slo_buckets": "bucket_at"}  # of what is written once and never changes

DAY = "#day"

__all__ = ["DEMO_ORGANIZATIONS", "generate", "generate_days"]


def generate(org: str, today: date) -> dict[str, pl.DataFrame]:
    """Every table of a demo organization as it stands on ``today``; KeyError for any other organization."""
    story = build_story(org, today)
    return {**{name: frame(name, rows) for name, rows in story.tables.items() if rows}, **story.frames}


def generate_days(org: str, today: date) -> dict[str, DayRows]:
    """The same, with what each row said from day to day since the first."""
    story = build_story(org, today)
    day_rows = {name: _days(story, name) for name, rows in story.tables.items() if rows}
    return {**day_rows, **{name: _moments(story, name, rows) for name, rows in story.frames.items()}}


def _days(story: Story, name: str) -> DayRows:
    first = story.first_day
    versions = [version for version in story.versions(name) if version.until > first]
    days = [max(version.since, first) for version in versions]
    return DayRows(ordered_frame(name, [version.row for version in versions]), pl.Series(days, dtype=pl.Date))


def _moments(story: Story, name: str, rows: pl.DataFrame) -> DayRows:
    """Of each day, what was told of records comes before the traffic."""
    local = pl.col(MOMENTS[name]).dt.convert_time_zone(story.profile.time_zone).dt.date()
    dated = rows.with_columns(local.clip(lower_bound=story.first_day).alias(DAY))
    if name == "audit_log":
        dated = dated.sort(DAY, pl.col("event_id").str.contains(events.TRAFFIC_ID), maintain_order=True)
    return DayRows(dated.drop(DAY), dated[DAY])


def build_story(org: str, today: date) -> Story:
    """The diary of a demo organization up to ``today``."""
    story = Story(PROFILES[org], today)
    if org == dune.ORG:
        dune.fill(story)
        events.close(story)
        snapshots.fill(story, [])
    else:
        _draw(story)
    return story


def _draw(story: Story) -> None:
    """A year of an organization of some size: what its profile says, in rows."""
    people.fill(story)
    services.fill(story)
    systems.fill(story)
    senders.fill(story)
    slo.fill(story)
    deploys.fill(story)
    incidents.fill(story)
    duty.fill(story)
    slo.traffic(story)
    findings.fill(story)
    holds.fill(story)
    vendors.fill(story)
    events.routine(story, practice.practices(story))
    drawn = maturity.controls(story)
    policies.fill(story, drawn)
    automation.fill(story, drawn)
    controls.profiles(story, drawn)
    controls.owners(story, drawn)
    signatures.fill(story, drawn)
    testing.schedules(story, drawn)
    requests.evidence(story, drawn)
    requests.requests(story, drawn)
    risk.fill(story, drawn)
    events.close(story)
    changes = snapshots.fill(story, drawn)
    if story.profile.poam:
        weaknesses.fill(story, drawn, changes)
    work.fill(story, drawn)
    duties.fill(story)
