"""What each organization is owed by the calendar: asked of the store, so that whoever was down catches up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Literal, TypeAlias

from engine.model.declarations.digest import When, last_due, next_due
from engine.model.errors import Problem
from engine.model.every_organization import first_named, for_every_organization, noted_reason
from engine.model.records import JobRunRow
from engine.runtime.services import Services
from engine.store.queries.sending import digests as queries
from engine.store.queries.sending.digests import Clock

AGAIN = timedelta(minutes=30)  # after which a task that failed is tried again


@dataclass(frozen=True)
class Task:
    """Something that each organization that ``wants`` it is owed at its own time.

    ``is_done`` answers whether it was done already, besides by a run of that name; ``run`` does it and
    returns a line on it.
    ``notes`` are the runs that are noted here; the others the task notes itself.
    """

    name: str
    when: When
    run: Callable[[Services, str, datetime], str]
    wants: Callable[[Services, str], bool]
    done: Callable[[Services, str, Clock, datetime], bool]
    notes: Literal["all", "failed", "none"] = "failed"


def is_owed(now: datetime, before: Sequence[JobRunRow]) -> bool:
    """Whether something is owed, given the runs that began from when it was due last until it is due next.

    After a while it is again where none came to its end. A run that began later than now was noted by a clock that
    was set back since: what it did is done, and what failed is not waited for.
    """
    if any(run["outcome"] not in ("failed", None) for run in before):
        return False
    return all(abs(now - run["started_at"]) >= AGAIN for run in before)


RunTask: TypeAlias = Callable[[Services, Task, str, datetime], str]


def tick(services: Services, tasks: Sequence[Task], *, now: datetime, run: RunTask | None = None) -> str:
    """Do whatever is owed to whomever. One failure keeps nothing else from being done; Problem in the end.

    The tasks are done in their order, each for every organization; ``run`` does one, where that is not done here.
    """
    org_ids = [org_id for org_id, _ in services.store.organizations()]
    done, failures = 0, []
    for task in tasks:
        do = partial(_do, services, task, run or _here, now=now)
        went = for_every_organization(f"task {task.name}", org_ids, do)
        done += sum(went.results.values())
        failures += [(task.name, failure) for failure in went.failures]
    if failures:
        text = first_named([f"{name} for {failure}" for name, failure in failures])
        raise Problem(f"{len(failures)} of {done + len(failures)} tasks failed: {text}") from failures[0][1].error
    return f"{done} tasks done"


def _here(services: Services, task: Task, org_id: str, now: datetime) -> str:
    return task.run(services, org_id, now)


def _do(services: Services, task: Task, run: RunTask, org_id: str, *, now: datetime) -> bool:
    """Whether the organization was owed the task, which is then done."""
    if not _due(services, task, org_id, now):
        return False
    began = monotonic()

    def note(outcome: str, text: str) -> None:
        if task.notes == "all" or (task.notes == "failed" and outcome == "failed"):
            ended = now + timedelta(seconds=monotonic() - began)
            queries.record_run(
                services.store, org_id, task.name, started_at=now, finished_at=ended, outcome=outcome, message=text
            )

    try:
        process = run(services, task, org_id, now)
    except Exception as error:
        note("failed", noted_reason(error))
        raise
    note("succeeded", process)
    return True


def _due(services: Services, task: Task, org_id: str, now: datetime) -> bool:
    with services.store.reader() as connection:
        clock = queries.clock(connection, org_id)
        before = queries.runs_within(connection, org_id, task.name, *span(task.when, now, clock))
    return is_owed(now, before) and task.wants(services, org_id) and not task.done(services, org_id, clock, now)


def span(when: When, now: datetime, clock: Clock) -> tuple[datetime, datetime]:
    """When something was due last, and when it is due next: a run between the two is that of the first."""
    return last_due(when, now, clock.zone, clock.settings), next_due(when, now, clock.zone, clock.settings)
