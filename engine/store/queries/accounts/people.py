"""What is known of a person by address: names, other organizations, and whether somebody else is an owner."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from engine.model.documents.document import Position
from engine.store.chain.chain import own_event_id
from engine.store.log.parts import PERSON_ERASED
from engine.store.schema.audit import audit_log
from engine.store.schema.commerce import leads
from engine.store.schema.organizations import memberships, users

_NAMED = (users, leads)


def names_of(connection: Connection, org_id: str, email: str) -> tuple[list[str], list[str]]:
    """The names that the organization has for an address; those that are its alone, and those that others bear, too."""
    named: dict[str, set[bool]] = {}
    for table in _NAMED:
        rows = connection.execute(select(table.c.email, table.c.name).where(table.c.org_id == org_id))
        for address, name in rows:
            if name and name.strip():
                named.setdefault(" ".join(name.split()).lower(), set()).add(address.lower() == email)
    own = sorted(name for name, whose in named.items() if True in whose)
    return [name for name in own if named[name] == {True}], [name for name in own if named[name] != {True}]


def organizations_of(connection: Connection, email: str) -> list[str]:
    """The organizations that have the address among their people or leads."""
    found: set[str] = set()
    for table in (*_NAMED, memberships):
        query = select(table.c.org_id).distinct().where(func.lower(table.c.email) == email)
        found.update(connection.execute(query).scalars())
    return sorted(found)


def is_last_owner(connection: Connection, org_id: str, email: str) -> bool:
    """Whether the address is an owner of the organization, and nobody else is."""
    query = select(func.lower(memberships.c.email)).where(
        memberships.c.org_id == org_id, memberships.c.role == "owner", memberships.c.status == "active"
    )
    return set(connection.execute(query).scalars()) == {email}


class RecordedErasure(NamedTuple):
    """An erasure as the chain has it: the pseudonym, when, and where its write ended."""

    said: str
    at: datetime
    position: Position


def erasures_of(connection: Connection, org_id: str) -> Iterator[RecordedErasure]:
    """The erasures of people that the chain still has, oldest first; not what was imported under that name."""
    columns = (audit_log.c.seq, audit_log.c.event_id, audit_log.c.hash, audit_log.c.object_id, audit_log.c.recorded_at)
    query = select(*columns).where(audit_log.c.org_id == org_id, audit_log.c.action == PERSON_ERASED)
    for seq, event_id, digest, said, at in connection.execute(query.order_by(audit_log.c.seq)):
        if event_id == own_event_id(seq):
            yield RecordedErasure(said, at, Position(seq, digest))
