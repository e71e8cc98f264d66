"""The outbox as rows: what is due, who works on it, what became of it.

Claims and postponements move no revision: ``attempts`` and ``next_attempt_at`` say when to try, not what was delivered,
and no report reads them. What becomes of a delivery is written in a revision, with its audit event.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict, cast

from sqlalchemy import Connection, select

from engine.model.vocabulary import Channel, DeliveryStatus, EndpointChannel
from engine.store.removal.retention import active_holds
from engine.store.rows import first, many, select_rows
from engine.store.schema.outputs import deliveries, delivery_contents, delivery_endpoints
from engine.store.writing.revisions import Revision
from engine.store.writing.statements import Values

KEY = ("kind", "period", "channel", "recipient")


class QueuedDelivery(TypedDict):
    """A delivery in the ledger: its state and its key."""

    id: str
    status: DeliveryStatus
    kind: str
    period: str
    channel: Channel
    recipient: str


class ListedDelivery(QueuedDelivery):
    """A delivery as people see it in a list: not what it says."""

    attempts: int
    late: bool
    created_at: datetime
    next_attempt_at: datetime | None
    sent_at: datetime | None
    last_error: str | None


@dataclass(frozen=True)
class Endpoint:
    """Where an organization's chat messages or webhooks go; ``secrets`` sign webhooks, newest first."""

    address: str
    secrets: tuple[str, ...] = ()
    disabled: bool = False


def endpoints(connection: Connection, org_id: str) -> Mapping[str, Endpoint]:
    """The organization's own endpoints by channel."""
    return {
        row["channel"]: Endpoint(row["address"], tuple(row["secrets"] or ()), row["disabled_at"] is not None)
        for row in many(connection, delivery_endpoints, org_id)
    }


def webhooks(connection: Connection) -> Mapping[str, Endpoint]:
    """The webhook of every organization that has set one."""
    query = select(delivery_endpoints).where(delivery_endpoints.c.channel == "webhook")
    return {
        row["org_id"]: Endpoint(row["address"], tuple(row["secrets"] or ()), row["disabled_at"] is not None)
        for row in select_rows(connection, delivery_endpoints, query.order_by(delivery_endpoints.c.org_id))
    }


def replace_secrets(revision: Revision, endpoint: Endpoint, secrets: Sequence[str]) -> bool:
    """The same secrets of a webhook in another form, unless it was set anew meanwhile; says whether it was not.

    SQLite writes zeros over what it gives up: the earlier form does not stay behind in the file.
    """
    if endpoints(revision.connection, revision.org_id).get("webhook") != endpoint:
        return False
    with revision.overwriting():
        revision.update(delivery_endpoints, {"channel": "webhook"}, {"secrets": list(secrets)})
        revision.record("delivery_endpoint.encrypted", object_type="delivery_endpoint", object_id="webhook")
    return True


def set_endpoint(revision: Revision, channel: EndpointChannel, address: str, secrets: Sequence[str]) -> None:
    """Set where a channel of the organization leads; the address and the secrets stay out of the audit log."""
    values = {"channel": channel, "address": address, "secrets": list(secrets), "created_at": revision.now}
    revision.upsert(delivery_endpoints, [{**values, "disabled_at": None}])
    revision.record("delivery_endpoint.set", object_type="delivery_endpoint", object_id=channel)


def remove_endpoint(revision: Revision, channel: EndpointChannel) -> bool:
    """Forget where a channel leads; False when nothing was set."""
    endpoint = bool(revision.delete(delivery_endpoints, delivery_endpoints.c.channel == channel))
    if endpoint:
        revision.record("delivery_endpoint.removed", object_type="delivery_endpoint", object_id=channel)
    return endpoint


def disable_endpoint(revision: Revision, channel: Channel) -> None:
    """Switch off an endpoint that said that it is gone."""
    if revision.update(delivery_endpoints, {"channel": channel}, {"disabled_at": revision.now}):
        revision.record("delivery_endpoint.disabled", object_type="delivery_endpoint", object_id=channel)


# -- queueing ----------------------------------------------------------------------------------------------------------


def by_key(
    connection: Connection, org_id: str, keys: Collection[tuple[str, ...]]
) -> dict[tuple[str, ...], QueuedDelivery]:
    """Rows of the ledger by key, for those of ``keys`` that are in it."""
    wanted = set(keys)
    columns = [deliveries.c[name] for name in ("id", "status", *KEY)]
    query = select(*columns).where(
        deliveries.c.org_id == org_id,
        deliveries.c.kind.in_(sorted({key[0] for key in wanted})),
        deliveries.c.period.in_(sorted({key[1] for key in wanted})),
    )
    rows = cast("list[QueuedDelivery]", [dict(row) for row in connection.execute(query).mappings()])
    found = {(row["kind"], row["period"], row["channel"], row["recipient"]): row for row in rows}
    return {key: row for key, row in found.items() if key in wanted}


def insert(revision: Revision, rows: Sequence[tuple[Values, Values]]) -> None:
    """Add (delivery, contents) pairs."""
    revision.insert(deliveries, [row for row, _ in rows])
    revision.insert(delivery_contents, [contents for _, contents in rows])


# -- looking and mending -----------------------------------------------------------------------------------------------

SHOWN = (
    "id", "kind", "period", "channel", "recipient", "status", "attempts", "late", "created_at", "next_attempt_at",
    "sent_at", "last_error",
)  # fmt: skip


def list_deliveries(connection: Connection, org_id: str, status: str | None, limit: int) -> list[ListedDelivery]:
    """Deliveries of an organization, newest first, without what they say."""
    query = select(*(deliveries.c[name] for name in SHOWN)).where(deliveries.c.org_id == org_id)
    if status is not None:
        query = query.where(deliveries.c.status == status)
    query = query.order_by(deliveries.c.created_at.desc(), deliveries.c.id).limit(limit)
    return cast("list[ListedDelivery]", [dict(row) for row in connection.execute(query).mappings()])


def recipients(connection: Connection, ids: Sequence[str]) -> list[tuple[str, str, str]]:
    """(organization, kind, recipient) of e-mails by their identifiers, in whatever organization they were."""
    columns = deliveries.c.org_id, deliveries.c.kind, deliveries.c.recipient
    query = select(*columns).where(deliveries.c.id.in_(list(ids)), deliveries.c.channel == "email").distinct()
    return [tuple(row) for row in connection.execute(query.order_by(*columns))]


def resend(revision: Revision, delivery_id: str) -> DeliveryStatus | None:
    """Queue a failed or skipped delivery again, with all its attempts; returns its status before, None for no such."""
    row = first(revision.records, deliveries, revision.org_id, id=delivery_id)
    if row is None:
        return None
    if row["status"] in ("failed", "skipped"):
        fresh = {"status": "pending", "attempts": 0, "next_attempt_at": revision.now, "last_error": None}
        revision.update(deliveries, {"id": delivery_id}, fresh)
        revision.record("delivery.resent", object_type="delivery", object_id=delivery_id)
    return row["status"]


def prune_contents(revision: Revision, before: datetime) -> int:
    """Remove what deliveries said that were settled and are older than ``before``; the ledger itself stays.

    A legal hold on everything keeps all of it.
    """
    if any(hold.everything for hold in active_holds(revision.connection, revision.org_id, revision.now)):
        return 0
    old = select(deliveries.c.id).where(
        deliveries.c.org_id == revision.org_id, deliveries.c.status != "pending", deliveries.c.created_at < before
    )
    removed = len(revision.delete(delivery_contents, delivery_contents.c.delivery_id.in_(old)))
    if removed:
        revision.record("delivery.pruned", object_type="delivery", details={"removed": removed})
    return removed
