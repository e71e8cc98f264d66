"""Tasks of the calendar: of a declared digest, of the staffing chain, of snapshots."""

from collections.abc import Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from engine.archives.contents.windows import days
from engine.archives.sealing import bundles
from engine.digests.calendar import Task
from engine.digests.chain import CHAIN_NAME, run_chain
from engine.digests.deliver import deliver, key, run_name, wants
from engine.model.days import local_day
from engine.model.declarations.digest import Digest, When, last_due
from engine.model.figures.formulas import iso_week
from engine.runtime.services import Services
from engine.store.queries.history import weeks
from engine.store.queries.sending import digests as queries
from engine.store.queries.sending.digests import Clock

ACTOR = "scheduler"
MONDAY = 1


def digest_task(digest: Digest) -> Task:
    """Owed at the digest's cadence, within the period in which it was due, unless that has it already."""

    def run(services: Services, org_id: str, now: datetime) -> str:
        return deliver(services, digest, org_id, ACTOR, now=now, scheduled=True).outcome

    def is_done(services: Services, org_id: str, clock: Clock, now: datetime) -> bool:
        parts = services.store.part_heads(org_id)
        period = key(digest, _today(clock.zone, now), parts)
        if key(digest, _due_on(when, clock, now), parts) != period:
            return True
        with services.store.reader() as connection:
            return bool(queries.ledger(connection, org_id, digest.name, period))

    def is_due(services: Services, org_id: str) -> bool:
        return wants(services, digest, org_id)

    when = When(digest.every)
    return Task(run_name(digest.name), when, run, is_due, is_done)


def chain_task(chain: Sequence[Digest]) -> Task:
    """The chain, Monday to Friday; what was missed is made up for within the week."""

    def run(services: Services, org_id: str, now: datetime) -> str:
        return run_chain(services, chain, org_id, ACTOR, now=now).outcome

    def is_due(services: Services, org_id: str) -> bool:
        return any(wants(services, digest, org_id) for digest in chain)

    def is_done(services: Services, org_id: str, clock: Clock, now: datetime) -> bool:
        return iso_week(_due_on(when, clock, now)) != iso_week(_today(clock.zone, now))

    when = When("weekday")
    return Task(run_name(CHAIN_NAME), when, run, is_due, is_done, notes="none")


def bundle_task() -> Task:
    """A bundle of the last 30 days on the first of each month, for organizations that have sealed one before."""

    def run(services: Services, org_id: str, now: datetime) -> str:
        made = bundles.create_scheduled(services, org_id, ACTOR, days("30d"), now=now)
        return f"bundle {made.row['id']} {'was sealed already' if made.again else 'sealed'}"

    def is_done(services: Services, org_id: str, clock: Clock, now: datetime) -> bool:
        return False  # a run since it was due says so

    return Task("bundle", When("month"), run, bundles.any_of, is_done, notes="all")


def snapshot_tasks() -> tuple[Task, ...]:
    """The week's snapshot and plan, as it begins."""

    def snapshot(services: Services, org_id: str, now: datetime) -> str:
        from engine.programme import snapshots

        return snapshots.take(services, org_id, ACTOR, now=now)

    def plan(services: Services, org_id: str, now: datetime) -> str:
        from engine.programme import week_plans

        return week_plans.take(services, org_id, ACTOR, now=now)

    def has_snapshot(services: Services, org_id: str, clock: Clock, now: datetime) -> bool:
        with services.store.reader() as connection:
            return weeks.has_snapshot(connection, org_id, _today(clock.zone, now))

    def has_plan(services: Services, org_id: str, clock: Clock, now: datetime) -> bool:
        with services.store.reader() as connection:
            return weeks.has_plan(connection, org_id, _today(clock.zone, now))

    when = When("week", hour=0, weekday=MONDAY)
    return (
        Task("snapshot:readiness", when, snapshot, _always, has_snapshot, notes="all"),
        Task("snapshot:week", when, plan, _always, has_plan, notes="all"),
    )


def _today(zone: ZoneInfo, now: datetime) -> date:
    return local_day(now, zone)


def _due_on(when: When, clock: Clock, now: datetime) -> date:
    return local_day(last_due(when, now, clock.zone, clock.settings), clock.zone)


def _always(services: Services, org_id: str) -> bool:
    return True
