"""The whole of a store at once: where every chain stands, which archives there have to be, and what waits to leave."""

from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from engine.store.schema.audit import signed_heads
from engine.store.schema.organizations import heads
from engine.store.schema.outputs import bundles, deliveries


class OrganizationPosition(NamedTuple):
    """Where the chain of an organization stands, and the last head of it that was signed."""

    org_id: str
    seq: int
    hash: str
    signed_head: str | None


class ArchiveRecord(NamedTuple):
    """An archive that was sealed here."""

    org_id: str
    bundle_id: str
    sha256: str


def positions(connection: Connection) -> list[OrganizationPosition]:
    """Every organization, the platform's own included."""
    newest = select(signed_heads.c.org_id, func.max(signed_heads.c.seq).label("seq"))
    last = newest.group_by(signed_heads.c.org_id).subquery()
    joined = heads.outerjoin(last, last.c.org_id == heads.c.org_id).outerjoin(
        signed_heads, and_(signed_heads.c.org_id == last.c.org_id, signed_heads.c.seq == last.c.seq)
    )
    query = select(heads.c.org_id, heads.c.seq, heads.c.hash, signed_heads.c.note).select_from(joined)
    return sorted(OrganizationPosition(*row) for row in connection.execute(query).tuples())


def archives(connection: Connection) -> list[ArchiveRecord]:
    """The archives that the bundle folder has to hold."""
    query = select(bundles.c.org_id, bundles.c.id, bundles.c.archive_sha256)
    rows = connection.execute(query.where(bundles.c.archive_sha256.is_not(None))).tuples()
    return sorted(ArchiveRecord(*row) for row in rows)


def pending_deliveries(connection: Connection) -> int:
    """How many deliveries wait to be sent."""
    query = select(func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
    return connection.execute(query).scalar_one()
