"""Sealed bundles: their rows, their files, and the audit events that they rest on."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from engine.model.records import AuditLogRow, BundleRow
from engine.store.rows import first, many, select_first
from engine.store.schema.audit import audit_log
from engine.store.schema.outputs import bundles
from engine.store.writing.batches import in_batches


def newest(connection: Connection, org_id: str) -> BundleRow | None:
    """The last bundle that was sealed here: the next one is chained to it, and to no record of one from elsewhere."""
    table = bundles
    sealed = table.c.manifest_sha256.is_not(None) & table.c.archive_sha256.is_not(None)
    query = select(table).where(table.c.org_id == org_id, sealed)
    return select_first(connection, table, query.order_by(table.c.revision.desc(), table.c.id.desc()))


def every(connection: Connection, org_id: str) -> list[BundleRow]:
    """All bundles, newest first."""
    return many(connection, bundles, org_id, order=("-sealed_at", "-revision"))


def every_seal(connection: Connection, org_id: str) -> list[BundleRow]:
    """The bundles that were sealed here, by where they were sealed; those of one place in the order of their seals."""
    rows = many(connection, bundles, org_id, order=("sealed_seq", "revision"))
    return [row for row in rows if row["archive_sha256"] is not None and row["sealed_hash"] is not None]


def hashes_at(connection: Connection, org_id: str, positions: Sequence[int]) -> dict[int, str]:
    """The hashes of the chain at these positions, as far as retention left them."""
    found: dict[int, str] = {}
    for batch in in_batches(positions, 500):
        query = select(audit_log.c.seq, audit_log.c.hash).where(
            audit_log.c.org_id == org_id, audit_log.c.seq.in_(batch)
        )
        found.update((seq, digest) for seq, digest in connection.execute(query))
    return found


def sealed_since(
    connection: Connection, org_id: str, actors: Sequence[str], window: str, since: datetime
) -> BundleRow | None:
    """The newest bundle of a window that one of these actors sealed since then."""
    rows = many(
        connection, bundles, org_id, order=("-sealed_at", "-revision"), created_by=list(actors), requested_window=window
    )
    return next((row for row in rows if row["sealed_at"] >= since), None)


def sealing_event(connection: Connection, org_id: str, bundle_id: str) -> AuditLogRow | None:
    """The audit event that recorded the seal; None once retention took it."""
    return first(connection, audit_log, org_id, object_id=bundle_id, action="bundle.sealed")


def hash_at(connection: Connection, org_id: str, seq: int) -> str | None:
    """The hash of the chain at a position; None once retention took it."""
    query = select(audit_log.c.hash).where(audit_log.c.org_id == org_id, audit_log.c.seq == seq)
    found: str | None = connection.execute(query).scalar()
    return found


def first_since(connection: Connection, org_id: str, since: datetime | None, last: int) -> int:
    """The position of the first event up to ``last`` that happened since then; the next one when none did."""
    query = select(func.min(audit_log.c.seq)).where(audit_log.c.org_id == org_id, audit_log.c.seq <= last)
    if since is not None:
        query = query.where(audit_log.c.occurred_at >= since)
    found: int | None = connection.execute(query).scalar()
    return last + 1 if found is None else found


def first_moment(connection: Connection, org_id: str) -> datetime | None:
    """When the earliest event that is kept happened; None without any."""
    query = select(func.min(audit_log.c.occurred_at)).where(audit_log.c.org_id == org_id)
    moment: datetime | None = connection.execute(query).scalar()
    return moment
