"""What an incident cost: how long it lasted, whom it reached, and its part of the service's error budget."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.incidents.slo.slo_rules import LEAST_BUCKETS_PCT
from engine.incidents.slo.slo_sums import BUCKET_MINUTES, DAY_MINUTES
from engine.model.figures.formulas import budget_used_pct
from engine.model.records import IncidentRow
from engine.store import Reader
from engine.store.queries.operations.incidents import bucket_counts, last_bucket
from engine.store.rows import first
from engine.store.schema.services import slo_profiles

BUCKET = timedelta(minutes=BUCKET_MINUTES)
WINDOW_DAYS = 30


@dataclass(frozen=True)
class Impact:
    """Minutes from the first sign to the end of the effect; None while it lasts.

    ``bad`` of ``total`` events went wrong meanwhile. ``budget`` is the number of bad events that the objective allows
    in the 30 days that end with the incident, ``used_pct`` the incident's part of it. Where there is no figure,
    ``blank`` says why. ``over`` is false while the figures still grow.
    """

    users: int | None
    minutes: float | None
    over: bool
    objective_pct: float | None = None
    total: int | None = None
    bad: int | None = None
    budget: float | None = None
    used_pct: float | None = None
    blank: str | None = None


def impact(connection: Reader, org_id: str, incident: IncidentRow) -> Impact:
    """The impact of an incident row, from the five-minute buckets of its service."""
    began = incident["started_at"] or incident["opened_at"]
    ended = incident["mitigated_at"] or incident["resolved_at"] or incident["closed_at"]
    minutes = round((ended - began).total_seconds() / 60, 1) if ended is not None and ended >= began else None
    users, over, service_id = incident["impact_users"], ended is not None, incident["service_id"]
    if service_id is None:
        return Impact(users, minutes, over, blank="no service is recorded")
    profile = first(connection, slo_profiles, org_id, service_id=service_id)
    if profile is None:
        return Impact(users, minutes, over, blank="the service has no service level objective")
    objective = profile["objective_pct"]
    last = last_bucket(connection, org_id, service_id)
    if last is None:
        return Impact(users, minutes, over, objective, blank="no events of the service are recorded")
    until = _ceiling(ended) if ended is not None else last + BUCKET
    during, total, bad = bucket_counts(connection, org_id, service_id, began - BUCKET + timedelta.resolution, until)
    held, events, _ = bucket_counts(connection, org_id, service_id, until - timedelta(days=WINDOW_DAYS), until)
    if not during or not events:
        return Impact(users, minutes, over, objective, blank="no events of the service are recorded for that time")
    if held * BUCKET_MINUTES * 100 < LEAST_BUCKETS_PCT * WINDOW_DAYS * DAY_MINUTES:
        blank = f"the service has too little history ({held:,} five-minute buckets in {WINDOW_DAYS} days)"
        return Impact(users, minutes, over, objective, total, bad, blank=blank)
    used = budget_used_pct(bad, events, objective)
    return Impact(
        users,
        minutes,
        over,
        objective,
        total,
        bad,
        round(events * (100 - objective) / 100, 1),
        None if used is None else round(used, 1),
        "an objective of 100 % leaves no error budget" if used is None else None,
    )


def _ceiling(at: datetime) -> datetime:
    """The end of the bucket that ``at`` lies in; a moment on a boundary ends the bucket before it."""
    floor = at.astimezone(UTC).replace(minute=at.minute - at.minute % BUCKET_MINUTES, second=0, microsecond=0)
    return floor if floor == at else floor + BUCKET
