"""Scheduled work: what runs when. APScheduler keeps the time; what a job does is the engine's."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

from engine import batch
from engine.ops.retention import purge_all
from engine.services import Services

log = logging.getLogger("hq.scheduler")
MISFIRE_GRACE_SECONDS = 6 * 3600


def nightly_build(services: Services, now: datetime) -> str:
    """Build every report of every organization, then drop artifacts that nobody has used for days."""
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    built = batch.build(
        services.replica, services.artifacts.folder, services.editions.catalogue, org_ids, now=now, jobs=1
    )
    services.replica.checkpoint()
    pruned = services.artifacts.prune(services.settings["SVC_ARTIFACT_DAYS"])
    made = sum(result.made for result in built)
    return f"{made} artifacts of {len(built)} organizations built, {pruned} old ones dropped"


def retention(services: Services, now: datetime) -> str:
    """Purge records that are past their retention and under no legal hold."""
    return purge_all(services.store, now=now)


@dataclass(frozen=True)
class Job:
    """Something that runs by itself: at ``hour:minute`` as read from the setting ``at``."""

    name: str
    at: str
    run: Callable[[Services, datetime], str]


JOBS: tuple[Job, ...] = (
    Job("nightly-build", "SVC_BUILD_AT", nightly_build),
    Job("retention", "SVC_RETENTION_AT", retention),
)


def scheduled(services: Services) -> BackgroundScheduler:
    """A scheduler with every job, not started. A job that was late runs once; none runs twice at a time."""
    settings = services.settings
    zone = ZoneInfo(settings["SVC_TIME_ZONE"])
    planned = BackgroundScheduler(timezone=zone)
    for job in JOBS:
        hour, minute = map(int, settings[job.at].split(":"))
        planned.add_job(
            _run,
            CronTrigger(hour=hour, minute=minute, timezone=zone),
            args=[job, services],
            id=job.name,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=MISFIRE_GRACE_SECONDS,
        )
    return planned


def _run(job: Job, services: Services) -> None:
    log.info("job %s: %s", job.name, job.run(services, datetime.now(UTC)))


def main() -> None:
    """Run the jobs alone: ``python scheduler.py`` is ``hq scheduler``."""
    from engine.cli import hq

    hq(["scheduler"])


if __name__ == "__main__":
    main()
