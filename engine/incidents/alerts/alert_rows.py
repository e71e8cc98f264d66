"""The rows and events that an alert leaves: an incident with all that the alert says, lines of its history, notes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict

from engine.incidents.alerts.sender_clock import skew_note
from engine.intake.alerts import Alert, severity_after
from engine.model.vocabulary import AlertOutcome, IncidentStatus, Severity, TimelineKind
from engine.store import Note, Revision
from engine.store.ids import new_id
from engine.store.queries.operations.ingest import LastIncident
from engine.store.schema.services import incident_timeline


class IncidentChange(TypedDict, total=False):
    """The columns of an incident that an alert changes."""

    status: IncidentStatus
    severity: Severity
    alert_count: int
    acknowledged_at: datetime | None
    resolved_at: datetime | None
    sender_at: datetime | None


@dataclass(frozen=True)
class Receipt:
    """How alerts came: when, for which workspace, and what is kept of their body.

    ``replayed`` where they are applied later than they came.
    """

    at: datetime
    workspace_id: str | None = None
    payload_id: str | None = None
    replayed: bool = False

    @property
    def replayed_from(self) -> datetime | None:
        """When alerts came that are applied only now."""
        return self.at if self.replayed else None


def alert_columns(alert: Alert) -> dict[str, Any]:  # values of a row
    """What an alert says beyond its title, under the names of an incident's columns; what it does not say is absent."""
    said = {
        "host": alert.host,
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "runbook_url": alert.runbook_url,
        "links": dict(alert.links),
        "value": alert.value,
        "image_url": alert.image_url,
    }
    return {name: value for name, value in said.items() if value}


def new_incident(
    alert: Alert, before: LastIncident | None, receipt: Receipt, *, service_id: str | None, acknowledged: bool
) -> dict[str, Any]:  # a row on its way into the store
    """The row of an incident that an alert opens."""
    return {
        "id": new_id("inc"),
        "title": alert.title,
        "severity": severity_after(None, alert),
        "status": "acknowledged" if acknowledged else "open",
        "service_id": service_id,
        "workspace_id": receipt.workspace_id,
        "source": alert.origin or alert.source,
        "dedupe_key": alert.dedupe_key,
        "alert_count": 1,
        "started_at": alert.started_at or receipt.at,
        "opened_at": receipt.at,
        "acknowledged_at": receipt.at if acknowledged else None,
        "resolved_at": None,
        "last_seen_at": receipt.at,
        "summary": alert.description,
        "related_to": before.id if before else None,
        "sender_at": alert.occurred_at,
        **dict.fromkeys(("host", "labels", "annotations", "runbook_url", "links", "value", "image_url")),
        **alert_columns(alert),
    }


@dataclass
class AlertLog:
    """What is written beside incidents: lines of their history at once, audit events in the end."""

    revision: Revision
    receipt: Receipt
    notes: list[Note] = field(default_factory=list)

    def line(self, incident_id: str, kind: TimelineKind, body: str) -> None:
        """A line of an incident's history, which names what came from the monitor."""
        row = {
            "id": new_id("tl"),
            "incident_id": incident_id,
            "happened_at": self.receipt.at,
            "kind": kind,
            "actor": self.revision.actor,
            "body": body,
            "payload_id": self.receipt.payload_id,
        }
        self.revision.buffer_insert(incident_timeline, row)

    def clock(self, alert: Alert, incident_id: str) -> None:
        """A line that the sender's clock is ahead of ours, where it is."""
        said = skew_note(alert, self.receipt.at)
        if said is not None:
            self.line(incident_id, "note", said)

    def log_ingest(self, incident_id: str | None, outcome: AlertOutcome, unknown_service: str | None) -> None:
        """The event that an alert was taken; an unknown service is what scope-boundary compares with declared ones."""
        facts = {"outcome": outcome, "payload": self.receipt.payload_id, "unknown_service": unknown_service}
        self.event("alert.ingested", incident_id, {name: value for name, value in facts.items() if value})

    def event(self, action: str, incident_id: str | None, details: Mapping[str, object] | None = None) -> None:
        """An audit event about an incident."""
        kind = "incident" if incident_id else None
        self.notes.append(Note(action, kind, incident_id, workspace_id=self.receipt.workspace_id, details=details))
