"""The parts of one process, opened and closed together."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from engine.model.report import Report
from engine.reporting.artifacts import Artifacts
from engine.reporting.replica import Replica
from engine.reporting.snapshots import Snapshots
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.migrations import migrate


@dataclass(frozen=True)
class Services:
    """What the doors work with."""

    settings: Settings
    store: Store
    snapshots: Snapshots
    started_at: datetime

    @property
    def replica(self) -> Replica:
        """The analytics store of this process."""
        return self.snapshots.replica

    @property
    def artifacts(self) -> Artifacts:
        """Rendered reports."""
        return self.snapshots.artifacts


@contextmanager
def open_services(settings: Settings, catalogue: Mapping[str, Report], *, now: datetime) -> Iterator[Services]:
    """Migrate the store, open everything, and let go of it in the end."""
    migrate(settings.store_url)
    store = Store(settings.store_url)
    folder = settings.data_dir
    replica = Replica(store.url, folder / "analytics.duckdb", memory_limit=settings.analytics_memory)
    snapshots = Snapshots(store, replica, Artifacts(folder / "artifacts"), catalogue)
    try:
        yield Services(settings, store, snapshots, now)
    finally:
        snapshots.close()
        replica.close()
        store.close()
