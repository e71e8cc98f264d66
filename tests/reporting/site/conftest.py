"""Two sites: of a demo organization, and of an empty one."""

from datetime import UTC, datetime

import pytest

from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.site import write_site
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.database.migrations import migrate
from reports import CATALOGUE, SECTIONS
from tests.demo import demo
from tests.frames import import_frames

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(scope="package")
def sites(tmp_path_factory):
    """The sites of a demo organization and of an empty one, with their snapshots."""
    folder = tmp_path_factory.mktemp("sites")
    url = f"sqlite:///{folder}/hq.db"
    migrate(url)
    store = Store(url)
    frames = demo("brightline", NOW.date())
    frames["audit_log"] = frames["audit_log"].gather_every(20)
    import_frames(store, frames, org_id="brightline", actor="demo", now=NOW)
    with store.revision("empty", "setup", now=NOW, create={"name": "Empty", "time_zone": "UTC"}) as revision:
        revision.record("organization.created")
    replica = Replica(url, None)
    made = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
    snapshots = {org_id: made.open(org_id, now=NOW) for org_id in ("brightline", "empty")}
    for org_id, snapshot in snapshots.items():
        write_site(snapshot, folder / org_id, sections=SECTIONS)
    yield {org_id: (folder / org_id, snapshot) for org_id, snapshot in snapshots.items()}
    for snapshot in snapshots.values():
        snapshot.__exit__(None, None, None)
    made.close()
    replica.close()
    store.close()
