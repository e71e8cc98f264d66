"""A store with the demonstration organizations cobalt and dune, and the empty organization acme."""

from datetime import UTC, datetime

import pyarrow.dataset  # noqa: F401 - loaded late it would meet a frozen clock's date class
import pytest

from engine.copilot.answers.library import Library
from engine.copilot.providers import client
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from reports import CATALOGUE
from tests.demo import demo, demo_store

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


@pytest.fixture(scope="session")
def frames():
    """The raw tables of cobalt."""
    return demo("cobalt", NOW.date())


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copilot")
    url = demo_store(folder, "cobalt", "dune", now=NOW, light=False)
    store = Store(url)
    with store.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    replica = Replica(url, None)
    made = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
    yield made
    made.close()
    replica.close()
    store.close()


@pytest.fixture
def cobalt(snapshots):
    return Library(snapshots, "cobalt", now=NOW)


@pytest.fixture
def acme(snapshots):
    return Library(snapshots, "acme", now=NOW)


@pytest.fixture
def fresh_connections():
    """Connections to servers that are gone are closed with the test that made them."""
    yield
    client().close()
    client.cache_clear()
