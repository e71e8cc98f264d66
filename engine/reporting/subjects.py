"""Whom the facts of a view are about: organizations, their days, zones and thresholds."""

from collections.abc import Callable, Sequence
from datetime import date

import msgspec
import polars as pl

from engine.model.ask import DEFAULT_PERIOD_DAYS
from engine.model.document import Organization, Position
from engine.model.thresholds import thresholds
from engine.reporting.facts import FactQuestion
from engine.reporting.subject import Subject
from engine.reporting.view import View


def subjects(view: View, org_ids: Sequence[str], day_in: Callable[[str], date]) -> list[Subject]:
    """The organizations of a view, each on the day that ``day_in`` gives for its time zone."""
    found = view.frame("SELECT id, name, time_zone FROM organizations ORDER BY id")
    rows = found.filter(pl.col("id").is_in(list(org_ids)))
    changed = view.frame("SELECT org_id, name, value, revision FROM organization_settings ORDER BY org_id, name")
    heads = view.frame("SELECT org_id, part, revision, hash FROM table_heads ORDER BY org_id, part")
    result = []
    for org_id, name, time_zone in rows.iter_rows():
        position = view.position(org_id)
        if position is None:
            continue
        own = changed.filter(pl.col("org_id") == org_id)
        values = {key: msgspec.json.decode(value) for key, value in own.select("name", "value").iter_rows()}
        settings = thresholds(max(own["revision"].to_list(), default=0), values)
        moved = heads.filter(pl.col("org_id") == org_id).select("part", "revision", "hash")
        parts = {part: Position(seq, digest) for part, seq, digest in moved.iter_rows()}
        organization = Organization(org_id, name, time_zone)
        result.append(Subject(organization, position, day_in(time_zone), settings, parts))
    return result


def question(subject: Subject, period_days: int = DEFAULT_PERIOD_DAYS) -> FactQuestion:
    """What the facts are asked about a subject."""
    return FactQuestion(
        subject.organization.id, subject.organization.time_zone, subject.as_of, period_days, subject.settings
    )
