"""Opening snapshots: at the head of an organization, on the day that it is there, or as it was."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import date, datetime
from functools import partial
from typing import TypeAlias
from zoneinfo import ZoneInfo

import polars as pl

from engine.model.as_of import AsOf
from engine.model.ask import DEFAULT_PERIOD_DAYS, Parameters
from engine.model.days import local_day
from engine.model.document import Document, Position
from engine.model.errors import NotFound, Unavailable
from engine.model.report import Report, find_report
from engine.reporting.artifact_names import Name, artifact_name
from engine.reporting.artifacts import Artifacts
from engine.reporting.comparisons import changes_since
from engine.reporting.facts import Facts, Recall
from engine.reporting.facts.memory import Memory
from engine.reporting.memories import KEPT_PERIODS, Memories
from engine.reporting.missing_weeks import MissingWeeks
from engine.reporting.moments import Moments
from engine.reporting.parts import newest_erasure, stand_of
from engine.reporting.replica import Replica
from engine.reporting.snapshot import Snapshot
from engine.reporting.subjects import Subject, question, subjects
from engine.reporting.view import View
from engine.store import Store

Stand: TypeAlias = tuple[Position, date]
"""A place in the chain of an organization, and the day that is looked at it from."""

KEPT_VIEWS = 6
KEPT_NAMES = 10_000


class Snapshots:
    """Opens the snapshots of one process. Threads may share one; snapshots of one moment share their facts."""

    def __init__(self, store: Store, replica: Replica, artifacts: Artifacts, catalogue: Mapping[str, Report]) -> None:
        self.store = store
        self.replica = replica
        self.artifacts = artifacts
        self.catalogue = catalogue
        self._views: OrderedDict[tuple[str, Position, date], _SharedView] = OrderedDict()
        self._guard = threading.Lock()
        self._names: dict[tuple[object, ...], tuple[Name, str]] = {}
        self._zones: dict[str, tuple[str, ZoneInfo]] = {}
        self._moments = Moments(store)
        self._weeks = MissingWeeks(replica)
        self._memories = Memories()

    def close(self) -> None:
        """Let go of the views that are kept open."""
        with self._guard:
            for view in self._views.values():
                view.drop()
            self._views.clear()

    def report(self, name: str) -> Report:
        """A report of the catalogue; NotFound names the ones that exist."""
        return find_report(self.catalogue, name)

    def open(self, org_id: str, *, now: datetime, head: Position | None = None, at: AsOf | None = None) -> Snapshot:
        """The organization as of the last write, on its present day; or as it was ``at`` a day or a revision.

        NotFound for an unknown organization and for one without a record; BadRequest for a past that there is no
        answer for. What was asked of it is free again once the snapshot is left. ``head`` spares the look where it
        was just read.
        """
        head = head or self.store.head(org_id)
        if head is None:
            raise _unknown(org_id)
        if head.seq == 0:
            raise NotFound(f"Nothing is recorded of the organization {org_id!r} yet.", word="no_records")
        present = head, self._today(org_id, head, now)
        stand = self._stand(org_id, present, at)

        def share(settled: Stand | None) -> _SharedView:
            if settled is None and stand == present:
                return self._share(org_id, now)
            return self._share_past(org_id, settled or stand)

        def changes(snapshot: Snapshot, report: Report, parameters: Parameters) -> Document:
            return changes_since(snapshot, report, parameters, lambda at: self.open(org_id, now=now, at=at), self.store)

        heads = partial(self.store.part_heads, org_id) if stand == present else None
        erased = partial(self._erased, org_id)
        said = partial(self._documents, org_id) if stand == present else None
        return Snapshot(
            org_id, stand, heads, self.catalogue, self.artifacts, share, self._named, erased, changes, said
        )  # fmt: skip

    def _documents(self, org_id: str, erased: int) -> Memory[Document]:
        return self._memories.of(org_id, erased).documents

    def _erased(self, org_id: str) -> int:
        """Where the newest erasure of a person of the organization ended; 0 without one."""
        return newest_erasure(self.store.part_heads(org_id))

    def _stand(self, org_id: str, present: "Stand", at: AsOf | None) -> "Stand":
        """Where a snapshot stands, which names what is computed from it: the one place that decides it."""
        if at is None:
            return present
        head, today = present
        return self._moments.find(org_id, at, head, today, self._zones[org_id][1])

    def _named(
        self, org_id: str, report: str, form: str, as_of: date, revision: Position, parameters: Parameters, erased: int
    ) -> tuple[Name, str]:
        """The name and its key; hashing it anew for each reader costs more than finding the bytes."""
        wanted = (org_id, report, form, as_of, revision.hash, erased, *parameters.values())
        found = self._names.get(wanted)
        if found is None:
            if len(self._names) >= KEPT_NAMES:
                self._names.clear()
            found = self._names[wanted] = artifact_name(org_id, report, form, as_of, revision, parameters, erased)
        return found

    def _today(self, org_id: str, head: Position, now: datetime) -> date:
        """The organization's business date; its time zone is read again whenever its chain moved."""
        known = self._zones.get(org_id)
        if known is None or known[0] != head.hash:
            known = self._zones[org_id] = head.hash, ZoneInfo(self.store.time_zone(org_id))
        return local_day(now, known[1])

    def _share(self, org_id: str, now: datetime) -> "_SharedView":
        """The facts at the organization's head. Views of earlier heads are closed once nobody needs them."""
        self._drop_lost()
        position = self.replica.sync([org_id]).get(org_id)
        if position is None:
            raise _unknown(org_id)
        day = self._today(org_id, position, now)
        with self._guard:
            found = self._views.get((org_id, position, day))
            if found is None or found.is_lost:
                found = self._open(org_id, now)
            return self._used(found)

    def _share_past(self, org_id: str, stand: "Stand") -> "_SharedView":
        """The facts of an organization as it was; where that is how it is, without its past."""
        position, day = stand
        self._drop_lost()
        for _ in range(2):
            if self.replica.sync([org_id]).get(org_id) != position:
                self.replica.sync([org_id], with_past=True)
            with self._guard:
                found = self._views.get((org_id, position, day))
                if found is not None and (found.is_lost or found.present.seq < self._erased(org_id)):
                    self._views.pop(found.key).drop()
                    found = None
                if found is None:
                    found = self._open_past(org_id, stand)
                if found is not None:
                    return self._used(found)
        raise Unavailable("The records were copied anew while they were read: try again.", headers={"Retry-After": "1"})

    def _drop_lost(self) -> None:
        """A file can be made anew once nobody reads the one that was given up."""
        with self._guard:
            for key in [key for key, view in self._views.items() if view.is_lost]:
                self._views.pop(key).drop()

    def _used(self, view: "_SharedView") -> "_SharedView":
        """The view with one user more; the guard is held."""
        view.users += 1
        self._views.move_to_end(view.key)
        while len(self._views) > KEPT_VIEWS:
            self._views.popitem(last=False)[1].drop()
        return view

    def _open(self, org_id: str, now: datetime) -> "_SharedView":
        closing = ExitStack()
        view = closing.enter_context(self.replica.view())
        (subject,) = subjects(view, [org_id], lambda zone: local_day(now, zone))
        return self._keep(_SharedView(view, closing, subject, self._guard, partial(self._facts, view, subject)))

    def _open_past(self, org_id: str, stand: "Stand") -> "_SharedView | None":
        """None where the copy of the records cannot tell, because it was made anew meanwhile."""
        closing = ExitStack()
        view = closing.enter_context(self.replica.view())
        present = view.position(org_id)
        if present is None or not view.look_back(org_id, stand[0]):
            closing.close()
            return None
        (subject,) = subjects(view, [org_id], lambda zone: stand[1])
        facts = partial(self._past_facts, view, subject)
        return self._keep(_SharedView(view, closing, subject, self._guard, facts, behind=present))

    def _facts(self, view: View, subject: Subject, period: int) -> Facts:
        """The present facts; what did not change since they were last looked at is remembered."""
        memory = self._memories.of(subject.organization.id, newest_erasure(subject.part_heads))
        recall = Recall(memory.facts(period), subject.revision, partial(stand_of, heads=subject.part_heads))
        return Facts(view, [question(subject, period)], complete=self._weeks.complete, recall=recall)

    def _past_facts(self, view: View, subject: Subject, period: int) -> Facts:
        return Facts(view, [question(subject, period)], complete=self._weeks.complete)

    def _keep(self, made: "_SharedView") -> "_SharedView":
        """The view for others to share. Those of the organization that saw an earlier state of the copy are closed."""
        old = [key for key, kept in self._views.items() if key[0] == made.key[0] and made.replaces(kept)]
        for key in old:
            self._views.pop(key).drop()
        known = self._views.setdefault(made.key, made)
        if known is not made:
            made.drop()
        return known


class _SharedView:
    """The facts of one organization in one open view, for all snapshots of that moment.

    ``behind`` is where the copy of the records stood for a view of the past.
    """

    def __init__(
        self,
        view: View,
        closing: ExitStack,
        subject: Subject,
        guard: threading.Lock,
        open_facts: Callable[[int], Facts],
        behind: Position | None = None,
    ) -> None:
        self.subject = subject
        self.key = (subject.organization.id, subject.revision, subject.as_of)
        self.present = behind or subject.revision
        self.is_past = behind is not None
        self.users = 0
        self._view = view
        self._closing = closing
        self._guard = guard
        self._open_facts = open_facts
        self._dropped = False
        self._facts: OrderedDict[int, Facts] = OrderedDict()
        self._periods = threading.Lock()

    @property
    def is_lost(self) -> bool:
        """Whether what it reads turned out damaged, or another copy took its place."""
        return not self._view.is_current()

    def replaces(self, other: "_SharedView") -> bool:
        """Whether nobody will ask for the other one any more: it is lost, of an earlier state, or of another today."""
        if other.is_lost or other.present != self.present:
            return True
        return self.key != other.key and not self.is_past and not other.is_past

    def frame(self, name: str, period_days: int | None) -> pl.DataFrame:
        """A fact of the subject; where the period does not matter, from whichever facts are there."""
        with self._periods:
            period = period_days or next(reversed(self._facts), DEFAULT_PERIOD_DAYS)
            facts = self._facts.get(period)
            if facts is None:
                facts = self._facts[period] = self._open_facts(period)
                while len(self._facts) > KEPT_PERIODS:
                    self._facts.popitem(last=False)
            self._facts.move_to_end(period)
        return facts.of(self.subject.organization.id, name)

    def release(self) -> None:
        """One snapshot less needs it."""
        with self._guard:
            self.users -= 1
            self._close_unused()

    def drop(self) -> None:
        """Nobody will find it any more; those who have it keep it. The guard is held."""
        self._dropped = True
        self._close_unused()

    def _close_unused(self) -> None:
        if self._dropped and self.users == 0:
            self._closing.close()


def _unknown(org_id: str) -> NotFound:
    return NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
