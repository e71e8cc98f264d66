"""Building every report of many organizations, some at a time: no more is held than what is in hand.

    went = build(store, batch, org_ids, in_processes(2))
    went.message("built what could be")                         # a Problem when it failed for anybody

What is there is not made again, so that one that was stopped goes on from where it was. The bytes do not depend on how
organizations are put together, nor on where they are built.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from engine.model.errors import Problem
from engine.model.every_organization import OrganizationFailure, OrganizationsRun, for_every_organization
from engine.reporting.batch.build_costs import BuildCosts
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
    costs: BuildCosts | None = None,
    progress: Progress | None = None,
) -> OrganizationsRun[BuildResult]:
    """Build every report of ``org_ids``; those that the store does not know are left out.

    ``run`` says where; ``shares`` is how many are to have something to do; ``costs`` what it took before, which is
    measured anew of whatever is built whole. An organization whose reports cannot be
    built keeps no other from its own: where a chunk fails as a whole, each of it is built alone.
    """
    costs = costs or BuildCosts()
    heads = {org_id: store.head(org_id) for org_id in org_ids}
    events = {org_id: head.seq for org_id, head in heads.items() if head is not None}
    batch = replace(batch, costs={org_id: costs.seconds(org_id, size) for org_id, size in events.items()})
    chunks = share_out(events, batch.costs, shares)
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
    for built in results.values():
        if built.made and not built.kept:
            costs.note(built.org_id, events[built.org_id], built.seconds)
    costs.save(dict(store.organizations()))
    return OrganizationsRun(
        {org_id: results[org_id] for org_id in org_ids if org_id in results},
        [failures[org_id] for org_id in org_ids if org_id in failures],
    )


def share_out(events: Mapping[str, int], costs: Mapping[str, float], shares: int = 1) -> list[Chunk]:
    """The organizations in chunks of bounded size and of about the same cost, the dearest first.

    There is a whole number of chunks for each of ``shares``, where there are so many organizations: three chunks for
    two workers take as long as four. An organization that is larger than a chunk is a chunk of its own.
    """
    most = max(math.ceil(len(events) / MOST_ORGANIZATIONS), math.ceil(sum(events.values()) / MOST_EVENTS), 1)
    count = min(math.ceil(most / max(shares, 1)) * max(shares, 1), len(events))
    chunks: list[list[str]] = [[] for _ in range(count)]
    for org_id in sorted(events, key=lambda one: (-costs[one], one)):
        room = [chunk for chunk in chunks if _has_room(chunk, org_id, events)] or [[]]
        least = min(room, key=lambda chunk: sum(map(costs.__getitem__, chunk)))
        if not any(least is chunk for chunk in chunks):
            chunks.append(least)
        least.append(org_id)
    chunks.sort(key=lambda chunk: -sum(map(costs.__getitem__, chunk)))
    return [tuple(chunk) for chunk in chunks if chunk]


def _has_room(chunk: Sequence[str], org_id: str, events: Mapping[str, int]) -> bool:
    size = events[org_id] + sum(map(events.__getitem__, chunk))
    return not chunk or (len(chunk) < MOST_ORGANIZATIONS and size <= MOST_EVENTS)
