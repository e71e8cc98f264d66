"""Heads that were signed, and positions of the chain that left the building."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, select, text, update

from engine.model.records import ArchiveHeadRow, SignedHeadRow
from engine.store.chain.chain import own_event_id
from engine.store.database.dialects import upsert_insert
from engine.store.rows import first, many, select_rows
from engine.store.schema.audit import access_log, archive_heads, audit_log, chain_cuts, signed_heads
from engine.store.schema.outputs import bundles, deliveries


def newest(connection: Connection, org_id: str) -> SignedHeadRow | None:
    """The signed head of the most events."""
    return first(connection, signed_heads, org_id, order=("-seq",))


def at(connection: Connection, org_id: str, seq: int) -> SignedHeadRow | None:
    """The signed head of that many events."""
    return first(connection, signed_heads, org_id, seq=seq)


def every(connection: Connection, org_id: str) -> list[SignedHeadRow]:
    """All signed heads in their order."""
    return many(connection, signed_heads, org_id)


def latest(connection: Connection, org_id: str, most: int) -> list[SignedHeadRow]:
    """The newest signed heads, newest first."""
    return many(connection, signed_heads, org_id, order=("-seq",), limit=most)


def of_archives(connection: Connection, org_id: str, seq: int, most: int) -> list[ArchiveHeadRow]:
    """The last ``most`` heads of fewer events than that which workbooks and packs carry, in their order."""
    query = select(archive_heads).where(archive_heads.c.org_id == org_id, archive_heads.c.seq < seq)
    return select_rows(connection, archive_heads, query.order_by(archive_heads.c.seq.desc()).limit(most))[::-1]


def keep_of_archive(connection: Connection, row: ArchiveHeadRow) -> None:
    """Remember that a workbook or pack carries this head."""
    connection.execute(upsert_insert(connection.dialect.name, archive_heads).values(**row).on_conflict_do_nothing())


def keep(connection: Connection, row: SignedHeadRow) -> None:
    """Store a head; one of as many events that is there stays."""
    connection.execute(upsert_insert(connection.dialect.name, signed_heads).values(**row).on_conflict_do_nothing())


def attach(connection: Connection, org_id: str, seq: int, **values: str) -> None:
    """Cosignatures or a time stamp beside a signed head."""
    mine = signed_heads.c.org_id == org_id, signed_heads.c.seq == seq
    connection.execute(update(signed_heads).where(*mine).values(**values))


def last_stamped(connection: Connection, org_id: str) -> datetime | None:
    """When the last head was signed that has a time stamp; None without one."""
    query = select(func.max(signed_heads.c.signed_at)).where(
        signed_heads.c.org_id == org_id, signed_heads.c.time_stamp.is_not(None)
    )
    moment: datetime | None = connection.execute(query).scalar()
    return moment


def place_of(connection: Connection, org_id: str, event_id: str) -> int | None:
    """The sequence number of an event; None where it is not there."""
    query = select(audit_log.c.seq).where(audit_log.c.org_id == org_id, audit_log.c.event_id == event_id)
    found: int | None = connection.execute(query).scalar()
    return found


class Departure(NamedTuple):
    """A position of the chain that left the building, and with what."""

    where: str
    seq: int
    hash: str


def departures(connection: Connection, org_id: str) -> list[Departure]:
    """The positions that left with seals, deliveries and downloads, and those at which retention cut."""
    found = []
    for table, sentence in ((deliveries, "a delivery"), (access_log, "a download")):
        query = select(table.c.head_seq, table.c.head_hash).where(table.c.org_id == org_id)
        both = query.where(table.c.head_seq.is_not(None), table.c.head_hash.is_not(None)).distinct()
        rows = connection.execute(both.order_by(table.c.head_seq, table.c.head_hash))
        found += [Departure(sentence, seq, digest) for seq, digest in rows]
    query = select(bundles.c.id, bundles.c.sealed_seq, bundles.c.sealed_hash).where(bundles.c.org_id == org_id)
    sealed = query.where(bundles.c.sealed_hash.is_not(None), bundles.c.archive_sha256.is_not(None))
    seals = connection.execute(sealed.order_by(bundles.c.revision, bundles.c.id))
    found += [Departure(f"the bundle {row.id}", row.sealed_seq, row.sealed_hash) for row in seals]
    cuts = select(chain_cuts.c.seq, chain_cuts.c.hash).where(chain_cuts.c.org_id == org_id, chain_cuts.c.seq > 0)
    return [*found, *(Departure("a cut of retention", seq, digest) for seq, digest in connection.execute(cuts))]


def seals_without_bundle(connection: Connection, org_id: str) -> list[tuple[int, str]]:
    """Events of ours that sealed a bundle which is not on record: position and the bundle."""
    known = exists().where(bundles.c.org_id == org_id, bundles.c.id == audit_log.c.object_id)
    query = select(audit_log.c.seq, audit_log.c.event_id, audit_log.c.object_id).where(
        audit_log.c.org_id == org_id, audit_log.c.action == "bundle.sealed", ~known
    )
    rows = connection.execute(query.order_by(audit_log.c.seq))
    return [(seq, bundle_id) for seq, event_id, bundle_id in rows if event_id == own_event_id(seq)]


def event_hashes(connection: Connection, org_id: str, first: int, last: int) -> list[tuple[int, str]]:
    """Position and hash of every event that is kept from ``first`` to ``last``, in order."""
    query = "SELECT seq, hash FROM audit_log WHERE org_id = :org_id AND seq BETWEEN :first AND :last ORDER BY seq"
    rows = connection.execute(text(query), {"org_id": org_id, "first": first, "last": last})
    return [(seq, digest) for seq, digest in rows]


def bundle_ids(connection: Connection, org_id: str) -> set[str]:
    """Every bundle on record."""
    return set(connection.execute(select(bundles.c.id).where(bundles.c.org_id == org_id)).scalars())
