"""Building every report of many organizations: facts once for all, documents and files in parallel."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from engine.model.report import Report
from engine.reporting.artifacts import Artifacts, Name
from engine.reporting.editions import (
    Subject,
    edition,
    question,
    subjects,
)
from engine.reporting.facts import Facts
from engine.reporting.render import RENDERERS
from engine.reporting.replica import Replica

Progress = Callable[[str, int, int], None]
PERIOD_DAYS = 30


@dataclass(frozen=True)
class Work:
    """All that is needed to build the reports of one organization somewhere else."""

    subject: Subject
    frames: Mapping[str, pl.DataFrame]
    reports: tuple[Report, ...]
    folder: Path


@dataclass(frozen=True)
class BuildResult:
    """What came of one organization: files made, files that were there already, bytes made."""

    org_id: str
    made: int
    kept: int
    size: int


def build_organization(work: Work) -> BuildResult:
    """Every report of one organization in all its formats, under default parameters. Unavailable: the disk is full."""
    artifacts = Artifacts(work.folder, memory_bytes=0)
    made = kept = size = 0
    for report in work.reports:
        parameters = report.parse({})
        names = [
            Name.of(
                work.subject.organization.id, report.name, form, work.subject.as_of, work.subject.position, parameters
            )
            for form in report.formats
        ]
        missing = [name for name in names if artifacts.get(name) is None]
        kept += len(names) - len(missing)
        if not missing:
            continue
        document = edition(report, work.subject, work.frames, parameters)
        for name in missing:
            data = RENDERERS[name.format].render(document)
            artifacts.put(name, data)
            made, size = made + 1, size + len(data)
    return BuildResult(work.subject.organization.id, made, kept, size)


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
) -> list[BuildResult]:
    """Build every report of ``org_ids``; facts are computed in one pass for all that share a day.

    ``jobs`` processes render (1: this one); ``executor`` may be any other, such as the client of a cluster. The
    result is in the order of ``org_ids``, and the bytes are those that a single request would get.
    """
    report_progress = progress or _silent
    replica.sync(org_ids)
    reports = tuple(catalogue.values())
    needed = sorted({fact for report in reports for fact in report.facts})
    with replica.view() as view:
        found = subjects(view, org_ids, now)
        facts = Facts(view, [question(subject, PERIOD_DAYS) for subject in found])
        for number, name in enumerate(needed):
            report_progress("facts", number, len(needed))
            facts[name]
        work = [
            Work(subject, {name: facts.of(subject.organization.id, name) for name in needed}, reports, folder)
            for subject in found
        ]
    report_progress("facts", len(needed), len(needed))
    count = min(jobs if jobs is not None else os.cpu_count() or 1, len(work))
    done: list[BuildResult] = []
    report_progress("organizations", 0, len(work))
    if count <= 1 and executor is None:
        results: Iterator[BuildResult] = map(build_organization, work)
        for built in results:
            done.append(built)
            report_progress("organizations", len(done), len(work))
    else:
        with _executor(executor, count) as pool:
            for future in as_completed([pool.submit(build_organization, item) for item in work]):
                done.append(future.result())
                report_progress("organizations", len(done), len(work))
    order = {org_id: i for i, org_id in enumerate(org_ids)}
    return sorted(done, key=lambda built: order[built.org_id])


@contextmanager
def _executor(given: Executor | None, jobs: int) -> Iterator[Executor]:
    """The executor given, or a pool of fresh processes: Polars' threads do not survive a fork."""
    if given is not None:
        yield given
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield pool


def _silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""
