"""What each organization is owed by the calendar: asked of the store, so that whoever was down catches up."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Literal

from engine.model.digest import When, last_due
from engine.model.errors import Problem
from engine.runtime.services import Services
from engine.store.queries import digests as queries
from engine.store.queries.digests import Clock

log = logging.getLogger("hq.digests")
AGAIN = timedelta(minutes=30)  # after which a task that failed is tried again
Row = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """Something that each organization that ``wants`` it is owed at its own time.

    ``done`` answers whether it was done already, besides by a run of that name; ``run`` does it and says what it did.
    ``notes`` are the runs that are noted here; the others the task notes itself.
    """

    name: str
    when: When
    run: Callable[[Services, str, datetime], str]
    wants: Callable[[Services, str], bool]
    done: Callable[[Services, str, Clock, datetime], bool]
    notes: Literal["all", "failed", "none"] = "failed"


def is_owed(when: When, now: datetime, clock: Clock, last: Mapping[str, Any] | None) -> bool:
    """Whether something is owed, given the last run that began since it was due.

    After a while it is again where that run failed or never came to an end.
    """
    if last is None or last["started_at"] < last_due(when, now, clock.zone, clock.settings):
        return True
    return last["outcome"] in ("failed", None) and last["started_at"] <= now - AGAIN


def tick(services: Services, tasks: Sequence[Task], *, now: datetime) -> str:
    """Do whatever is owed to whomever. One failure keeps nothing else from being done; Problem in the end."""
    done, failures = 0, []
    for org_id, _ in services.store.organizations():
        for task in tasks:
            if not _due(services, task, org_id, now):
                continue
            began = monotonic()
            try:
                said = task.run(services, org_id, now)
            except Exception as error:  # whatever it is: everything else is owed too, and it is raised in the end
                log.exception("task %s failed", task.name)
                failures.append((task.name, error))
                said, outcome = _reason(error), "failed"
            else:
                done, outcome = done + 1, "succeeded"
            if task.notes == "all" or (task.notes == "failed" and outcome == "failed"):
                ended = now + timedelta(seconds=monotonic() - began)
                queries.record_run(
                    services.store, org_id, task.name, started_at=now, finished_at=ended, outcome=outcome, message=said
                )
    if failures:
        names = ", ".join(sorted({name for name, _ in failures}))
        raise Problem(f"{len(failures)} of {done + len(failures)} tasks failed: {names}.") from failures[0][1]
    return f"{done} tasks done"


def _due(services: Services, task: Task, org_id: str, now: datetime) -> bool:
    with services.store.reader() as connection:
        clock = queries.clock(connection, org_id)
        last = queries.last_run(connection, org_id, task.name, last_due(task.when, now, clock.zone, clock.settings))
    return is_owed(task.when, now, clock, last) and task.wants(services, org_id) and not task.done(
        services, org_id, clock, now
    )  # fmt: skip


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, Problem) else type(error).__name__
