"""Runs of scheduled jobs: rows of the platform's organization that move no revision, as no report reads them."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, case, delete, exists, select, update

from engine.model.records import JobRunRow
from engine.model.vocabulary import JobOutcome
from engine.store.ids import PLATFORM
from engine.store.removal.retention import fully_held
from engine.store.rows import select_first
from engine.store.schema.outputs import job_runs
from engine.store.store import Store
from engine.store.types import Instant
from engine.store.writing.leases import Lease, renew_within

INTERRUPTED = "The process ended before the job did."


class Span(NamedTuple):
    """From one instant at which something is due to before the next."""

    since: datetime
    until: datetime


def begin(
    store: Store,
    run_id: str,
    job: str,
    *,
    now: datetime,
    lease: tuple[str, Lease] | None = None,
    unless_within: Span | None = None,
) -> bool:
    """Note that a job runs. The platform's organization must exist.

    False, and nothing is noted, where somebody else holds the lease, or where the job was done within the span.
    """
    row = {"org_id": PLATFORM, "id": run_id, "job": job, "started_at": now, "revision": 0}
    with store.unversioned_transaction() as connection:
        if lease is not None and not renew_within(connection, *lease):
            return False
        if unless_within is not None and ran_within(connection, job, unless_within):
            return False
        connection.execute(job_runs.insert().values(row))
        return True


def finish(store: Store, run_id: str, outcome: JobOutcome, message: str, *, now: datetime) -> bool:
    """Note how a run ended; False where it was noted as interrupted before."""
    ended = {"finished_at": now, "outcome": outcome, "message": message}
    with store.unversioned_transaction() as connection:
        mine = (job_runs.c.id == run_id, job_runs.c.outcome.is_(None))
        return connection.execute(update(job_runs).where(*mine).values(ended)).rowcount == 1


def interrupt(store: Store, run_ids: Collection[str], *, now: datetime) -> None:
    """Note of runs that they do not come to their end: the jobs are owed again."""
    for run_id in run_ids:
        finish(store, run_id, "failed", INTERRUPTED, now=now)


def close_interrupted(store: Store, jobs: Collection[str], alive: Collection[str], *, now: datetime) -> int:
    """Runs without an end that are not among ``alive`` died with their process; returns how many."""
    dead = (job_runs.c.job.in_(jobs), job_runs.c.outcome.is_(None), job_runs.c.id.not_in(alive))
    ended = {"finished_at": now, "outcome": "failed", "message": INTERRUPTED}
    with store.unversioned_transaction() as connection:
        return connection.execute(update(job_runs).where(*dead).values(ended)).rowcount


def last(connection: Connection, job: str) -> JobRunRow | None:
    """The latest run of a job."""
    query = select(job_runs).where(job_runs.c.job == job).order_by(job_runs.c.started_at.desc(), job_runs.c.id)
    return select_first(connection, job_runs, query)


def ran_within(connection: Connection, job: str, due: Span) -> bool:
    """Whether a run that began within the span goes on or came to an end of its own."""
    came = (job_runs.c.message != INTERRUPTED) | job_runs.c.message.is_(None)
    began = (job_runs.c.started_at >= due.since, job_runs.c.started_at < due.until)
    query = select(job_runs.c.id).where(job_runs.c.job == job, *began, came)
    return connection.execute(query.limit(1)).first() is not None


def prune(store: Store, *, platform: datetime, organizations: datetime, now: datetime) -> int:
    """Remove runs of the platform and of organizations that began before these instants; returns how many.

    The latest run of each job of each of them stays: it says that the job has begun at all. So do those of an
    organization with a legal hold on everything.
    """
    newer = job_runs.alias("newer")
    same = (newer.c.org_id == job_runs.c.org_id, newer.c.job == job_runs.c.job)
    before = case((job_runs.c.org_id == PLATFORM, _instant(platform)), else_=_instant(organizations))
    old = (job_runs.c.started_at < before, exists().where(*same, newer.c.started_at > job_runs.c.started_at))
    with store.unversioned_transaction() as connection:
        held = job_runs.c.org_id.in_(fully_held(connection, now))
        return connection.execute(delete(job_runs).where(*old, ~held)).rowcount


def _instant(value: datetime) -> ColumnElement[datetime]:
    return bindparam(None, value, type_=Instant())
