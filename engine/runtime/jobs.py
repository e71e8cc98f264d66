"""Jobs: when each is due, and that it runs once, in one process of however many there are.

APScheduler wakes a process; whether anything is owed is asked of the store. So two schedulers that wake together, one
that was down at the time, and an hour that comes twice in autumn all lead to one run.
"""

import os
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from engine.model.days import local_day
from engine.model.every_organization import noted_reason
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Store, leases
from engine.store.ids import new_id
from engine.store.queries import jobs as runs

LEASE = "scheduler"
LEASE_SECONDS = 90
ACTOR = "scheduler"


@dataclass(frozen=True)
class Daily:
    """Every day at the local time that the settings say."""

    at: Callable[[Settings], str]

    def due(self, settings: Settings, now: datetime) -> datetime:
        """The last instant at which the job was due. Where a clock shows the time twice, the first counts."""
        zone = ZoneInfo(settings.time_zone)
        clock = time.fromisoformat(self.at(settings))
        today = local_day(now, zone)
        at = datetime.combine(today, clock, zone).astimezone(UTC)
        return at if at <= now else datetime.combine(today - timedelta(days=1), clock, zone).astimezone(UTC)

    def said(self, settings: Settings) -> str:
        """When, for a person."""
        return f"daily at {self.at(settings)} {settings.time_zone}"


@dataclass(frozen=True)
class Every:
    """Every so many minutes, counted from the full hour; a divisor of 60."""

    minutes: int

    def due(self, settings: Settings, now: datetime) -> datetime:
        """The last instant at which the job was due."""
        return now.replace(minute=now.minute - now.minute % self.minutes, second=0, microsecond=0)

    def said(self, settings: Settings) -> str:
        """When, for a person."""
        return "every minute" if self.minutes == 1 else f"every {self.minutes} minutes"


@dataclass(frozen=True)
class Job:
    """Something that runs by itself. ``alone``: in one process at a time; else each looks after its own files."""

    name: str
    when: Daily | Every
    run: Callable[[Services, datetime], str]
    alone: bool = True


class Runner:
    """Runs the jobs of one process, and holds the lease for those that run alone."""

    def __init__(self, services: Services, jobs: Sequence[Job], clock: Callable[[], datetime]) -> None:
        self.services = services
        self.jobs = jobs
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{new_id('proc')}"
        self._clock = clock
        self._alive: set[str] = set()
        self._guard = threading.Lock()
        self._leads = False

    @property
    def store(self) -> Store:
        """The operational store, which the processes share."""
        return self.services.store

    def lead(self) -> list[Job]:
        """Take or renew the lease. When it is new to this process: the daily jobs that nobody ran when they were due.

        A job that never ran is not owed: it begins at its own time.
        """
        now = self._clock()
        until = now + timedelta(seconds=LEASE_SECONDS)
        before, self._leads = self._leads, leases.take(self.store, LEASE, self.holder, now=now, until=until)
        if before or not self._leads:
            return []
        self.store.ensure_platform(now)
        with self._guard:
            alone = [job.name for job in self.jobs if job.alone]
            runs.close_interrupted(self.store, alone, self._alive, now=now)
        with self.store.reader() as connection:
            return [
                job for job in self.jobs
                if job.alone and isinstance(job.when, Daily) and runs.last(connection, job.name) is not None
                and not runs.done_since(connection, job.name, job.when.due(self.services.settings, now))
            ]  # fmt: skip

    def resign(self) -> None:
        """Let another process lead at once."""
        self._leads = False
        leases.release(self.store, LEASE, self.holder)

    def run(self, job: Job) -> str | None:
        """Run a job if it is this process's to run and nobody has run it since it was due; what it said, or None.

        The run is noted with outcome and duration. What the job raises is noted and raised.
        """
        now = self._clock()
        if job.alone and not self._may(job, now):
            return None
        self.store.ensure_platform(now)
        with self._guard:
            run_id = new_id("run")
            runs.begin(self.store, run_id, job.name, now=now)
            self._alive.add(run_id)
        try:
            message = job.run(self.services, now)
        except BaseException as error:
            runs.finish(self.store, run_id, "failed", noted_reason(error), now=self._clock())
            self.store.write(PLATFORM, ACTOR, lambda revision: revision.record(
                "job.failed", object_type="job", object_id=job.name, outcome="failure", details={"run": run_id}
            ), now=self._clock())  # fmt: skip
            raise
        finally:
            with self._guard:
                self._alive.discard(run_id)
        runs.finish(self.store, run_id, "succeeded", message, now=self._clock())
        return message

    def _may(self, job: Job, now: datetime) -> bool:
        until = now + timedelta(seconds=LEASE_SECONDS)
        if not leases.take(self.store, LEASE, self.holder, now=now, until=until):
            return False
        with self.store.reader() as connection:
            return not runs.done_since(connection, job.name, job.when.due(self.services.settings, now))
