"""Opening snapshots: at the head of an organization, on the day that it is there, or as it was."""

import threading
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from engine.model.days import local_day
from engine.model.declarations.as_of import AsOf
from engine.model.declarations.ask import Parameters
from engine.model.declarations.declaration import Declaration, find_report
from engine.model.declarations.report_loader import load_report
from engine.model.documents.document import Document, Position
from engine.model.errors import NotFound, unknown_organization
from engine.reporting.artifacts.artifact_names import Name, artifact_name
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.part_positions import newest_erasure
from engine.reporting.snapshot.snapshot import Snapshot
from engine.reporting.snapshot.subject import FactSource, RevisionOnDay

if TYPE_CHECKING:  # whoever finds what is there already computes nothing
    from engine.model.declarations.report import Report
    from engine.replica.replica import Replica
    from engine.reporting.snapshot.revision_cache import RevisionCache
    from engine.reporting.snapshot.views import Views
    from engine.store import Store

KEPT_NAMES = 10_000


class Snapshots:
    """Opens the snapshots of one process. Threads may share one; snapshots of one moment share their facts.

    A replica that is given as a function is opened by whoever computes first.
    """

    def __init__(
        self,
        store: "Store",
        replica: "Replica | Callable[[], Replica]",
        artifacts: Artifacts,
        catalogue: Mapping[str, Declaration],
    ) -> None:
        self.store = store
        self.artifacts = artifacts
        self._replica = replica
        self._declarations = catalogue
        self._views: Views | None = None
        self._guard = threading.RLock()
        self._names: dict[tuple[object, ...], tuple[Name, str]] = {}
        self._zones: dict[str, tuple[str, ZoneInfo]] = {}
        self._moments: RevisionCache | None = None

    @property
    def replica(self) -> "Replica":
        """The analytics store of this process."""
        with self._guard:
            if callable(self._replica):
                self._replica = self._replica()
            return self._replica

    @property
    def views(self) -> "Views":
        """The open views of it."""
        from engine.reporting.snapshot.views import Views

        with self._guard:
            if self._views is None:
                self._views = Views(self.store, self.replica, self.artifacts, self._today)
            return self._views

    @property
    def declarations(self) -> Mapping[str, Declaration]:
        """The reports, as far as they can be told without what computes them."""
        return self._declarations

    @property
    def catalogue(self) -> "Mapping[str, Report]":
        """The reports, with all that computes them."""
        return {name: load_report(declaration) for name, declaration in self._declarations.items()}

    def close(self) -> None:
        """Let go of the views that are kept open; the facts are kept for the next process."""
        if self._views is not None:
            try:
                self._views.keep()
            finally:
                self._views.close()

    def keep_facts(self) -> None:
        """Write down for the next process what was computed so far."""
        if self._views is not None:
            self._views.keep()

    def report(self, name: str) -> Declaration:
        """A report of the catalogue; NotFound names the ones that exist."""
        return find_report(self._declarations, name)

    def open(self, org_id: str, *, now: datetime, head: Position | None = None, at: AsOf | None = None) -> Snapshot:
        """The organization as of the last write, on its present day; or as it was ``at`` a day or a revision.

        NotFound for an unknown organization and for one without a record; BadRequest for a past that there is no
        answer for. What was asked of it is free again once the snapshot is left. ``head`` spares the look where it
        was just read.
        """
        head = head or self.store.head(org_id)
        if head is None:
            raise unknown_organization(org_id)
        if head.seq == 0:
            raise NotFound(f"Nothing is recorded of the organization {org_id!r} yet.", word="no_records")
        present = head, self._today(org_id, head, now)
        stand = self._revision_on(org_id, present, at)

        def share(settled: RevisionOnDay | None) -> FactSource:
            if settled is None and stand == present:
                return self.views.share(org_id, now)
            return self.views.share_past(org_id, settled or stand)

        def changes(snapshot: Snapshot, report: "Report", parameters: Parameters) -> Document:
            from engine.reporting.difference.snapshot_pair import changes_since

            return changes_since(snapshot, report, parameters, lambda at: self.open(org_id, now=now, at=at), self.store)

        heads = partial(self.store.part_heads, org_id) if stand == present else None
        erased = partial(self._erasure_position, org_id)
        return Snapshot(
            org_id, stand, heads, self._declarations, self.artifacts, share, self._artifact_name, erased, changes
        )

    def _erasure_position(self, org_id: str) -> int:
        """Where the newest erasure of a person of the organization ended; 0 without one."""
        return newest_erasure(self.store.part_heads(org_id))

    def _revision_on(self, org_id: str, present: RevisionOnDay, at: AsOf | None) -> RevisionOnDay:
        """Where a snapshot stands, which names what is computed from it: the one place that decides it."""
        if at is None:
            return present
        if self._moments is None:
            from engine.reporting.snapshot.revision_cache import RevisionCache

            self._moments = RevisionCache(self.store)
        head, today = present
        return self._moments.find(org_id, at, head, today, self._zones[org_id][1])

    def _artifact_name(
        self, org_id: str, report: str, form: str, as_of: date, revision: Position, parameters: Parameters, erased: int
    ) -> tuple[Name, str]:
        """The name and its key; hashing it anew for each reader costs more than finding the bytes."""
        wanted = (org_id, report, form, as_of, revision.hash, erased, *parameters.values())
        name = self._names.get(wanted)
        if name is None:
            if len(self._names) >= KEPT_NAMES:
                self._names.clear()
            name = self._names[wanted] = artifact_name(org_id, report, form, as_of, revision, parameters, erased)
        return name

    def _today(self, org_id: str, head: Position, now: datetime) -> date:
        """The organization's business date; its time zone is read again whenever its chain moved."""
        known = self._zones.get(org_id)
        if known is None or known[0] != head.hash:
            known = self._zones[org_id] = head.hash, ZoneInfo(self.store.time_zone(org_id))
        return local_day(now, known[1])
