"""Single rows of importable tables, what references may point to, and what is somebody's to do."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from engine.desk.queries.lists import has_key, live
from engine.model.rights import DUTIES
from engine.store.schema import IMPORTABLE
from engine.store.schema.controls import control_owners
from engine.store.schema.organizations import memberships, users

MOST_OPTIONS = 500
LABELS = ("title", "name", "procedure", "reason", "weakness_key", "display_name")


class Option(NamedTuple):
    """An identifier that a reference may have, with what it is called."""

    id: str
    label: str


class OwnRow(NamedTuple):
    """A row that is somebody's to do."""

    table: str
    row: Mapping[str, object]


def find_row(connection: Connection, name: str, org_id: str, key: Mapping[str, object]) -> dict[str, object] | None:
    """The row with that key, whole, or None."""
    table = IMPORTABLE[name]
    owner = table.c.id if name == "organizations" else table.c.org_id
    query = select(table).where(owner == org_id, *(table.c[column] == value for column, value in key.items()))
    row = connection.execute(query).mappings().first()
    return None if row is None else dict(row)


def options(connection: Connection, name: str, org_id: str) -> list[Option]:
    """What a reference to the table may name, at most ``MOST_OPTIONS`` by identifier."""
    table = IMPORTABLE[name]
    label = next((table.c[column] for column in LABELS if column in table.c), table.c.id)
    query = select(table.c.id, label).where(table.c.org_id == org_id).order_by(table.c.id).limit(MOST_OPTIONS)
    return [Option(row[0], row[1] or row[0]) for row in connection.execute(query)]


def people(connection: Connection, org_id: str) -> dict[str, str]:
    """The addresses of the organization's people with their names, sorted; the address where there is no name."""
    found = dict.fromkeys(
        connection.execute(select(memberships.c.email).where(memberships.c.org_id == org_id)).scalars()
    )
    named = dict(found)
    for email, name in connection.execute(select(users.c.email, users.c.name).where(users.c.org_id == org_id)):
        named[email] = name or named.get(email)
    return {email: name or email for email, name in sorted(named.items())}


def own_controls(connection: Connection, org_id: str, person: str) -> list[tuple[str, str]]:
    """The framework and identifier of each control that the person (an address in lower case) does or answers for."""
    owners = control_owners.c
    query = select(owners.framework, owners.control_id).distinct()
    rows = connection.execute(
        query.where(owners.org_id == org_id, func.lower(owners.email) == person, owners.raci.in_(("R", "A")))
    )
    return sorted((framework, control) for framework, control in rows)


def work_of(connection: Connection, org_id: str, person: str, late: Mapping[str, Collection[str]]) -> list[OwnRow]:
    """What is still to do and names the person (an address in lower case) as its owner, table by table, by date;
    without a date, what is ``late``: keys by table."""
    own_rows: list[OwnRow] = []
    for name, duty in DUTIES.items():
        if not duty.owners or not (duty.live or duty.unless):
            continue
        table = IMPORTABLE[name]
        if duty.due is None and duty.state is None:
            continue
        own = or_(*(func.lower(table.c[column]) == person for column in duty.owners))
        dated: list[ColumnElement[bool]] = [table.c[duty.due].is_not(None)] if duty.due else []
        if late.get(name):
            dated = [or_(*dated, has_key(name, late[name]))]
        order = [table.c[duty.due]] if duty.due else []
        query = select(table).where(and_(table.c.org_id == org_id, own, *dated, *live(name)))
        rows = connection.execute(query.order_by(*order, *(table.c[key] for key in table.info["primary"]))).mappings()
        own_rows.extend(OwnRow(name, dict(row)) for row in rows)
    return own_rows


def decisions(connection: Connection, org_id: str) -> list[OwnRow]:
    """What waits for somebody who decides: exceptions in review, gaps and requests without an owner."""
    own_rows: list[OwnRow] = []
    waiting: Sequence[tuple[str, str, object]] = (
        ("exceptions", "status", "in_review"),
        ("remediations", "owner", None),
        ("evidence_requests", "owner", None),
    )
    for name, column, value in waiting:
        table = IMPORTABLE[name]
        where = table.c[column].is_(None) if value is None else table.c[column] == value
        query = select(table).where(table.c.org_id == org_id, where, *live(name))
        due = table.c[str(DUTIES[name].due)]
        rows = connection.execute(query.order_by(due.is_(None), due, table.c.id)).mappings()
        own_rows.extend(OwnRow(name, dict(row)) for row in rows)
    return own_rows


def active_role(connection: Connection, org_id: str, email: str) -> str | None:
    """The role of an active member, None for anybody else."""
    query = select(memberships.c.role).where(
        memberships.c.org_id == org_id, memberships.c.email == email, memberships.c.status == "active"
    )
    return connection.execute(query).scalar()


def has_owner(connection: Connection, org_id: str) -> bool:
    """Whether somebody active is an owner of the organization."""
    query = select(memberships.c.email).where(
        memberships.c.org_id == org_id, memberships.c.role == "owner", memberships.c.status == "active"
    )
    return connection.execute(query.limit(1)).first() is not None
