"""Scheduled work: what runs when. APScheduler keeps the time; what a job does is the engine's."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import FrameType
from zoneinfo import ZoneInfo

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

from engine.archives.sweep import sweep
from engine.delivery import drain
from engine.digests import (
    Task,
    bundle_task,
    chain_task,
    digest_task,
    snapshot_tasks,
    tick,
)
from engine.model.errors import Problem
from engine.model.every_organization import (
    OrganizationFailure,
    OrganizationsRun,
    for_every_organization,
    noted_reason,
)
from engine.programme.retention import purge_all
from engine.reporting import batch
from engine.reporting.batch import BuildResult
from engine.runtime.jobs import (
    LEASE_SECONDS,
    Daily,
    Every,
    Job,
    Runner,
)
from engine.runtime.services import Services
from engine.sales.billing.ledger import lapse_all
from engine.store import PLATFORM
from engine.store.queries import deliveries
from engine.store.queries import jobs as runs
from reports.digests import CHAIN, DIGESTS

log = logging.getLogger("hq.scheduler")
MISFIRE_GRACE_SECONDS = 6 * 3600
RUN_DAYS = 30  # for which runs of our own jobs are listed: there is one every minute
OWN_RUN_DAYS = 400  # for which an organization sees what ran for it: a year and the month after
BUILT_TOGETHER = 8  # organizations whose facts are computed in one pass
CONTENT_DAYS = 90  # for which the text of a delivery is kept once it was sent or given up


def nightly_build(services: Services, now: datetime) -> str:
    """Build every report of every organization, then drop artifacts that nobody has used for days."""
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    results: dict[str, BuildResult] = {}
    failures: list[OrganizationFailure] = []
    for first in range(0, len(org_ids), BUILT_TOGETHER):
        several = org_ids[first : first + BUILT_TOGETHER]
        try:
            went = services.aside(build_several, several, now)
        except Problem as problem:  # such as a process that ended: the others are owed theirs
            failures += [OrganizationFailure(org_id, problem) for org_id in several]
        else:
            results |= went.results
            failures += went.failures
    pruned = services.artifacts.prune(services.settings.artifact_days)
    made = sum(result.made for result in results.values())
    said = f"{made} artifacts of {len(results)} organizations built, {pruned} old ones dropped"
    return OrganizationsRun(results, failures).message(said)


def build_several(services: Services, org_ids: Sequence[str], now: datetime) -> OrganizationsRun[BuildResult]:
    """Every report of some organizations."""
    went = batch.build(
        services.replica, services.artifacts.folder, services.snapshots.catalogue, org_ids, now=now, jobs=1,
        quota=services.artifacts.space.quota,
    )  # fmt: skip
    services.replica.checkpoint()
    failures = [OrganizationFailure(failure.org_id, Problem(noted_reason(failure.error))) for failure in went.failures]
    return OrganizationsRun(went.results, failures)  # as it can go from one process to another


def retention(services: Services, now: datetime) -> str:
    """Purge records that are past their retention and under no legal hold."""
    return purge_all(services.store, now=now, payload_days=services.settings.ingest_keep_days)


def outbox(services: Services, now: datetime) -> str:
    """Send the deliveries that are due."""
    return str(drain(services, now=now))


def pruning(services: Services, now: datetime) -> str:
    """Drop the texts of old deliveries, the rows of old runs and what unfinished seals left; the ledger stays whole."""
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    if services.store.organization_exists(PLATFORM):
        org_ids.append(PLATFORM)
    went = for_every_organization("pruning", org_ids, lambda org_id: _prune(services, org_id, now))
    old = runs.prune(
        services.store, platform=now - timedelta(days=RUN_DAYS), organizations=now - timedelta(days=OWN_RUN_DAYS),
        now=now,
    )  # fmt: skip
    texts = sum(texts for texts, _ in went.results.values())
    seals = sum(seals for _, seals in went.results.values())
    return went.message(f"texts of {texts} deliveries, {old} runs and {seals} unfinished seals removed")


def _prune(services: Services, org_id: str, now: datetime) -> tuple[int, int]:
    """How many texts and unfinished seals of an organization went."""
    with services.store.revision(org_id, "pruning", now=now) as revision:
        texts = deliveries.prune_contents(revision, now - timedelta(days=CONTENT_DAYS))
    return texts, sweep(services.store, services.settings.bundle_folder / org_id, org_id, now=now)


def billing(services: Services, now: datetime) -> str:
    """End the cancelled plans whose paid time is over."""
    return lapse_all(services.store, now=now)


def checkpoint(services: Services, now: datetime) -> str:
    """Fold the log of this process's analytics store into its file."""
    services.replica.checkpoint()
    return "the analytics store is folded into its file"


# what each organization is owed at its own time, in this order; the chained digests are the chain's
TASKS: tuple[Task, ...] = (
    *snapshot_tasks(),
    *(digest_task(digest) for digest in DIGESTS if not digest.chained),
    chain_task(CHAIN),
    bundle_task(),
)


def calendar_tasks(services: Services, now: datetime) -> str:
    """Whatever an organization is owed by its own calendar: snapshots, digests, the staffing chain."""
    return tick(services, TASKS, now=now, run=_task_aside)


def _task_aside(services: Services, task: Task, org_id: str, now: datetime) -> str:
    return services.aside(run_task, task.name, org_id, now)


def run_task(services: Services, name: str, org_id: str, now: datetime) -> str:
    """Do the task of that name for an organization."""
    task = next(task for task in TASKS if task.name == name)
    return task.run(services, org_id, now)


JOBS: tuple[Job, ...] = (
    Job("outbox", Every(1), outbox),
    Job("owed", Every(5), calendar_tasks),
    Job("billing", Daily(lambda settings: settings.billing_at), billing),
    Job("nightly-build", Daily(lambda settings: settings.build_at), nightly_build),
    Job("retention", Daily(lambda settings: settings.retention_at), retention),
    Job("pruning", Daily(lambda settings: settings.pruning_at), pruning),
    Job("checkpoint", Every(60), checkpoint, alone=False),
)


class Scheduler:
    """Every job in one process. A job that was late runs once; none runs twice at a time."""

    def __init__(self, services: Services) -> None:
        self.runner = Runner(services, JOBS, lambda: datetime.now(UTC))
        zone = ZoneInfo(services.settings.time_zone)
        executors = {"default": ThreadPoolExecutor(len(JOBS)), "lease": ThreadPoolExecutor(1)}
        self.planned = BackgroundScheduler(timezone=zone, executors=executors)
        for job in JOBS:
            self.planned.add_job(
                self._run,
                trigger(job, services),
                args=[job],
                id=job.name,
                coalesce=True,
                max_instances=1,
                misfire_grace_time=MISFIRE_GRACE_SECONDS,
            )
        self.planned.add_job(
            self._lead,
            "interval",
            seconds=LEASE_SECONDS // 4,
            id="lease",
            executor="lease",
            coalesce=True,
            next_run_time=datetime.now(zone),
        )

    def start(self) -> None:
        """Begin to keep the time, on threads of its own."""
        self.planned.start()

    def shutdown(self, *, wait: bool) -> None:
        """Begin nothing more, let what runs come to its end, and let another process lead."""
        self.planned.shutdown(wait=wait)
        self.runner.resign()

    def _run(self, job: Job) -> None:
        message = self.runner.run(job)
        if message is not None:
            log.log(logging.DEBUG if isinstance(job.when, Every) else logging.INFO, "job %s: %s", job.name, message)

    def _lead(self) -> None:
        for job in self.runner.lead():
            log.info("job %s was due while no scheduler ran; it runs now", job.name)
            self.planned.modify_job(job.name, next_run_time=datetime.now(UTC))


def trigger(job: Job, services: Services) -> CronTrigger:
    """When APScheduler wakes for a job."""
    zone = ZoneInfo(services.settings.time_zone)
    if isinstance(job.when, Every):
        return CronTrigger(minute=f"*/{job.when.minutes}" if job.when.minutes < 60 else "0", timezone=zone)
    hour, minute = map(int, job.when.at(services.settings).split(":"))
    return CronTrigger(hour=hour, minute=minute, timezone=zone)


def new_scheduler(services: Services) -> Scheduler:
    """A scheduler with every job, not started."""
    return Scheduler(services)


def run_until_stopped(scheduler: Scheduler) -> None:
    """Keep the time until SIGTERM or Ctrl-C, then let what runs come to its end."""
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    scheduler.start()
    stopped.wait()
    scheduler.shutdown(wait=True)


def main() -> None:
    """Run the jobs alone: ``python scheduler.py`` becomes the process ``hq scheduler``, with its options."""
    os.execv(sys.executable, [sys.executable, "-m", "engine.cli", "scheduler", *sys.argv[1:]])  # noqa: S606 - our own


if __name__ == "__main__":
    main()
