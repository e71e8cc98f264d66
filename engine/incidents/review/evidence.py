"""The evidence pack of an incident: every record with its place in the audit chain, and a hash over all of it."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256

from engine.incidents.review.durations import incident_times
from engine.incidents.review.records import IncidentRecord, StampedRow
from engine.model.records import AuditLogRow
from engine.render.plain_values import plain_value
from engine.store.rows import pick, without
from engine.store.types import canonical_json

PACK_VERSION = 1
DEFINITIONS = {
    "audit": "position and hash of the audit event that opened the last change of the record; the hash is null "
    "when retention removed that event",
    "audit_events": "every audit event about the incident and its records; the hash of each covers the one before it",
    "payload_id": "what came from the monitor or scanner, as `hq ingest show` prints it while it is kept",
    "deploys": "changes of the service and of those that it needs, in the 24 hours before the trouble began; hops "
    "counts the dependencies from the service",
    "on_call": "shifts that it was opened or taken in; null where the organization has no shift at all",
    "maintenance": "windows that cover it; recorded_at before starts_at takes it out of figures",
    "chain": "head of the organization's audit chain when the pack was read; not part of content_sha256",
    "content_sha256": "SHA-256 of this object without chain and content_sha256, as JSON in UTF-8 with sorted keys and "
    "no white space: the same as long as nothing about the incident changes",
}


def evidence_pack(record: IncidentRecord) -> dict[str, object]:
    """The pack, in values that JSON has; same record, same bytes."""
    content = {
        "pack_version": PACK_VERSION,
        "organization": {"id": record.organization.id, "name": record.organization.name},
        "incident": _item(record, record.incident),
        "service": _item(record, record.service) if record.service else None,
        "times": asdict(incident_times(record.incident)),
        "impact": asdict(record.impact),
        "timeline": _items(record, record.timeline),
        "actions": _items(record, record.actions),
        "dry_runs": _items(record, record.dry_runs),
        "executions": _items(record, record.executions),
        "approvals": _items(record, record.approvals),
        "rca_runs": _items(record, record.rca_runs),
        "findings": _items(record, record.findings),
        "deploys": [_item(record, row) | {"hops": record.hops[row["service_id"] or ""]} for row in record.deploys],
        "legal_holds": _items(record, record.holds),
        "family": [
            pick(row, ("id", "title", "severity", "status", "service_id", "opened_at", "resolved_at"))
            for row in record.family
        ],
        "on_call": None if record.shifts is None else _items(record, record.shifts),
        "maintenance": _items(record, record.windows),
        "audit_events": [_event(row) for row in record.events],
        "definitions": DEFINITIONS,
    }
    plain = plain_value(content, "evidence")
    digest = sha256(canonical_json(plain).encode()).hexdigest()
    return {**plain, "chain": {"seq": record.head.seq, "hash": record.head.hash}, "content_sha256": digest}


def content_sha256(record: IncidentRecord) -> str:
    """The hash that the pack of this record carries."""
    return str(evidence_pack(record)["content_sha256"])


def _items(record: IncidentRecord, rows: Sequence[StampedRow]) -> list[dict[str, object]]:
    return [_item(record, row) for row in rows]


def _item(record: IncidentRecord, row: StampedRow) -> dict[str, object]:
    return {**without(row, "org_id", "revision", "moves"), "audit": record.position(row)}


def _event(row: AuditLogRow) -> dict[str, object]:
    return {**without(row, "org_id", "seq", "hash"), "audit": {"seq": row["seq"], "hash": row["hash"]}}
