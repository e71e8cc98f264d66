"""Reads of leads and pilots: pages under filters, what the dashboard counts, histories."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, or_, select

from engine.model.records import ActivityRow
from engine.store.rows import TableQuery, select_rows
from engine.store.schema.commerce import activities, leads, pilots
from engine.store.store import Store

PAGE = 2_000
Row = dict[str, Any]  # for the handlers of leads and pilots, which hand rows on
SEARCHED = ("reference_id", "name", "email", "company")


@dataclass(frozen=True)
class LeadFilter:
    """Which leads; None and empty mean any. ``overdue_on`` asks for follow-ups before that day that are still owed."""

    stages: tuple[str, ...] = ()
    owner: str | None = None
    unassigned: bool = False
    priority: str | None = None
    spam: bool | None = False
    text: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    overdue_on: date | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filter in SQL."""
        found: list[ColumnElement[bool]] = []
        if self.stages:
            found.append(leads.c.stage.in_(self.stages))
        if self.owner is not None:
            found.append(leads.c.owner == self.owner)
        if self.unassigned:
            found.append(leads.c.owner.is_(None))
        if self.priority is not None:
            found.append(leads.c.priority == self.priority)
        if self.spam is not None:
            found.append(leads.c.spam == self.spam)
        if self.text is not None:
            wanted = self.text.lower()
            found.append(or_(*(func.lower(leads.c[name]).contains(wanted, autoescape=True) for name in SEARCHED)))
        if self.since is not None:
            found.append(leads.c.created_at >= self.since)
        if self.before is not None:
            found.append(leads.c.created_at < self.before)
        if self.overdue_on is not None:
            found += [leads.c.follow_up_on < self.overdue_on, leads.c.stage.not_in(("won", "lost"))]
        return found


@dataclass(frozen=True)
class PilotFilter:
    """Which pilots; None and empty mean any."""

    stages: tuple[str, ...] = ()
    owner: str | None = None
    lead_id: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filter in SQL."""
        found: list[ColumnElement[bool]] = []
        if self.stages:
            found.append(pilots.c.stage.in_(self.stages))
        if self.owner is not None:
            found.append(pilots.c.owner == self.owner)
        if self.lead_id is not None:
            found.append(pilots.c.lead_id == self.lead_id)
        return found


def page_of(
    connection: Connection, org_id: str, wanted: LeadFilter | PilotFilter, offset: int, limit: int
) -> tuple[int, list[dict[str, object]]]:
    """How many there are, and those of one page, newest first."""
    table = _table(wanted)
    conditions = [table.c.org_id == org_id, *wanted.conditions()]
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one()
    return int(total), _rows(connection, _newest_first(table, conditions).offset(offset).limit(limit))


def pages(store: Store, org_id: str, wanted: LeadFilter | PilotFilter) -> Iterator[list[dict[str, object]]]:
    """All of them, newest first; each page is read on its own, so that a slow reader holds no transaction."""
    table = _table(wanted)
    conditions = [table.c.org_id == org_id, *wanted.conditions()]
    after: list[ColumnElement[bool]] = []
    while True:
        with store.reader() as connection:
            page = _rows(connection, _newest_first(table, [*conditions, *after]).limit(PAGE))
        yield page
        if len(page) < PAGE:
            return
        last = page[-1]
        later = and_(table.c.created_at == last["created_at"], table.c.id > last["id"])
        after = [or_(table.c.created_at < last["created_at"], later)]


def earliest_since(connection: Connection, org_id: str, email: str, since: datetime, most: int) -> datetime | None:
    """When the oldest of the newest ``most`` enquiries of an address came; None while there are fewer."""
    query = select(leads.c.created_at).where(
        leads.c.org_id == org_id, leads.c.email == email, leads.c.created_at > since
    )
    newest = connection.execute(query.order_by(leads.c.created_at.desc()).limit(most)).scalars().all()
    return newest[-1] if len(newest) == most else None


def has_reference(connection: Connection, org_id: str, reference: str) -> bool:
    """Whether an enquiry has this reference."""
    query = select(leads.c.id).where(leads.c.org_id == org_id, leads.c.reference_id == reference)
    return connection.execute(query).first() is not None


def history_of(connection: Connection, org_id: str, kind: str, subject_id: str) -> list[ActivityRow]:
    """The activities on one lead or pilot, in the order in which they happened."""
    query = select(activities).where(
        activities.c.org_id == org_id, activities.c.subject_type == kind, activities.c.subject_id == subject_id
    )
    return select_rows(connection, activities, query.order_by(activities.c.id))


def all_leads(connection: Connection, org_id: str) -> list[dict[str, object]]:
    """What the dashboard needs of every lead that is no spam; no names, no messages."""
    names = (
        "id",
        "reference_id",
        "stage",
        "owner",
        "value",
        "follow_up_on",
        "created_at",
        "stage_changed_at",
        "first_response_at",
        "priority",
    )
    query = select(*(leads.c[name] for name in names)).where(leads.c.org_id == org_id, leads.c.spam.is_(False))
    return _rows(connection, query.order_by(leads.c.created_at, leads.c.id))


def stage_moves(connection: Connection, org_id: str, kind: str) -> list[dict[str, object]]:
    """Every change of stage: of what, when, from and to."""
    query = select(activities.c.subject_id, activities.c.happened_at, activities.c.details).where(
        activities.c.org_id == org_id, activities.c.subject_type == kind, activities.c.action == f"{kind}.stage.changed"
    )
    return _rows(connection, query.order_by(activities.c.id))


def last_touches(connection: Connection, org_id: str) -> dict[str, datetime]:
    """When each lead was last worked on or came in."""
    query = select(activities.c.subject_id, func.max(activities.c.happened_at)).where(
        activities.c.org_id == org_id, activities.c.subject_type == "lead"
    )
    return {row[0]: row[1] for row in connection.execute(query.group_by(activities.c.subject_id))}


def pilot_counts(connection: Connection, org_id: str) -> dict[str, int]:
    """How many pilots are in each stage."""
    query = select(pilots.c.stage, func.count()).where(pilots.c.org_id == org_id).group_by(pilots.c.stage)
    return {row[0]: int(row[1]) for row in connection.execute(query)}


def _table(wanted: LeadFilter | PilotFilter) -> Table:
    return leads if isinstance(wanted, LeadFilter) else pilots


def _newest_first(table: Table, conditions: list[ColumnElement[bool]]) -> TableQuery:
    return select(table).where(*conditions).order_by(table.c.created_at.desc(), table.c.id)


def _rows(connection: Connection, query: TableQuery) -> list[dict[str, object]]:
    return [dict(row) for row in connection.execute(query).mappings()]
