"""Where the chain of an organization stands: read under a lock, and moved as the last step of a write."""

from datetime import datetime

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, literal_column, select, update

from engine.model.errors import Problem
from engine.store.chain.chain import GENESIS
from engine.store.database.epoch import must_be_of_this_epoch
from engine.store.database.store_epoch import EPOCH_OF_STORE, read_epoch
from engine.store.schema.organizations import heads
from engine.store.writing.statements import CompiledStatement

RENAMED_HEAD = "0033"  # the migration before which ``last_seq`` was ``seq``
_TAKE_HEAD = CompiledStatement(
    select(heads.c.last_seq, heads.c.hash, EPOCH_OF_STORE).where(heads.c.org_id == bindparam("org")).with_for_update()
)
_MOVE_HEAD = CompiledStatement(
    update(heads)
    .where(heads.c.org_id == bindparam("_org"), heads.c.last_seq == bindparam("_from"))
    .values(last_seq=bindparam("_seq"), hash=bindparam("_hash"), moved_at=bindparam("_at"))
)


def seq_column(schema: str) -> ColumnElement[int]:
    """Where the sequence number of a head is in a store at migration ``schema``."""
    return heads.c.last_seq if schema >= RENAMED_HEAD else literal_column("heads.seq", BigInteger)


def take_head(connection: Connection, org_id: str) -> tuple[int, str] | None:
    """Where the organization's chain stands, locked until the transaction ends; None for an unknown organization.

    SchemaChanged where the store has another schema than this process: the same look says so.
    """
    row = _TAKE_HEAD.first(connection, {"org": org_id})
    must_be_of_this_epoch(read_epoch(connection) if row is None else row[2])
    return None if row is None else (row[0], row[1])


def start_chain(connection: Connection, org_id: str, now: datetime) -> None:
    """The head of an organization that has no events yet."""
    connection.execute(heads.insert().values(org_id=org_id, last_seq=0, hash=GENESIS, moved_at=now))


def move_head(
    connection: Connection, org_id: str, start: tuple[int, str], head: tuple[int, str], now: datetime
) -> None:
    """The last step of a write, under the lock of ``take_head``."""
    given = {"_org": org_id, "_from": start[0], "_seq": head[0], "_hash": head[1], "_at": now}
    if _MOVE_HEAD.run(connection, given) != 1:
        raise Problem(f"The head of {org_id} moved under its own lock; nothing was changed.")
