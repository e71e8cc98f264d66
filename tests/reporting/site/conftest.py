"""Two sites: of a demo organization, and of an empty one."""

import shutil
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime

import pytest

from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.site import write_site
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.database.migrations import migrate
from reports import CATALOGUE, SECTIONS
from tests.demo import demo, shared_file
from tests.frames import import_frames

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


ORGS = ("brightline", "empty")


@contextmanager
def both_snapshots(folder):
    """Snapshots of both organizations of the store in a folder."""
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store(f"sqlite:///{folder}/hq.db")))
        replica = stack.enter_context(closing(Replica(store.url, None)))
        made = stack.enter_context(closing(Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)))
        yield {org_id: stack.enter_context(made.open(org_id, now=NOW)) for org_id in ORGS}


def write(folder):
    """The store, and beside it the sites."""
    folder.mkdir()
    migrate(f"sqlite:///{folder}/hq.db")
    with closing(Store(f"sqlite:///{folder}/hq.db")) as store:
        frames = demo("brightline", NOW.date())
        frames["audit_log"] = frames["audit_log"].gather_every(20)
        import_frames(store, frames, org_id="brightline", actor="demo", now=NOW)
        with store.revision("empty", "setup", now=NOW, create={"name": "Empty", "time_zone": "UTC"}) as revision:
            revision.record("organization.created")
    with both_snapshots(folder) as snapshots:
        for org_id, snapshot in snapshots.items():
            write_site(snapshot, folder / org_id, sections=SECTIONS)


@pytest.fixture(scope="package")
def sites(tmp_path_factory):
    """The sites of a demo organization and of an empty one, with their snapshots: written once for all workers."""
    written, folder = shared_file("sites", write), tmp_path_factory.mktemp("sites")
    shutil.copy(written / "hq.db", folder)
    shutil.copytree(written / "artifacts", folder / "artifacts")
    with both_snapshots(folder) as snapshots:
        yield {org_id: (written / org_id, snapshot) for org_id, snapshot in snapshots.items()}
