"""A demo organization written as it was lived: a revision for each day, and a bundle sealed on the way."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from engine.archives import bundles
from engine.archives.windows import days
from engine.intake.imports.days import DayRows, DaysImport
from engine.model.days import local_day, midnight
from engine.runtime.services import Services

SEALED_AGO = 90
MORNING = timedelta(hours=9)


def replay(services: Services, org_id: str, tables: Mapping[str, DayRows], *, now: datetime) -> None:
    """Its days up to now, checked before the first of them is written."""
    store, owner = services.store, f"owner@{org_id}.example"
    log = tables["audit_log"]
    happened = log.rows["occurred_at"] <= now  # today is not over
    told = DayRows(log.rows.filter(happened), log.days.filter(happened))
    past = DaysImport(store, {**tables, "audit_log": told}, org_id=org_id, actor=f"sync@{org_id}.example")
    zone = past.time_zone
    today = local_day(now, zone)
    sealed = today - timedelta(days=SEALED_AGO)
    if past.write(sealed - timedelta(days=1), now=now):
        bundles.create(services, org_id, owner, days(f"{SEALED_AGO}d"), now=midnight(sealed, zone) + MORNING)
    past.write(date.max, now=now)
    bundles.create(services, org_id, owner, days(f"{SEALED_AGO}d"), now=now)
