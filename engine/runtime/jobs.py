"""Jobs: when each is due, and that it runs once, in one process of however many there are.

Every few seconds a process asks the store what is owed. A daily job is owed once for each instant at which it is due:
a run counts for the instant that came before it, whatever the clock showed in between. So two schedulers that wake
together, one that was down at the time, a clock that was set and an hour that comes twice in autumn lead to one run.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from time import monotonic as monotonic_clock
from zoneinfo import ZoneInfo

from engine.model.days import local_day
from engine.model.every_organization import noted_reason
from engine.runtime.lead import LEASE, Lead
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Store
from engine.store.ids import new_id
from engine.store.queries.sending import jobs as runs
from engine.store.queries.sending.jobs import Span

ACTOR = "scheduler"
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Daily:
    """Every day at the local time that the settings say."""

    at: Callable[[Settings], str]

    def due(self, settings: Settings, now: datetime) -> Span:
        """The last instant at which the job was due, and the next. Of a time that comes twice the first counts."""
        zone = ZoneInfo(settings.time_zone)
        clock = time.fromisoformat(self.at(settings))
        today = local_day(now, zone)
        # days around it as well: where a zone left out a day, the instants of two are the same
        instants = [_at(today + days * DAY, clock, zone) for days in range(-3, 4)]
        return Span(max(at for at in instants if at <= now), min(at for at in instants if at > now))

    def schedule_text(self, settings: Settings) -> str:
        """When, for a person."""
        return f"daily at {self.at(settings)} {settings.time_zone}"


def _at(day: date, clock: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, clock, zone).astimezone(UTC)


@dataclass(frozen=True)
class Every:
    """Every so many minutes, counted from the full hour; a divisor of 60."""

    minutes: int

    def due(self, settings: Settings, now: datetime) -> Span:
        """The last instant at which the job was due, and the next."""
        at = now.replace(minute=now.minute - now.minute % self.minutes, second=0, microsecond=0)
        return Span(at, at + timedelta(minutes=self.minutes))

    def schedule_text(self, settings: Settings) -> str:
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
    """Runs the jobs of one process, and holds the lead for those that run alone."""

    def __init__(
        self,
        services: Services,
        jobs: Sequence[Job],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = monotonic_clock,
    ) -> None:
        self.services = services
        self.jobs = jobs
        self.lead = Lead(services.store, clock, monotonic)
        self._clock = clock
        self._monotonic = monotonic
        self._alive: dict[str, Job] = {}  # by run
        self._term = 0
        self._stopping = False
        self._changed = threading.Condition(threading.RLock())
        # what each job was due for when it was last looked after here; a clock that is set back shows others again
        self._served = {job.name: self._due(job, clock()).since for job in jobs if not job.alone}

    @property
    def store(self) -> Store:
        """The operational store, which the processes share."""
        return self.services.store

    def due_jobs(self) -> list[Job]:
        """Take or renew the lead; the jobs that are to be run here now.

        A daily job that never ran is not owed: it begins at its own time.
        """
        leads = self._leads()
        with self._changed:
            running = set(self._alive.values())
        now = self._clock()
        return [job for job in self.jobs if (leads or not job.alone) and job not in running and self._is_owed(job, now)]

    def resign(self) -> None:
        """Let another process lead at once."""
        self.lead.resign()

    def run(self, job: Job) -> str | None:
        """Run a job if it is this process's to run and nobody has run it since it was due; what it said, or None.

        The run is noted with outcome and duration. What the job raises is noted and raised.
        """
        if job.alone and not self._leads():
            return None
        now, began = self._clock(), self._monotonic()

        def end_time() -> datetime:
            return now + timedelta(seconds=self._monotonic() - began)

        self.store.ensure_platform(now)
        run_id = self._begin(job, now)
        if run_id is None:
            return None
        try:
            message = job.run(self.services, now)
        except BaseException as error:
            if runs.finish(self.store, run_id, "failed", noted_reason(error), now=end_time()):
                self.store.write(
                    PLATFORM,
                    ACTOR,
                    lambda revision: revision.record(
                        "job.failed", object_type="job", object_id=job.name, outcome="failure", details={"run": run_id}
                    ),
                    now=end_time(),
                )
            raise
        else:
            runs.finish(self.store, run_id, "succeeded", message, now=end_time())
            return message
        finally:
            with self._changed:
                self._alive.pop(run_id, None)
                self._changed.notify_all()

    def stop(self, seconds: float) -> bool:
        """Begin nothing more and wait for what runs; whether all of it ended in that time.

        What did not is noted as interrupted, so that it is owed again. Another process may lead at once.
        """
        with self._changed:
            self._stopping = True
            ended = self._changed.wait_for(lambda: not self._alive, seconds)
            runs.interrupt(self.store, list(self._alive), now=self._clock())
        self.resign()
        return ended

    def _leads(self) -> bool:
        """Whether this process leads. As it begins to, it closes what its predecessor left."""
        with self._changed:
            if self._stopping or not self.lead.take():
                return False
            if self._term != self.lead.terms:
                now = self._clock()
                self.store.ensure_platform(now)
                alone = [job.name for job in self.jobs if job.alone]
                runs.close_interrupted(self.store, alone, self._alive, now=now)
                for name in alone:
                    self._served.pop(name, None)
                self._term = self.lead.terms
            return True

    def _due(self, job: Job, now: datetime) -> Span:
        return job.when.due(self.services.settings, now)

    def _is_owed(self, job: Job, now: datetime) -> bool:
        due = self._due(job, now)
        served = self._served.get(job.name)
        if served == due.since:
            return False
        if not job.alone or (served is not None and isinstance(job.when, Every)):
            return True
        with self.store.reader() as connection:
            if isinstance(job.when, Daily) and served is None and runs.last(connection, job.name) is None:
                self._served[job.name] = due.since
                return False
            done = runs.ran_within(connection, job.name, due)
        if done and isinstance(job.when, Every):
            self._served[job.name] = due.since
        return not done

    def _begin(self, job: Job, now: datetime) -> str | None:
        """The run, noted in the transaction that makes sure that it is this process's and that it is owed."""
        run_id, due = new_id("run"), self._due(job, now)
        with self._changed:
            if self._stopping or job in self._alive.values():
                return None
            served = self._served.get(job.name) if isinstance(job.when, Every) and job.alone else None
            if served == due.since:
                return None
            begun = runs.begin(
                self.store,
                run_id,
                job.name,
                now=now,
                lease=(LEASE, self.lead.lease()) if job.alone else None,
                unless_within=due if job.alone and served is None else None,
            )
            if not begun:
                return None
            self._alive[run_id] = job
            if isinstance(job.when, Every):
                self._served[job.name] = due.since
        return run_id
