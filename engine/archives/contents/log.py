"""The audit events of an archive, read once: the evidence pack as CSV, and the chain as it was hashed.

A line of ``audit_log.jsonl`` is ``{"hash":"…","previous":"…","event":{…}}`` where ``event`` are the bytes that were
hashed after ``previous`` (``engine.store.chain.chain``). The chain is whole from the window's first event to the
revision; the evidence pack has the events that happened in the window.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NoReturn

import polars as pl

from engine.archives.contents.evidence_pack import pages
from engine.archives.contents.material import Material
from engine.archives.contents.pack_lines import PackLines
from engine.archives.sealing.manifest import LOG, EventRange
from engine.archives.sealing.spool import ArchiveSpool
from engine.model.errors import Conflict
from engine.render.tables.csv import csv_chunks
from engine.store.chain.chain import ChainedEvent, event_json
from engine.store.chain.chain_segments import StoredEvent, stored_events
from engine.store.queries.history.audit import AuditEntry, hash_before
from engine.store.queries.history.bundles import first_since
from engine.store.types import instant_text

PACK = "evidence_pack.csv"
PAGE = 5_000  # events in memory
ABOUT_LOG = "the audit chain from the window's first event to the revision, as it was hashed"
ABOUT_PACK = "policies in force and audit events of the window with the controls that they are evidence for"


class _Chain:
    """Lines of the chain, each checked against the hash that is stored beside it; ``before``: the one before all."""

    def __init__(self, org_id: str, first: int, before: str | None, head: tuple[int, str]) -> None:
        self._org_id = org_id
        self._head = head
        self._next = self._first = first
        self._previous = before

    def lines(self, page: Sequence[StoredEvent]) -> tuple[list[str], bytes]:
        """The hash before each event of a page, and its lines; Conflict at the first that does not follow."""
        previous, seq, before, joined = self._previous, self._next, [], []
        for event in page:
            content, found = event_json(ChainedEvent(*event[:-2]), event[-2]), event[-1]
            if previous is None or event[12] != seq or sha256(previous.encode() + content).hexdigest() != found:
                self._next = seq
                self._broken()
            joined.append(b'{"hash":"%b","previous":"%b","event":%b}\n' % (found.encode(), previous.encode(), content))
            before.append(previous)
            previous, seq = found, seq + 1
        self._previous, self._next = previous, seq
        return before, b"".join(joined)

    def events(self) -> EventRange:
        """What was read; Conflict when it is not all of it."""
        read_any = self._next > self._first
        if (self._next - 1, self._previous if read_any else self._head[1]) != self._head:
            self._broken()
        return EventRange(self._next - self._first, self._first, self._head[0])

    def _broken(self) -> NoReturn:
        raise Conflict(
            f"The audit chain of {self._org_id} does not hold at event {self._next}: nothing is sealed over it. "
            f"Run `hq verify --org {self._org_id}`.",
            word="chain_broken",
        )


def as_hashed(org_id: str, row: AuditEntry) -> ChainedEvent:
    """An event of the chain as its hash was computed."""
    return ChainedEvent(
        action=row.action,
        actor=row.actor,
        controls=row.controls,
        details=row.details,
        event_id=row.event_id,
        object_id=row.object_id,
        object_type=row.object_type,
        occurred_at=row.occurred_at,
        org_id=org_id,
        outcome=row.outcome,
        recorded_at=row.recorded_at,
        revision=row.revision,
        seq=row.seq,
        workspace_id=row.workspace_id,
    )


def spool_log(material: Material, spool: ArchiveSpool) -> tuple[EventRange, int]:
    """Both files; what the chain spans, and how many policies are in the pack."""
    store, pack = material.store, material.pack
    last = pack.head[0]
    with store.reader() as connection:
        first = first_since(connection, pack.org_id, pack.since, last)
        chain = _Chain(pack.org_id, first, hash_before(connection, pack.org_id, first), pack.head)
    since = "" if pack.since is None else instant_text(pack.since)
    packed, count = PackLines(pack), pack.policies.height
    with (
        spool.writing(LOG, ABOUT_LOG, lambda: chain.events().count) as log,
        spool.writing(PACK, ABOUT_PACK, lambda: count) as csv,
    ):
        for chunk in csv_chunks([pack.policies]):
            csv.write(chunk)
        for start in range(first, last + 1, PAGE):
            with store.reader() as connection:
                page = list(stored_events(connection, pack.org_id, start, min(start + PAGE - 1, last)))
            before, lines = chain.lines(page)
            log.write(lines)
            rows, lines = packed.of(page, before, since)
            csv.write(lines)
            count += rows
    return chain.events(), pack.policies.height


def spool_pack(material: Material, spool: ArchiveSpool) -> None:
    """The evidence pack alone."""
    count = 0

    def count_rows() -> Iterator[pl.DataFrame]:
        nonlocal count
        for frame in pages(material.store, material.pack):
            count += frame.height
            yield frame

    with spool.writing(PACK, ABOUT_PACK, lambda: count) as csv:
        for chunk in csv_chunks(count_rows()):
            csv.write(chunk)
