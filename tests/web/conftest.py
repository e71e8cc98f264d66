"""A console over a small store: acme with one member of each role, and other as the neighbour."""

import shutil

import pyarrow.dataset  # noqa: F401 - loaded late it would meet the frozen clock's date class
import pytest

import api
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema.organizations import memberships, organization_frameworks
from engine.web.app import Console
from reports import CATALOGUE
from tests.conftest import NOW
from tests.web.client import Client
from tests.web.served import behind_waitress

SECRET = "0123456789abcdef0123456789abcdef"
ROLES = ("owner", "admin", "operator", "member")


@pytest.fixture
def environment(tmp_path):
    """Environment variables of the console under test; a test may change them before it asks for ``console``."""
    return {
        "SVC_DATA_DIR": str(tmp_path / "var"),
        "SVC_SESSION_SECRET": SECRET,
        "SVC_PLATFORM_ADMIN_EMAILS": "owner@acme.example",
        "SVC_BASE_URL": "http://localhost:8080",
    }


def people(store):
    """Give acme and other each its people and SOC 2 in scope."""
    for org in ("acme", "other"):
        with store.revision(org, "setup", now=NOW, create={"name": org.title()}) as revision:
            revision.insert(memberships, [{"email": f"{role}@{org}.example", "role": role} for role in ROLES])
            revision.insert(organization_frameworks, [{"framework": "soc2"}])
            revision.record("organization.prepared")


@pytest.fixture(scope="session")
def peopled_template(acme_template, tmp_path_factory):
    """A SQLite store with acme, other and their people, to copy."""
    path = tmp_path_factory.mktemp("peopled") / "hq.db"
    shutil.copy(acme_template, path)
    opened = Store(f"sqlite:///{path}")
    people(opened)
    opened.close()
    return path


@pytest.fixture
def with_people(peopled_template, tmp_path):
    """acme and other, each with its people and SOC 2 in scope."""
    path = tmp_path / "hq.db"
    shutil.copy(peopled_template, path)
    opened = Store(f"sqlite:///{path}")
    yield opened
    opened.close()


@pytest.fixture
def console(with_people, environment, tmp_path):
    replica = Replica(with_people.url, None)
    snapshots = Snapshots(with_people, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield Console(api.ROUTES, Services(Settings.of(environment), with_people, snapshots, NOW))
    snapshots.close()
    replica.close()


@pytest.fixture
def sign_in(console, clock):
    """A client signed in as somebody; ``sign_in(None)`` is nobody."""

    def client(who="owner@acme.example", org="acme"):
        return Client(console, console.gate.sessions.issue(who, org, now=NOW) if who else None)

    return client


@pytest.fixture
def server_port(console):
    """The console behind waitress; the port on which it answers."""
    with behind_waitress(console) as port:
        yield port


@pytest.fixture
def clock():
    """The clock stands at ``NOW`` at the edges."""
    from freezegun import freeze_time

    with freeze_time(NOW) as frozen:
        yield frozen
