"""Reads of what may have begun an incident: bounded in time and number, the newest first."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypedDict, cast

from sqlalchemy import Connection, and_, case, func, or_, select

from engine.model.records import AuditLogRow, DeployRow, FindingRow, IncidentRow, PolicyBlockRow, SloBucketRow
from engine.model.vocabulary import ExecutionStatus, Json
from engine.store.queries.operations.incidents import chain_head
from engine.store.rows import select_rows
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import dry_runs, executions, policy_blocks
from engine.store.schema.services import deploys, findings, incidents, slo_buckets


class EarlierIncident(TypedDict):
    """An incident that is over, and what was found to be its cause."""

    id: str
    title: str
    opened_at: datetime
    started_at: datetime | None
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


def around(
    connection: Connection,
    org_id: str,
    incident_id: str,
    *,
    oldest: datetime,
    begin: datetime,
    onset: datetime,
    end: datetime,
    near: Collection[str],
    most: int,
) -> list[IncidentRow]:
    """Other incidents opened from ``begin`` on, or since ``oldest`` and going on at ``onset``, that began by ``end``.

    However late they were opened: monitors deliver late. Those of the services ``near`` and of no service come first,
    and of both those that began by the onset, the newest first: a storm of alerts hides none of them.
    """
    over = func.coalesce(incidents.c.mitigated_at, incidents.c.resolved_at, incidents.c.closed_at)
    began = func.coalesce(incidents.c.started_at, incidents.c.opened_at)
    here = or_(incidents.c.service_id.is_(None), incidents.c.service_id.in_(sorted(near)))
    query = select(incidents).where(
        incidents.c.org_id == org_id,
        incidents.c.id != incident_id,
        incidents.c.opened_at >= oldest,
        began <= end,
        or_(incidents.c.opened_at >= begin, over.is_(None), over >= onset),
    )
    order = (case((here, 0), else_=1), case((began <= onset, 0), else_=1), began.desc(), incidents.c.id)
    return select_rows(connection, incidents, query.order_by(*order).limit(most))


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
    return cast("list[EarlierIncident]", [dict(row) for row in connection.execute(newest).mappings()])


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
    return cast("list[AutomationRun]", [dict(row) for row in connection.execute(newest).mappings()])


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


def events_recorded(
    connection: Connection, org_id: str, prefixes: Sequence[str], begin: datetime, end: datetime, most: int
) -> list[AuditLogRow]:
    """Audit events of a span whose action begins with one of ``prefixes``, among the ``most`` recorded since it began.

    No event is recorded before it happens: where the span begins in the chain is found by halving it.
    """
    low, high = 0, chain_head(connection, org_id).seq
    recorded = select(audit_log.c.seq, audit_log.c.recorded_at).where(audit_log.c.org_id == org_id)
    while low < high:
        middle = (low + high) // 2
        after = recorded.where(audit_log.c.seq > middle).order_by(audit_log.c.seq).limit(1)
        row = connection.execute(after).first()
        if row is None or row.recorded_at >= begin:
            high = middle
        else:
            low = row.seq
    query = select(audit_log).where(
        audit_log.c.org_id == org_id,
        audit_log.c.seq > low,
        audit_log.c.seq <= low + most,
        audit_log.c.occurred_at >= begin,
        audit_log.c.occurred_at <= end,
        or_(*(audit_log.c.action.startswith(prefix, autoescape=True) for prefix in prefixes)),
    )
    return select_rows(connection, audit_log, query.order_by(audit_log.c.seq))


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
