"""What a door makes of a body before anything is applied: it is read, and what of it cannot be read is kept."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec

from engine.incidents.alerts.alert_rows import Receipt
from engine.intake.alerts import AlertReading, body_of_refused, read_alerts, read_batch
from engine.intake.findings import FindingBatch, parse_document, read_findings
from engine.intake.payloads import InboundBody, json_value
from engine.model.errors import BadRequest, Problem, TooLarge
from engine.store import Lookups, Revision, Store
from engine.store.ids import new_id
from engine.store.queries.operations.payloads import keep_unread

REASON = 2000
SOURCE, SOURCES = 200, 20  # length of a name, and how many are told of one body
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


class UnreadPart(NamedTuple):
    """Bytes that cannot be read, and why."""

    body: bytes
    reason: str


ReadBody: TypeAlias = Callable[[InboundBody, int], tuple[T, UnreadPart | None]]
"""What a body holds and what of it cannot be read, given how many records are the most; BadRequest or TooLarge."""


def read_or_keep(door: IngestDoor, inbound: InboundBody, most: int, read: ReadBody[T]) -> T:
    """What the body holds. What cannot be read is kept before anything is taken, and before a refusal leaves."""
    problem: Problem | None = None
    try:
        content, unread = read(inbound, most)
    except (BadRequest, TooLarge) as refusal:
        problem = refusal
        if isinstance(refusal, BadRequest) and (how := inbound.encoding_problem):
            problem = BadRequest(f"{refusal.message} {how}", word=refusal.word, details=refusal.details)
        unread = UnreadPart(inbound.body, problem.message)
    if unread and unread.body and door.payload_id is None:
        row = replace(inbound, body=unread.body).row(new_id("pay"), "unread", 0, 0)
        row["reason"] = unread.reason[:REASON]
        with door.store.unversioned_transaction() as connection:
            gone = keep_unread(connection, door.org_id, row, door.most_unread, door.most_unread_bytes)
        if gone:
            log.warning("%s: %d dead letters gave way to a newer one", door.org_id, len(gone))
    if problem is not None:
        raise problem
    return content


def alerts_of(inbound: InboundBody, most: int) -> tuple[AlertReading, UnreadPart | None]:
    """The alerts that can be read, and a body of those that cannot."""
    body = json_value(inbound.body)
    reading = read_batch(body, received_at=inbound.received_at, most=most)
    if not reading.refused:
        return reading, None
    rest = msgspec.json.encode(body_of_refused(body, reading.refused))
    return reading, UnreadPart(rest, reading.refused[0].reason)


def all_alerts_of(inbound: InboundBody, most: int) -> tuple[AlertReading, UnreadPart | None]:
    """The same of a dead letter: it stays one until all of it can be read."""
    body = json_value(inbound.body)
    return AlertReading(read_alerts(body, received_at=inbound.received_at, most=most), []), None


def findings_of(inbound: InboundBody, most: int) -> tuple[FindingBatch, UnreadPart | None]:
    """The findings, all or none."""
    batch = read_findings(
        parse_document(inbound.body, inbound.content_type),
        source_header=inbound.vendor,
        received_at=inbound.received_at,
        most=most,
        complete=inbound.complete,
        hosts=inbound.hosts,
    )
    return batch, None


def source_names(sources: Iterable[str]) -> str:
    """Who sent the records of a body, in one cell of what is kept of it."""
    return "; ".join(sorted({source[:SOURCE] for source in sources})[:SOURCES])
