"""One moment of an organization: its reports, its policies and its audit events, all at the same revision."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from engine.archives.evidence_pack import EvidencePack, open_pack
from engine.archives.manifest import ManifestRevision, Owner, Window
from engine.archives.windows import MOST_DAYS, Days
from engine.model.document import Edition, Position
from engine.model.errors import NotFound
from engine.reporting.artifacts import Name
from engine.reporting.editions import (
    Subject,
    edition,
    question,
    subjects,
)
from engine.reporting.facts import Facts
from engine.reporting.render import RENDERERS
from engine.reporting.replica import View
from engine.runtime.services import Services


@dataclass(frozen=True)
class Moment:
    """What the organization's records said then. ``pack`` and ``facts`` stand at the revision of ``subject``."""

    services: Services
    subject: Subject
    window: Window
    pack: EvidencePack
    view: View
    facts: Facts

    @property
    def org_id(self) -> str:
        return self.subject.organization.id

    @property
    def owner(self) -> Owner:
        return Owner(self.subject.organization.id, self.subject.organization.name)

    @property
    def revision(self) -> ManifestRevision:
        return ManifestRevision(self.subject.position.seq, self.subject.position.hash)

    def edition(self, report: str, **query: str) -> Edition:
        """A report's content at this moment, over the window where it takes a period."""
        found = self.services.editions.report(report)
        parameters = self._parameters(report, query)
        frames = {fact: self.facts.of(self.org_id, fact) for fact in found.facts}
        return edition(found, self.subject, frames, parameters)

    def rendered(self, report: str, form: str, **query: str) -> bytes:
        """The bytes that its route answers with, from the artifacts or made and kept there."""
        parameters = self._parameters(report, query)
        name = Name.of(self.org_id, report, form, self.subject.as_of, self.subject.position, parameters)
        artifacts = self.services.artifacts
        data = artifacts.get(name)
        if data is None:
            with artifacts.building(name):
                data = artifacts.get(name)
                if data is None:
                    data = RENDERERS[form].render(self.edition(report, **query))
                    artifacts.put(name, data)
        return data

    def _parameters(self, report: str, query: dict[str, str]) -> dict[str, Any]:
        found = self.services.editions.report(report)
        takes = {parameter.name for parameter in found.parameters}
        period = {"periodDays": str(length(self.window))} if "periodDays" in takes else {}
        return found.parse({**period, **query})


@contextmanager
def moment(services: Services, org_id: str, asked: Days, *, now: datetime) -> Iterator[Moment]:
    """The organization as it stands; NotFound when there is none. Writers wait only if one came between two looks."""
    store = services.store
    if not store.organization_exists(org_id):
        raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
    window = asked.of(store, org_id, now)
    with ExitStack() as closing:
        pack, view = _look(services, org_id, window, now, closing)
        if view.position(org_id) != Position(*pack.head):
            with store.revision(org_id, "snapshot", now=now):  # changes nothing, and holds off those who would
                pack, view = _look(services, org_id, window, now, closing)
        (subject,) = subjects(view, [org_id], now)
        facts = Facts(view, [question(subject, length(window))])
        yield Moment(services, subject, window, pack, view, facts)


def _look(
    services: Services, org_id: str, window: Window, now: datetime, closing: ExitStack
) -> tuple[EvidencePack, View]:
    """The policies and the replica as they stand; a write may come between the two."""
    zone = ZoneInfo(services.store.time_zone(org_id))
    since = datetime.combine(window.start_on, time(), zone)
    pack = open_pack(services.store, org_id, since=since, framework=None, now=now)
    services.replica.sync([org_id])
    return pack, closing.enter_context(services.replica.view())


def length(window: Window) -> int:
    """Days of a window, as far as reports look back."""
    return min(MOST_DAYS, (window.end_on - window.start_on).days + 1)
