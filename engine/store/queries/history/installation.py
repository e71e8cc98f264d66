"""The tree over the whole installation: commitments to organizations and its signed heads."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select, update

from engine.model.records import InstallationCommitmentRow, InstallationHeadRow
from engine.store.rows import select_rows
from engine.store.schema.audit import installation_commitments, installation_heads
from engine.store.schema.organizations import heads, organizations


def commitments(connection: Connection) -> list[InstallationCommitmentRow]:
    """Every commitment in its place."""
    query = select(installation_commitments).order_by(installation_commitments.c.position)
    return select_rows(connection, installation_commitments, query)


def signed(connection: Connection) -> list[InstallationHeadRow]:
    """Every signed head of the tree, the smallest first."""
    query = select(installation_heads).order_by(installation_heads.c.size)
    return select_rows(connection, installation_heads, query)


def newest(connection: Connection) -> InstallationHeadRow | None:
    """The signed head over the most commitments."""
    query = select(installation_heads).order_by(installation_heads.c.size.desc()).limit(1)
    return next(iter(select_rows(connection, installation_heads, query)), None)


def chain_ends(connection: Connection) -> dict[str, tuple[int, str]]:
    """Where the chain of each organization stands that has events: its last sequence number and hash."""
    query = select(heads.c.org_id, heads.c.last_seq, heads.c.hash).where(heads.c.last_seq > 0)
    return {org_id: (seq, digest) for org_id, seq, digest in sorted(map(tuple, connection.execute(query)))}


def without_chain(connection: Connection) -> list[str]:
    """Organizations without any event: whoever is made has one."""
    chained = select(heads.c.org_id).where(heads.c.last_seq > 0)
    query = select(organizations.c.id).where(organizations.c.id.not_in(chained)).order_by(organizations.c.id)
    return list(connection.execute(query).scalars())


def without_organization(connection: Connection) -> list[str]:
    """Names under which there is a chain, and no organization."""
    query = select(heads.c.org_id).where(heads.c.org_id.not_in(select(organizations.c.id))).order_by(heads.c.org_id)
    return list(connection.execute(query).scalars())


def keep(connection: Connection, made: Sequence[InstallationCommitmentRow], head: InstallationHeadRow) -> None:
    """Add commitments and the signed head over all of them."""
    connection.execute(insert(installation_commitments), list(made))
    connection.execute(insert(installation_heads), [head])


def replace_note(connection: Connection, size: int, note: str) -> None:
    """The signed head over so many commitments with what witnesses signed under it."""
    connection.execute(update(installation_heads).where(installation_heads.c.size == size).values(note=note))


def size(connection: Connection) -> int:
    """How many commitments there are."""
    return connection.execute(select(func.count()).select_from(installation_commitments)).scalar_one()
