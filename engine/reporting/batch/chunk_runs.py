"""Chunks of a batch that are built in several processes beside this one."""

import logging
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from engine.model.errors import Unavailable
from engine.model.every_organization import OrganizationsRun
from engine.reporting.batch.batch import here
from engine.reporting.batch.process_pool import process_pool
from engine.reporting.batch.report_batch import BuildResult, Chunk, ChunkRun, ChunkRuns, ReportBatch

log = logging.getLogger(__name__)


def in_processes(jobs: int) -> ChunkRun:
    """So many chunks at a time, each in a process of its own; one at a time in this one.

    Where a process is ended from outside, such as for want of memory, the chunks that were in hand are tried once
    more, with nothing beside them.
    """

    def run(batch: ReportBatch, chunks: Sequence[Chunk]) -> ChunkRuns:
        waiting = deque(chunks)
        while waiting:
            in_hand: dict[Future[OrganizationsRun[BuildResult]], Chunk] = {}
            try:
                yield from _share_out(batch, waiting, in_hand, jobs)
            except Unavailable:
                log.warning("A process was ended from outside; what it was building is tried once more.")
                for chunk in in_hand.values():
                    yield chunk, partial(_alone, batch, chunk)

    return here if jobs <= 1 else run


def _share_out(
    batch: ReportBatch, waiting: deque[Chunk], in_hand: dict[Future[OrganizationsRun[BuildResult]], Chunk], jobs: int
) -> ChunkRuns:
    """Unavailable where a process was ended: then ``in_hand`` has what was begun, ``waiting`` what was not."""
    with process_pool(min(jobs, len(waiting))) as pool:
        while waiting or in_hand:
            while waiting and len(in_hand) < jobs:
                in_hand[pool.submit(_build_chunk, batch, waiting[0])] = waiting[0]
                waiting.popleft()
            for future in wait(in_hand, return_when=FIRST_COMPLETED).done:
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    raise error
                yield in_hand.pop(future), future.result


def _alone(batch: ReportBatch, chunk: Chunk) -> OrganizationsRun[BuildResult]:
    with process_pool(1) as pool:
        return pool.submit(_build_chunk, batch, chunk).result()


def _build_chunk(batch: ReportBatch, chunk: Chunk) -> OrganizationsRun[BuildResult]:
    """What builds is loaded by the process that builds, and not by the one that waits."""
    from engine.reporting.batch.chunk import build_chunk

    return build_chunk(batch, chunk)
