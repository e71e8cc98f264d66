"""PostgreSQL databases to test in: to make and drop one takes longer than most tests, to empty it does not."""

import uuid
from contextlib import contextmanager

from sqlalchemy import NullPool, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError

from engine.store.database.migrations import migrate

# what a database is made of: whatever a test can leave behind that is no row
_SHAPE = r"""
    SELECT md5(string_agg(part, E'\n' ORDER BY part)) FROM (
        SELECT concat_ws(' ', attrelid::regclass, attname, atttypid, attnotnull, atthasdef)
            FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE c.relnamespace = 'public'::regnamespace
        UNION ALL SELECT concat_ws(' ', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
        UNION ALL SELECT concat_ws(' ', proname, prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT version_num FROM alembic_version
    ) AS shape(part)
"""
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@contextmanager
def raw_transaction(store):
    """A transaction that may change anything, as of somebody who goes around the console."""
    with store._turn, store._writer.begin() as connection:
        yield connection


class Databases:
    """Migrated, empty databases of one server, until they are closed."""

    def __init__(self, server: str) -> None:
        """OperationalError where no server answers."""
        self._server = make_url(server)
        self._admin = create_engine(server, isolation_level="AUTOCOMMIT")
        self._template = f"hq_template_{uuid.uuid4().hex[:12]}"
        self._free: list[str] = []
        self._command(f"CREATE DATABASE {self._template}")
        migrate(self._url(self._template))
        engine = create_engine(self._url(self._template), poolclass=NullPool)
        with engine.connect() as connection:
            self._shape = connection.scalar(text(_SHAPE))
            self._tables = connection.scalars(text(_TABLES)).all()

    def take(self) -> str:
        """The URL of an empty database that nobody else has."""
        if not self._free:
            name = f"hq_test_{uuid.uuid4().hex[:12]}"
            self._command(f"CREATE DATABASE {name} TEMPLATE {self._template}")
            self._command(f"ALTER DATABASE {name} SET synchronous_commit = off")
            self._free.append(name)
        return self._url(self._free.pop())

    def give_back(self, url: str) -> None:
        """It is emptied for the next to take it; what cannot be emptied, or was built anew, is dropped."""
        name = str(make_url(url).database)
        try:
            empty = self._empty(url)
        except DBAPIError:
            empty = False
        if empty:
            self._free.append(name)
        else:
            self._drop(name)

    def close(self) -> None:
        for name in (*self._free, self._template):
            self._drop(name)
        self._admin.dispose()

    def _empty(self, url: str) -> bool:
        deletes = "; ".join(f'DELETE FROM "{table}"' for table in self._tables)
        with create_engine(url, poolclass=NullPool).begin() as connection:
            connection.execute(text(_OTHERS))
            if connection.scalar(text(_SHAPE)) != self._shape:
                return False
            connection.exec_driver_sql("SET LOCAL lock_timeout = '5s'")
            connection.exec_driver_sql(
                "SET LOCAL session_replication_role = replica"
            )  # no triggers: logs take no DELETE
            connection.exec_driver_sql(deletes)
        return True

    def _drop(self, name: str) -> None:
        self._command(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _command(self, command: str) -> None:
        with self._admin.connect() as connection:
            connection.execute(text(command))

    def _url(self, name: str) -> str:
        return self._server.set(database=name).render_as_string(hide_password=False)
