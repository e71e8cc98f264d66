"""Stores to test against: SQLite always, PostgreSQL where a server answers."""

import gc
import os
import shutil
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # tables of a few rows: threads cost more than they save

import polars as pl
import pytest
from freezegun import api as freezegun
from httpx._transports import default
from sqlalchemy.exc import OperationalError

from engine.model.documents.document import MOST_WORDS, Document
from engine.store import Store
from engine.store.database import database
from engine.store.log import row_log
from tests import collection, demo, frozen_modules, laws
from tests.budget import (  # noqa: F401 - its hooks
    pytest_addoption,
    pytest_configure,
    pytest_runtest_logreport,
    pytest_runtest_logstart,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    pytest_terminal_summary,
)
from tests.databases import Databases

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
# where the engines differ most: what `make test` tries on PostgreSQL, too; all other twins are real ones
TWINS = {
    "tests.store.chain.test_chain_segments",
    "tests.store.database.test_migrations",
    "tests.store.writing.test_revisions",
}
SYNCHRONOUS = database.SYNCHRONOUS  # as the product has it
database.SYNCHRONOUS = "OFF"  # no test outlives a loss of power
row_log.SEED = b"tests"  # the same writes have the same hashes
frozen_modules.install()
# freezegun asks each time whether a module has other names than before; listing and hashing them all takes it 20 ms
freezegun._get_module_attributes_hash = lambda module: f"{id(module)}-{len(getattr(module, '__dict__', ()))}"
# each client of a test reads the certificates that the machine trusts, which takes 20 ms; they stay the same
default.create_ssl_context = cache(default.create_ssl_context)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    gc.disable()  # what is collected stays
    collection.load_modules(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """A twin on PostgreSQL takes as long as the test on SQLite, and seldom says anything else, nor does one more case of
    a test that is slow: `make test-real` tries each third of them, and nothing that is marked weekly; the weekly job tries
    all of it."""
    slow = [item for item in items if item.get_closest_marker("postgresql") and item.module.__name__ not in TWINS]
    for item in slow:
        item.add_marker(pytest.mark.real)
    if config.getoption("budget") == "real" and not laws.WHOLE:
        spared = collection.spared_twins([item.nodeid for item in slow], {item.nodeid for item in items}, laws.SHARE)
        spared |= {item.nodeid for item in items if item.get_closest_marker("weekly")}
        left = [item.nodeid for item in items if item.get_closest_marker("real") and item.nodeid not in spared]
        spared |= collection.spared_cases(left, laws.SHARE)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in spared])
        items[:] = [item for item in items if item.nodeid not in spared]


def pytest_collection_finish():
    """What is loaded by now stays: looking through it again and again finds nothing."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure():
    gc.unfreeze()  # else DuckDB complains on the way out of objects that were never freed


@pytest.fixture(scope="session", autouse=True)
def _shared_demo(tmp_path_factory):
    """Workers of one run share what the demo takes long to tell; so do the runs of one `.ci/run`, by where the sources are."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo"
    if shared := os.environ.get("SVC_TEST_SHARED"):
        folder = Path(f"{shared}{Path(__file__).parents[1]}")
    folder.mkdir(parents=True, exist_ok=True)
    demo.SHARED.append(folder)


@pytest.fixture(scope="session", autouse=True)
def _short_headlines():
    """No test builds a document with a headline that nobody takes in at a glance."""
    build = Document.__init__

    def check_headline(self, *args, **named):
        build(self, *args, **named)
        assert len(self.headline.split()) <= MOST_WORDS, self.headline

    Document.__init__ = check_headline
    yield
    Document.__init__ = build


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A migrated, empty SQLite store to copy."""
    path = tmp_path_factory.mktemp("template") / "hq.db"
    demo.empty_store(path)
    return path


@pytest.fixture(scope="session")
def acme_template(sqlite_template, tmp_path_factory):
    """A SQLite store with the organization acme, to copy."""
    path = tmp_path_factory.mktemp("acme") / "hq.db"
    shutil.copy(sqlite_template, path)
    _with_acme(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def postgresql_databases():
    """Migrated, empty PostgreSQL databases."""
    try:
        import psycopg  # noqa: F401 - only whether it is there
    except ModuleNotFoundError:
        if REQUIRED:
            raise
        pytest.skip("psycopg is not installed")
    try:
        databases = Databases(POSTGRESQL)
    except OperationalError:
        if REQUIRED:
            raise
        pytest.skip("no PostgreSQL server answers")
    yield databases
    databases.close()


@pytest.fixture
def sqlite_url(sqlite_template, tmp_path):
    path = tmp_path / "hq.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_databases):
    url = postgresql_databases.take()
    yield url
    postgresql_databases.give_back(url)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request):
    """The URL of an empty store, on each engine in turn."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def any_store(database_url):
    """An empty store with the organization acme, on each engine in turn."""
    opened = _with_acme(database_url)
    yield opened
    opened.close()


@pytest.fixture
def store(acme_template, tmp_path):
    """An empty SQLite store with the organization acme."""
    path = tmp_path / "hq.db"
    shutil.copy(acme_template, path)
    opened = Store(f"sqlite:///{path}")
    yield opened
    opened.close()


def _with_acme(url):
    opened = Store(url)
    with opened.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    return opened


@pytest.fixture
def paper():
    """A skip where the libraries that PDF is drawn with are not on this machine; where services are required, so are they."""
    try:
        import weasyprint  # noqa: F401 - only whether it can be loaded
    except (ImportError, OSError):
        if REQUIRED:
            raise
        pytest.skip("WeasyPrint finds no Pango on this machine")
