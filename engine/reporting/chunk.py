"""Some organizations whose reports one worker builds: it reads, computes, renders and keeps; nothing large travels."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from engine.model.ask import DEFAULT_PERIOD_DAYS
from engine.model.days import local_day
from engine.model.document import Document
from engine.model.errors import Problem, Unavailable
from engine.model.every_organization import (
    OrganizationFailure,
    OrganizationsRun,
    for_every_organization,
    noted_reason,
)
from engine.model.report import Report
from engine.reporting.artifact_names import artifact_name
from engine.reporting.facts import Facts
from engine.reporting.facts.memory import Memory
from engine.reporting.missing_weeks import MissingWeeks
from engine.reporting.part_positions import newest_erasure
from engine.reporting.replica import Replica
from engine.reporting.report_batch import BuildResult, ReportBatch
from engine.reporting.snapshot import Snapshot
from engine.reporting.snapshots import Snapshots
from engine.reporting.subject import Subject
from engine.reporting.subjects import question, subjects
from engine.reporting.view import View
from engine.store import Store


@dataclass(frozen=True)
class _ChunkFacts:
    """The facts of one organization out of those of the chunk, by the length of their period."""

    subject: Subject
    facts: Mapping[int, Facts]

    @property
    def documents(self) -> Memory[Document]:
        """Each is said once."""
        return Memory(0)

    def frame(self, name: str, period_days: int | None) -> pl.DataFrame:
        """The fact over the period; KeyError for a period that no report of the batch is asked over."""
        return self.facts[period_days or DEFAULT_PERIOD_DAYS].of(self.subject.organization.id, name)

    def release(self) -> None:
        """They go with the chunk."""


def build_chunk(batch: ReportBatch, org_ids: Sequence[str]) -> OrganizationsRun[BuildResult]:
    """Every report of these organizations in all its formats, under default parameters; facts in one pass for all.

    Organizations whose artifacts are all there are not read. The copy of the records goes with the chunk. What fails
    for one of them is among the failures, as it can go from one process to another; what fails for all is raised.
    """
    with (
        closing(Store(batch.url)) as store,
        closing(Replica(batch.url, None, memory_limit=batch.memory_limit, threads=1)) as replica,
        closing(Snapshots(store, replica, batch.storage.open(memory_bytes=0), batch.catalogue)) as snapshots,
    ):
        looked = for_every_organization("build", org_ids, lambda org_id: _kept(snapshots, org_id, batch.now))
        absent = [org_id for org_id, kept in looked.results.items() if kept is None]
        built = _build(batch, snapshots, absent) if absent else OrganizationsRun[BuildResult]({}, [])
        snapshots.artifacts.flush()
    results = {org_id: kept or built.results.get(org_id) for org_id, kept in looked.results.items()}
    failures = [
        OrganizationFailure(failure.org_id, _portable(failure.error)) for failure in (*looked.failures, *built.failures)
    ]
    return OrganizationsRun({org_id: result for org_id, result in results.items() if result is not None}, failures)


def _kept(snapshots: Snapshots, org_id: str, now: datetime) -> BuildResult | None:
    """What there is to say of an organization whose artifacts are all there; None where one is not."""
    kept = 0
    with snapshots.open(org_id, now=now) as snapshot:
        snapshot.prefetch()
        for report in snapshots.declarations.values():
            for form in report.formats:
                if snapshot.kept(report.name, {}, form) is None:
                    return None
                kept += 1
    return BuildResult(org_id, 0, kept, 0)


def _build(batch: ReportBatch, snapshots: Snapshots, org_ids: Sequence[str]) -> OrganizationsRun[BuildResult]:
    def read(view: View) -> OrganizationsRun[BuildResult]:
        found = subjects(view, org_ids, lambda zone: local_day(batch.now, zone))
        weeks = MissingWeeks(snapshots.replica)
        periods = _needed(snapshots.catalogue)
        facts = {
            period: Facts(view, [question(subject, period) for subject in found], complete=weeks.complete)
            for period in periods
        }
        for period, names in periods.items():
            for name in names:
                facts[period][name]
        sources = {subject.organization.id: _ChunkFacts(subject, facts) for subject in found}
        return for_every_organization("build", list(sources), lambda org_id: _organization(snapshots, sources[org_id]))

    return snapshots.replica.read(org_ids, read)


def _needed(catalogue: Mapping[str, Report]) -> dict[int, list[str]]:
    """The facts that the reports take, by the period that each is asked over unless somebody says otherwise."""
    found: dict[int, set[str]] = {}
    for report in catalogue.values():
        period = report.period_days({}) if report.has_period else DEFAULT_PERIOD_DAYS
        found.setdefault(period, set()).update(report.facts)
    return {period: sorted(found[period]) for period in sorted(found)}


def _organization(snapshots: Snapshots, source: _ChunkFacts) -> BuildResult:
    """Build what is not there. Unavailable: the disk is full, or a person was erased meanwhile."""
    subject, catalogue = source.subject, snapshots.catalogue
    org_id, before = subject.organization.id, newest_erasure(subject.part_heads)
    made = kept = size = 0

    def erased() -> int:
        return newest_erasure(snapshots.store.part_heads(org_id))

    def check() -> None:
        if erased() != before:  # what is made of what was read names a person; none of it is kept
            raise Unavailable("A person was erased while the reports were built; they are built anew when asked for.")

    with Snapshot(
        org_id,
        (subject.revision, subject.as_of),
        lambda: subject.part_heads,
        catalogue,
        snapshots.artifacts,
        lambda _: source,
        artifact_name,
        erased,
    ) as snapshot:
        check()
        for report in catalogue.values():
            for form in report.formats:
                artifact = snapshot.bytes(report.name, {}, form, must_keep=True)
                if artifact.made:
                    made, size = made + 1, size + len(artifact.data)
                else:
                    kept += 1
    check()
    return BuildResult(org_id, made, kept, size)


def _portable(error: Exception) -> Problem:
    return error if isinstance(error, Problem) else Problem(noted_reason(error))
