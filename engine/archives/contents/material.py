"""What an archive is made from: a snapshot, its window, and the policies and events at the same revision."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime

from engine.archives.contents.evidence_pack import EvidencePack, open_pack
from engine.archives.contents.windows import MOST_DAYS, Days
from engine.archives.sealing.manifest import Owner, Window
from engine.model.days import midnight
from engine.model.declarations.ask import PERIOD_DAYS
from engine.model.documents.document import Edition, Position
from engine.model.errors import NotFound
from engine.reporting.snapshot.snapshot import Snapshot
from engine.runtime.services import Services
from engine.store import Store


@dataclass(frozen=True)
class Material:
    """An organization's records as they stood. ``pack`` and ``snapshot`` are of the same revision."""

    store: Store
    snapshot: Snapshot
    window: Window
    pack: EvidencePack

    @property
    def owner(self) -> Owner:
        """Whose archive it is."""
        organization = self.snapshot.subject.organization
        return Owner(organization.id, organization.name)

    def edition(self, report: str) -> Edition:
        """A report's content, over the window where it takes a period."""
        return self.snapshot.edition(report, self._query(report))

    def bytes(self, report: str, form: str, **asked: str) -> bytes:
        """The bytes that its route answers with when it is ``asked`` over the window."""
        return self.snapshot.bytes(report, self._query(report) | asked, form).data

    def _query(self, report: str) -> dict[str, str]:
        return {PERIOD_DAYS.name: str(length(self.window))} if self.snapshot.report(report).has_period else {}


@contextmanager
def gather_material(
    services: Services, org_id: str, wanted: Days, *, now: datetime, framework: str | None = None
) -> Iterator[Material]:
    """The organization as it stands; NotFound when there is none. Writers wait only if one came between two looks."""
    store = services.store
    if not store.organization_exists(org_id):
        raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
    window = wanted.of(store, org_id, now)
    with ExitStack() as closing:
        pack, snapshot = _look(services, org_id, window, framework, now, closing)
        if snapshot.subject.revision != Position(*pack.head):
            with store.revision(org_id, "snapshot", now=now):  # changes nothing, and holds off those who would
                pack, snapshot = _look(services, org_id, window, framework, now, closing)
                _ = snapshot.subject  # settles it while nobody writes
        yield Material(store, snapshot, window, pack)


def _look(
    services: Services, org_id: str, window: Window, framework: str | None, now: datetime, closing: ExitStack
) -> tuple[EvidencePack, Snapshot]:
    """The policies and a snapshot as they stand; a write may come between the two."""
    since = midnight(window.start_on, services.store.time_zone(org_id))
    pack = open_pack(services.store, org_id, since=since, framework=framework, now=now)
    return pack, closing.enter_context(services.snapshots.open(org_id, now=now))


def length(window: Window) -> int:
    """Days of a window, as far as reports look back."""
    return min(MOST_DAYS, (window.end_on - window.start_on).days + 1)
