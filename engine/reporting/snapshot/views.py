"""Open views of the replica, with the facts of one organization in each: what snapshots compute from."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import date, datetime
from functools import partial

import polars as pl

from engine.facts import CachedFacts, Facts
from engine.facts.memory import DerivedMemory, FactCache
from engine.model.days import local_day
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS
from engine.model.documents.document import Document, Position
from engine.model.errors import Unavailable, unknown_organization
from engine.replica.replica import Replica
from engine.replica.view import View
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.fact_cache import KEPT_DERIVED, KEPT_PERIODS, OF_DAY, FactCaches, OrganizationMemory
from engine.reporting.snapshot.missing_weeks import MissingWeeks
from engine.reporting.snapshot.part_positions import newest_erasure
from engine.reporting.snapshot.record_parts import scan_position
from engine.reporting.snapshot.subject import RevisionOnDay, Subject
from engine.reporting.snapshot.subjects import question, subjects
from engine.store import Store

KEPT_VIEWS = 6


class Views:
    """The views of one process; snapshots of one moment share theirs."""

    def __init__(
        self, store: Store, replica: Replica, artifacts: Artifacts, today: Callable[[str, Position, datetime], date]
    ) -> None:
        self._store = store
        self._replica = replica
        self._today = today
        self._views: OrderedDict[tuple[str, Position, date], SharedView] = OrderedDict()
        self._guard = threading.Lock()
        self._weeks = MissingWeeks(replica)
        self._memories = FactCaches(artifacts, self._is_current)

    def keep(self) -> None:
        """Write down for the next process the facts that were computed."""
        self._memories.keep()

    def close(self) -> None:
        """Let go of those that are kept open."""
        with self._guard:
            for view in self._views.values():
                view.drop()
            self._views.clear()

    def share(self, org_id: str, now: datetime) -> "SharedView":
        """The facts at the organization's head. Views of earlier heads are closed once nobody needs them."""
        self._drop_lost()
        position = self._replica.sync([org_id]).get(org_id)
        if position is None:
            raise unknown_organization(org_id)
        day = self._today(org_id, position, now)
        with self._guard:
            shared_view = self._views.get((org_id, position, day))
            if shared_view is None or shared_view.is_lost:
                shared_view = self._open(org_id, now)
            return self._count_user(shared_view)

    def share_past(self, org_id: str, stand: RevisionOnDay) -> "SharedView":
        """The facts of an organization as it was; where that is how it is, without its past."""
        position, day = stand
        self._drop_lost()
        for _ in range(2):
            if self._replica.sync([org_id]).get(org_id) != position:
                self._replica.sync([org_id], with_past=True)
            with self._guard:
                shared_view = self._views.get((org_id, position, day))
                if shared_view is not None and (
                    shared_view.is_lost or shared_view.present.seq < self._erasure_position(org_id)
                ):
                    self._views.pop(shared_view.key).drop()
                    shared_view = None
                if shared_view is None:
                    shared_view = self._open_past(org_id, stand)
                if shared_view is not None:
                    return self._count_user(shared_view)
        raise Unavailable("The records were copied anew while they were read: try again.", headers={"Retry-After": "1"})

    def _erasure_position(self, org_id: str) -> int:
        return newest_erasure(self._store.part_heads(org_id))

    def _is_current(self, org_id: str, erased: int) -> bool:
        """Whether the organization is there, and its newest erasure of a person ended there."""
        heads = self._store.part_heads(org_id)
        return bool(heads) and newest_erasure(heads) == erased

    def _drop_lost(self) -> None:
        """A file can be made anew once nobody reads the one that was given up."""
        with self._guard:
            for key in [key for key, view in self._views.items() if view.is_lost]:
                self._views.pop(key).drop()

    def _count_user(self, view: "SharedView") -> "SharedView":
        """The view with one user more; the guard is held."""
        view.users += 1
        self._views.move_to_end(view.key)
        while len(self._views) > KEPT_VIEWS:
            self._views.popitem(last=False)[1].drop()
        return view

    def _open(self, org_id: str, now: datetime) -> "SharedView":
        closing = ExitStack()
        view = closing.enter_context(self._replica.view())
        (subject,) = subjects(view, [org_id], lambda zone: local_day(now, zone))
        memory = self._memories.of(org_id, newest_erasure(subject.part_heads))
        return self._keep(SharedView(view, closing, subject, self._guard, self._weeks, memory=memory))

    def _open_past(self, org_id: str, stand: RevisionOnDay) -> "SharedView | None":
        """None where the copy of the records cannot tell, because it was made anew meanwhile."""
        closing = ExitStack()
        view = closing.enter_context(self._replica.view())
        present = view.position(org_id)
        if present is None or not view.look_back(org_id, stand[0]):
            closing.close()
            return None
        (subject,) = subjects(view, [org_id], lambda zone: stand[1])
        return self._keep(SharedView(view, closing, subject, self._guard, self._weeks, behind=present))

    def _keep(self, made: "SharedView") -> "SharedView":
        """The view for others to share. Those of the organization that saw an earlier state of the copy are closed."""
        old = [key for key, kept in self._views.items() if key[0] == made.key[0] and made.replaces(kept)]
        for key in old:
            self._views.pop(key).drop()
        known = self._views.setdefault(made.key, made)
        if known is not made:
            made.drop()
        return known


class SharedView:
    """The facts of one organization in one open view, for all snapshots of that moment.

    ``behind`` is where the copy of the records stood for a view of the past.
    """

    def __init__(
        self,
        view: View,
        closing: ExitStack,
        subject: Subject,
        guard: threading.Lock,
        weeks: MissingWeeks,
        *,
        memory: OrganizationMemory | None = None,
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
        self._weeks = weeks
        self._memory = memory
        self.row_memory = DerivedMemory(KEPT_DERIVED) if memory is None else memory.row_memory
        self._dropped = False
        self._facts: OrderedDict[int, Facts] = OrderedDict()
        self._of_day: Facts | None = None  # what is the same over every period
        self._periods = threading.Lock()

    @property
    def is_lost(self) -> bool:
        """Whether what it reads turned out damaged, or another copy took its place."""
        return not self._view.is_current()

    def replaces(self, other: "SharedView") -> bool:
        """Whether nobody will ask for the other one any more: it is lost, of an earlier state, or of another today."""
        if other.is_lost or other.present != self.present:
            return True
        return self.key != other.key and not self.is_past and not other.is_past

    def frame(self, name: str, period_days: int | None) -> pl.DataFrame:
        """A fact of the subject; where the period does not matter, over the usual one, as it was remembered."""
        with self._periods:
            period = period_days or DEFAULT_PERIOD_DAYS
            facts = self._facts.get(period)
            if facts is None:
                self._of_day = self._of_day or self._open_facts(DEFAULT_PERIOD_DAYS, OF_DAY)
                facts = self._facts[period] = self._open_facts(period, period, self._of_day)
                while len(self._facts) > KEPT_PERIODS:
                    self._facts.popitem(last=False)
            self._facts.move_to_end(period)
        return facts.of(self.subject.organization.id, name)

    @property
    def documents(self) -> FactCache[Document]:
        """What reports said of the organization before; of the past nothing is remembered."""
        return FactCache(0) if self._memory is None else self._memory.documents

    @property
    def titles(self) -> FactCache[Mapping[str, str]]:
        """What records of the organization were called before."""
        return FactCache(0) if self._memory is None else self._memory.titles

    def _open_facts(self, period: int, memory: int, of_day: Facts | None = None) -> Facts:
        """The facts over a period; what did not change since they were last looked at is remembered."""
        recall = None
        if self._memory is not None:
            stand = partial(scan_position, heads=self.subject.part_heads)
            recall = CachedFacts(self._memory.facts(memory), self.subject.revision, stand)
        asked = [question(self.subject, period)]
        return Facts(self._view, asked, complete=self._weeks.complete, recall=recall, of_day=of_day)

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
