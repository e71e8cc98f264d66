"""Dead letters read again: after an upgrade that knows their shape, or a limit that was raised."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.bodies import IngestDoor
from engine.incidents.alerts.ingest import receive_alerts, receive_findings
from engine.intake.payloads import InboundBody, unpack_body
from engine.model.errors import BadRequest, TooLarge
from engine.model.records import IngestPayloadRow
from engine.store import Store
from engine.store.queries.operations.payloads import note_reason


@dataclass(frozen=True)
class ReplayResult:
    """What a dead letter did; ``problem`` says why it still cannot be read."""

    payload_id: str
    counts: dict[str, int]
    problem: str | None = None


def replay(
    store: Store,
    row: IngestPayloadRow,
    *,
    now: datetime,
    most_alerts: int,
    most_findings: int,
    clock_skew: timedelta = Receipt.clock_skew,
    together: bool = True,
) -> ReplayResult:
    """Read a dead letter and apply it as of when it came; one that still cannot be read stays, with the new reason."""
    door = IngestDoor(
        store=store,
        org_id=row["org_id"],
        now=now,
        most_alerts=most_alerts,
        most_findings=most_findings,
        most_unread=0,
        most_unread_bytes=0,
        clock_skew=clock_skew,
        payload_id=row["id"],
        together=together,
    )
    inbound = InboundBody(
        route=row["route"],
        body=unpack_body(row["body"]),
        received_at=row["received_at"],
        actor=row["actor"],
        workspace_id=row["workspace_id"],
        content_type=row["content_type"],
        vendor=row["vendor"],
    )
    receive = receive_alerts if row["route"] == "alerts" else receive_findings
    try:
        answer = receive(door, inbound)
    except (BadRequest, TooLarge) as problem:
        with store.unversioned_transaction() as connection:
            note_reason(connection, row["org_id"], row["id"], problem.message)
        return ReplayResult(row["id"], {}, problem.message)
    counts = {name: value for name, value in answer.items() if name != "taken" and isinstance(value, int) and value}
    return ReplayResult(row["id"], counts)
