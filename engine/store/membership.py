"""Who belongs where: what a sign-in from the command line asks, and a shell, answered without loading the store."""

import sqlite3
from contextlib import closing

from engine.store.database.epoch import EPOCH
from engine.store.database.sqlite_files import connect

QUERY = """
    SELECT org_id FROM memberships WHERE email = :email AND status = 'active' ORDER BY org_id = 'platform', org_id
"""

EPOCH_QUERY = "SELECT version_num FROM alembic_version"

ORGANIZATIONS = "SELECT id FROM organizations WHERE id != 'platform' ORDER BY id"


def organization_names(url: str) -> list[str]:
    """The organizations of a SQLite file as far as it can be read; none of another store, which would be opened."""
    return _in_file(url, ORGANIZATIONS) or []


def organizations_of(url: str, email: str) -> list[str]:
    """The organizations that a person is an active member of, sorted, the platform's own last.

    A SQLite file is read through ``sqlite3`` alone. Where that finds no answer, as in a store that is not there or
    has another schema, the store is opened: it says what is wrong.
    """
    in_file = _in_file(url, QUERY, email=email) if _in_file(url, EPOCH_QUERY) == [EPOCH] else None
    return _in_store(url, email) if in_file is None else in_file


def _in_file(url: str, query: str, **given: str) -> list[str] | None:
    scheme, _, path = url.partition(":///")
    if scheme != "sqlite" or "?" in path:
        return None
    try:
        with closing(connect(path)) as connection:
            return [value for (value,) in connection.execute(query, given)]
    except sqlite3.DatabaseError:
        return None


def _in_store(url: str, email: str) -> list[str]:
    from sqlalchemy import text

    from engine.store.database.migrations import ensure_schema
    from engine.store.store import Store

    ensure_schema(url)
    store = Store(url)
    try:
        with store.reader() as connection:
            return list(connection.execute(text(QUERY), {"email": email}).scalars())
    finally:
        store.close()
