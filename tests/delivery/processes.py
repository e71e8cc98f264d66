"""Processes that schedule, on clocks of their own."""

from datetime import timedelta

from engine.runtime.jobs import Daily, Every, Job, Runner
from engine.runtime.lead import LEASE_SECONDS
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Store
from engine.store.rows import many
from engine.store.schema.outputs import job_runs
from tests.conftest import NOW

SILENCE = timedelta(seconds=LEASE_SECONDS)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BERLIN = {"SVC_TIME_ZONE": "Europe/Berlin", "SVC_BUILD_AT": "02:30"}


class Process:
    """A process that runs jobs on a clock of its own; ``done`` is when it ran which."""

    def __init__(self, url, environment=None, fail=None):
        self.store = Store(url)
        self.now = NOW
        self.set_by = timedelta()  # how far its clock was set since it began
        self.done = []
        self.fail = fail
        self.build = Job("nightly-build", Daily(lambda settings: settings.build_at), self._did("nightly-build"))
        self.outbox = Job("outbox", Every(1), self._did("outbox"))
        self.checkpoint = Job("checkpoint", Every(60), self._did("checkpoint"), alone=False)
        services = Services(Settings.of(environment or {}), self.store, None, NOW)
        jobs = (self.build, self.outbox, self.checkpoint)
        self.runner = Runner(services, jobs, lambda: self.now, lambda: (self.now - self.set_by).timestamp())

    def _did(self, name):
        def run(services, now):
            if self.fail:
                raise self.fail
            self.done.append((name, now))
            self.now += timedelta(seconds=2)
            return "done"

        return run

    def at(self, now):
        """Time passes until then."""
        self.now = now
        return self

    def set_clock(self, by):
        """No time passes, the clock shows another."""
        self.now, self.set_by = self.now + by, self.set_by + by
        return self

    def due_jobs(self):
        return [job.name for job in self.runner.due_jobs()]


def job_rows(process):
    with process.store.reader() as connection:
        rows = many(connection, job_runs, PLATFORM, order=("started_at",))
    return [(row["job"], row["started_at"], row["finished_at"], row["outcome"], row["message"]) for row in rows]
