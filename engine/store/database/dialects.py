"""What one database says in other words than the other: inserts where a row is there, days and moments as text.

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


def canonical_column(name: str, kind: str) -> str:
    """A column of PostgreSQL in the canonical form of its values, whatever the settings of the server say: an
    ``instant``, a ``day``, or something else. SQLite has them so."""
    if kind == "instant":
        return f"""to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    return f"to_char({name}, 'YYYY-MM-DD')" if kind == "day" else name
