"""What digests ask the store before they build anything: the clock of an organization, the ledger, runs, people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict, cast
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select, update

from engine.model.records import JobRunRow
from engine.model.thresholds import Thresholds, thresholds
from engine.model.vocabulary import Channel, DeliveryStatus, Json, Role
from engine.store.ids import new_id
from engine.store.rows import many, select_rows
from engine.store.schema.organizations import memberships, organization_settings, organizations, users
from engine.store.schema.outputs import deliveries, job_runs
from engine.store.store import Store
from engine.store.writing.revisions import Revision


class DeliveryRecord(TypedDict):
    """What was queued for somebody, and when it reached them."""

    id: str
    channel: Channel
    recipient: str
    status: DeliveryStatus
    content_hash: str | None
    late: bool
    created_at: datetime
    sent_at: datetime | None
    revision: int


@dataclass(frozen=True)
class Clock:
    """By which time and settings an organization's digests run."""

    zone: ZoneInfo
    settings: Thresholds


@dataclass(frozen=True)
class People:
    """Roles of the active members, stored preferences, and who has left."""

    roles: dict[str, Role]
    preferences: dict[str, Json]
    gone: frozenset[str]


def clock(connection: Connection, org_id: str) -> Clock:
    """Time zone and thresholds of an organization, as of the last write."""
    zone = connection.execute(select(organizations.c.time_zone).where(organizations.c.id == org_id)).scalar_one()
    rows = many(connection, organization_settings, org_id)
    version = max((row["revision"] for row in rows), default=0)
    return Clock(ZoneInfo(zone), thresholds(version, {row["name"]: row["value"] for row in rows}))


def ledger(connection: Connection, org_id: str, kind: str, period: str) -> list[DeliveryRecord]:
    """What was queued of a digest in a period; what was dropped does not count."""
    names = ("id", "channel", "recipient", "status", "content_hash", "late", "created_at", "sent_at", "revision")
    query = (
        select(*(deliveries.c[name] for name in names))
        .where(
            deliveries.c.org_id == org_id,
            deliveries.c.kind == kind,
            deliveries.c.period == period,
            deliveries.c.status != "skipped",
        )
        .order_by(deliveries.c.channel, deliveries.c.recipient)
    )
    return cast("list[DeliveryRecord]", [dict(row) for row in connection.execute(query).mappings()])


def runs_within(connection: Connection, org_id: str, job: str, since: datetime, until: datetime) -> list[JobRunRow]:
    """The runs of a job that began from ``since`` on and before ``until``, newest first."""
    query = (
        select(job_runs)
        .where(
            job_runs.c.org_id == org_id,
            job_runs.c.job == job,
            job_runs.c.started_at >= since,
            job_runs.c.started_at < until,
        )
        .order_by(job_runs.c.started_at.desc(), job_runs.c.id)
    )
    return select_rows(connection, job_runs, query)


def record_run(
    store: Store,
    org_id: str,
    job: str,
    *,
    started_at: datetime,
    finished_at: datetime | None,
    outcome: str | None,
    message: str,
    run_id: str | None = None,
) -> str:
    """Note that a job ran for an organization, without moving its revision; returns the run's identifier."""
    run_id = run_id or new_id("run")
    row = {
        "org_id": org_id,
        "id": run_id,
        "job": job,
        "started_at": started_at,
        "finished_at": finished_at,
        "outcome": outcome,
        "message": message,
        "revision": 0,
    }
    with store.unversioned_transaction() as connection:
        connection.execute(job_runs.insert().values(row))
    return run_id


def change_run(store: Store, run_id: str, *, finished_at: datetime | None, outcome: str | None, message: str) -> None:
    """Note how a run went on."""
    values = {"finished_at": finished_at, "outcome": outcome, "message": message}
    with store.unversioned_transaction() as connection:
        connection.execute(update(job_runs).where(job_runs.c.id == run_id).values(values))


def people(connection: Connection, org_id: str) -> People:
    """Who may be written to, and what they want."""
    members = many(connection, memberships, org_id)
    profiles = many(connection, users, org_id)
    removed = {row["email"] for row in members if row["status"] != "active"}
    left = {row["email"] for row in profiles if not row["active"]}
    return People(
        {row["email"]: row["role"] for row in members if row["status"] == "active" and row["email"] not in left},
        {row["email"]: row["preferences"] for row in profiles},
        frozenset(removed | left),
    )


def hold_until(revision: Revision, ids: Sequence[str], at: datetime) -> None:
    """Let queued deliveries wait."""
    for delivery_id in ids:
        revision.update(deliveries, {"id": delivery_id}, {"next_attempt_at": at})
