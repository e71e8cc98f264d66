"""Opening the operational store: SQLite or PostgreSQL behind the same two engines, one for reads, one for writes."""

import sqlite3
from functools import partial
from pathlib import Path

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry

from engine.model.errors import Unavailable, Usage

BUSY_TIMEOUT_MS = 30_000
SYNCHRONOUS = "FULL"  # SQLite has on disk what it has acknowledged


def open_engines(url: str) -> tuple[Engine, Engine]:
    """(reader, writer) for ``url``. Usage for a URL that is neither SQLite nor PostgreSQL."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        scheme = url.partition(":")[0][:40]  # what follows may hold a password
        raise Usage(f"SVC_DATABASE_URL must be a database URL; it begins with {scheme!r}.") from error
    if parsed.get_backend_name() == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise Usage("SVC_DATABASE_URL must name a file: an in-memory SQLite store would lose acknowledged writes.")
        try:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Usage(
                f"The folder of the store, {Path(parsed.database).parent}, cannot be made: {error.strerror}; "
                "set SVC_DATA_DIR to one that can be written."
            ) from error
        return _sqlite(url, immediate=False), _sqlite(url, immediate=True)
    if parsed.get_backend_name() == "postgresql":
        try:
            return _postgresql(url, readonly=True), _postgresql(url, readonly=False)
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise Usage("PostgreSQL needs its drivers: pip install 'hq-console[postgresql]'.") from error
    raise Usage(f"SVC_DATABASE_URL must begin with sqlite:// or postgresql+psycopg://; got {parsed.drivername!r}.")


def _sqlite(url: str, *, immediate: bool) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,  # what people wrote must not reach the log with an error
        connect_args={
            "isolation_level": None,
            "timeout": BUSY_TIMEOUT_MS / 1000,
            "check_same_thread": False,
            "cached_statements": 512,  # a statement of many rows is one for each number of them
        },
        pool_size=16,
        max_overflow=64,
        pool_use_lifo=True,  # the connection that wrote last knows its pages; to any other they are stale
    )

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
            cursor.execute("PRAGMA wal_autocheckpoint=4000")  # pages, 16 MB: under load each checkpoint stops writers
            cursor.execute("PRAGMA foreign_keys=ON")
            cursor.execute("PRAGMA temp_store=MEMORY")
            cursor.execute("PRAGMA cache_size=-65536")
            if not immediate:
                cursor.execute("PRAGMA query_only=ON")
        except sqlite3.DatabaseError as error:
            raise damage_error(url, error) from error
        finally:
            cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _postgresql(url: str, *, readonly: bool) -> Engine:
    create = partial(create_engine, url, hide_parameters=True, pool_size=16, max_overflow=64, pool_pre_ping=True)
    return create(isolation_level="REPEATABLE READ") if readonly else create()


def damage_error(url: str, error: Exception) -> Unavailable:
    """The sentence for a store file that cannot be opened."""
    path = make_url(url).database
    return Unavailable(
        f"The operational store {path} cannot be read ({error}); it is the record of truth, so restore a backup "
        "or move the file away.",
        word="store_damaged",
        headers={"Retry-After": "60"},
    )
