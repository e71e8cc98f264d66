"""What a process remembers of organizations between one write and the next: facts by period, documents, titles.

Facts outlive it, in a file beside the artifacts.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import date

from engine.facts.fact_file import facts_bytes, facts_from
from engine.facts.memory import DerivedMemory, FactCache, FactMemory
from engine.model.documents.document import Document, Position
from engine.model.errors import Unavailable
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts

log = logging.getLogger(__name__)
KEPT_ORGANIZATIONS = 6
KEPT_PERIODS = 3
OF_DAY = 0
"""In place of the days of a period: the facts that are the same over every period."""
KEPT_DOCUMENTS = 100  # more than there are reports
KEPT_DERIVED = 500  # more than reports make of facts unless somebody asks for much
KEPT_TITLES = 80  # of each scan, and of reports that look at the same scans once
SPACE_SHARE = 0.05  # of what an organization's reports may take: a larger file would drive them out
NEWS_SHARE = 0.1  # of what is remembered: a file with less news is not worth being written


class OrganizationMemory:
    """What was last computed of one organization, of which ``known`` are facts by period. Threads may share one."""

    def __init__(self, erased: int, known: Mapping[int, FactMemory] | None = None) -> None:
        self.erased = erased
        self.documents = FactCache[Document](KEPT_DOCUMENTS)
        self.row_memory = DerivedMemory(KEPT_DERIVED)
        self.titles = FactCache[Mapping[str, str]](KEPT_TITLES)
        self._facts: OrderedDict[int, FactMemory] = OrderedDict(known or {})
        self._of_day = self._facts.pop(OF_DAY, FactMemory())
        self._guard = threading.Lock()

    def facts(self, period_days: int) -> FactMemory:
        """The facts over a period, or those that are the same over all of them."""
        if period_days == OF_DAY:
            return self._of_day
        with self._guard:
            fact_memory = self._facts.setdefault(period_days, FactMemory())
            self._facts.move_to_end(period_days)
            while len(self._facts) > KEPT_PERIODS:
                self._facts.popitem(last=False)
            return fact_memory

    @property
    def memories(self) -> Mapping[int, FactMemory]:
        """The facts by period."""
        with self._guard:
            return {OF_DAY: self._of_day, **self._facts}


class FactCaches:
    """The memory of each organization that was looked at lately. Threads may share one.

    ``is_current`` says of an organization whether it is there and its newest erasure of a person ended there.
    """

    def __init__(self, artifacts: Artifacts, is_current: Callable[[str, int], bool]) -> None:
        self._artifacts = artifacts
        self._is_current = is_current
        self._kept: OrderedDict[str, OrganizationMemory] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, org_id: str, erased: int) -> OrganizationMemory:
        """That of an organization whose newest erasure of a person ended at ``erased``: an earlier one names them."""
        with self._guard:
            memory = self._kept.get(org_id)
            if memory is None or memory.erased != erased:
                memory = self._kept[org_id] = OrganizationMemory(erased, self._read(_name(org_id, erased)))
            self._kept.move_to_end(org_id)
            while len(self._kept) > KEPT_ORGANIZATIONS:
                self._kept.popitem(last=False)
            return memory

    def keep(self) -> None:
        """Write down the facts for the next process, where many of them are news."""
        with self._guard:
            kept = list(self._kept.items())
        for org_id, memory in kept:
            memories = memory.memories
            news = sum(one.news for one in memories.values())
            if news > NEWS_SHARE * sum(map(len, memories.values())):
                self._write(org_id, memory.erased, memories)

    def _write(self, org_id: str, erased: int, memories: Mapping[int, FactMemory]) -> None:
        data = facts_bytes(memories)
        if len(data) > SPACE_SHARE * self._artifacts.space.quota.organization:
            return
        try:
            self._artifacts.put_aside(_name(org_id, erased), data, lambda: self._is_current(org_id, erased))
        except Unavailable as problem:  # the next process computes them
            log.debug("The facts of %s are not kept: %s", org_id, problem.message)
        for memory in memories.values():
            memory.news = 0

    def _read(self, name: Name) -> Mapping[int, FactMemory]:
        data = self._artifacts.read_aside(name)
        try:
            return {} if data is None else facts_from(data)
        except ValueError as error:
            log.warning("What was kept of the facts of %s is not used, and is computed anew. %s", name.org_id, error)
            return {}


def _name(org_id: str, erased: int) -> Name:
    """One file for each organization: what it was computed from stands in it."""
    return Name(org_id, "facts", "facts", date.min, Position(0, ""), (), erased)
