"""Look-ups of billing: providers name an order or a subscription, never the organization that it belongs to."""

from datetime import datetime

from sqlalchemy import Connection, and_, or_, select

from engine.model.records import OrderRow, SubscriptionRow
from engine.store.rows import select_first
from engine.store.schema.commerce import orders, subscriptions
from engine.store.schema.outputs import seen_events


def order_of(connection: Connection, provider: str, ref: str, order_id: str | None) -> OrderRow | None:
    """The order that a provider calls ``ref``.

    One whose answer never reached us is found by our own ``order_id``, which the provider repeats; a buyer could make
    a provider repeat any, so it counts only for an order that has no other name there.
    """
    unnamed = and_(orders.c.id == order_id, orders.c.provider_ref.is_(None))
    query = select(orders).where(orders.c.provider == provider, or_(orders.c.provider_ref == ref, unnamed))
    return select_first(connection, orders, query.order_by(orders.c.provider_ref.is_(None)))


def subscription_of(connection: Connection, provider: str, ref: str) -> SubscriptionRow | None:
    """The subscription that a provider calls ``ref``, whoever has it."""
    named = and_(subscriptions.c.provider == provider, subscriptions.c.provider_ref == ref)
    return select_first(connection, subscriptions, select(subscriptions).where(named))


def running_before(connection: Connection, org_id: str, provider: str, order_id: str) -> list[str]:
    """What the provider calls the organization's paid subscriptions that were ordered before the order."""
    begun = select(orders.c.created_at).where(orders.c.org_id == org_id, orders.c.id == order_id).scalar_subquery()
    query = (
        select(subscriptions.c.provider_ref)
        .join(orders, and_(orders.c.org_id == subscriptions.c.org_id, orders.c.id == subscriptions.c.id))
        .where(
            subscriptions.c.org_id == org_id,
            subscriptions.c.provider == provider,
            subscriptions.c.status.in_(["active", "past_due", "paused"]),
            subscriptions.c.id != order_id,
            orders.c.created_at < begun,
        )
    )
    return list(connection.execute(query.order_by(subscriptions.c.id)).scalars())


def with_lapsed(connection: Connection, now: datetime) -> list[str]:
    """Organizations with a cancelled subscription whose paid time is over."""
    over = and_(subscriptions.c.status == "cancelled", subscriptions.c.renews_at <= now)
    query = select(subscriptions.c.org_id).where(over).distinct().order_by(subscriptions.c.org_id)
    return list(connection.execute(query).scalars())


def was_applied(connection: Connection, source: str, event_id: str) -> bool:
    """Whether an inbound event was applied already; the transaction of its effect decides in the end."""
    query = select(seen_events.c.seen_at).where(seen_events.c.source == source, seen_events.c.event_id == event_id)
    return connection.execute(query).first() is not None
