"""What an alert does to incidents: opens, counts, raises, reopens, resolves, annotates (REPORTS 14)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Any, TypedDict, Unpack

from engine.incidents.alerts.alert_rows import AlertLog, IncidentChange, Receipt, alert_columns, new_incident
from engine.incidents.alerts.sender_clock import is_late, is_over, is_restated, is_unheard_of, latest, was_acknowledged
from engine.intake.alerts import Alert, severity_after
from engine.model.vocabulary import LIVE_INCIDENTS, AlertOutcome
from engine.store import Lookups, Revision
from engine.store.queries.accounts.settings import threshold
from engine.store.queries.operations.ingest import (
    EarlyEvents,
    LastIncident,
    as_last,
    early_by_key,
    last_incidents,
    service_ids,
)
from engine.store.schema.ingest import early_events
from engine.store.schema.services import incidents
from engine.store.writing.inbound import first_time

LONGEST_SOURCE = 60  # that the record of seen events keeps


class AlertResult(TypedDict):
    """What became of an alert, and the incident that it concerns."""

    dedupe_key: str
    outcome: AlertOutcome
    incident_id: str | None


def prefetch_keys(alerts: Sequence[Alert]) -> Lookups:
    """What ``ingest_alerts`` will look up for these alerts."""
    keys = [alert.dedupe_key for alert in alerts]
    return ((last_incidents, keys), (early_by_key, keys), (service_ids, _services(alerts)))


def ingest_alerts(revision: Revision, alerts: Sequence[Alert], receipt: Receipt) -> list[AlertResult]:
    """Apply alerts in their order; one outcome with the incident's id for each of them."""
    for read, keys in prefetch_keys(alerts):
        revision.look_up(read, keys)
    services = revision.look_up(service_ids, _services(alerts))
    work = _Work(revision, services, receipt)
    outcomes = [work.apply(alert) for alert in alerts]
    revision.record_all(work.log.notes)
    return outcomes


def _services(alerts: Sequence[Alert]) -> list[str]:
    return [alert.service.lower() for alert in alerts if alert.service]


class _Work:
    """One body's alerts within one revision."""

    def __init__(self, revision: Revision, services: dict[str, str | None], receipt: Receipt) -> None:
        self.revision = revision
        self.services = services
        self.receipt = receipt
        self.log = AlertLog(revision, receipt)
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
            return self._early(alert, incident)
        return self._resolve(alert, incident) if alert.state == "resolved" else self._annotate(alert, incident)

    def _new(self, event_id: str) -> bool:
        source = f"alert:{self.revision.org_id}"
        if len(source) > LONGEST_SOURCE:
            source = f"alert:{sha256(source.encode()).hexdigest()[: LONGEST_SOURCE - 6]}"
        return first_time(self.revision.side_tables, source, event_id, self.revision.now)

    def _late(self, alert: Alert, incident: LastIncident) -> bool:
        return is_late(alert, incident, replayed_from=self.receipt.replayed_from)

    # -- an alert fires -----------------------------------------------------------------------------------------------

    def _fire(self, alert: Alert, incident: LastIncident | None) -> AlertResult:
        if incident is None:
            early = self._early_events(alert)
            return self._open_and_end(alert, early) if early and is_over(alert, early) else self._open(alert, None)
        if incident.status in LIVE_INCIDENTS:
            return self._count(alert, incident)
        if self._late(alert, incident) and not self._is_restatement(alert, incident):
            return self._out_of_order(alert, incident, "An alert{} came after its recovery; it opens nothing")
        ended: datetime = incident.resolved_at or incident.closed_at or incident.opened_at
        if incident.status == "resolved" and self.receipt.at - ended <= self._reopen_within:
            return self._reopen(alert, incident)
        return self._open(alert, incident)

    @cached_property
    def _reopen_within(self) -> timedelta:
        return timedelta(minutes=threshold(self.revision.records, self.revision.org_id, "alert_reopen_minutes"))

    def _open(self, alert: Alert, before: LastIncident | None) -> AlertResult:
        row = self._insert(alert, before, acknowledged=alert.acknowledged or self._is_acknowledged(alert))
        self._start_clock(alert, row, before)
        self.log.log_ingest(row["id"], "created", self.unknown_service)
        self.log.event("incident.opened", row["id"], {"severity": row["severity"]})
        return self._result(alert, "created", row["id"])

    def _open_and_end(self, alert: Alert, early: EarlyEvents) -> AlertResult:
        """A recovery that came before its alert: what was is recorded, and is over."""
        row = self._insert(alert, None, acknowledged=False)
        row |= {"status": "resolved", "resolved_at": self.receipt.at, "sender_at": early.recovered_at}
        self._start_clock(alert, row, None)
        self.log.line(
            row["id"], "status", f"Resolved: its recovery of {early.recovered_at:%Y-%m-%d %H:%M} UTC came first"
        )
        self.log.log_ingest(row["id"], "out_of_order", self.unknown_service)
        self.log.event("incident.opened", row["id"], {"severity": row["severity"]})
        self.log.event("incident.resolved", row["id"])
        return self._result(alert, "out_of_order", row["id"])

    def _insert(self, alert: Alert, before: LastIncident | None, *, acknowledged: bool) -> dict[str, Any]:  # a row
        service = self.services[alert.service.lower()] if alert.service else None
        return new_incident(alert, before, self.receipt, service_id=service, acknowledged=acknowledged)

    def _start_clock(self, alert: Alert, row: dict[str, Any], before: LastIncident | None) -> None:  # a row
        opened = as_last(self.revision.buffer_insert(incidents, row))
        known = (opened,) if before is None else (opened, before)
        self._learn(alert.dedupe_key, max(known, key=lambda one: (one.opened_at, one.id)))
        self.log.line(row["id"], "alert", f"Opened by {row['source']}: {alert.title}")
        self.log.clock(alert, row["id"])

    def _count(self, alert: Alert, incident: LastIncident) -> AlertResult:
        severity = severity_after(incident.severity, alert)
        count = (incident.alert_count or 0) + 1
        said = {} if self._late(alert, incident) else alert_columns(alert)
        self._change(alert, incident, said, alert_count=count, severity=severity)
        if severity != incident.severity:
            self.log.line(incident.id, "severity", f"Severity rose from {incident.severity} to {severity}")
        self.log.log_ingest(incident.id, "deduplicated", self.unknown_service)
        return self._result(alert, "deduplicated", incident.id)

    def _reopen(self, alert: Alert, incident: LastIncident) -> AlertResult:
        self._change(
            alert,
            incident,
            alert_columns(alert),
            status="acknowledged" if self._is_acknowledged(alert) else "open",
            resolved_at=None,
            alert_count=(incident.alert_count or 0) + 1,
            severity=severity_after(incident.severity, alert),
        )
        self.log.line(incident.id, "status", "Reopened: the alert fires again")
        self.log.clock(alert, incident.id)
        self.log.log_ingest(incident.id, "reopened", self.unknown_service)
        return self._result(alert, "reopened", incident.id)

    def _is_acknowledged(self, alert: Alert) -> bool:
        return was_acknowledged(alert, self._early_events(alert))

    def _early_events(self, alert: Alert) -> EarlyEvents | None:
        return self.revision.look_up(early_by_key, [alert.dedupe_key])[alert.dedupe_key]

    def _is_restatement(self, alert: Alert, incident: LastIncident) -> bool:
        """Whether an alert that is dated before the last recovery was said after it. Once: the alert of a recovery that
        came first is late, and whoever says it again means it."""
        early = self._early_events(alert)
        if is_restated(alert, incident, early, replayed_from=self.receipt.replayed_from):
            return True
        if alert.dated_by_start and early is not None and is_over(alert, early):
            self._remember(alert, early._replace(recovered_at=None))
        return False

    # -- an alert ends, or something is said of it ---------------------------------------------------------------------

    def _resolve(self, alert: Alert, incident: LastIncident) -> AlertResult:
        if self._late(alert, incident):
            return self._out_of_order(alert, incident, "A recovery{} came after a later alert; it ends nothing")
        self._note_unheard_of(alert, incident)
        ended = max(alert.ended_at or self.receipt.at, incident.opened_at)
        self._change(alert, incident, {}, status="resolved", resolved_at=ended)
        self.log.line(incident.id, "status", f"Resolved by {incident.source or alert.source}")
        self.log.clock(alert, incident.id)
        self.log.log_ingest(incident.id, "resolved", self.unknown_service)
        self.log.event("incident.resolved", incident.id)
        return self._result(alert, "resolved", incident.id)

    def _annotate(self, alert: Alert, incident: LastIncident) -> AlertResult:
        late = self._late(alert, incident)
        change: IncidentChange = {"sender_at": incident.sender_at}  # of alerts and recoveries alone
        if not late:
            change["severity"] = severity_after(incident.severity, alert)
        acknowledged = (
            alert.acknowledged and not late and (incident.acknowledged_at is None or incident.status == "open")
        )
        if acknowledged:
            change["acknowledged_at"] = incident.acknowledged_at or self.receipt.at
        if acknowledged and incident.status == "open":
            change["status"] = "acknowledged"
        self._change(alert, incident, {}, **change)
        self.log.line(incident.id, "note", alert.note or alert.title)
        self.log.clock(alert, incident.id)
        self.log.log_ingest(incident.id, "updated", self.unknown_service)
        if acknowledged:
            self.log.event("incident.acknowledged", incident.id)
        return self._result(alert, "updated", incident.id)

    def _early(self, alert: Alert, incident: LastIncident | None) -> AlertResult:
        """No alert is open that it could be about: what it says is remembered for one that is on its way."""
        at, identifier = alert.occurred_at, incident.id if incident else None
        if at is None:
            return self._result(alert, "no_open_incident", identifier)
        if alert.state == "resolved" and incident is not None:
            news = incident.sender_at is None or at > incident.sender_at
            if news:
                self._note_unheard_of(alert, incident)
                self._change(alert, incident, {})
        else:
            news = self._remember(alert, self._with_early_event(alert, at))
        if news:
            self.log.log_ingest(identifier, "no_open_incident", self.unknown_service)
        return self._result(alert, "no_open_incident", identifier)

    def _note_unheard_of(self, recovery: Alert, incident: LastIncident) -> None:
        """Remember a recovery whose own alert is still on its way, though there was an earlier one."""
        if recovery.occurred_at is not None and is_unheard_of(recovery, incident):
            self._remember(recovery, self._with_early_event(recovery, recovery.occurred_at))

    def _with_early_event(self, alert: Alert, at: datetime) -> EarlyEvents:
        recovered, acknowledged = self._early_events(alert) or EarlyEvents(None, None)
        if alert.state == "resolved":
            recovered = latest(recovered, at)
        elif alert.acknowledged:
            acknowledged = latest(acknowledged, at)
        return EarlyEvents(recovered, acknowledged)

    def _remember(self, alert: Alert, now_known: EarlyEvents) -> bool:
        """Whether it was news."""
        key, known = alert.dedupe_key, self._early_events(alert)
        if now_known == (known or EarlyEvents(None, None)):
            return False
        row = {**now_known._asdict(), "seen_at": self.revision.now}
        if known is None:
            self.revision.buffer_insert(early_events, {"dedupe_key": key, **row})
        else:
            self.revision.buffer_update(early_events, {"dedupe_key": key}, row)
        self.revision.cache_lookup(early_by_key, key, now_known)
        return True

    def _out_of_order(self, alert: Alert, incident: LastIncident, said: str) -> AlertResult:
        dated = f" of {alert.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if alert.occurred_at else ""
        self.log.line(incident.id, "note", said.format(dated))
        self.log.log_ingest(incident.id, "out_of_order", self.unknown_service)
        return self._result(alert, "out_of_order", incident.id)

    def _change(
        self, alert: Alert, incident: LastIncident, said: dict[str, Any], **change: Unpack[IncidentChange]
    ) -> None:  # values of a row
        change.setdefault("sender_at", latest(incident.sender_at, alert.occurred_at))
        seen = latest(incident.last_seen_at, self.receipt.at)
        values = {**said, **change, "last_seen_at": seen}
        self.revision.buffer_update(incidents, incident.row, values)
        self._learn(alert.dedupe_key, as_last({**incident.row, **values}))

    def _learn(self, dedupe_key: str, incident: LastIncident) -> None:
        self.revision.cache_lookup(last_incidents, dedupe_key, incident)

    @staticmethod
    def _result(alert: Alert, outcome: AlertOutcome, incident_id: str | None) -> AlertResult:
        return {"dedupe_key": alert.dedupe_key, "outcome": outcome, "incident_id": incident_id}
