"""What names a kept report, read with the driver alone: to load SQLAlchemy takes longer than all the rest.

A database that does not answer here is one of which the store, asked next, tells what is wrong.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.model.documents.document import Position
from engine.store.database.epoch import EPOCH
from engine.store.database.sqlite_files import access, connect
from engine.store.ids import PLATFORM

FILE, SERVER = "sqlite:///", "postgresql+psycopg://"
WAIT_SECONDS = 3
_EPOCH = "SELECT version_num FROM alembic_version"
_ONLY = "SELECT id FROM organizations WHERE id <> {} ORDER BY id LIMIT 2"
_HEAD = (
    "SELECT heads.last_seq, heads.hash, organizations.time_zone FROM heads "
    "JOIN organizations ON organizations.id = heads.org_id WHERE heads.org_id = {}"
)
_PARTS = "SELECT part, revision, hash FROM table_heads WHERE org_id = {}"


@dataclass(frozen=True)
class OrganizationHead:
    """An organization at one moment: its zone, where its chain stands, and where each part of its records does."""

    org_id: str
    time_zone: str
    position: Position
    parts: Mapping[str, Position]


class _Cursor(Protocol):
    def fetchall(self) -> list[Any]: ...


class _Connection(Protocol):
    def execute(self, query: str, parameters: tuple[str, ...] = ..., /) -> _Cursor: ...


def read_head(url: str, org_id: str | None) -> OrganizationHead | None:
    """The organization, or the only one. None where it is not there, has no record, or the store is not as usual."""
    if url.startswith(FILE):
        return _of_file(url.removeprefix(FILE), org_id)
    return _of_server(url, org_id) if url.startswith(SERVER) else None


def _of_file(path: str, org_id: str | None) -> OrganizationHead | None:
    if not Path(path).is_file() or access(path) != "rw":
        return None
    try:
        with closing(connect(path)) as connection:
            connection.execute("BEGIN")
            return _read(connection, "?", org_id)
    except sqlite3.DatabaseError:
        return None


def _of_server(url: str, org_id: str | None) -> OrganizationHead | None:
    try:
        import psycopg
    except ImportError:
        return None
    try:
        conninfo = url.replace("+psycopg", "", 1)
        wait = None if "connect_timeout" in url else WAIT_SECONDS
        with psycopg.connect(conninfo, connect_timeout=wait) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            return _read(connection, "%s", org_id)
    except psycopg.Error:
        return None


def _read(connection: _Connection, mark: str, org_id: str | None) -> OrganizationHead | None:
    if [tuple(row) for row in connection.execute(_EPOCH).fetchall()] != [(EPOCH,)]:
        return None
    if org_id is None:
        known = connection.execute(_ONLY.format(mark), (PLATFORM,)).fetchall()
        if len(known) != 1:
            return None
        org_id = str(known[0][0])
    rows = connection.execute(_HEAD.format(mark), (org_id,)).fetchall()
    if org_id == PLATFORM or not rows or not rows[0][0]:
        return None
    seq, digest, zone = rows[0]
    parts = connection.execute(_PARTS.format(mark), (org_id,)).fetchall()
    return OrganizationHead(org_id, zone, Position(seq, digest), {part: Position(at, of) for part, at, of in parts})
