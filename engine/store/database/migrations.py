"""Schema changes: numbered Alembic revisions in ``data/migrations``."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, inspect, select, text

from engine.model.errors import Unavailable
from engine.store.database.database import is_read_only, open_engines, sqlite_path
from engine.store.database.epoch import EPOCH, SchemaChanged, other_schema
from engine.store.database.faults import store_faults
from engine.store.database.patience import patience
from engine.store.database.sqlite_files import is_there
from engine.store.database.store_epoch import current
from engine.store.log.history import begin_history
from engine.store.log.unlogged_recoveries import log_recoveries
from engine.store.schema.organizations import heads

if TYPE_CHECKING:  # Alembic is loaded where something is to migrate: its import takes longer than the question
    from alembic.config import Config

FOLDER = Path(__file__).resolve().parents[3] / "data" / "migrations"
HEALTH_MIGRATION = "0015"
LOGGED_RECOVERIES = "0032"
Prepare = Callable[[str], object]
LOCK = 4_720_915_103  # of migrations, among the advisory locks of a PostgreSQL database


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "os")
    return config


def latest() -> str:
    """The number of the newest migration that this process knows."""
    return EPOCH


def migrate(
    url: str, target: str = "head", *, now: datetime | None = None, prepare: Prepare = lambda at: None
) -> tuple[str | None, str]:
    """Bring the store at ``url`` to ``target`` in one transaction; returns (before, after) as revision numbers.

    A store from before the change log has its rows logged as they are, at ``now``, else the time of the clock; so have
    incidents that were resolved beside it.

    Writers that are at work are waited for, at most as long as a command waits for others; then nobody else writes
    until the end. ``prepare`` is called in between with the number of a store that is not empty. Of several at once
    one migrates; the others wait for it and find it done.
    Unavailable when the store was migrated by a newer version of the console, or is behind and can only be read, or
    somebody else does not stop writing.
    """
    reader, writer = open_engines(url)
    try:
        with store_faults(url):
            with reader.connect() as connection:
                before = current(connection)
            if target == "head" and before == latest():
                return before, before
            if is_read_only(url) and (before is None or before < latest()):
                raise _not_migrated(before)
            with writer.begin() as connection:  # SQLite: nobody else writes from here on
                at = _shut_out_writers(connection)
                if at is not None and at < latest():
                    prepare(at)
                before, after = upgrade(connection, target)
                if target == "head":
                    moment = now or datetime.now(UTC)
                    begin_history(connection, moment)
                    if before is not None and before < LOGGED_RECOVERIES:
                        log_recoveries(connection, moment)
                return before, after
    finally:
        reader.dispose()
        writer.dispose()


def epoch_at(url: str) -> str | None:
    """The number of the newest migration of the store at ``url``; None for an empty one. Nothing is made."""
    file = sqlite_path(url)
    if file is not None and not is_there(file):
        return None
    reader, writer = open_engines(url)
    writer.dispose()
    try:
        with store_faults(url), reader.connect() as connection:
            return current(connection)
    finally:
        reader.dispose()


def ensure_schema(url: str, *, begin: bool = False, now: datetime | None = None) -> None:
    """Look whether the store at ``url`` has the schema of this version; with ``begin`` an empty one gets its tables.

    Unavailable for any other, which is left as it is.
    """
    at = epoch_at(url)
    if at == EPOCH:
        return
    if is_read_only(url) and (at is None or at < EPOCH):
        raise _not_migrated(at)
    if at is not None or not begin:
        raise other_schema(at)
    migrate(url, now=now)


def _shut_out_writers(connection: Connection) -> str | None:
    """From here on nobody else writes; the number of the newest migration. SQLite's transaction begins like this."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(patience() * 1000)}")
        if inspect(connection).has_table(heads.name):
            connection.exec_driver_sql(f"LOCK TABLE {heads.name} IN EXCLUSIVE MODE")
    return current(connection)


def _not_migrated(before: str | None) -> Unavailable:
    return Unavailable(
        f"The store can only be read and is at {before or 'no migration'}, {latest()} is expected: copy it to a folder "
        "that can be written and run `hq migrate` there.",
        word="schema_outdated",
        details=[{"found": before or "no migration", "expected": latest()}],
    )


def upgrade(connection: Connection, target: str) -> tuple[str | None, str]:
    """The same within a transaction of the caller's, who writes alone until it ends; nothing is logged."""
    from alembic import command
    from alembic.script import ScriptDirectory

    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
    config = _config()
    before = current(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if before is not None and before not in known:
        raise other_schema(before)
    if target == "head" and before == latest():
        return before, before
    config.attributes["connection"] = connection
    command.upgrade(config, target)
    return before, current(connection) or ""


def database_health(connection: Connection) -> dict[str, int | str]:
    """The row of the view that migration 15 creates, and ``expected``: the newest migration known here.

    Unavailable when that migration or a later one is missing, or the store is of a newer version; it names what was
    found and what is expected.
    """
    at, expected = current(connection), latest()
    if at is None or at < HEALTH_MIGRATION:
        raise _behind("Migration 15 (database_health) is missing", "migration_missing", at, expected)
    if not inspect(connection).has_table("database_health"):
        raise _behind("The view database_health of migration 15 is missing", "migration_missing", at, expected)
    if at < expected:
        raise _behind("The schema of the store is outdated", "schema_outdated", at, expected)
    if at > expected:
        raise SchemaChanged(at)
    row = connection.execute(text("SELECT * FROM database_health")).mappings().one()
    return {**row, "expected": expected}


def _behind(sentence: str, word: str, at: str | None, expected: str) -> Unavailable:
    found = at or "no migration"
    return Unavailable(
        f"{sentence}: the store is at {found}, {expected} is expected; run `hq migrate`.",
        word=word,
        details=[{"found": found, "expected": expected}],
    )
