"""Opening the operational store: SQLite or PostgreSQL behind the same two engines, one for reads, one for writes."""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from engine.model.errors import Usage
from engine.store.database import sqlite_files
from engine.store.database.faults import READ_ONLY
from engine.store.database.patience import patience

SYNCHRONOUS = "FULL"  # SQLite has on disk what it has acknowledged
CONNECT_SECONDS = 10  # for which a server that does not answer is waited for
# connections kept, further ones while they are needed, and seconds until one is free
_POOL = {"pool_size": 16, "max_overflow": 64, "pool_timeout": 10}


def open_engines(url: str) -> tuple[Engine, Engine]:
    """(reader, writer) for ``url``. Usage for a URL that is neither SQLite nor PostgreSQL."""
    parsed = _parse(url)
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
        return _sqlite(url, parsed.database, immediate=False), _sqlite(url, parsed.database, immediate=True)
    if parsed.get_backend_name() == "postgresql":
        try:
            return _postgresql(url, readonly=True), _postgresql(url, readonly=False)
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise Usage("PostgreSQL needs its drivers: pip install 'hq-console[postgresql]'.") from error
    raise Usage(f"SVC_DATABASE_URL must begin with sqlite:// or postgresql+psycopg://; got {parsed.drivername!r}.")


def connection_over(connect: Callable[[], sqlite3.Connection]) -> Connection:
    """One connection to SQLite for SQLAlchemy's statements; whoever gave it begins and ends its transactions."""
    return create_engine("sqlite://", creator=connect, poolclass=StaticPool, pool_reset_on_return=None).connect()


def _parse(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError) as error:  # the latter for a port that is no number
        scheme = url.partition(":")[0][:40]  # what follows may hold a password
        raise Usage(f"SVC_DATABASE_URL must be a database URL; it begins with {scheme!r}.") from error


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite store; None for a server's. Usage for a URL that is none."""
    parsed = _parse(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def is_read_only(url: str) -> bool:
    """Whether the store is a file that can only be read. Whether a server takes writes, it says itself."""
    parsed = make_url(url)
    return parsed.get_backend_name() == "sqlite" and sqlite_files.access(parsed.database or "") != "rw"


def _sqlite(url: str, path: str, *, immediate: bool) -> Engine:
    create = not sqlite_files.is_there(Path(path))  # one that goes away later is missed, not made anew
    engine = create_engine(
        url,
        hide_parameters=True,  # what people wrote must not reach the log with an error
        creator=lambda: sqlite_files.connect(path, shared=True, create=create),
        pool_use_lifo=True,  # the connection that wrote last knows its pages; to any other they are stale
        **_POOL,
    )
    writable = not is_read_only(url)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        try:
            if writable:
                cursor.execute("PRAGMA journal_mode=WAL")
                cursor.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
                cursor.execute("PRAGMA wal_autocheckpoint=4000")  # pages, 16 MB: each checkpoint stops writers
            cursor.execute("PRAGMA foreign_keys=ON")
            cursor.execute("PRAGMA temp_store=MEMORY")
            cursor.execute("PRAGMA cache_size=-65536")
            if not immediate:
                cursor.execute("PRAGMA query_only=ON")
        finally:
            cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if immediate and not writable:
            raise READ_ONLY.problem()
        seconds = patience()
        if connection.info.get("patience") != seconds:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={round(seconds * 1000)}")
            connection.info["patience"] = seconds
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _postgresql(url: str, *, readonly: bool) -> Engine:
    options: dict[str, Any] = {} if "connect_timeout" in make_url(url).query else {"connect_timeout": CONNECT_SECONDS}
    create = partial(create_engine, url, hide_parameters=True, pool_pre_ping=True, connect_args=options, **_POOL)
    return create(isolation_level="REPEATABLE READ") if readonly else create()
