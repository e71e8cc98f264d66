"""Everything that is recorded about one incident, read in one state of the store."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.incidents.impact import Impact, impact
from engine.model.document import Organization, Position
from engine.store.queries.incidents import (
    Reader,
    Row,
    chain_head,
    deploys_between,
    earlier_of_key,
    event_hashes,
    linked_events,
    peers,
)
from engine.store.queries.services import organization
from engine.store.rows import first, many, one
from engine.store.schema.audit import legal_holds
from engine.store.schema.automation import approvals, dry_runs, executions
from engine.store.schema.services import (
    findings,
    incident_actions,
    incident_timeline,
    incidents,
    rca_runs,
    services,
)

OBJECT_TYPES = (
    *("incident", "incident_action", "rca_run", "dry_run", "execution", "approval", "finding", "legal_hold"),
    "automation",
)
YEAR, DAY = timedelta(days=365), timedelta(days=1)


@dataclass(frozen=True)
class IncidentRecord:
    """Rows as they are stored, each list in order of time. ``hashes`` are those of the events that last changed them.

    ``peers`` are incidents of the same severity in the year before, ``earlier`` those with the same key, newest first,
    ``deploys`` what went live in the 24 hours before the trouble began, newest first.
    """

    organization: Organization
    head: Position
    incident: Row
    service: Row | None
    impact: Impact
    timeline: list[Row]
    actions: list[Row]
    dry_runs: list[Row]
    executions: list[Row]
    approvals: list[Row]
    rca_runs: list[Row]
    findings: list[Row]
    holds: list[Row]
    events: list[Row]
    hashes: Mapping[int, str]
    peers: list[Row]
    earlier: list[Row]
    deploys: list[Row]

    @property
    def id(self) -> str:
        """The incident's identifier."""
        return str(self.incident["id"])

    @property
    def name(self) -> str | None:
        """The name of the service, its identifier where that is all there is, None without one."""
        return str(self.service["name"]) if self.service else self.incident["service_id"]

    def position(self, row: Row) -> dict[str, Any]:
        """Position and hash of the audit event that opened the last change of a row; no hash once retention cut it."""
        return {"seq": row["revision"], "hash": self.hashes.get(row["revision"])}


def read_incident(connection: Reader, org_id: str, incident_id: str) -> IncidentRecord:
    """The record of an incident; NotFound when the organization has none of that id."""
    incident = one(connection, incidents, org_id, id=incident_id)
    of_it: dict[str, Any] = {"incident_id": incident_id}
    rehearsed = many(connection, dry_runs, org_id, **of_it)
    executed = many(connection, executions, org_id, **of_it)
    executed += many(connection, executions, org_id, dry_run_id=[row["id"] for row in rehearsed])
    rehearsed += many(connection, dry_runs, org_id, id=[row["dry_run_id"] for row in executed])
    executed, rehearsed = _once(executed, "executed_at"), _once(rehearsed, "ran_at")
    parts = {
        "timeline": many(connection, incident_timeline, org_id, order=("happened_at",), **of_it),
        "actions": many(connection, incident_actions, org_id, order=("due_on",), **of_it),
        "dry_runs": rehearsed,
        "executions": executed,
        "approvals": many(
            connection,
            approvals,
            org_id,
            order=("requested_at",),
            subject=[incident_id, *(row["id"] for row in (*executed, *rehearsed))],
        ),
        "rca_runs": many(connection, rca_runs, org_id, order=("run_at", "revision"), **of_it),
        "findings": many(connection, findings, org_id, order=("first_seen_at",), **of_it),
        "holds": many(connection, legal_holds, org_id, order=("placed_at",), **of_it),
    }
    objects = {incident_id, *(row["id"] for name, rows in parts.items() if name != "timeline" for row in rows)}
    service_id = incident["service_id"]
    service = first(connection, services, org_id, id=service_id) if service_id else None
    changed = {row["revision"] for rows in parts.values() for row in rows} | {incident["revision"]}
    opened = incident["opened_at"]
    began = incident["started_at"] or opened
    return IncidentRecord(
        organization=organization(connection, org_id),
        head=chain_head(connection, org_id),
        incident=incident,
        service=service,
        impact=impact(connection, org_id, incident),
        events=linked_events(connection, org_id, objects, OBJECT_TYPES),
        hashes=event_hashes(connection, org_id, changed | ({service["revision"]} if service else set())),
        peers=peers(connection, org_id, incident["severity"], opened - YEAR, opened),
        earlier=earlier_of_key(connection, org_id, incident["dedupe_key"], opened - YEAR, opened),
        deploys=deploys_between(connection, org_id, began - DAY, began, 200),
        **parts,
    )


def _once(rows: Iterable[Row], order: str) -> list[Row]:
    by_id = {row["id"]: row for row in rows}
    return sorted(by_id.values(), key=lambda row: (row[order], row["id"]))
