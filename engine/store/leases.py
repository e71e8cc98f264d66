"""Leases: of several processes one acts alone, for as long as it says that it is there."""

from datetime import datetime, timedelta

from sqlalchemy import delete, or_, update
from sqlalchemy.dialects import postgresql, sqlite

from engine.store.schema.outputs import leases
from engine.store.store import Store


def take(store: Store, name: str, holder: str, *, now: datetime, until: datetime) -> bool:
    """Take or renew a lease; False while somebody else holds it.

    One that ends much later than a holder asks for was taken by a clock that was wrong: it is void.
    """
    plausible = now + 2 * max(until - now, timedelta(seconds=1))
    free = or_(leases.c.holder == holder, leases.c.until <= now, leases.c.until > plausible)
    values = {"name": name, "holder": holder, "until": until}
    insert = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    with store.aside() as connection:
        if connection.execute(update(leases).where(leases.c.name == name, free).values(values)).rowcount:
            return True
        made = insert(leases).values(values).on_conflict_do_nothing().returning(leases.c.holder)
        return connection.execute(made).first() is not None


def release(store: Store, name: str, holder: str) -> None:
    """Give a lease up, so that nobody waits for its end."""
    with store.aside() as connection:
        connection.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
