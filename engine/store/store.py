"""The operational store: reads, heads, and revisions as the only way to write."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from engine.model.days import local_day
from engine.model.document import Position
from engine.model.errors import NotFound
from engine.model.vocabulary import Plan, Role
from engine.store.answers import Answers, FreshAnswers, Standing
from engine.store.chain import GENESIS, ChainCheck
from engine.store.chain_segments import chain_check, chain_span, check_segment
from engine.store.credentials import CredentialUses
from engine.store.database import is_read_only, open_engines
from engine.store.faults import READ_ONLY, store_faults
from engine.store.group import Ahead, GroupCommit, TimedChange, write_in_order
from engine.store.heads import take_head
from engine.store.ids import PLATFORM
from engine.store.locks import FairLock, FileTurn
from engine.store.log_check import Counting
from engine.store.part_heads import read_part_heads
from engine.store.queries.organizations import plan_of, time_zone
from engine.store.queries.sessions import session_ends
from engine.store.queries.signed_heads import newest as newest_head
from engine.store.revisions import Revision
from engine.store.row_check import RowCheck, check_rows
from engine.store.rows import select_first
from engine.store.schema.audit import access_log
from engine.store.schema.organizations import heads, memberships, organizations
from engine.store.schema.outputs import credentials
from engine.store.schema.records import AccessLogRow, CredentialRow, SignedHeadRow
from engine.store.sqlite_files import rewrite
from engine.store.statements import Values

MOST_CREDENTIALS = 10_000
T = TypeVar("T")


class Store:
    """One database. Threads may share it; each process opens its own.

    ``shared``: several processes write to it all the time, and take turns where SQLite would have them try again.
    """

    def __init__(self, url: str, *, shared: bool = False) -> None:
        self.url = url
        self._reader, self._writer = open_engines(url)
        self.dialect = self._reader.dialect.name
        self._turn = (
            FileTurn(Path(f"{self._reader.url.database}-turn")) if shared and self.dialect == "sqlite" else FairLock()
        )
        self._answers = FreshAnswers(self._reader.url.database or "" if self.dialect == "sqlite" else None)
        self._credentials: dict[str, CredentialRow] = {}
        self._group = GroupCommit(self._writer, self._turn, self._errors)
        self.uses = CredentialUses(self._writer, self._turn, self._errors)

    def must_be_writable(self) -> None:
        """Unavailable where the store is a copy that can only be read: commands that look work there, no others."""
        if is_read_only(self.url):
            raise READ_ONLY.problem()

    def close(self) -> None:
        """Give up all connections."""
        try:
            self.uses.flush()
        finally:
            self._reader.dispose()
            self._writer.dispose()
            self._turn.close()

    # -- reading ---------------------------------------------------------------------------------------------------

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A connection that sees one consistent state for as long as it is held."""
        with self._errors(), self._reader.connect() as connection:
            yield connection

    def organization_exists(self, org_id: str) -> bool:
        """Whether the organization has a chain here."""
        return self.head(org_id) is not None

    def organizations(self) -> list[tuple[str, str]]:
        """(id, name) of every organization but the platform's own, sorted."""
        query = select(organizations.c.id, organizations.c.name).where(organizations.c.id != PLATFORM)
        with self.reader() as connection:
            return [(row[0], row[1]) for row in connection.execute(query.order_by(organizations.c.id))]

    def head(self, org_id: str) -> Position | None:
        """Where the organization's chain stands now; never stale, and about 4 µs on SQLite when nothing was written."""
        known = self._look()
        if known is None:
            return self._read_head(org_id)
        if org_id not in known.heads:
            known.heads[org_id] = self._read_head(org_id)
        return known.heads[org_id]

    def signed_head(self, org_id: str) -> SignedHeadRow | None:
        """The last head of the organization that was signed: from memory where nobody wrote since."""
        known = self._look()
        if known is not None and org_id in known.signed_heads:
            return known.signed_heads[org_id]
        with self.reader() as connection:
            row = newest_head(connection, org_id)
        if known is not None:
            known.signed_heads[org_id] = row
        return row

    def role(self, org_id: str, email: str) -> Role | None:
        """The role of an active member, as of the last write; None for anybody else."""
        known = self._look()
        if known is not None and (org_id, email) in known.roles:
            return known.roles[org_id, email]
        query = select(memberships.c.role).where(
            memberships.c.org_id == org_id, memberships.c.email == email, memberships.c.status == "active"
        )
        with self.reader() as connection:
            role: Role | None = connection.execute(query).scalar()
        if known is not None:
            known.roles[org_id, email] = role
        return role

    def credential(self, secret_sha256: str) -> CredentialRow | None:
        """The key or token with this hash, live or not, as of the last write: what is kept is checked each time."""
        stamp = self._credential_stamp(secret_sha256)
        kept = self._credentials.get(secret_sha256)
        if kept is None or kept["revision"] != stamp:
            query = select(credentials).where(credentials.c.secret_sha256 == secret_sha256)
            with self.reader() as connection:
                kept = select_first(connection, credentials, query)
            if kept is None:
                return None
            if len(self._credentials) > MOST_CREDENTIALS:
                self._credentials.clear()
            self._credentials[secret_sha256] = kept
        return kept

    def known_credential(self, secret_sha256: str) -> CredentialRow | None:
        """The same as this process last saw it, without a look at the store where it was seen: to be confirmed."""
        return self._credentials.get(secret_sha256) or self.credential(secret_sha256)

    def _credential_stamp(self, secret_sha256: str) -> int | None:
        """The revision that last changed a credential: 10 µs on SQLite's open connection."""
        if self.dialect == "sqlite":
            query = "SELECT revision FROM credentials WHERE secret_sha256 = ?"
            with self._errors():
                row = self._answers.connection().execute(query, (secret_sha256,)).fetchone()
        else:
            with self.reader() as connection:
                row = connection.execute(
                    select(credentials.c.revision).where(credentials.c.secret_sha256 == secret_sha256)
                ).first()
        return row[0] if row else None

    def part_heads(self, org_id: str) -> Mapping[str, Position]:
        """Where the newest write to each part of the records ended, as of the last write: read, not to be changed."""
        known = self._look()
        found = None if known is None else known.parts.get(org_id)
        if found is None:
            with self.reader() as connection:
                found = read_part_heads(connection, org_id)
            if known is not None:
                known.parts[org_id] = found
        return found

    def time_zone(self, org_id: str) -> str:
        """The IANA time zone of an organization's business dates."""
        with self.reader() as connection:
            return time_zone(connection, org_id)

    def today(self, org_id: str, now: datetime) -> date:
        """The business date of an organization: the day of ``now`` in its time zone."""
        return local_day(now, self.time_zone(org_id))

    def plan(self, org_id: str) -> Plan:
        """The paid plan of an organization."""
        with self.reader() as connection:
            return plan_of(connection, org_id)

    def standing(self, org_id: str, email: str) -> Standing:
        """Role, head and ended sessions in one look: what a member's request needs, as of the last write before it."""
        known = self._look()
        found = None if known is None else known.standings.get((org_id, email))
        if found is None:
            with self.reader() as connection:
                ends = session_ends(connection, org_id, email)
            found = self.role(org_id, email), self.head(org_id), ends
            if known is not None:
                known.standings[org_id, email] = found
        return found

    def _look(self) -> Answers | None:
        try:
            return self._answers.look()
        except sqlite3.DatabaseError:  # asked at each request: a block around it would cost as much as the look
            with self._errors():
                raise

    def _read_head(self, org_id: str) -> Position | None:
        query = select(heads.c.seq, heads.c.hash).where(heads.c.org_id == org_id)
        with self.reader() as connection:
            row = connection.execute(query).first()
        return Position(row.seq, row.hash) if row else None

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def revision(self, org_id: str, actor: str, *, now: datetime, create: Values | None = None) -> Iterator[Revision]:
        """Write to one organization: commits when the block ends, changes nothing when it raises or touched nothing.

        ``create`` holds columns of ``organizations``; with it an organization that does not exist is made.
        NotFound for an unknown organization otherwise.
        """
        with self._errors(), self._turn, self._writer.connect() as connection, connection.begin() as transaction:
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

    def write(self, org_id: str, actor: str, change: Callable[[Revision], T], *, now: datetime, ahead: Ahead = ()) -> T:
        """A small write as a function: those that wait for the writer share its next transaction and its one sync.

        Each is a revision of its own: when ``change`` raises, its part alone is undone. Returns what it returns,
        after the commit. NotFound for an unknown organization. ``ahead`` says what ``change`` will look up: it is
        read for all those who wait at once.
        """
        return self._group.write(org_id, actor, change, now, ahead)

    def write_in_order(
        self, org_id: str, actor: str, changes: Iterable[TimedChange], *, create: Values | None = None
    ) -> None:
        """Revisions one after the other, each at a time of its own, in one transaction: all of them, or none.

        One that touches nothing is left out. ``create`` as for ``revision``; NotFound likewise.
        """
        with self._errors(), self._turn, self._writer.begin() as connection:
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
    def aside(self) -> Iterator[Connection]:
        """A transaction that moves no revision, for what no report reads: leases, runs of jobs, who works on what."""
        with self._errors(), self._turn, self._writer.begin() as connection:
            yield connection

    def record_access(self, rows: Sequence[AccessLogRow]) -> None:
        """Note who read what. Durable, and without moving any revision."""
        with self.aside() as connection:
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

    def _errors(self) -> AbstractContextManager[None]:
        return store_faults(self.url)
