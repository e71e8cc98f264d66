"""The whole of a store at once: where every chain stands, which archives there have to be, and what waits to leave."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, or_, select

from engine.store.chain.heads import seq_column
from engine.store.database.epoch import EPOCH
from engine.store.schema.audit import signed_heads
from engine.store.schema.controls import evidence_items
from engine.store.schema.organizations import heads
from engine.store.schema.outputs import bundles, credential_uses, credentials, deliveries

HELD_EVIDENCE = "0039"  # the migration from which on items hold bytes


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


class EvidenceRecord(NamedTuple):
    """Bytes that evidence items hold."""

    org_id: str
    sha256: str


def positions(connection: Connection, schema: str = EPOCH) -> list[OrganizationPosition]:
    """Every organization, the platform's own included, of a store at migration ``schema``."""
    newest = select(signed_heads.c.org_id, func.max(signed_heads.c.seq).label("seq"))
    last = newest.group_by(signed_heads.c.org_id).subquery()
    joined = heads.outerjoin(last, last.c.org_id == heads.c.org_id).outerjoin(
        signed_heads, and_(signed_heads.c.org_id == last.c.org_id, signed_heads.c.seq == last.c.seq)
    )
    query = select(heads.c.org_id, seq_column(schema), heads.c.hash, signed_heads.c.note).select_from(joined)
    return sorted(OrganizationPosition._make(row) for row in connection.execute(query))


def archives(connection: Connection) -> list[ArchiveRecord]:
    """The archives that the bundle folder has to hold."""
    query = select(bundles.c.org_id, bundles.c.id, bundles.c.archive_sha256)
    rows = connection.execute(query.where(bundles.c.archive_sha256.is_not(None)))
    return sorted(ArchiveRecord._make(row) for row in rows)


def evidence_files(connection: Connection, schema: str = EPOCH) -> list[EvidenceRecord]:
    """The files that the evidence store has to hold, each once. ``schema``: the migration of the store."""
    if schema < HELD_EVIDENCE:
        return []
    query = select(evidence_items.c.org_id, evidence_items.c.held_sha256).distinct()
    rows = connection.execute(
        query.where(evidence_items.c.held_sha256.is_not(None), evidence_items.c.removed.is_(None))
    )
    return sorted(EvidenceRecord._make(row) for row in rows)


def pending_deliveries(connection: Connection) -> int:
    """How many deliveries wait to be sent."""
    query = select(func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
    return connection.execute(query).scalar_one()


class UnusedCredential(NamedTuple):
    """A key or token that is good and that nobody used for long."""

    org_id: str
    kind: str
    label: str
    prefix: str
    last_four: str
    created_at: datetime
    last_used_at: datetime | None


def unused_credentials(connection: Connection, now: datetime, since: datetime) -> list[UnusedCredential]:
    """Those that are neither revoked nor expired, were made before ``since`` and not used from then on."""
    used = and_(credential_uses.c.org_id == credentials.c.org_id, credential_uses.c.credential_id == credentials.c.id)
    columns = (getattr(credentials.c, name) for name in UnusedCredential._fields[:-1])
    query = (
        select(*columns, credential_uses.c.last_used_at)
        .select_from(credentials.outerjoin(credential_uses, used))
        .where(
            credentials.c.revoked_at.is_(None),
            or_(credentials.c.expires_at.is_(None), credentials.c.expires_at > now),
            credentials.c.created_at < since,
            or_(credential_uses.c.last_used_at.is_(None), credential_uses.c.last_used_at < since),
        )
        .order_by(credentials.c.org_id, credentials.c.created_at, credentials.c.id)
    )
    return [UnusedCredential._make(row) for row in connection.execute(query)]


def last_write(connection: Connection) -> tuple[str, datetime] | None:
    """The organization whose head moved last, and when; None for an empty store."""
    row = connection.execute(select(heads.c.org_id, heads.c.moved_at).order_by(heads.c.moved_at.desc())).first()
    return None if row is None else (row.org_id, row.moved_at)


# what a server must have switched on for a commit to outlive a crash, and what may stand there
_DURABLE = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "local", "remote_write", "remote_apply"),
}


def durability_problems(connection: Connection) -> Iterator[str]:
    """Settings of a PostgreSQL server by which what was committed is lost in a crash; SQLite's are our own."""
    if connection.dialect.name != "postgresql":
        return
    for name, good in _DURABLE.items():
        found = connection.exec_driver_sql(f"SHOW {name}").scalar_one()
        if found not in good:
            yield f"{name} is {found!r}, expected {' or '.join(good)}"


def structure_problems(connection: Connection) -> Iterator[str]:
    """What SQLite finds in its own file: pages and indexes, and rows that refer to none. A server looks itself."""
    if connection.dialect.name != "sqlite":
        return
    for (said,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
        if said != "ok":
            yield str(said)
    for table, rowid, other, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"row {rowid} of {table} refers to a row of {other} that is not there"
