"""Building every report of many organizations, some at a time: no more is held than what is in hand.

    went = build(store, batch, org_ids, in_processes(2))
    went.message("built what could be")                         # a Problem when it failed for anybody

What is there is not made again, so that one that was stopped goes on from where it was. The bytes do not depend on how
organizations are put together, nor on where they are built.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

from engine.model.errors import Problem
from engine.model.every_organization import OrganizationFailure, OrganizationsRun, for_every_organization
from engine.reporting.batch.report_batch import BuildResult, Chunk, ChunkRun, ChunkRuns, ReportBatch
from engine.store import Store

MOST_EVENTS = 250_000
MOST_ORGANIZATIONS = 4

Progress = Callable[[str, int, int], None]


def here(batch: ReportBatch, chunks: Sequence[Chunk]) -> ChunkRuns:
    """One chunk after the other, in this process."""
    from engine.reporting.batch.chunk import build_chunk

    for chunk in chunks:
        yield chunk, partial(build_chunk, batch, chunk)


def build(
    store: Store,
    batch: ReportBatch,
    org_ids: Sequence[str],
    run: ChunkRun = here,
    *,
    shares: int = 1,
    progress: Progress | None = None,
) -> OrganizationsRun[BuildResult]:
    """Build every report of ``org_ids``; those that the store does not know are left out.

    ``run`` says where; ``shares`` is how many are to have something to do. An organization whose reports cannot be
    built keeps no other from its own: where a chunk fails as a whole, each of it is built alone.
    """
    chunks = share_out(store, org_ids, shares)
    total = sum(map(len, chunks))
    results: dict[str, BuildResult] = {}
    failures: dict[str, OrganizationFailure] = {}
    while chunks:
        again: list[Chunk] = []
        with closing(run(batch, chunks)) as given:
            for chunk, result in given:
                whole = for_every_organization("build", [", ".join(chunk)], lambda _: result())  # noqa: B023 - called at once
                for went in whole.results.values():
                    results |= went.results
                    failures |= {failure.org_id: failure for failure in went.failures}
                for failure in whole.failures:
                    if len(chunk) > 1 and not isinstance(failure.error, Problem):
                        again += [(org_id,) for org_id in chunk]
                    else:
                        failures |= {org_id: OrganizationFailure(org_id, failure.error) for org_id in chunk}
                if progress is not None:
                    progress("organizations", len(results) + len(failures), total)
        chunks = again
    return OrganizationsRun(
        {org_id: results[org_id] for org_id in org_ids if org_id in results},
        [failures[org_id] for org_id in org_ids if org_id in failures],
    )


def share_out(store: Store, org_ids: Sequence[str], shares: int = 1) -> list[Chunk]:
    """The organizations in chunks of bounded size, largest first; ``shares`` chunks at least, where there are so many.

    An organization that is larger than a chunk is a chunk of its own.
    """
    heads = {org_id: store.head(org_id) for org_id in org_ids}
    sizes = sorted(((head.seq, org_id) for org_id, head in heads.items() if head is not None), reverse=True)
    most = min(MOST_EVENTS, sum(size for size, _ in sizes) // max(shares, 1))
    chunks: list[list[str]] = []
    events = 0
    for size, org_id in sizes:
        events += size
        if not chunks or events > most or len(chunks[-1]) >= MOST_ORGANIZATIONS:
            chunks.append([])
            events = size
        chunks[-1].append(org_id)
    return [tuple(chunk) for chunk in chunks]
