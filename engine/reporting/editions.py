"""From a question to the bytes of a report: position, facts, document, edition, artifact."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import polars as pl

from engine.model.document import Edition, Organization, Position
from engine.model.errors import BadRequest, NotFound, Unavailable
from engine.model.report import Ask, Report
from engine.model.thresholds import Thresholds, thresholds
from engine.reporting.artifacts import Artifacts, Name
from engine.reporting.facts import FactQuestion, Facts
from engine.reporting.render import RENDERERS
from engine.reporting.replica import Replica, View
from engine.store import Store

log = logging.getLogger(__name__)
KEPT_FACTS = 6
KEPT_NAMES = 10_000


@dataclass(frozen=True)
class Subject:
    """An organization as a report sees it: who, where in its chain, on which of its days, under which thresholds."""

    organization: Organization
    position: Position
    as_of: date
    settings: Thresholds


@dataclass(frozen=True)
class Artifact:
    """The bytes of one report in one format, and the name that they follow from."""

    name: Name
    etag: str
    data: bytes


def subjects(view: View, org_ids: Sequence[str], now: datetime) -> list[Subject]:
    """The organizations of a view, each on its own day: ``now`` in its time zone."""
    found = view.frame("SELECT id, name, time_zone FROM organizations ORDER BY id")
    rows = found.filter(pl.col("id").is_in(list(org_ids)))
    changed = view.frame("SELECT org_id, name, value, revision FROM organization_settings ORDER BY org_id, name")
    result = []
    for org_id, name, time_zone in rows.iter_rows():
        position = view.position(org_id)
        if position is None:
            continue
        own = changed.filter(pl.col("org_id") == org_id)
        values = {key: msgspec.json.decode(value) for key, value in own.select("name", "value").iter_rows()}
        version = max(own["revision"].to_list(), default=0)
        day = now.astimezone(ZoneInfo(time_zone)).date()
        result.append(
            Subject(Organization(org_id, name, time_zone), position, day, thresholds(version, values))
        )  # fmt: skip
    return result


def question(subject: Subject, period_days: int) -> FactQuestion:
    """What the facts are asked about a subject."""
    return FactQuestion(
        subject.organization.id, subject.organization.time_zone, subject.as_of, period_days, subject.settings
    )


def edition(
    report: Report, subject: Subject, frames: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]
) -> Edition:
    """The report's document about one subject; ``frames`` hold the facts of that organization alone."""
    period = int(parameters.get("periodDays", 30))
    ask = Ask(subject.as_of, period, subject.settings, dict(parameters))
    document = report.document(frames, ask)
    return Edition(
        report=report.name,
        title=report.title,
        description=report.description,
        schema_version=report.schema_version,
        organization=subject.organization,
        as_of=subject.as_of,
        revision=subject.position,
        parameters=dict(parameters),
        settings_version=subject.settings.version,
        document=document,
    )


class _Kept:
    """Facts of one organization in an open view, so that several reports of one moment share them."""

    def __init__(self, view: View, closing: ExitStack, subject: Subject, period_days: int) -> None:
        self.subject = subject
        self.closing = closing
        self.facts = Facts(view, [question(subject, period_days)])


class Editions:
    """Makes and keeps the reports of a catalogue. Threads may share one."""

    def __init__(self, store: Store, replica: Replica, artifacts: Artifacts, catalogue: Mapping[str, Report]) -> None:
        self.store = store
        self.replica = replica
        self.artifacts = artifacts
        self.catalogue = catalogue
        self._kept: OrderedDict[tuple[str, int, str, date, int], _Kept] = OrderedDict()
        self._guard = threading.Lock()
        self._names: dict[tuple[Any, ...], tuple[Name, str]] = {}
        self._zones: dict[str, tuple[str, ZoneInfo]] = {}

    def close(self) -> None:
        """Let go of the views that are kept open."""
        with self._guard:
            for kept in self._kept.values():
                kept.closing.close()
            self._kept.clear()

    def report(self, name: str) -> Report:
        """A report of the catalogue; NotFound names the ones that exist."""
        if name not in self.catalogue:
            raise NotFound(
                f"There is no report {name!r}; there are: {', '.join(sorted(self.catalogue))}.", word="unknown_report"
            )
        return self.catalogue[name]

    def artifact(
        self,
        org_id: str,
        name: str,
        format: str | None,
        query: Mapping[str, str],
        *,
        now: datetime,
        head: Position | None = None,
    ) -> Artifact:
        """The report as of the last write and the organization's present day, from the cache or computed now.

        ``head`` spares the look where the caller has just read it.
        BadRequest for an unlisted format or a bad parameter; NotFound for an unknown report or organization.
        """
        report = self.report(name)
        parameters = report.parse(query)
        form = self.format_of(report, format)
        head = head or self.store.head(org_id)
        if head is None:
            raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
        wanted, key = self._named(org_id, name, form, self._today(org_id, head, now), head, parameters)
        data = self.artifacts.get(wanted, key)
        if data is not None:
            return Artifact(wanted, key, data)
        with self.artifacts.building(wanted):
            data = self.artifacts.get(wanted, key)
            return Artifact(wanted, key, data) if data is not None else self._build(report, wanted, parameters, now)

    def _named(
        self, org_id: str, report: str, form: str, as_of: date, head: Position, parameters: Mapping[str, Any]
    ) -> tuple[Name, str]:
        """The name and its key; hashing it anew for each reader costs more than finding the bytes."""
        asked = (org_id, report, form, as_of, head.hash, *parameters.values())
        found = self._names.get(asked)
        if found is None:
            wanted = Name.of(org_id, report, form, as_of, head, parameters)
            if len(self._names) >= KEPT_NAMES:
                self._names.clear()
            found = self._names[asked] = (wanted, wanted.key)
        return found

    def format_of(self, report: Report, format: str | None) -> str:
        """The format asked for, else the report's first."""
        if format is None:
            return report.formats[0]
        if format not in report.formats:
            raise BadRequest(
                f"The report {report.name} comes as {', '.join(report.formats)}; got {format[:40]!r}.",
                word="unknown_format",
                details=[{"parameter": "format", "expected": list(report.formats), "got": format[:40]}],
            )
        return format

    def edition(self, org_id: str, name: str, query: Mapping[str, str], *, now: datetime) -> Edition:
        """The report's content, not yet in any format."""
        return self.made(org_id, self.report(name), query, now=now)

    def made(self, org_id: str, report: Report, query: Mapping[str, str], *, now: datetime) -> Edition:
        """The content of any report, of the catalogue or not."""
        parameters = report.parse(query)
        with self._facts(org_id, int(parameters.get("periodDays", 30)), now) as kept:
            frames = {fact: kept.facts.of(org_id, fact) for fact in report.facts}
            return edition(report, kept.subject, frames, parameters)

    def frames(self, org_id: str, facts: Sequence[str], *, now: datetime) -> tuple[Subject, dict[str, pl.DataFrame]]:
        """Facts of an organization as they stand, over a period of 30 days, and what they were computed for."""
        with self._facts(org_id, 30, now) as kept:
            return kept.subject, {fact: kept.facts.of(org_id, fact) for fact in facts}

    def _build(self, report: Report, wanted: Name, parameters: Mapping[str, Any], now: datetime) -> Artifact:
        with self._facts(wanted.org_id, int(parameters.get("periodDays", 30)), now) as kept:
            frames = {fact: kept.facts.of(wanted.org_id, fact) for fact in report.facts}
            subject = kept.subject
        made = edition(report, subject, frames, parameters)
        data = RENDERERS[wanted.format].render(made)
        name = Name.of(
            wanted.org_id, report.name, wanted.format, subject.as_of, subject.position, parameters
        )  # fmt: skip
        try:
            self.artifacts.put(name, data)
        except Unavailable as error:
            log.warning("%s", error.message)
        return Artifact(name, name.key, data)

    def _today(self, org_id: str, head: Position, now: datetime) -> date:
        """The organization's business date; its time zone is read again whenever its chain moved."""
        known = self._zones.get(org_id)
        if known is None or known[0] != head.hash:
            known = (head.hash, ZoneInfo(self.store.time_zone(org_id)))
            self._zones[org_id] = known
        return now.astimezone(known[1]).date()

    @contextmanager
    def _facts(self, org_id: str, period_days: int, now: datetime) -> Iterator[_Kept]:
        """Facts at the organization's head. Views of earlier heads are closed once nobody needs them."""
        with self._guard:
            position = self.replica.sync([org_id]).get(org_id)
            if position is None:
                raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
            day = self._today(org_id, position, now)
            key = (org_id, position.seq, position.hash, day, period_days)
            kept = self._kept.get(key)
            if kept is None:
                for old in [k for k in self._kept if k[0] == org_id and k[1:4] != key[1:4]]:
                    self._kept.pop(old).closing.close()
                closing = ExitStack()
                view = closing.enter_context(self.replica.view())
                (subject,) = subjects(view, [org_id], now)
                kept = self._kept[key] = _Kept(view, closing, subject, period_days)
                while len(self._kept) > KEPT_FACTS:
                    self._kept.popitem(last=False)[1].closing.close()
            self._kept.move_to_end(key)
            yield kept
