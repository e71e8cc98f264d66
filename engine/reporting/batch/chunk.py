"""Some organizations whose reports one worker builds: it reads, computes, renders and keeps; nothing large travels."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import polars as pl

from engine.facts import Facts
from engine.facts.memory import DerivedMemory, FactCache
from engine.model.days import local_day
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS
from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.model.errors import Problem, Unavailable
from engine.model.every_organization import OrganizationFailure, OrganizationsRun, for_every_organization, noted_reason
from engine.replica.replica import Replica
from engine.replica.view import View
from engine.reporting.artifacts.ahead import AHEAD
from engine.reporting.artifacts.artifact_names import artifact_name
from engine.reporting.batch.report_batch import BuildResult, ReportBatch
from engine.reporting.snapshot.fact_cache import KEPT_DERIVED, KEPT_TITLES
from engine.reporting.snapshot.missing_weeks import MissingWeeks
from engine.reporting.snapshot.part_positions import newest_erasure
from engine.reporting.snapshot.record_titles import title_scans
from engine.reporting.snapshot.single_thread import in_own_thread
from engine.reporting.snapshot.snapshot import Snapshot
from engine.reporting.snapshot.snapshots import Snapshots
from engine.reporting.snapshot.subject import Subject
from engine.reporting.snapshot.subjects import question, subjects
from engine.store import Store


@dataclass(frozen=True)
class _OwnFacts:
    """The facts of one organization that its reports take, by the length of their period."""

    subject: Subject
    frames: Mapping[tuple[int, str], pl.DataFrame]
    row_memory: DerivedMemory = field(default_factory=lambda: DerivedMemory(KEPT_DERIVED))
    names: FactCache[Mapping[str, str]] = field(default_factory=lambda: FactCache(KEPT_TITLES))

    @property
    def documents(self) -> FactCache[Document]:
        """Each is said once."""
        return FactCache(0)

    @property
    def titles(self) -> FactCache[Mapping[str, str]]:
        """Reports of one organization that look at the same records have the same."""
        return self.names

    def frame(self, name: str, period_days: int | None) -> pl.DataFrame:
        """The fact over the period; KeyError for a period that no report of the batch is asked over."""
        return self.frames[period_days or DEFAULT_PERIOD_DAYS, name]

    def release(self) -> None:
        """They go with the organization."""


@contextmanager
def batch_snapshots(batch: ReportBatch) -> Iterator[Snapshots]:
    """The organizations of a batch, in whatever process: with a copy of their records of its own."""
    with (
        closing(Store(batch.url)) as store,
        closing(Replica(batch.url, None, memory_limit=batch.memory_limit, threads=1)) as replica,
        closing(Snapshots(store, replica, batch.storage.open(memory_bytes=0), batch.catalogue)) as snapshots,
    ):
        yield snapshots


def build_chunk(batch: ReportBatch, org_ids: Sequence[str]) -> OrganizationsRun[BuildResult]:
    """What every report says of these organizations, and its JSON, under default parameters; facts in one pass for all.

    Organizations whose artifacts are all there are not read. The copy of the records goes with the chunk. What fails
    for one of them is among the failures, as it can go from one process to another; what fails for all is raised.
    """
    with batch_snapshots(batch) as snapshots:
        looked = for_every_organization("build", org_ids, lambda org_id: _finished_result(snapshots, org_id, batch.now))
        absent = [org_id for org_id, kept in looked.results.items() if kept is None]
        built = (
            in_own_thread(partial(_build, batch, snapshots, absent))
            if absent
            else OrganizationsRun[BuildResult]({}, [])
        )
        snapshots.artifacts.flush()
    results = {org_id: kept or built.results.get(org_id) for org_id, kept in looked.results.items()}
    failures = [
        OrganizationFailure(failure.org_id, _portable(failure.error)) for failure in (*looked.failures, *built.failures)
    ]
    return OrganizationsRun({org_id: result for org_id, result in results.items() if result is not None}, failures)


def _finished_result(snapshots: Snapshots, org_id: str, now: datetime) -> BuildResult | None:
    """What there is to say of an organization whose artifacts are all there; None where one is not."""
    kept = 0
    with snapshots.open(org_id, now=now) as snapshot:
        snapshot.prefetch()
        for report in snapshots.declarations.values():
            if not snapshot.is_built_ahead(report):
                return None
            kept += len(AHEAD)
    return BuildResult(org_id, 0, kept, 0)


def _build(batch: ReportBatch, snapshots: Snapshots, org_ids: Sequence[str]) -> OrganizationsRun[BuildResult]:
    replica, began = snapshots.replica, time.process_time()
    facts = replica.read(org_ids, partial(_read, snapshots, org_ids, batch.now))
    replica.close()  # nothing is read any more, and documents need the memory
    events = {org_id: own.subject.revision.seq for org_id, own in facts.items()}
    each = (time.process_time() - began) / max(sum(events.values()), 1)
    return for_every_organization(
        "build", list(facts), lambda org_id: _organization(snapshots, facts.pop(org_id), each * events[org_id])
    )


def _read(snapshots: Snapshots, org_ids: Sequence[str], now: datetime, view: View) -> dict[str, _OwnFacts]:
    """The facts of all of them, each computed once."""
    found = subjects(view, org_ids, lambda zone: local_day(now, zone))
    weeks = MissingWeeks(snapshots.replica)
    frames: dict[str, dict[tuple[int, str], pl.DataFrame]] = {subject.organization.id: {} for subject in found}
    first: Facts | None = None
    for period, names in _facts_by_period(snapshots.catalogue).items():
        asked = [question(subject, period) for subject in found]
        facts = Facts(view, asked, complete=weeks.complete, of_day=first)
        first = first or facts
        for name in names:
            for org_id, own in frames.items():
                own[period, name] = facts.of(org_id, name)
    return {subject.organization.id: _OwnFacts(subject, frames[subject.organization.id]) for subject in found}


def _facts_by_period(catalogue: Mapping[str, Report]) -> dict[int, list[str]]:
    """The facts that reports take, and titles, by the period that each is asked over unless somebody says otherwise."""
    found: dict[int, set[str]] = {DEFAULT_PERIOD_DAYS: {"names", "people", "own_frameworks", "own_frameworks_rows"}}
    for report in catalogue.values():
        period = report.period_days({}) if report.has_period else DEFAULT_PERIOD_DAYS
        found.setdefault(period, set()).update(map(report.source_of, report.facts))
        found[DEFAULT_PERIOD_DAYS] |= title_scans(report.facts)
    return {period: sorted(found[period]) for period in sorted(found)}


def _organization(snapshots: Snapshots, source: _OwnFacts, reading: float) -> BuildResult:
    """Build what is not there. Unavailable: the disk is full, or a person was erased meanwhile.

    ``reading`` is its part of the processor seconds that facts took.
    """
    began = time.process_time()
    subject, catalogue = source.subject, snapshots.catalogue
    org_id, before = subject.organization.id, newest_erasure(subject.part_heads)
    made = kept = size = 0

    def erasure_position() -> int:
        return newest_erasure(snapshots.store.part_heads(org_id))

    def check() -> None:
        if erasure_position() != before:  # what is made of what was read names a person; none of it is kept
            raise Unavailable("A person was erased while the reports were built; they are built anew when asked for.")

    with Snapshot(
        org_id,
        (subject.revision, subject.as_of),
        lambda: subject.part_heads,
        catalogue,
        snapshots.artifacts,
        lambda _: source,
        artifact_name,
        erasure_position,
    ) as snapshot:
        check()
        for report in catalogue.values():
            for artifact in snapshot.build_ahead(report):
                if artifact.made:
                    made, size = made + 1, size + len(artifact.data)
                else:
                    kept += 1
    check()
    return BuildResult(org_id, made, kept, size, reading + time.process_time() - began)


def _portable(error: Exception) -> Problem:
    return error if isinstance(error, Problem) else Problem(noted_reason(error))
