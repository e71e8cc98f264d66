"""Whom the facts of a view are about: organizations, their days, zones and thresholds."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import msgspec

from engine.facts import FactQuestion
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS
from engine.model.documents.document import Organization, Position
from engine.model.thresholds import thresholds
from engine.replica.view import View
from engine.reporting.snapshot.subject import Subject

_ORGANIZATIONS = """
    SELECT o.id, o.name, o.time_zone, w.seq, w.hash FROM organizations o JOIN watermarks w ON w.org_id = o.id
    WHERE list_contains($1, o.id) ORDER BY o.id
"""
_SETTINGS = "SELECT org_id, name, value, revision FROM organization_settings WHERE list_contains($1, org_id)"
_HEADS = "SELECT org_id, part, revision, hash FROM table_heads WHERE list_contains($1, org_id)"


def subjects(view: View, org_ids: Sequence[str], day_in: Callable[[str], date]) -> list[Subject]:
    """The organizations of a view, each on the day that ``day_in`` gives for its time zone."""
    asked = [list(org_ids)]
    values: dict[str, dict[str, Any]] = {org_id: {} for org_id in org_ids}  # whatever JSON holds
    versions = dict.fromkeys(org_ids, 0)
    for org_id, name, value, revision in view.rows(_SETTINGS, asked):
        values[org_id][name] = msgspec.json.decode(value)
        versions[org_id] = max(versions[org_id], revision)
    heads: dict[str, dict[str, Position]] = {org_id: {} for org_id in org_ids}
    for org_id, part, revision, digest in view.rows(_HEADS, asked):
        heads[org_id][part] = Position(revision, digest)
    return [
        Subject(
            Organization(org_id, name, time_zone),
            Position(seq, digest),
            day_in(time_zone),
            thresholds(versions[org_id], values[org_id]),
            heads[org_id],
        )
        for org_id, name, time_zone, seq, digest in view.rows(_ORGANIZATIONS, asked)
    ]


def question(subject: Subject, period_days: int = DEFAULT_PERIOD_DAYS) -> FactQuestion:
    """What the facts are asked about a subject."""
    return FactQuestion(
        subject.organization.id, subject.organization.time_zone, subject.as_of, period_days, subject.settings
    )
