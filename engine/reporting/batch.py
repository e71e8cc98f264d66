"""Building every report of many organizations: facts once for all, documents and files in parallel."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from engine.model.ask import DEFAULT_PERIOD_DAYS
from engine.model.days import local_day
from engine.model.every_organization import OrganizationsRun, for_every_organization
from engine.model.report import Report
from engine.reporting.artifact_names import artifact_name
from engine.reporting.artifact_space import Quota
from engine.reporting.artifacts import QUOTA, Artifacts
from engine.reporting.facts import Facts
from engine.reporting.missing_weeks import MissingWeeks
from engine.reporting.part_positions import newest_erasure
from engine.reporting.process_pool import process_pool
from engine.reporting.replica import Replica
from engine.reporting.snapshot import Snapshot
from engine.reporting.subject import Subject
from engine.reporting.subjects import question, subjects
from engine.reporting.view import View

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FrameSource:
    """Facts that were computed before, by the length of their period; what the batch hands to its workers."""

    subject: Subject
    frames: Mapping[int, Mapping[str, pl.DataFrame]]

    def frame(self, name: str, period_days: int | None) -> pl.DataFrame:
        """The fact over the period; KeyError for a period that nobody computed it over."""
        return self.frames[period_days or DEFAULT_PERIOD_DAYS][name]

    def release(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True)
class Work:
    """All that is needed to build the reports of one organization somewhere else."""

    source: FrameSource
    catalogue: Mapping[str, Report]
    folder: Path
    quota: Quota


@dataclass(frozen=True)
class BuildResult:
    """What came of one organization: files made, files that were there already, bytes made."""

    org_id: str
    made: int
    kept: int
    size: int


def build_organization(work: Work) -> BuildResult:
    """Every report of one organization in all its formats, under default parameters. Unavailable: the disk is full."""
    subject = work.source.subject
    made = kept = size = 0
    with Snapshot(
        subject.organization.id,
        (subject.revision, subject.as_of),
        lambda: subject.part_heads,
        work.catalogue,
        Artifacts(work.folder, memory_bytes=0, quota=work.quota),
        lambda _: work.source,
        artifact_name,
        lambda: newest_erasure(subject.part_heads),
    ) as snapshot:
        for report in work.catalogue.values():
            for form in report.formats:
                artifact = snapshot.bytes(report.name, {}, form, must_keep=True)
                if artifact.made:
                    made, size = made + 1, size + len(artifact.data)
                else:
                    kept += 1
    return BuildResult(subject.organization.id, made, kept, size)


def build(
    replica: Replica,
    folder: Path,
    catalogue: Mapping[str, Report],
    org_ids: Sequence[str],
    *,
    now: datetime,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    quota: Quota = QUOTA,
) -> OrganizationsRun[BuildResult]:
    """Build every report of ``org_ids``; facts are computed in one pass for all that share a day.

    ``jobs`` processes render (1: this one); ``executor`` may be any other, such as the client of a cluster. Results
    are in the order of ``org_ids``, and the bytes are those that a single request would get. An organization whose
    reports cannot be built keeps no other from its own.
    """
    report_progress = progress or _silent
    needed = _needed(catalogue)
    total = sum(map(len, needed.values()))

    def facts_of(view: View) -> dict[str, Work]:
        found = subjects(view, org_ids, lambda zone: local_day(now, zone))
        weeks = MissingWeeks(replica)
        facts = {
            period: Facts(view, [question(subject, period) for subject in found], complete=weeks.complete)
            for period in needed
        }
        for number, (period, name) in enumerate((period, name) for period, names in needed.items() for name in names):
            report_progress("facts", number, total)
            facts[period][name]
        return {
            subject.organization.id: Work(
                FrameSource(
                    subject,
                    {
                        period: {name: facts[period].of(subject.organization.id, name) for name in names}
                        for period, names in needed.items()
                    },
                ),
                catalogue,
                folder,
                quota,
            )
            for subject in found
        }

    work = replica.read(org_ids, facts_of)
    report_progress("facts", total, total)
    count = min(jobs if jobs is not None else os.cpu_count() or 1, len(work))
    wanted = [org_id for org_id in org_ids if org_id in work]
    report_progress("organizations", 0, len(work))
    with _submitted(work, count, executor) as result_of:

        def built(org_id: str) -> BuildResult:
            try:
                return result_of(org_id)
            finally:
                report_progress("organizations", wanted.index(org_id) + 1, len(work))

        return for_every_organization("build", wanted, built)


def _needed(catalogue: Mapping[str, Report]) -> dict[int, list[str]]:
    """The facts that the reports take, by the period that each is asked over unless somebody says otherwise."""
    found: dict[int, set[str]] = {}
    for report in catalogue.values():
        period = report.period_days({}) if report.has_period else DEFAULT_PERIOD_DAYS
        found.setdefault(period, set()).update(report.facts)
    return {period: sorted(found[period]) for period in sorted(found)}


@contextmanager
def _submitted(
    work: Mapping[str, Work], jobs: int, executor: Executor | None
) -> Iterator[Callable[[str], BuildResult]]:
    """What gives the result of an organization: computed here when it is asked for, or by others meanwhile."""
    if jobs <= 1 and executor is None:
        yield lambda org_id: build_organization(work[org_id])
        return
    with process_pool(jobs) if executor is None else nullcontext(executor) as pool:
        futures: dict[str, Future[BuildResult]] = {
            org_id: pool.submit(build_organization, item) for org_id, item in work.items()
        }
        yield lambda org_id: futures[org_id].result()


def _silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""
