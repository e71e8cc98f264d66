"""What an alert does to incidents: opens, counts, raises, reopens, resolves, annotates (REPORTS 14)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypedDict, Unpack

from engine.intake.alerts import Alert, severity_after
from engine.model.vocabulary import LIVE_INCIDENTS, AlertOutcome, IncidentStatus, Severity
from engine.store import Ahead, Note, Revision
from engine.store.ids import new_id
from engine.store.inbound import first_time
from engine.store.queries.ingest import LastIncident, last_incidents, service_ids
from engine.store.queries.settings import threshold
from engine.store.schema.services import incident_timeline, incidents

LONGEST_SOURCE = 60  # that the record of seen events keeps


class AlertResult(TypedDict):
    """What became of an alert, and the incident that it concerns."""

    dedupe_key: str
    outcome: AlertOutcome
    incident_id: str | None


class IncidentChange(TypedDict, total=False):
    """The columns of an incident that an alert changes."""

    status: IncidentStatus
    severity: Severity
    alert_count: int
    acknowledged_at: datetime
    resolved_at: datetime | None


def prefetch_keys(alerts: Sequence[Alert]) -> Ahead:
    """What ``ingest_alerts`` will look up for these alerts."""
    return ((last_incidents, [alert.dedupe_key for alert in alerts]), (service_ids, _services(alerts)))


def ingest_alerts(revision: Revision, alerts: Sequence[Alert], *, workspace_id: str | None) -> list[AlertResult]:
    """Apply alerts in their order; one outcome with the incident's id for each of them."""
    services = revision.look_up(service_ids, _services(alerts))
    work = _Work(revision, services, workspace_id)
    outcomes = [work.apply(alert) for alert in alerts]
    revision.record_all(work.notes)
    return outcomes


def _services(alerts: Sequence[Alert]) -> list[str]:
    return [alert.service.lower() for alert in alerts if alert.service]


class _Work:
    """One body's alerts within one revision."""

    def __init__(self, revision: Revision, services: dict[str, str | None], workspace_id: str | None) -> None:
        self.revision = revision
        self.services = services
        self.workspace_id = workspace_id
        self.notes: list[Note] = []
        self.unknown_service: str | None = None

    def apply(self, alert: Alert) -> AlertResult:
        """What became of one alert."""
        known = alert.service is None or self.services[alert.service.lower()] is not None
        self.unknown_service = None if known else str(alert.service)[:200]
        if alert.state == "ignored":
            return self._result(alert, "ignored", None)
        incident = self.revision.look_up(last_incidents, [alert.dedupe_key])[alert.dedupe_key]
        if alert.event_id and not self._new(alert.event_id):
            return self._result(alert, "replayed", incident.id if incident else None)
        if alert.state == "firing":
            return self._fire(alert, incident)
        if incident is None or incident.status not in LIVE_INCIDENTS:
            return self._result(alert, "no_open_incident", incident.id if incident else None)
        return self._resolve(alert, incident) if alert.state == "resolved" else self._annotate(alert, incident)

    def _new(self, event_id: str) -> bool:
        source = f"alert:{self.revision.org_id}"
        if len(source) > LONGEST_SOURCE:
            source = f"alert:{sha256(source.encode()).hexdigest()[: LONGEST_SOURCE - 6]}"
        return first_time(self.revision.records, source, event_id, self.revision.now)

    def _fire(self, alert: Alert, incident: LastIncident | None) -> AlertResult:
        if incident is None:
            return self._open(alert, None)
        if incident.status in LIVE_INCIDENTS:
            return self._count(alert, incident)
        ended: datetime = incident.resolved_at or incident.closed_at or incident.opened_at
        if alert.occurred_at is not None and alert.occurred_at < ended:
            return self._result(alert, "out_of_order", incident.id)
        if incident.status == "resolved" and self.revision.now - ended <= self._reopen_within():
            return self._reopen(alert, incident)
        return self._open(alert, incident)

    def _reopen_within(self) -> timedelta:
        return timedelta(minutes=threshold(self.revision.records, self.revision.org_id, "alert_reopen_minutes"))

    def _open(self, alert: Alert, before: LastIncident | None) -> AlertResult:
        identifier, now = new_id("inc"), self.revision.now
        service = self.services[alert.service.lower()] if alert.service else None
        row = {
            "id": identifier,
            "title": alert.title,
            "severity": severity_after(None, alert),
            "status": "acknowledged" if alert.acknowledged else "open",
            "service_id": service,
            "workspace_id": self.workspace_id,
            "source": alert.origin or alert.source,
            "dedupe_key": alert.dedupe_key,
            "alert_count": 1,
            "started_at": alert.started_at or now,
            "opened_at": now,
            "acknowledged_at": now if alert.acknowledged else None,
            "last_seen_at": now,
            "summary": alert.description,
            "related_to": before.id if before else None,
        }
        self.revision.insert_soon(incidents, row)
        opened = LastIncident._make(row.get(name) for name in LastIncident._fields)
        known = (opened,) if before is None else (opened, before)
        self._learn(alert.dedupe_key, max(known, key=lambda one: (one.opened_at, one.id)))
        self._timeline(identifier, "alert", f"Opened by {row['source']}: {alert.title}")
        self._note("alert.ingested", identifier, "created")
        self._note("incident.opened", identifier, None, severity=row["severity"])
        return self._result(alert, "created", identifier)

    def _count(self, alert: Alert, incident: LastIncident) -> AlertResult:
        severity = severity_after(incident.severity, alert)
        count = (incident.alert_count or 0) + 1
        self._change(alert.dedupe_key, incident, alert_count=count, severity=severity)
        if severity != incident.severity:
            self._timeline(incident.id, "severity", f"Severity rose from {incident.severity} to {severity}")
        self._note("alert.ingested", incident.id, "deduplicated")
        return self._result(alert, "deduplicated", incident.id)

    def _reopen(self, alert: Alert, incident: LastIncident) -> AlertResult:
        self._change(
            alert.dedupe_key,
            incident,
            status="open",
            resolved_at=None,
            alert_count=(incident.alert_count or 0) + 1,
            severity=severity_after(incident.severity, alert),
        )
        self._timeline(incident.id, "status", "Reopened: the alert fires again")
        self._note("alert.ingested", incident.id, "reopened")
        return self._result(alert, "reopened", incident.id)

    def _resolve(self, alert: Alert, incident: LastIncident) -> AlertResult:
        ended = max(alert.ended_at or self.revision.now, incident.opened_at)
        self._change(alert.dedupe_key, incident, status="resolved", resolved_at=ended)
        self._timeline(incident.id, "status", f"Resolved by {incident.source or alert.source}")
        self._note("alert.ingested", incident.id, "resolved")
        self._note("incident.resolved", incident.id, None)
        return self._result(alert, "resolved", incident.id)

    def _annotate(self, alert: Alert, incident: LastIncident) -> AlertResult:
        change: IncidentChange = {"severity": severity_after(incident.severity, alert)}
        acknowledged = alert.acknowledged and incident.acknowledged_at is None
        if acknowledged:
            change["acknowledged_at"] = self.revision.now
        if acknowledged and incident.status == "open":
            change["status"] = "acknowledged"
        self._change(alert.dedupe_key, incident, **change)
        self._timeline(incident.id, "note", alert.note or alert.title)
        self._note("alert.ingested", incident.id, "updated")
        if acknowledged:
            self._note("incident.acknowledged", incident.id, None)
        return self._result(alert, "updated", incident.id)

    def _change(self, dedupe_key: str, incident: LastIncident, **change: Unpack[IncidentChange]) -> None:
        self.revision.update_soon(incidents, {"id": incident.id}, {**change, "last_seen_at": self.revision.now})
        self._learn(dedupe_key, incident._replace(**change))

    def _learn(self, dedupe_key: str, incident: LastIncident) -> None:
        self.revision.learn(last_incidents, dedupe_key, incident)

    def _timeline(self, incident_id: str, kind: str, body: str) -> None:
        row = {
            "id": new_id("tl"),
            "incident_id": incident_id,
            "happened_at": self.revision.now,
            "kind": kind,
            "actor": self.revision.actor,
            "body": body,
        }
        self.revision.insert_soon(incident_timeline, row)

    def _note(self, action: str, incident_id: str, outcome: AlertOutcome | None, **details: object) -> None:
        facts = {**details, **({"outcome": outcome} if outcome else {})}
        if self.unknown_service is not None and action == "alert.ingested":
            facts["unknown_service"] = self.unknown_service  # what scope-boundary compares with declared systems
        note = Note(action, "incident", incident_id, workspace_id=self.workspace_id, details=facts or None)
        self.notes.append(note)

    @staticmethod
    def _result(alert: Alert, outcome: AlertOutcome, incident_id: str | None) -> AlertResult:
        return {"dedupe_key": alert.dedupe_key, "outcome": outcome, "incident_id": incident_id}
