"""Look-ups in the vendor register."""

from sqlalchemy import Connection, select

from engine.store.schema.organizations import organization_frameworks
from engine.store.schema.risk import vendors


def names(connection: Connection, org_id: str) -> dict[str, str]:
    """Every vendor that ever was in the register: name by id."""
    query = select(vendors.c.id, vendors.c.name).where(vendors.c.org_id == org_id).order_by(vendors.c.id)
    return {row.id: row.name for row in connection.execute(query)}


def frameworks_in_scope(connection: Connection, org_id: str) -> list[str]:
    """The frameworks that an organization follows."""
    table = organization_frameworks
    query = select(table.c.framework).where(table.c.org_id == org_id, table.c.in_scope)
    return list(connection.execute(query.order_by(table.c.framework)).scalars())
