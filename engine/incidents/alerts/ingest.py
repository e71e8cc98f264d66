"""The way of a body from a door to incidents: read, applied in bounded transactions, kept; what cannot be read stays.

A body is applied in parts, and what is kept of it says how many of its alerts are applied: written in the transaction
that applies them, so that the same body sent again after a crash goes on where it ended, and nothing counts twice.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import AlertResult, ingest_alerts, prefetch_keys
from engine.incidents.alerts.bodies import IngestDoor, alerts_of, all_alerts_of, findings_of, read_or_keep, source_names
from engine.incidents.alerts.findings import ingest_findings
from engine.intake.alerts import Alert
from engine.intake.payloads import InboundBody
from engine.model.arrivals import READ_LATER
from engine.model.vocabulary import PayloadState
from engine.store import Revision, Write
from engine.store.ids import new_id
from engine.store.queries.operations.ingest import last_incidents
from engine.store.queries.operations.payloads import applied_of, partial_payload
from engine.store.schema.ingest import ingest_payloads

PART = 500  # alerts of one transaction: bounds how long others wait for the writer
COUNTED = (
    *("created", "deduplicated", "reopened", "resolved", "updated"),
    *("ignored", "replayed", "no_open_incident", "out_of_order"),
)
log = logging.getLogger("hq.ingest")


def receive_alerts(door: IngestDoor, inbound: InboundBody) -> dict[str, object]:
    """Apply the alerts of a body; what became of each, and how many of each outcome."""
    delivery = AlertDelivery(door, inbound)
    (result,) = door.store.write_all([delivery.last_write()])
    return delivery.summary(result.get())


def receive_findings(door: IngestDoor, inbound: InboundBody) -> dict[str, object]:
    """Store the findings of a body; what became of each, and how many of each outcome."""
    batch = read_or_keep(door, inbound, door.most_findings, findings_of)
    identifier = door.payload_id or new_id("pay")
    row = inbound.row(identifier, "read", batch.received, batch.received)
    row["source"] = source_names(batch.origins or {batch.source})

    def change(revision: Revision) -> dict[str, object]:
        door.confirm(revision)
        _write_payload(revision, door, inbound, row)
        return ingest_findings(revision, batch, _receipt(door, inbound, identifier), together=door.together)

    return door.store.write(door.org_id, inbound.actor, change, now=door.now, prefetch=door.prefetch)


def _note_replay(revision: Revision, inbound: InboundBody, payload_id: str) -> None:
    """The event that a dead letter was read in the end."""
    revision.record(READ_LATER, object_type="payload", object_id=payload_id, workspace_id=inbound.workspace_id)


def _write_payload(
    revision: Revision,
    door: IngestDoor,
    inbound: InboundBody,
    row: dict[str, Any],  # a row
) -> None:
    """A new body whole; of a dead letter that was read only what became of it."""
    if door.payload_id is None:
        revision.buffer_insert(ingest_payloads, row)
    else:
        became = {name: row[name] for name in ("state", "records", "applied", "reason", "source")}
        revision.buffer_update(ingest_payloads, {"id": door.payload_id}, became)
        _note_replay(revision, inbound, door.payload_id)


def _receipt(door: IngestDoor, inbound: InboundBody, payload_id: str) -> Receipt:
    return Receipt(
        inbound.received_at,
        inbound.workspace_id,
        payload_id,
        replayed=door.payload_id is not None,
        clock_skew=door.clock_skew,
    )


class AlertDelivery:
    """The alerts of one body, part by part. BadRequest or TooLarge for one that cannot be read, which is kept."""

    def __init__(self, door: IngestDoor, inbound: InboundBody) -> None:
        self.door = door
        self.inbound = inbound
        read = alerts_of if door.payload_id is None else all_alerts_of
        reading = read_or_keep(door, inbound, door.most_alerts, read)
        self.alerts: Sequence[Alert] = reading.alerts
        self.refused = reading.refused
        known = door.payload_id
        if known is None and len(self.alerts) > PART:
            with door.store.reader() as connection:
                known = partial_payload(connection, door.org_id, inbound.route, inbound.sha256)
        self._goes_on = known is not None
        self._payload_id = known or new_id("pay")
        self._results: list[AlertResult] = []

    def last_write(self) -> Write[list[AlertResult]]:
        """The write of the last part, once those before it are applied: few bodies have more than one."""
        while True:
            write = self._write(len(self._results))
            if len(self._results) + PART >= len(self.alerts):
                return write
            (result,) = self.door.store.write_all([write])
            self._results += result.get()

    def summary(self, last: Sequence[AlertResult]) -> dict[str, object]:
        """What became of each alert, and how many of each outcome; ``last`` is what the last write returned.

        ``refused`` are those that could not be read, by their place in the body.
        """
        results = [*self._results, *last]
        for alert in self.alerts:
            if alert.state == "ignored":  # such as a subscription that an operator has to confirm
                log.info("%s: ignored from %s: %s", self.door.org_id, alert.source, alert.note)
        seen: Counter[str] = Counter(result["outcome"] for result in results)
        refused = [{"place": one.place, "reason": one.reason} for one in self.refused]
        counts = {"received": len(results) + len(refused), "taken": len(results)}
        return {**counts, **{name: seen[name] for name in COUNTED}, "results": results, "refused": refused}

    def _write(self, start: int) -> Write[list[AlertResult]]:
        """The write of a part, unless it was applied, by whomever; a body of one part is not asked about."""
        part = self.alerts[start : start + PART]
        end = start + len(part)
        is_new = start == 0 and not self._goes_on
        became = self._became(end)
        receipt = _receipt(self.door, self.inbound, self._payload_id)
        row = {**self.inbound.row(self._payload_id, "read", 0, 0), **became} if is_new else {}

        def change(revision: Revision) -> list[AlertResult]:
            self.door.confirm(revision)
            if is_new:
                revision.buffer_insert(ingest_payloads, row)
            elif applied_of(revision.records, self.door.org_id, self._payload_id) < end:
                revision.buffer_update(ingest_payloads, {"id": self._payload_id}, became)
                if self.door.payload_id is not None:
                    _note_replay(revision, self.inbound, self._payload_id)
            else:
                return _replayed_results(revision, part)
            return ingest_alerts(revision, part, receipt)

        prefetch = (*self.door.prefetch, *prefetch_keys(part))
        return Write(self.door.org_id, self.inbound.actor, change, self.door.now, prefetch)

    def _became(self, end: int) -> dict[str, Any]:  # columns of a row
        """What the body is once its alerts before ``end`` are applied."""
        state: PayloadState = "read" if end == len(self.alerts) else "partial"
        reason = None
        if state == "read" and all(alert.state == "ignored" for alert in self.alerts):
            state, reason = "ignored", self.alerts[0].note
        source = source_names(alert.origin or alert.source for alert in self.alerts)
        return {"state": state, "records": len(self.alerts), "applied": end, "reason": reason, "source": source}


def _replayed_results(revision: Revision, part: Sequence[Alert]) -> list[AlertResult]:
    """The answer for alerts that an earlier delivery of the same body applied."""
    known = revision.look_up(last_incidents, [alert.dedupe_key for alert in part])
    return [
        {"dedupe_key": alert.dedupe_key, "outcome": "replayed", "incident_id": incident.id if incident else None}
        for alert in part
        for incident in (known[alert.dedupe_key],)
    ]
