"""Reads around one incident: its audit events, its peers, and what happened near it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypedDict, cast

from sqlalchemy import Connection, and_, func, or_, select

from engine.model.document import Position
from engine.model.vocabulary import ExecutionStatus, Json, Severity
from engine.store.revisions import in_batches
from engine.store.rows import TableQuery, select_rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import dry_runs, executions, policy_blocks
from engine.store.schema.organizations import heads
from engine.store.schema.records import (
    AuditLogRow,
    DeployRow,
    FindingRow,
    IncidentRow,
    PolicyBlockRow,
    SloBucketRow,
)
from engine.store.schema.services import deploys, findings, incidents, slo_buckets


class IncidentSteps(TypedDict):
    """When an incident went from step to step; None for a step that it did not take, or not yet."""

    started_at: datetime | None
    opened_at: datetime
    acknowledged_at: datetime | None
    mitigated_at: datetime | None
    resolved_at: datetime | None


class EarlierIncident(TypedDict):
    """An incident that is over, and what was found to be its cause."""

    id: str
    title: str
    resolved_at: datetime
    root_cause: str | None
    service_id: str | None
    dedupe_key: str | None


class AutomationRun(TypedDict):
    """An executed automation with the inputs that it was rehearsed with."""

    id: str
    playbook: str
    status: ExecutionStatus
    executed_at: datetime
    inputs: Json


def chain_head(connection: Connection, org_id: str) -> Position:
    """Where the organization's chain stands in the state that the connection sees."""
    row = connection.execute(select(heads.c.seq, heads.c.hash).where(heads.c.org_id == org_id)).one()
    return Position(row.seq, row.hash)


def event_hashes(connection: Connection, org_id: str, seqs: Collection[int]) -> dict[int, str]:
    """The hashes of audit events by position; positions that retention removed are absent."""
    found: dict[int, str] = {}
    for batch in in_batches(sorted(seqs), 900):
        query = select(audit_log.c.seq, audit_log.c.hash).where(
            audit_log.c.org_id == org_id, audit_log.c.seq.in_(batch)
        )
        found |= {row.seq: row.hash for row in connection.execute(query)}
    return found


def linked_events(
    connection: Connection, org_id: str, object_ids: Collection[str], object_types: Sequence[str]
) -> list[AuditLogRow]:
    """Audit events on any of the objects, in the order of the chain. Scans the organization's log."""
    found: list[AuditLogRow] = []
    for batch in in_batches(sorted(object_ids), 900):
        query = select(audit_log).where(
            audit_log.c.org_id == org_id, audit_log.c.object_id.in_(batch), audit_log.c.object_type.in_(object_types)
        )
        found += select_rows(connection, audit_log, query)
    return sorted(found, key=lambda row: row["seq"])


def peers(
    connection: Connection, org_id: str, severity: Severity, begin: datetime, before: datetime
) -> list[IncidentSteps]:
    """Times of the incidents of a severity that were opened in a span."""
    query = select(*(incidents.c[name] for name in IncidentSteps.__annotations__)).where(
        incidents.c.org_id == org_id,
        incidents.c.severity == severity,
        incidents.c.opened_at >= begin,
        incidents.c.opened_at < before,
    )
    return cast("list[IncidentSteps]", _rows(connection, query.order_by(incidents.c.id)))


def earlier_of_key(
    connection: Connection, org_id: str, dedupe_key: str | None, begin: datetime, before: datetime
) -> list[IncidentRow]:
    """Incidents with the same key that were opened in a span, newest first; none without a key."""
    if dedupe_key is None:
        return []
    query = select(incidents).where(
        incidents.c.org_id == org_id,
        incidents.c.dedupe_key == dedupe_key,
        incidents.c.opened_at >= begin,
        incidents.c.opened_at < before,
    )
    return select_rows(connection, incidents, query.order_by(incidents.c.opened_at.desc(), incidents.c.id))


def around(
    connection: Connection,
    org_id: str,
    incident_id: str,
    *,
    oldest: datetime,
    begin: datetime,
    onset: datetime,
    end: datetime,
    most: int,
) -> list[IncidentRow]:
    """Other incidents opened from ``begin`` to ``end``, or since ``oldest`` and going on at ``onset``; newest first."""
    over = func.coalesce(incidents.c.mitigated_at, incidents.c.resolved_at, incidents.c.closed_at)
    query = select(incidents).where(
        incidents.c.org_id == org_id,
        incidents.c.id != incident_id,
        incidents.c.opened_at >= oldest,
        incidents.c.opened_at <= end,
        or_(incidents.c.opened_at >= begin, over.is_(None), over >= onset),
    )
    return select_rows(connection, incidents, query.order_by(incidents.c.opened_at.desc(), incidents.c.id).limit(most))


def like_it(
    connection: Connection, org_id: str, incident: IncidentRow, begin: datetime, onset: datetime, most: int
) -> list[EarlierIncident]:
    """The newest incidents of its key or service that were opened since ``begin`` and resolved before ``onset``."""
    same = [incidents.c[name] == incident[name] for name in ("dedupe_key", "service_id") if incident[name] is not None]
    if not same:
        return []
    query = select(*(incidents.c[name] for name in EarlierIncident.__annotations__)).where(
        incidents.c.org_id == org_id,
        incidents.c.id != incident["id"],
        incidents.c.opened_at >= begin,
        incidents.c.opened_at <= onset,
        incidents.c.resolved_at <= onset,
        or_(*same),
    )
    newest = query.order_by(incidents.c.resolved_at.desc(), incidents.c.id).limit(most)
    return cast("list[EarlierIncident]", _rows(connection, newest))


def deploys_between(
    connection: Connection,
    org_id: str,
    begin: datetime,
    end: datetime,
    most: int,
    service_ids: Collection[str] | None = None,
) -> list[DeployRow]:
    """Changes that went live in a span, of all services or of some; newest first."""
    query = select(deploys).where(
        deploys.c.org_id == org_id, deploys.c.deployed_at >= begin, deploys.c.deployed_at <= end
    )
    if service_ids is not None:
        query = query.where(deploys.c.service_id.in_(sorted(service_ids)))
    return select_rows(connection, deploys, query.order_by(deploys.c.deployed_at.desc(), deploys.c.id).limit(most))


def deploys_elsewhere(
    connection: Connection, org_id: str, begin: datetime, end: datetime, service_ids: Collection[str]
) -> int:
    """How many changes of other services went live in a span."""
    query = select(func.count()).where(
        deploys.c.org_id == org_id,
        deploys.c.deployed_at >= begin,
        deploys.c.deployed_at <= end,
        or_(deploys.c.service_id.is_(None), deploys.c.service_id.not_in(sorted(service_ids))),
    )
    return int(connection.execute(query).scalar_one())


def blocks_between(
    connection: Connection, org_id: str, begin: datetime, end: datetime, most: int
) -> list[PolicyBlockRow]:
    """Refusals by policies in a span, newest first."""
    query = select(policy_blocks).where(
        policy_blocks.c.org_id == org_id, policy_blocks.c.blocked_at >= begin, policy_blocks.c.blocked_at <= end
    )
    return select_rows(
        connection, policy_blocks, query.order_by(policy_blocks.c.blocked_at.desc(), policy_blocks.c.id).limit(most)
    )


def automations_between(
    connection: Connection, org_id: str, begin: datetime, end: datetime, most: int
) -> list[AutomationRun]:
    """Automations that were executed in a span, newest first."""
    rehearsed = and_(dry_runs.c.org_id == executions.c.org_id, dry_runs.c.id == executions.c.dry_run_id)
    table = executions.c
    query = (
        select(table.id, table.playbook, table.status, table.executed_at, dry_runs.c.inputs)
        .join_from(executions, dry_runs, rehearsed)
        .where(table.org_id == org_id, table.executed_at >= begin, table.executed_at <= end)
    )
    newest = query.order_by(table.executed_at.desc(), table.id).limit(most)
    return cast("list[AutomationRun]", _rows(connection, newest))


def findings_titled(
    connection: Connection, org_id: str, part: str, service_ids: Collection[str], most: int
) -> list[FindingRow]:
    """Open findings of the services with ``part`` in their title, whatever its case; newest first."""
    query = select(findings).where(
        findings.c.org_id == org_id,
        findings.c.status == "open",
        findings.c.service_id.in_(sorted(service_ids)),
        func.lower(findings.c.title).contains(part, autoescape=True),
    )
    return select_rows(connection, findings, query.order_by(findings.c.first_seen_at.desc(), findings.c.id).limit(most))


def buckets_of(
    connection: Connection, org_id: str, service_ids: Collection[str], begin: datetime, end: datetime
) -> list[SloBucketRow]:
    """The five-minute buckets of services in a span, by service and time."""
    query = select(slo_buckets).where(
        slo_buckets.c.org_id == org_id,
        slo_buckets.c.service_id.in_(sorted(service_ids)),
        slo_buckets.c.bucket_at >= begin,
        slo_buckets.c.bucket_at <= end,
    )
    return select_rows(connection, slo_buckets, query.order_by(slo_buckets.c.service_id, slo_buckets.c.bucket_at))


def bucket_counts(
    connection: Connection, org_id: str, service_id: str, begin: datetime, end: datetime
) -> tuple[int, int, int]:
    """(buckets, events, bad events) of the five-minute buckets that start from ``begin`` on and before ``end``."""
    sums = (
        func.count(),
        func.coalesce(func.sum(slo_buckets.c.total), 0),
        func.coalesce(func.sum(slo_buckets.c.bad), 0),
    )
    query = select(*sums).where(
        slo_buckets.c.org_id == org_id,
        slo_buckets.c.service_id == service_id,
        slo_buckets.c.bucket_at >= begin,
        slo_buckets.c.bucket_at < end,
    )
    buckets, total, bad = connection.execute(query).one()
    return int(buckets), int(total), int(bad)


def last_bucket(connection: Connection, org_id: str, service_id: str) -> datetime | None:
    """Start of the newest bucket of a service."""
    query = select(slo_buckets.c.bucket_at).where(
        slo_buckets.c.org_id == org_id, slo_buckets.c.service_id == service_id
    )
    newest: datetime | None = connection.execute(query.order_by(slo_buckets.c.bucket_at.desc()).limit(1)).scalar()
    return newest


def _rows(connection: Connection, query: TableQuery) -> list[dict[str, object]]:
    return [dict(row) for row in connection.execute(query).mappings()]
