"""A demo organization written as it was lived: a revision for each day, and a bundle sealed on the way."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from data.demo.cast.organizations import PROFILES
from engine.archives.contents.windows import days
from engine.archives.sealing import bundles
from engine.intake.imports.days import DayRows, DaysImport
from engine.model.days import local_day, midnight
from engine.runtime.services import Services
from engine.store import Store
from engine.store.queries.history import bundles as sealed_bundles
from engine.store.queries.history.positions import recorded_before, write_at

SEALED_AGO = 90
TOGETHER = timedelta(days=2)  # what one import writes is not that far apart
MORNING = timedelta(hours=9)


def replay(services: Services, org_id: str, tables: Mapping[str, DayRows], *, now: datetime) -> None:
    """Its days up to now, checked before the first of them is written."""
    store, owner = services.store, f"owner@{org_id}.example"
    log = tables["audit_log"]
    happened = log.rows["occurred_at"] <= now  # today is not over
    day_rows = DayRows(log.rows.filter(happened), log.days.filter(happened))
    past = DaysImport(store, {**tables, "audit_log": day_rows}, org_id=org_id, actor=f"sync@{org_id}.example")
    zone = past.time_zone
    today = local_day(now, zone)
    sealed = today - timedelta(days=SEALED_AGO)
    if past.write(sealed - timedelta(days=1), now=now):
        bundles.create(services, org_id, owner, days(f"{SEALED_AGO}d"), now=midnight(sealed, zone) + MORNING)
    past.write(date.max, now=now)
    bundles.create(services, org_id, owner, days(f"{SEALED_AGO}d"), now=now)


def ends_early(store: Store, org_id: str) -> date | None:
    """The day on which the past of an organization ends whose replay was interrupted; None for a whole one."""
    head = store.head(org_id)
    if head is None:
        return None
    with store.reader() as connection:
        stand = write_at(connection, org_id, head.seq)
        if stand is None or recorded_before(connection, org_id, stand[1] - TOGETHER) is None:
            return None
        sealed = sealed_bundles.every(connection, org_id)
    done = 2 if PROFILES[org_id].days > SEALED_AGO else 1
    went_on = any(head.seq > row["sealed_seq"] + 1 for row in sealed)
    return None if len(sealed) >= done or went_on else local_day(stand[1], store.time_zone(org_id))
