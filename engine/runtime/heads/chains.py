"""An audit chain checked by a process a core."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import cache
from typing import TypeAlias

from engine.reporting.batch.process_pool import process_pool
from engine.store import Store
from engine.store.chain.chain import ChainCheck
from engine.store.chain.chain_segments import ChainSpan, SegmentCheck, chain_check, chain_span, check_segment

Counting: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many events were checked."""

WORTH_PROCESSES = 400_000  # events: below, to start processes takes more of them than it gains
AHEAD = 2  # segments that wait for each process


def verify_chain(
    store: Store, org_id: str, progress: Counting = lambda done, total: None, *, processes: int | None = None
) -> ChainCheck:
    """``Store.verify`` on all cores, with memory that does not grow with the chain. NotFound for an unknown one."""
    while True:
        span = _span(store, org_id)
        if processes is None:
            processes = (os.cpu_count() or 1) if span.head[0] - span.start[0] >= WORTH_PROCESSES else 1
        check = chain_check(org_id, span, _count_along(_checks(store, org_id, span, processes), span, progress))
        if check.ok or _span(store, org_id).start == span.start:
            return check  # else retention took the first events meanwhile


def _count_along(checks: Iterator[SegmentCheck], span: ChainSpan, progress: Counting) -> Iterator[SegmentCheck]:
    total, done = span.head[0] - span.start[0], 0
    for check in checks:
        done += check.events
        progress(done, total)
        yield check


def _checks(store: Store, org_id: str, span: ChainSpan, processes: int) -> Iterator[SegmentCheck]:
    """The checks of all segments, in order."""
    work = [
        (org_id, first, last, span.start[1] if number == 0 else None)
        for number, (first, last) in enumerate(span.segments())
    ]
    if processes == 1:
        for segment in work:
            yield _check(store, *segment)
        return
    with process_pool(processes) as pool:
        running: deque[Future[SegmentCheck]] = deque()
        for segment in work:
            running.append(pool.submit(_check_at, store.url, *segment))
            if len(running) > processes * AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def _span(store: Store, org_id: str) -> ChainSpan:
    with store.reader() as connection:
        return chain_span(connection, org_id)


def _check(store: Store, org_id: str, first: int, last: int, before: str | None) -> SegmentCheck:
    with store.reader() as connection:
        return check_segment(connection, org_id, first, last, before)


def _check_at(url: str, org_id: str, first: int, last: int, before: str | None) -> SegmentCheck:
    return _check(_store(url), org_id, first, last, before)


@cache
def _store(url: str) -> Store:
    return Store(url)
