"""Three believable organizations with a year of history, relative to a day that is given.

``generate`` returns frames by table name, with exactly the columns of the importable tables (without the
organization, which whoever loads them names). Same organization and day: same frames.
"""

from datetime import date

import polars as pl

from data.demo import (
    automation,
    controls,
    deploys,
    duties,
    events,
    findings,
    history,
    holds,
    incidents,
    maturity,
    people,
    policies,
    practice,
    requests,
    risk,
    services,
    slo,
    systems,
    testing,
    vendors,
    work,
)
from data.demo.frames import frame
from data.demo.organizations import PROFILES
from data.demo.story import Story

DEMO_ORGANIZATIONS = tuple(PROFILES)

__all__ = ["DEMO_ORGANIZATIONS", "generate"]


def generate(org: str, today: date) -> dict[str, pl.DataFrame]:
    """Every table of a demo organization as it stands on ``today``; KeyError for any other organization."""
    story = Story(PROFILES[org], today)
    people.fill(story)
    services.fill(story)
    systems.fill(story)
    slo.fill(story)
    deploys.fill(story)
    incidents.fill(story)
    findings.fill(story)
    holds.fill(story)
    vendors.fill(story)
    events.routine(story, practice.practices(story))
    drawn = maturity.controls(story)
    policies.fill(story, drawn)
    automation.fill(story, drawn)
    controls.profiles(story, drawn)
    controls.owners(story, drawn)
    controls.attestations(story, drawn)
    testing.schedules(story, drawn)
    requests.evidence(story, drawn)
    requests.requests(story, drawn)
    past = history.past(story, drawn)
    history.fill(story, drawn, past)
    risk.fill(story, drawn, past)
    work.fill(story, drawn)
    duties.fill(story)
    frames = {name: frame(name, rows) for name, rows in story.tables.items()}
    return {**frames, "slo_buckets": slo.buckets(story), "audit_log": events.audit_log(story)}
