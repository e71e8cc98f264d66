"""What becomes of a declared digest: its content, whom it goes to, what it tells each, what it moves, when it is due.

    run = deliver(services, digest, org_id, actor, now=now)     # the same for POST, cron secret and scheduler
    run.outcome                                                 # delivered, already_delivered, empty, …

A declaration is ``engine.model.declarations.digest.Digest``; the registry is ``reports/digests.py``.
"""

from engine.digests.calendar import Task, tick
from engine.digests.chain import CHAIN_NAME, ChainRun, run_chain
from engine.digests.deliver import Run, deliver, each, run_name, wants
from engine.digests.tasks import bundle_task, chain_task, digest_task, snapshot_tasks

__all__ = [
    "CHAIN_NAME",
    "ChainRun",
    "Run",
    "Task",
    "bundle_task",
    "chain_task",
    "deliver",
    "digest_task",
    "each",
    "run_chain",
    "run_name",
    "snapshot_tasks",
    "tick",
    "wants",
]
