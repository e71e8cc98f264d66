"""What a console does once it listens, before anybody asks: its workers load what computes, and read the facts of the
front pages. The first page after a start then costs what it costs after any other write. What the facts come to is kept
for the start after this one, however this process ends.
"""

import logging
import threading
from datetime import datetime
from functools import partial

from engine.model.errors import Problem
from engine.reporting.index import index
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.services import Services
from engine.store.queries.accounts.organizations import longest_chains
from engine.web.computing import ComputeConsole, WorkerPool, sync_replica

log = logging.getLogger("hq.workers")
WAIT_SECONDS = 1.0  # whoever waited for the start comes first
ORGANIZATIONS = 6  # as many as a worker remembers
CALLER = "warming"


def warm(services: Services, workers: WorkerPool, stopped: threading.Event, now: datetime) -> None:
    """Have the reports of the first chapter computed for the organizations with the longest records, until ``stopped``.

    Each is a work of its own, so that whoever asks meanwhile waits for one of them at most. No report is kept on disk.
    With a bucket nothing is computed ahead: another machine may have built what people ask for.
    """
    if services.settings.artifact_bucket or stopped.wait(WAIT_SECONDS):
        return
    chapter = next(iter(index().sections.values()))
    try:
        with services.store.reader() as connection:
            org_ids = longest_chains(connection, ORGANIZATIONS)
        for org_id in reversed(org_ids):  # the shortest first: it is done soonest
            for report in chapter:
                if stopped.is_set():
                    return
                work: Assignment[ComputeConsole] = Assignment(
                    _compute, (org_id, report, now), partial(sync_replica, org_id)
                )
                workers.run(work, place=org_id, caller=CALLER, gone=stopped.is_set)
            workers.run(Assignment(_keep_facts), place=org_id, caller=CALLER, gone=stopped.is_set)
    except Problem as problem:  # whoever asks is told
        log.info("not all is computed ahead: %s", problem.message)


def _compute(console: ComputeConsole, org_id: str, report: str, now: datetime) -> None:
    with console.services.snapshots.open(org_id, now=now) as snapshot:
        snapshot.edition(report, {})


def _keep_facts(console: ComputeConsole) -> None:
    console.services.snapshots.keep_facts()
