"""Leases: of several processes one acts alone, for as long as it renews what it wrote here.

``until`` is what the holder's own clock says, for people to read. No two clocks are ever compared: whoever wants the
lease watches whether it still changes, and names in the end what it saw, so that of several that watched one gets it.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from engine.store.database.dialects import upsert_insert
from engine.store.schema.outputs import leases
from engine.store.store import Store


class Lease(NamedTuple):
    """A lease as it was written last."""

    holder: str
    until: datetime


def look(store: Store, name: str) -> Lease | None:
    """Who holds a lease; None where nobody does."""
    with store.reader() as connection:
        row = connection.execute(select(leases.c.holder, leases.c.until).where(leases.c.name == name)).first()
    return Lease(row.holder, row.until) if row else None


def take(store: Store, name: str, lease: Lease, *, after: Lease | None) -> bool:
    """Take a lease that still is as it was seen, ``after``; False where it changed since."""
    values = {"name": name, "holder": lease.holder, "until": lease.until}
    with store.unversioned_transaction() as connection:
        if after is None:
            made = (
                upsert_insert(store.dialect, leases).values(values).on_conflict_do_nothing().returning(leases.c.holder)
            )
            return connection.execute(made).first() is not None
        same = (leases.c.name == name, leases.c.holder == after.holder, leases.c.until == after.until)
        return connection.execute(update(leases).where(*same).values(values)).rowcount == 1


def renew(store: Store, name: str, lease: Lease) -> bool:
    """Write anew what the holder has; False where somebody else has it."""
    with store.unversioned_transaction() as connection:
        return renew_within(connection, name, lease)


def renew_within(connection: Connection, name: str, lease: Lease) -> bool:
    """The same as a part of a transaction: nobody takes the lease before its end."""
    mine = (leases.c.name == name, leases.c.holder == lease.holder)
    return connection.execute(update(leases).where(*mine).values(until=lease.until)).rowcount == 1


def release(store: Store, name: str, holder: str) -> None:
    """Give a lease up, so that nobody waits for its end."""
    with store.unversioned_transaction() as connection:
        connection.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
