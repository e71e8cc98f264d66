"""The number of the newest migration that a store has, read from it."""

from sqlalchemy import Connection, String, column, inspect, select, table, text

from engine.store.writing.statements import CompiledStatement

_VERSION = table("alembic_version", column("version_num", String))
EPOCH_OF_STORE = select(_VERSION.c.version_num).scalar_subquery()
_READ_EPOCH = CompiledStatement(select(_VERSION.c.version_num))


def read_epoch(connection: Connection) -> str | None:
    """The number of the newest migration that the store has; None where it has none."""
    row = _READ_EPOCH.first(connection, {})
    return None if row is None else row[0]


def current(connection: Connection) -> str | None:
    """The number of the last migration that was applied; None for an empty store."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    number: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return number
