"""The rows and events that an alert leaves: an incident with all that the alert says, lines of its history, notes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from engine.incidents.alerts.sender_clock import AlertTime, skew_text
from engine.incidents.review.markdown import OUR_CLOCK
from engine.intake.alerts import Alert, severity_after
from engine.model.vocabulary import AlertOutcome, TimelineKind
from engine.store import Note, Revision
from engine.store.ids import new_id
from engine.store.rows import first
from engine.store.schema.services import incident_timeline


@dataclass(frozen=True)
class Receipt:
    """How alerts came: when, for which workspace, and what is kept of their body.

    ``replayed`` where they are applied later than they came; ``clock_skew`` is what a sender may be ahead by.
    """

    at: datetime
    workspace_id: str | None = None
    payload_id: str | None = None
    replayed: bool = False
    clock_skew: timedelta = timedelta(minutes=5)

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


# Any: a row on its way into the store
def new_incident(alert: Alert, receipt: Receipt, *, service_id: str | None) -> dict[str, Any]:
    """What an alert says of the incident that it opens; its episode says when and in which state."""
    return {
        "id": new_id("inc"),
        "title": alert.title,
        "severity": severity_after(None, alert),
        "service_id": service_id,
        "workspace_id": receipt.workspace_id,
        "source": alert.origin or alert.source,
        "dedupe_key": alert.dedupe_key,
        "last_seen_at": receipt.at,
        "summary": alert.description,
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

    def line(self, incident_id: str, kind: TimelineKind, body: str, time: AlertTime) -> None:
        """A line of an incident's history, which names what came from the monitor, and whose clock counts."""
        self.revision.buffer_insert(incident_timeline, self._line(incident_id, kind, body, time))

    # Any: a row on its way into the store
    def _line(self, incident_id: str, kind: TimelineKind, body: str, time: AlertTime) -> dict[str, Any]:
        return {
            "id": new_id("tl"),
            "incident_id": incident_id,
            "happened_at": time.at,
            "heard_at": time.heard_at,
            "kind": kind,
            "actor": self.revision.actor,
            "body": body,
            "payload_id": self.receipt.payload_id,
            "payload": None if time.is_senders else OUR_CLOCK,
        }

    def counting_line(self, identifier: str, incident_id: str, body: str, time: AlertTime) -> None:
        """A line of status that is there once: what it says is replaced, and when, by what is said last."""
        row = self._line(incident_id, "status", body, time) | {"id": identifier}
        if first(self.revision.records, incident_timeline, self.revision.org_id, id=identifier) is None:
            self.revision.insert(incident_timeline, [row])
        else:
            self.revision.update(incident_timeline, {"id": identifier}, row)

    def severity(self, incident_id: str, before: str, after: str, time: AlertTime) -> None:
        """A line that the severity rose, where it did."""
        if after != before:
            self.line(incident_id, "severity", f"Severity rose from {before} to {after}", time)

    def clock(self, incident_id: str, time: AlertTime) -> None:
        """A line that the sender's clock is ahead of ours, where it is."""
        if time.ahead:
            self.line(incident_id, "note", skew_text(time), time)

    def log_ingest(self, incident_id: str | None, outcome: AlertOutcome, unknown_service: str | None) -> None:
        """The event that an alert was taken; an unknown service is what scope-boundary compares with declared ones."""
        facts = {"outcome": outcome, "payload": self.receipt.payload_id, "unknown_service": unknown_service}
        self.event("alert.ingested", incident_id, {name: value for name, value in facts.items() if value})

    def event(self, action: str, incident_id: str | None, details: Mapping[str, object] | None = None) -> None:
        """An audit event about an incident."""
        kind = "incident" if incident_id else None
        self.notes.append(Note(action, kind, incident_id, workspace_id=self.receipt.workspace_id, details=details))
