"""What an organization's own row says."""

from datetime import date, datetime

from sqlalchemy import Connection, select

from engine.model.days import local_day
from engine.model.vocabulary import Plan
from engine.store.ids import PLATFORM
from engine.store.schema.organizations import heads, organizations


def time_zone(connection: Connection, org_id: str) -> str:
    """The IANA time zone of the organization's business dates."""
    zone: str = connection.execute(select(organizations.c.time_zone).where(organizations.c.id == org_id)).scalar_one()
    return zone


def name_of(connection: Connection, org_id: str) -> str:
    """What the organization is called."""
    name: str = connection.execute(select(organizations.c.name).where(organizations.c.id == org_id)).scalar_one()
    return name


def longest_chains(connection: Connection, count: int) -> list[str]:
    """So many organizations at most, those with the longest records first; the platform's own is not among them."""
    query = select(heads.c.org_id).where(heads.c.org_id != PLATFORM, heads.c.last_seq > 0)
    return list(connection.scalars(query.order_by(heads.c.last_seq.desc(), heads.c.org_id).limit(count)))


def plan_of(connection: Connection, org_id: str) -> Plan:
    """The paid plan of the organization, as the transaction sees it."""
    plan: Plan = connection.execute(select(organizations.c.plan).where(organizations.c.id == org_id)).scalar_one()
    return plan


def agreed_plan_of(connection: Connection, org_id: str) -> Plan:
    """The plan that was agreed on otherwise than by a subscription; ``free`` without any."""
    query = select(organizations.c.agreed_plan).where(organizations.c.id == org_id)
    plan: Plan | None = connection.execute(query).scalar_one()
    return plan or "free"


def today(connection: Connection, org_id: str, now: datetime) -> date:
    """The organization's business date: the day of ``now`` in its time zone."""
    return local_day(now, time_zone(connection, org_id))
