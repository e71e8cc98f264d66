"""The way of a body from a door to incidents: read, applied in bounded transactions, kept; what cannot be read stays.

A body is applied in parts, and what is kept of it says how many of its alerts are applied: written in the transaction
that applies them, so that the same body sent again after a crash goes on where it ended, and nothing counts twice.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import AlertResult, ingest_alerts, prefetch_keys
from engine.incidents.alerts.findings import ingest_findings
from engine.intake.alerts import Alert, AlertReading, body_of_refused, read_alerts, read_batch
from engine.intake.findings import FindingBatch, parse_document, read_findings
from engine.intake.payloads import InboundBody, json_value
from engine.model.arrivals import READ_LATER
from engine.model.errors import BadRequest, TooLarge
from engine.model.vocabulary import PayloadState
from engine.store import Lookups, Revision, Store, Write
from engine.store.ids import new_id
from engine.store.queries.operations.ingest import last_incidents
from engine.store.queries.operations.payloads import applied_of, keep_unread, partial_payload
from engine.store.schema.ingest import ingest_payloads

PART = 500  # alerts of one transaction: bounds how long others wait for the writer
REASON = 2000
SOURCE, SOURCES = 200, 20  # length of a name, and how many are told of one body
COUNTED = (
    *("created", "deduplicated", "reopened", "resolved", "updated"),
    *("ignored", "replayed", "no_open_incident", "out_of_order"),
)
log = logging.getLogger("hq.ingest")
T = TypeVar("T")


def _no_check(revision: Revision) -> None:
    """Nothing to confirm: the console itself writes."""


@dataclass(frozen=True)
class IngestDoor:
    """Where bodies of one organization come in: its limits, and what confirms each write in its transaction."""

    store: Store
    org_id: str
    now: datetime
    most_alerts: int
    most_findings: int
    most_unread: int
    most_unread_bytes: int
    confirm: Callable[[Revision], None] = _no_check
    prefetch: Lookups = ()
    clock_skew: timedelta = Receipt.clock_skew
    together: bool = True  # severe findings of one scanner, rule and severity share an incident
    payload_id: str | None = field(default=None)  # of a dead letter that is read again


def receive_alerts(door: IngestDoor, inbound: InboundBody) -> dict[str, object]:
    """Apply the alerts of a body; what became of each, and how many of each outcome."""
    delivery = AlertDelivery(door, inbound)
    (result,) = door.store.write_all([delivery.last_write()])
    return delivery.summary(result.get())


def receive_findings(door: IngestDoor, inbound: InboundBody) -> dict[str, object]:
    """Store the findings of a body; what became of each, and how many of each outcome."""

    def read() -> FindingBatch:
        body = parse_document(inbound.body, inbound.content_type)
        return read_findings(
            body,
            source_header=inbound.vendor,
            received_at=inbound.received_at,
            most=door.most_findings,
            complete=inbound.complete,
            hosts=inbound.hosts,
        )

    batch = _read(door, inbound, read)
    identifier = door.payload_id or new_id("pay")
    row = inbound.row(identifier, "read", batch.received, batch.received)
    row["source"] = _source_names(batch.origins or {batch.source})

    def change(revision: Revision) -> dict[str, object]:
        door.confirm(revision)
        _write_payload(revision, door, inbound, row)
        return ingest_findings(revision, batch, _receipt(door, inbound, identifier), together=door.together)

    return door.store.write(door.org_id, inbound.actor, change, now=door.now, prefetch=door.prefetch)


def _read(door: IngestDoor, inbound: InboundBody, read: Callable[[], T]) -> T:
    """What the body holds; one that cannot be read is kept before the refusal leaves."""
    try:
        return read()
    except (BadRequest, TooLarge) as problem:
        how = inbound.encoding_problem if isinstance(problem, BadRequest) else None
        message = f"{problem.message} {how}" if how else problem.message
        if inbound.body and door.payload_id is None:
            _keep_dead_letter(door, inbound, message)
        if how:
            raise BadRequest(message, word=problem.word, details=problem.details) from problem
        raise


def _keep_dead_letter(door: IngestDoor, inbound: InboundBody, reason: str) -> None:
    row = {**inbound.row(new_id("pay"), "unread", 0, 0), "reason": reason[:REASON]}
    with door.store.unversioned_transaction() as connection:
        gone = keep_unread(connection, door.org_id, row, door.most_unread, door.most_unread_bytes)
    if gone:
        log.warning("%s: %d dead letters gave way to a newer one", door.org_id, len(gone))


def _source_names(sources: Iterable[str]) -> str:
    return "; ".join(sorted({source[:SOURCE] for source in sources})[:SOURCES])


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
        reading = self._read_alerts()
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
        for start in range(0, len(self.alerts) - PART, PART):
            (result,) = self.door.store.write_all([self._write(start)])
            self._results += result.get()
        return self._write(len(self._results))

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

    def _read_alerts(self) -> AlertReading:
        """The alerts that can be read; the others are kept before anything is taken, in a body of their own."""
        inbound, most, again = self.inbound, self.door.most_alerts, self.door.payload_id is not None
        body: list[object] = []

        def read() -> AlertReading:
            body.append(json_value(inbound.body))
            if again:  # a dead letter stays one until all of it can be read
                return AlertReading(read_alerts(body[0], received_at=inbound.received_at, most=most), [])
            return read_batch(body[0], received_at=inbound.received_at, most=most)

        reading = _read(self.door, inbound, read)
        if reading.refused:
            rest = msgspec.json.encode(body_of_refused(body[0], reading.refused))
            _keep_dead_letter(self.door, replace(inbound, body=rest), reading.refused[0].reason)
        return reading

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
        source = _source_names(alert.origin or alert.source for alert in self.alerts)
        return {"state": state, "records": len(self.alerts), "applied": end, "reason": reason, "source": source}


def _replayed_results(revision: Revision, part: Sequence[Alert]) -> list[AlertResult]:
    """The answer for alerts that an earlier delivery of the same body applied."""
    known = revision.look_up(last_incidents, [alert.dedupe_key for alert in part])
    return [
        {"dedupe_key": alert.dedupe_key, "outcome": "replayed", "incident_id": incident.id if incident else None}
        for alert in part
        for incident in (known[alert.dedupe_key],)
    ]
