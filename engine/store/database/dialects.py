"""Inserts that say what to do with a row that is there, in the words of the database at hand.

The dialect of the other database is not loaded: that of PostgreSQL takes a tenth of what the console needs to start.
"""

from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import Table

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

    UpsertInsert: TypeAlias = postgresql.Insert | sqlite.Insert


def upsert_insert(dialect: str, table: Table) -> "UpsertInsert":
    """An insert into a table that has ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)
