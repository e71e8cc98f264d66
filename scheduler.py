"""Scheduled work: what runs when. APScheduler keeps the time; what a job does is the engine's."""

import contextlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.executors.base import BaseExecutor, run_job
from apscheduler.job import Job as Planned
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from engine.accounts.bucket_erasure import clear_owed
from engine.archives.sealing.sweep import sweep
from engine.automation.approvals import sweep_expired
from engine.delivery import drain
from engine.delivery.heads import sign_and_stamp, sign_installation_for_witness
from engine.digests import Task, bundle_task, chain_task, digest_task, snapshot_tasks, tick
from engine.evidence.byte_check import check_all
from engine.incidents.alerts.arrivals import note_arrivals
from engine.incidents.families.proposals import propose_families
from engine.model.errors import Unavailable
from engine.model.every_organization import OrganizationsRun, for_every_organization
from engine.programme.retention import purge_all
from engine.reporting.batch import batch
from engine.reporting.batch.cluster import chunk_builders
from engine.reporting.batch.report_batch import BuildResult, Chunk, ChunkRuns, ReportBatch
from engine.reporting.index import index
from engine.runtime.heads.installation import EVERY
from engine.runtime.heads.signed_heads import signed_head
from engine.runtime.jobs import Daily, Every, Job, Runner
from engine.runtime.services import Services
from engine.sales.billing.ledger import lapse_all
from engine.store import PLATFORM
from engine.store.queries.accounts import sessions
from engine.store.queries.sending import deliveries
from engine.store.queries.sending import jobs as runs

log = logging.getLogger("hq.scheduler")
TICK_SECONDS = 5.0
FIRST_SECONDS = 2.0  # before the first tick: whoever waited for the start comes first
STOP_SECONDS = 10.0  # for which the end of a process waits for what runs
RUN_DAYS = 30  # for which runs of our own jobs are listed: there is one every minute
OWN_RUN_DAYS = 400  # for which an organization sees what ran for it: a year and the month after
ENDED_DAYS = 30  # for which it is kept that one of our own sessions was ended: it lives for half a day
CONTENT_DAYS = 90  # for which the text of a delivery is kept once it was sent or given up


def nightly_build(services: Services, now: datetime) -> str:
    """Build every report of every organization, on the cluster where one is set; drop artifacts unused for days."""

    def here(together: ReportBatch, chunks: Sequence[Chunk]) -> ChunkRuns:
        for chunk in chunks:
            yield chunk, partial(services.in_background, build_several, chunk, now)

    org_ids = [org_id for org_id, _ in services.store.organizations()]
    with chunk_builders(services.settings.build_cluster, services.store.dialect, here, 1) as (run, shares):
        together, costs = services.batch(now), services.build_costs()
        went = batch.build(services.store, together, org_ids, run, shares=shares, costs=costs)
    pruned = services.artifacts.prune(services.settings.artifact_days)
    made = sum(result.made for result in went.results.values())
    return went.message(f"{made} artifacts of {len(went.results)} organizations built, {pruned} old ones dropped")


def build_several(services: Services, org_ids: Chunk, now: datetime) -> OrganizationsRun[BuildResult]:
    """Every report of some organizations."""
    from engine.reporting.batch.chunk import build_chunk

    return build_chunk(services.batch(now), org_ids)


def retention(services: Services, now: datetime) -> str:
    """Purge records that are past their retention and under no legal hold."""
    return purge_all(
        services.store,
        now=now,
        payload_days=services.settings.ingest_keep_days,
        sign=lambda org_id: signed_head(services, org_id, now=now),
    )


def outbox(services: Services, now: datetime) -> str:
    """Send the deliveries that are due."""
    return str(drain(services, now=now))


def evidence(services: Services, now: datetime) -> str:
    """Check the bytes of evidence that are held, note what changed, sweep what no item names."""
    return services.in_background(check_all, now)


def pruning(services: Services, now: datetime) -> str:
    """Drop texts of old deliveries, old runs, ends of sessions, what unfinished seals and erasures left; no ledger."""
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    if services.store.organization_exists(PLATFORM):
        org_ids.append(PLATFORM)
    went = for_every_organization("pruning", org_ids, lambda org_id: _prune(services, org_id, now))
    platform, organizations = now - timedelta(days=RUN_DAYS), now - timedelta(days=OWN_RUN_DAYS)
    old = runs.prune(services.store, platform=platform, organizations=organizations, now=now)
    clear_owed(services)
    texts, ends, seals = map(sum, zip((0, 0, 0), *went.results.values(), strict=True))
    gone = f"texts of {texts} deliveries, {old} runs, {ends} ended sessions and {seals} unfinished seals"
    return went.message(f"{gone} removed")


def _prune(services: Services, org_id: str, now: datetime) -> tuple[int, int, int]:
    """How many texts, ends of sessions and unfinished seals of an organization went.

    A session that another signs lives for as long as that says: its end is kept.
    """
    ends, settings = 0, services.settings
    with services.store.revision(org_id, "pruning", now=now) as revision:
        texts = deliveries.prune_contents(revision, now - timedelta(days=CONTENT_DAYS))
        if settings.session_jwks_file is None and not settings.session_secret:
            ends = sessions.prune_ended(revision, now - timedelta(days=ENDED_DAYS))
    return texts, ends, sweep(services.store, settings.bundle_folder / org_id, org_id, now=now)


def heads(services: Services, now: datetime) -> str:
    """Sign the head of every organization that something happened in, and the tree over all of them once a day.

    Where an authority is set one head a day is stamped.
    """
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    if services.store.organization_exists(PLATFORM):
        org_ids.append(PLATFORM)
    went = for_every_organization("heads", org_ids, lambda org_id: sign_and_stamp(services, org_id, now=now))
    made = list(went.results.values())
    whole = sign_installation_for_witness(services, now=now, every=EVERY)
    tree = f"; the installation's tree of {whole.size} commitments signed" if whole is not None and whole.new else ""
    heads_made = f"{sum(one.new for one in made)} heads signed, {sum(one.stamped for one in made)} stamped"
    return went.message(f"{heads_made}{tree}")


def everywhere(job: str, run: Callable[..., int], what: str) -> Callable[[Services, datetime], str]:
    """A job that does something for every organization; ``what`` its numbers add up to."""

    def act(services: Services, now: datetime) -> str:
        org_ids = [org_id for org_id, _ in services.store.organizations()]
        went = for_every_organization(job, org_ids, lambda org_id: run(services.store, org_id, now=now))
        return went.message(f"{sum(went.results.values())} {what}")

    return act


def expired_approvals(services: Services, now: datetime) -> str:
    """Expire approvals that nobody decided, or that nobody used, in time."""
    lifetime = services.settings.approval_lifetime
    return everywhere("approvals", partial(sweep_expired, lifetime=lifetime), "approvals expired")(services, now)


def billing(services: Services, now: datetime) -> str:
    """End the cancelled plans whose paid time is over."""
    return lapse_all(services.store, now=now)


def pulls(services: Services, now: datetime) -> str:
    """Run the checks of the files in SVC_PULLS that are owed by their cadence, each file in a worker."""
    if not services.settings.pulls:
        return "no file of pulls is named"  # and nothing that computes is loaded where people are answered
    from engine.operations.pulls import run_scheduled, scheduled_files

    files = {str(path): org_id for org_id, path in scheduled_files(services.settings)}
    went = for_every_organization(
        "pulls", list(files), lambda path: services.in_background(run_scheduled, files[path], path, now)
    )
    return went.message("; ".join(went.results.values()))


def checkpoint(services: Services, now: datetime) -> str:
    """Fold the log of this process's analytics store into its file."""
    services.replica.checkpoint()
    return "the analytics store is folded into its file"


# what each organization is owed at its own time, in this order; the chained digests are the chain's
TASKS: tuple[Task, ...] = (
    *snapshot_tasks(),
    *(digest_task(digest) for digest in index().digests if not digest.chained),
    chain_task(index().chain),
    bundle_task(),
)


def calendar_tasks(services: Services, now: datetime) -> str:
    """Whatever an organization is owed by its own calendar: snapshots, digests, the staffing chain."""
    return tick(services, TASKS, now=now, run=_background_task)


def _background_task(services: Services, task: Task, org_id: str, now: datetime) -> str:
    return services.in_background(run_task, task.name, org_id, now)


def run_task(services: Services, name: str, org_id: str, now: datetime) -> str:
    """Do the task of that name for an organization."""
    task = next(task for task in TASKS if task.name == name)
    return task.run(services, org_id, now)


JOBS: tuple[Job, ...] = (
    Job("outbox", Every(1), outbox),
    Job("owed", Every(5), calendar_tasks),
    Job("heads", Every(60), heads),
    Job("approvals", Every(5), expired_approvals),
    Job("families", Every(5), everywhere("families", propose_families, "incidents proposed for a family")),
    Job("arrivals", Every(15), everywhere("arrivals", note_arrivals, "arrivals and absences noted")),
    Job("pulls", Every(60), pulls),
    Job("billing", Daily(lambda settings: settings.billing_at), billing),
    Job("evidence", Daily(lambda settings: settings.evidence_at), evidence),
    Job("nightly-build", Daily(lambda settings: settings.build_at), nightly_build),
    Job("retention", Daily(lambda settings: settings.retention_at), retention),
    Job("pruning", Daily(lambda settings: settings.pruning_at), pruning),
    Job("checkpoint", Every(60), checkpoint, alone=False),
)


class Timekeeper(BackgroundScheduler):  # type: ignore[misc] # APScheduler has no types
    """APScheduler that looks every few seconds by a clock that nobody sets.

    It plans by the clock on the wall, and sleeps until then: one that is set back by a day would stop it for a day.
    """

    def _process_jobs(self) -> float:
        now = datetime.now(self.timezone)
        for planned in self.get_jobs():
            due = getattr(planned, "next_run_time", None)  # one that is still being added has none yet
            if due is not None and abs(due - now) > timedelta(seconds=TICK_SECONDS):  # the clock was set
                planned.modify(next_run_time=now)
        wait: float | None = super()._process_jobs()
        return TICK_SECONDS if wait is None else min(wait, TICK_SECONDS)

    def remove_job(self, job_id: str, jobstore: str | None = None) -> None:
        with contextlib.suppress(JobLookupError):  # a shutdown removes all of them while the last are handed out
            super().remove_job(job_id, jobstore)


class DaemonThreads(BaseExecutor):  # type: ignore[misc] # the same
    """A thread for each run, which does not keep the process from its end."""

    def _do_submit_job(self, job: Planned, run_times: list[datetime]) -> None:
        threading.Thread(target=self._do, args=(job, run_times), name=f"job-{job.id}", daemon=True).start()

    def _do(self, job: Planned, run_times: list[datetime]) -> None:
        self._run_job_success(job.id, run_job(job, job._jobstore_alias, run_times, self._logger.name))


class Scheduler:
    """Every job in one process. On each tick the store is asked what is owed; a job runs once at a time."""

    def __init__(self, services: Services) -> None:
        self.runner = Runner(services, JOBS, lambda: datetime.now(UTC))
        self.interrupted = False  # whether something still ran as it was shut down
        self._silent = False
        self._planned = Timekeeper(
            timezone=UTC,
            executors={"default": DaemonThreads()},
            job_defaults={"coalesce": True, "misfire_grace_time": None},
        )
        first = datetime.now(UTC) + timedelta(seconds=FIRST_SECONDS)
        self._planned.add_job(self._tick, "interval", seconds=TICK_SECONDS, id="tick", next_run_time=first)

    def start(self) -> None:
        """Begin to keep the time, on threads of its own."""
        self._planned.start()

    def shutdown(self, *, wait: bool) -> None:
        """Begin nothing more, and let another process lead.

        ``wait``: for what runs, ten seconds at most. What runs still is noted as interrupted and owed again.
        """
        self._planned.shutdown(wait=False)
        try:
            self.interrupted = not self.runner.stop(STOP_SECONDS if wait else 0.0)
        except Unavailable as problem:  # another process takes over by itself, only later
            log.warning("the lead could not be given up: %s", problem.message)
            self.interrupted = True

    def _tick(self) -> None:
        try:
            owed = self.runner.due_jobs()
        except Unavailable as problem:
            if not self._silent:
                log.warning("no job begins: %s", problem.message)
            self._silent = True
            return
        self._silent = False
        for job in owed:
            self._planned.add_job(self._run, args=[job], id=job.name, replace_existing=True, max_instances=2)

    def _run(self, job: Job) -> None:
        if (message := self.runner.run(job)) is not None:
            log.log(logging.DEBUG if isinstance(job.when, Every) else logging.INFO, "job %s: %s", job.name, message)


def new_scheduler(services: Services) -> Scheduler:
    """A scheduler with every job, not started."""
    return Scheduler(services)


def run_until_stopped(scheduler: Scheduler) -> None:
    """Keep the time until SIGTERM or Ctrl-C, then end within ten seconds, whatever runs."""
    near, far = socket.socketpair()
    far.setblocking(False)
    with near, far:
        previous = signal.set_wakeup_fd(far.fileno())  # a wait for a lock can miss a signal that comes just then
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: None)
        scheduler.start()
        near.recv(1)
        signal.set_wakeup_fd(previous)
    scheduler.shutdown(wait=True)
    if scheduler.interrupted:
        log.warning("jobs that still ran are interrupted; they are owed again")
        logging.shutdown()
        os._exit(0)  # as after kill -9: what is in the store is whole, and nothing waits for what runs


def main() -> None:
    """Run the jobs alone: ``python scheduler.py`` becomes the process ``hq scheduler``, with its options."""
    os.execv(sys.executable, [sys.executable, "-m", "engine.cli", "scheduler", *sys.argv[1:]])  # noqa: S606 - our own


if __name__ == "__main__":
    main()
