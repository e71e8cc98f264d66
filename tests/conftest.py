"""Stores to test against: SQLite always, PostgreSQL where a server answers."""

import os
import shutil
import uuid
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from engine.store import Store
from engine.store.migrations import migrate
from tests import demo

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
POSTGRESQL = os.environ.get("SVC_TEST_POSTGRESQL_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")
# Polars learns what an instant, a day and a span are from the first that it sees: not while freezegun shows others
for known in (NOW, NOW.replace(tzinfo=None), NOW.date(), NOW.time(), timedelta(1)):
    pl.Series([known], dtype=pl.Object)
    pl.Series([None, known])
    pl.DataFrame([{"known": known}], infer_schema_length=None)
    pl.DataFrame([(known,)], orient="row")
    pl.select(pl.lit(known))
REQUIRED = os.environ.get("SVC_TEST_REQUIRE_SERVICES") == "1"


@pytest.fixture(scope="session", autouse=True)
def _shared_demo(tmp_path_factory):
    """Workers of one run share what the demo takes long to tell."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo"
    folder.mkdir(exist_ok=True)
    demo.SHARED.append(folder)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A migrated, empty SQLite store to copy."""
    path = tmp_path_factory.mktemp("template") / "hq.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgresql_template():
    """The name of a migrated, empty PostgreSQL database to copy."""
    try:
        import psycopg  # noqa: F401 - only whether it is there
    except ModuleNotFoundError:
        if REQUIRED:
            raise
        pytest.skip("psycopg is not installed")
    admin = create_engine(POSTGRESQL, isolation_level="AUTOCOMMIT")
    name = f"hq_template_{uuid.uuid4().hex[:12]}"
    try:
        with admin.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    except OperationalError:
        if REQUIRED:
            raise
        pytest.skip("no PostgreSQL server answers")
    migrate(make_url(POSTGRESQL).set(database=name).render_as_string(hide_password=False))
    yield admin, name
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def sqlite_url(sqlite_template, tmp_path):
    path = tmp_path / "hq.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_template):
    admin, template = postgresql_template
    name = f"hq_test_{uuid.uuid4().hex[:12]}"
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield make_url(POSTGRESQL).set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request):
    """The URL of an empty store, on each engine in turn."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def any_store(database_url):
    """An empty store with the organization acme, on each engine in turn."""
    yield from _with_acme(database_url)


@pytest.fixture
def store(sqlite_url):
    """An empty SQLite store with the organization acme."""
    yield from _with_acme(sqlite_url)


def _with_acme(url):
    opened = Store(url)
    with opened.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    yield opened
    opened.close()
