"""The operational store: reads, heads, and revisions as the only way to write."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from engine.model.errors import NotFound
from engine.model.records import AccessLogRow
from engine.store.chain.chain import GENESIS, ChainCheck
from engine.store.chain.chain_segments import chain_check, chain_span, check_segment
from engine.store.chain.heads import take_head
from engine.store.database.database import is_read_only, open_engines
from engine.store.database.epoch import SchemaChanged, must_be_of_this_epoch
from engine.store.database.faults import READ_ONLY
from engine.store.database.sqlite_files import rewrite
from engine.store.database.store_epoch import current, read_epoch
from engine.store.ids import PLATFORM
from engine.store.log.log_check import Counting
from engine.store.log.row_check import RowCheck, check_rows
from engine.store.schema.audit import access_log
from engine.store.store_reader import StoreReader
from engine.store.writing.credentials import CredentialUses
from engine.store.writing.group import GroupCommit, Lookups, TimedChange, Write, WriteResult, write_in_order
from engine.store.writing.guarded_connection import GuardedConnection
from engine.store.writing.locks import FairLock, FileTurn
from engine.store.writing.revisions import Revision
from engine.store.writing.statements import Values

T = TypeVar("T")
log = logging.getLogger("hq.store")


class Store(StoreReader):
    """One database. Threads may share it; each process opens its own.

    ``shared``: several processes write to it all the time, and take turns where SQLite would have them try again.
    """

    def __init__(self, url: str, *, shared: bool = False) -> None:
        reader, self._writer = open_engines(url)
        super().__init__(url, reader)
        self._turn = (
            FileTurn(Path(f"{self._reader.url.database}-turn")) if shared and self.dialect == "sqlite" else FairLock()
        )
        self.outdated = threading.Event()  # set once a write met another schema
        self._group = GroupCommit(self._writer, self._turn, self._write_errors)
        self.uses = CredentialUses(self._writer, self._turn, self._write_errors)

    def must_be_writable(self) -> None:
        """Unavailable where the store is a copy that can only be read: commands that look work there, no others."""
        if is_read_only(self.url):
            raise READ_ONLY.problem()

    def close(self) -> None:
        """Give up all connections."""
        try:
            self.uses.flush()
        except SchemaChanged:
            log.warning("credentials were used as often as is not noted: the store has another schema by now")
        finally:
            self._answers.close()
            self._reader.dispose()
            self._writer.dispose()
            self._turn.close()

    def epoch(self) -> str | None:
        """The number of the newest migration of the store as it is now; None for an empty one."""
        with self._errors(), self._reader.connect() as connection:
            return current(connection)

    @contextmanager
    def _write_errors(self) -> Iterator[None]:
        try:
            with self._errors():
                yield
        except SchemaChanged:
            self.outdated.set()
            raise

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def revision(self, org_id: str, actor: str, *, now: datetime, create: Values | None = None) -> Iterator[Revision]:
        """Write to one organization: commits when the block ends, changes nothing when it raises or touched nothing.

        ``create`` holds columns of ``organizations``; with it an organization that does not exist is made.
        NotFound for an unknown organization otherwise.
        """
        with self._write_errors(), self._turn, self._writer.connect() as connection, connection.begin() as transaction:
            head = take_head(connection, org_id)
            if head is None and create is None:
                raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
            revision = Revision(connection, org_id, actor, now, head or (0, GENESIS))
            if head is None:
                revision.create({**(create or {}), "created_at": now})
            yield revision
            if revision.touched:
                revision.close()
            else:
                transaction.rollback()

    def write(
        self, org_id: str, actor: str, change: Callable[[Revision], T], *, now: datetime, prefetch: Lookups = ()
    ) -> T:
        """A small write as a function: those that wait for the writer share its next transaction and its one sync.

        Each is a revision of its own: when ``change`` raises, its part alone is undone. Returns what it returns,
        after the commit. NotFound for an unknown organization. ``prefetch`` says what ``change`` will look up: it is
        read for all those who wait at once.
        """
        return self._group.write_all([Write(org_id, actor, change, now, prefetch)])[0].get()

    def write_all(self, writes: Sequence[Write[T]]) -> list[WriteResult[T]]:
        """Several such writes of one thread in one transaction, each with what became of it."""
        return self._group.write_all(writes)

    def write_in_order(
        self, org_id: str, actor: str, changes: Iterable[TimedChange], *, create: Values | None = None
    ) -> None:
        """Revisions one after the other, each at a time of its own, in one transaction: all of them, or none.

        One that touches nothing is left out. ``create`` as for ``revision``; NotFound likewise.
        """
        with self._write_errors(), self._turn, self._writer.begin() as connection:
            write_in_order(connection, org_id, actor, changes, create)

    def ensure_platform(self, now: datetime) -> None:
        """Make the reserved organization when it is first needed; afterwards this costs a look at its head."""
        if self.head(PLATFORM) is not None:
            return
        try:
            with self.revision(PLATFORM, "system", now=now, create={"name": "Platform"}) as revision:
                if revision.start[0] == 0:  # else somebody else was first
                    revision.record("organization.created", object_type="organization", object_id=PLATFORM)
        except IntegrityError:
            if self.head(PLATFORM) is None:
                raise

    @contextmanager
    def unversioned_transaction(self) -> Iterator[Connection]:
        """A transaction without a revision, for what no report reads: leases, runs of jobs, who works on what."""
        with self._write_errors(), self._turn, self._writer.begin() as connection:
            must_be_of_this_epoch(read_epoch(connection))
            yield GuardedConnection(connection, unlogged=True)

    def record_access(self, rows: Sequence[AccessLogRow]) -> None:
        """Note who read what. Durable, and without moving any revision."""
        with self.unversioned_transaction() as connection:
            connection.execute(access_log.insert(), rows)

    def rewrite_file(self) -> bool:
        """Leave nothing in the store's file of rows that went; False where a part of it stays for now. SQLite only."""
        with self._errors(), self._turn:
            return rewrite(self._reader.url.database or "")

    # -- verification ----------------------------------------------------------------------------------------------

    def verify(self, org_id: str) -> ChainCheck:
        """Recompute the organization's audit chain from its last cut to its head. NotFound when there is none."""
        with self.reader() as connection:
            span = chain_span(connection, org_id)
            checks = (
                check_segment(connection, org_id, first, last, span.start[1] if number == 0 else None)
                for number, (first, last) in enumerate(span.segments())
            )
            return chain_check(org_id, span, checks)

    def verify_rows(self, org_id: str, progress: Counting = lambda done, total: None) -> RowCheck:
        """Rebuild the organization's rows from the change log and compare them with those that are there."""
        with self.reader() as connection:
            return check_rows(connection, org_id, progress)
