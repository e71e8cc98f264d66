"""Keys and tokens of an organization, and their last use: written at most once a minute and outside revisions."""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, select

from engine.model.records import CredentialRow, CredentialUseRow
from engine.store.database.dialects import upsert_insert
from engine.store.database.epoch import must_be_of_this_epoch
from engine.store.database.store_epoch import read_epoch
from engine.store.rows import select_rows
from engine.store.schema.outputs import credential_uses, credentials
from engine.store.writing.batches import in_batches
from engine.store.writing.locks import FairLock

EVERY = timedelta(minutes=1)
Key = tuple[str, str]


def credentials_of(connection: Connection, org_id: str, hashes: Sequence[str]) -> dict[str, CredentialRow]:
    """Keys and tokens of an organization, live or not, by the SHA-256 of their secret."""
    rows: dict[str, CredentialRow] = {}
    for batch in in_batches(hashes, 900):
        query = select(credentials).where(credentials.c.org_id == org_id, credentials.c.secret_sha256.in_(batch))
        rows |= {row["secret_sha256"]: row for row in select_rows(connection, credentials, query)}
    return rows


def last_uses(connection: Connection, org_id: str) -> dict[str, datetime]:
    """When each credential of an organization was last used, by its id; unused ones are absent."""
    query = select(credential_uses.c.credential_id, credential_uses.c.last_used_at)
    return {row[0]: row[1] for row in connection.execute(query.where(credential_uses.c.org_id == org_id))}


def uses(connection: Connection, org_id: str) -> dict[str, int]:
    """How often each credential of an organization was used, by its id; unused ones are absent."""
    query = select(credential_uses.c.credential_id, credential_uses.c.uses)
    return {row[0]: row[1] for row in connection.execute(query.where(credential_uses.c.org_id == org_id))}


class CredentialUses:
    """Counts uses in memory and writes them now and then. Threads may share one."""

    def __init__(self, writer: Engine, turn: FairLock, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self._writer = writer
        self._turn = turn
        self._errors = errors
        self._guard = threading.Lock()
        self._written: dict[Key, datetime] = {}
        self._waiting: dict[Key, tuple[int, datetime]] = {}

    def note(self, org_id: str, credential_id: str, now: datetime) -> None:
        """Note one use: the first at once, those of the minute after it together with the next."""
        key = (org_id, credential_id)
        with self._guard:
            count = self._waiting.pop(key, (0, now))[0] + 1
            written = self._written.get(key)
            if written is not None and timedelta() <= now - written < EVERY:
                self._waiting[key] = (count, now)
                return
            self._written[key] = now
        self._write([self._row(key, count, now)])

    def flush(self) -> None:
        """Write what still waits."""
        with self._guard:
            waiting, self._waiting = self._waiting, {}
        if waiting:
            self._write([self._row(key, count, at) for key, (count, at) in sorted(waiting.items())])

    @staticmethod
    def _row(key: Key, count: int, at: datetime) -> CredentialUseRow:
        return {"org_id": key[0], "credential_id": key[1], "last_used_at": at, "uses": count}

    def _write(self, rows: Sequence[CredentialUseRow]) -> None:
        insert = upsert_insert(self._writer.dialect.name, credential_uses)
        uses = credential_uses.c.uses + insert.excluded.uses
        query = insert.on_conflict_do_update(
            index_elements=["org_id", "credential_id"],
            set_={"last_used_at": insert.excluded.last_used_at, "uses": uses},
        )
        with self._errors(), self._turn, self._writer.begin() as connection:
            must_be_of_this_epoch(read_epoch(connection))
            connection.execute(query, rows)
