"""Reads around one incident: its audit events, its peers, and what happened near it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypedDict, cast

from sqlalchemy import Connection, func, select

from engine.model.documents.document import Position
from engine.model.records import AuditLogRow, IncidentRow, MaintenanceWindowRow, OnCallShiftRow
from engine.model.vocabulary import Severity
from engine.store.rows import TableQuery, select_rows
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import heads
from engine.store.schema.services import incident_timeline, incidents, maintenance_windows, on_call_shifts, slo_buckets
from engine.store.writing.batches import in_batches


class IncidentSteps(TypedDict):
    """When an incident went from step to step; None for a step that it did not take, or not yet."""

    started_at: datetime | None
    opened_at: datetime
    acknowledged_at: datetime | None
    mitigated_at: datetime | None
    resolved_at: datetime | None


def chain_head(connection: Connection, org_id: str) -> Position:
    """Where the organization's chain stands in the state that the connection sees."""
    row = connection.execute(select(heads.c.last_seq, heads.c.hash).where(heads.c.org_id == org_id)).one()
    return Position(row.last_seq, row.hash)


def event_hashes(connection: Connection, org_id: str, seqs: Collection[int]) -> dict[int, str]:
    """The hashes of audit events by position; positions that retention removed are absent."""
    hashes: dict[int, str] = {}
    for batch in in_batches(sorted(seqs), 900):
        query = select(audit_log.c.seq, audit_log.c.hash).where(
            audit_log.c.org_id == org_id, audit_log.c.seq.in_(batch)
        )
        hashes |= {row.seq: row.hash for row in connection.execute(query)}
    return hashes


def linked_events(
    connection: Connection, org_id: str, object_ids: Collection[str], object_types: Sequence[str]
) -> list[AuditLogRow]:
    """Audit events on any of the objects, in the order of the chain. Scans the organization's log."""
    audit_log_rows: list[AuditLogRow] = []
    for batch in in_batches(sorted(object_ids), 900):
        query = select(audit_log).where(
            audit_log.c.org_id == org_id, audit_log.c.object_id.in_(batch), audit_log.c.object_type.in_(object_types)
        )
        audit_log_rows += select_rows(connection, audit_log, query)
    return sorted(audit_log_rows, key=lambda row: row["seq"])


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


def opened_since(connection: Connection, org_id: str, begin: datetime) -> list[IncidentRow]:
    """Incidents that were opened or heard of since then, in order of their begin."""
    heard = func.coalesce(incidents.c.opened_heard_at, incidents.c.opened_at)
    query = select(incidents).where(incidents.c.org_id == org_id, heard >= begin)
    return select_rows(connection, incidents, query.order_by(incidents.c.opened_at, incidents.c.id))


def family_of(connection: Connection, org_id: str, parent_id: str) -> list[IncidentRow]:
    """The incidents that are confirmed as of the family of another, at any depth, in order of their begin."""
    query = select(incidents).where(incidents.c.org_id == org_id, incidents.c.parent_state == "confirmed")
    known, below = {parent_id}, [parent_id]
    incident_rows: list[IncidentRow] = []
    while below:
        new = list(select_rows(connection, incidents, query.where(incidents.c.parent_id.in_(below[:900]))))
        new = [row for row in new if row["id"] not in known]
        incident_rows += new
        known |= {row["id"] for row in new}
        below = [*below[900:], *(row["id"] for row in new)]
    return sorted(incident_rows, key=lambda row: (row["opened_at"], row["id"]))


def shifts_over(connection: Connection, org_id: str, at: datetime) -> list[OnCallShiftRow]:
    """The shifts of people on call that a moment falls into, in order of their begin."""
    table = on_call_shifts
    query = select(table).where(table.c.org_id == org_id, table.c.starts_at <= at, table.c.ends_at > at)
    return select_rows(connection, table, query.order_by(table.c.starts_at, table.c.id))


def windows_at(connection: Connection, org_id: str, at: datetime) -> list[MaintenanceWindowRow]:
    """The windows of maintenance that a moment falls into, in order of their begin."""
    table = maintenance_windows
    query = select(table).where(table.c.org_id == org_id, table.c.starts_at <= at, table.c.ends_at > at)
    return select_rows(connection, table, query.order_by(table.c.starts_at, table.c.id))


def refused_parents(connection: Connection, org_id: str, ids: Sequence[str]) -> set[tuple[str, str]]:
    """(incident, parent) of relations that a person took apart."""
    parents: set[tuple[str, str]] = set()
    for batch in in_batches(sorted(ids), 900):
        query = select(incident_timeline.c.incident_id, incident_timeline.c.payload).where(
            incident_timeline.c.org_id == org_id,
            incident_timeline.c.incident_id.in_(batch),
            incident_timeline.c.kind == "unrelate",
        )
        for incident_id, payload in connection.execute(query):
            if isinstance(payload, dict) and isinstance(payload.get("parent"), str):
                parents.add((incident_id, payload["parent"]))
    return parents


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
