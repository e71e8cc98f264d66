"""The parts of one process, opened and closed together."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from engine.model.declarations.declaration import Declaration
from engine.reporting.artifacts.artifact_space import Quota
from engine.reporting.artifacts.artifacts import MEMORY_BYTES, Artifacts, ArtifactStorage
from engine.reporting.batch.build_costs import BuildCosts
from engine.reporting.batch.report_batch import ReportBatch
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.heads.second_history import must_not_begin_again
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.database.migrations import ensure_schema

if TYPE_CHECKING:
    from engine.replica.replica import Replica

REPLICA = "analytics.duckdb"
SENDING_SECONDS = 3.0  # for which the end of a process waits for what is on its way to a bucket

T = TypeVar("T")


class Background(Protocol):
    """Where long work is done, if not here."""

    def __call__(self, function: Callable[..., T], *arguments: object) -> T:
        """What the function of a module answers to the services of another process and ``arguments``."""


@dataclass(frozen=True)
class Services:
    """What the doors work with."""

    settings: Settings
    store: Store
    snapshots: Snapshots
    started_at: datetime
    background: Background | None = None

    def in_background(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a function of a module with services and ``arguments``: beside this process where it has helpers."""
        if self.background is None:
            return function(self, *arguments)
        return self.background(function, *arguments)

    @property
    def replica(self) -> "Replica":
        """The analytics store of this process."""
        return self.snapshots.replica

    def batch(self, now: datetime) -> ReportBatch:
        """What has every report built: it can go to another process, on another machine where all of it is shared."""
        storage, catalogue = self.snapshots.artifacts.storage, self.snapshots.declarations
        return ReportBatch(self.store.url, storage, catalogue, now, self.settings.analytics_memory)

    def build_costs(self) -> BuildCosts:
        """What building each organization took before, as far as this machine knows."""
        return BuildCosts(self.settings.data_dir / "build-costs.json")

    @property
    def artifacts(self) -> Artifacts:
        """Rendered reports."""
        return self.snapshots.artifacts


def open_artifacts(settings: Settings, *, memory_bytes: int = MEMORY_BYTES) -> Artifacts:
    """Rendered reports, where the settings say that they are kept."""
    quota = Quota(settings.artifact_org_bytes, settings.artifact_bytes)
    storage = ArtifactStorage(settings.artifact_folder, quota, settings.artifact_bucket)
    return storage.open(memory_bytes=memory_bytes)


@contextmanager
def open_services(
    settings: Settings,
    catalogue: Mapping[str, Declaration],
    *,
    now: datetime,
    replica: str = REPLICA,
    memory_bytes: int = MEMORY_BYTES,
    shared: bool = False,
    begin: bool = False,
) -> Iterator[Services]:
    """Open everything, and let go of it in the end. Unavailable where the store has another schema than ours.

    Processes that compute side by side have a ``replica`` each, a file in the data folder; ``memory_bytes`` bounds the
    artifacts that are held in memory; ``shared`` where several of them write all the time; ``begin`` where an empty
    store gets its tables. The replica is opened by whoever computes first.
    """
    must_not_begin_again(settings)
    ensure_schema(settings.store_url, begin=begin, now=now)
    store = Store(settings.store_url, shared=shared)
    opened = ExitStack()

    def open_replica() -> "Replica":
        from engine.replica.replica import Replica

        analytics = Replica(store.url, settings.data_dir / replica, memory_limit=settings.analytics_memory)
        opened.callback(analytics.close)
        return analytics

    artifacts = open_artifacts(settings, memory_bytes=memory_bytes)
    snapshots = Snapshots(store, open_replica, artifacts, catalogue)
    try:
        yield Services(settings, store, snapshots, now)
    finally:
        artifacts.flush(SENDING_SECONDS)
        snapshots.close()
        opened.close()
        store.close()
