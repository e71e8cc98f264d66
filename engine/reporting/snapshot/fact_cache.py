"""What a process remembers of organizations between one write and the next: facts by period, documents, titles."""

import threading
from collections import OrderedDict
from collections.abc import Mapping

from engine.facts.memory import DerivedMemory, FactCache, FactMemory
from engine.model.documents.document import Document

KEPT_ORGANIZATIONS = 6
KEPT_PERIODS = 3
OF_DAY = 0
"""In place of the days of a period: the facts that are the same over every period."""
KEPT_DOCUMENTS = 100  # more than there are reports
KEPT_DERIVED = 500  # more than reports make of facts unless somebody asks for much
KEPT_TITLES = 80  # of each scan, and of reports that look at the same scans once


class OrganizationMemory:
    """What was last computed of one organization. Threads may share one."""

    def __init__(self, erased: int) -> None:
        self.erased = erased
        self.documents = FactCache[Document](KEPT_DOCUMENTS)
        self.row_memory = DerivedMemory(KEPT_DERIVED)
        self.titles = FactCache[Mapping[str, str]](KEPT_TITLES)
        self._of_day = FactMemory()
        self._facts: OrderedDict[int, FactMemory] = OrderedDict()
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


class FactCaches:
    """The memory of each organization that was looked at lately. Threads may share one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, OrganizationMemory] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, org_id: str, erased: int) -> OrganizationMemory:
        """That of an organization whose newest erasure of a person ended at ``erased``: an earlier one names them."""
        with self._guard:
            memory = self._kept.get(org_id)
            if memory is None or memory.erased != erased:
                memory = self._kept[org_id] = OrganizationMemory(erased)
            self._kept.move_to_end(org_id)
            while len(self._kept) > KEPT_ORGANIZATIONS:
                self._kept.popitem(last=False)
            return memory
