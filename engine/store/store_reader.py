"""Reading the operational store: connections, and what each request asks for, from memory where nobody wrote since."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime

from sqlalchemy import Connection, Engine, select

from engine.model.days import local_day
from engine.model.documents.document import Position
from engine.model.records import CredentialRow, SignedHeadRow
from engine.model.vocabulary import Plan, Role
from engine.store.database.faults import store_faults
from engine.store.database.patience import may_wait, no_patience, wait_allowed
from engine.store.database.read_cache import CachedReads, ReadCache, Standing
from engine.store.ids import PLATFORM
from engine.store.log.part_heads import read_part_heads
from engine.store.queries.accounts.organizations import plan_of, time_zone
from engine.store.queries.accounts.sessions import session_ends
from engine.store.queries.history.signed_heads import newest as newest_head
from engine.store.rows import select_first
from engine.store.schema.organizations import heads, memberships, organizations
from engine.store.schema.outputs import credentials

MOST_CREDENTIALS = 10_000


class StoreReader:
    """The half of a store that changes nothing."""

    def __init__(self, url: str, reader: Engine) -> None:
        self.url = url
        self.dialect = reader.dialect.name
        self._reader = reader
        self._answers = ReadCache(reader.url.database or "" if self.dialect == "sqlite" else None)
        self._credentials: dict[str, CredentialRow] = {}

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A connection that sees one consistent state for as long as it is held."""
        wait_allowed()
        with self._errors(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def from_memory(self) -> Iterator[None]:
        """While the block runs, this thread reads what is at hand as of now; anything else raises NotInMemory.

        At hand is what is in memory and, on SQLite, a few rows by their keys: heads, roles, the time zone.
        """
        with no_patience():
            self._look()
            with self._answers.steady():
                yield

    @contextmanager
    def _few_rows(self) -> Iterator[Connection]:
        with self.reader() if may_wait() else self._answers.few_rows() as connection:
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
        with self._few_rows() as connection:
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
        with self._few_rows() as connection:
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

    def cached_credential(self, secret_sha256: str) -> CredentialRow | None:
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
        positions = None if known is None else known.parts.get(org_id)
        if positions is None:
            with self._few_rows() as connection:
                positions = read_part_heads(connection, org_id)
            if known is not None:
                known.parts[org_id] = positions
        return positions

    def time_zone(self, org_id: str) -> str:
        """The IANA time zone of an organization's business dates."""
        with self._few_rows() as connection:
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
            with self._few_rows() as connection:
                ends = session_ends(connection, org_id, email)
            found = self.role(org_id, email), self.head(org_id), ends
            if known is not None:
                known.standings[org_id, email] = found
        return found

    def _look(self) -> CachedReads | None:
        try:
            return self._answers.current()
        except sqlite3.DatabaseError:  # asked at each request: a block around it would cost as much as the look
            wait_allowed()
            with self._errors():
                raise

    def _read_head(self, org_id: str) -> Position | None:
        query = select(heads.c.last_seq, heads.c.hash).where(heads.c.org_id == org_id)
        with self._few_rows() as connection:
            row = connection.execute(query).first()
        return Position(row.last_seq, row.hash) if row else None

    def _errors(self) -> AbstractContextManager[None]:
        return store_faults(self.url)
