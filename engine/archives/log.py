"""The audit events of an archive, read once: the evidence pack as CSV, and the chain as it was hashed.

A line of ``audit_log.jsonl`` is ``{"hash":"…","previous":"…","event":{…}}`` where ``event`` are the bytes that were
hashed after ``previous`` (``engine.store.chain``). The chain is whole from the window's first event to the revision;
the evidence pack has the events that happened in the window.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NoReturn

import polars as pl

from engine.archives.evidence_pack import pages, rows_of
from engine.archives.manifest import LOG, EventRange
from engine.archives.material import Material
from engine.archives.spool import ArchiveSpool, Writing
from engine.model.errors import Conflict
from engine.reporting.render.csv import csv_chunks
from engine.store.chain import ChainedEvent, event_json
from engine.store.queries.audit import AuditEntry, events_between
from engine.store.queries.bundles import first_since
from engine.store.types import instant_text

PACK = "evidence_pack.csv"
ABOUT_LOG = "the audit chain from the window's first event to the revision, as it was hashed"
ABOUT_PACK = "policies in force and audit events of the window with the controls that they are evidence for"


class _Chain:
    """Lines of the chain, each checked against the hash that is stored beside it."""

    def __init__(self, org_id: str, first: int, head: tuple[int, str]) -> None:
        self._org_id = org_id
        self._head = head
        self._next = self._first = first
        self._previous: str | None = None

    def lines(self, page: Iterable[AuditEntry]) -> bytes:
        """The lines of a page; Conflict at the first event that does not follow from the one before."""
        lines = []
        for row in page:
            event, previous = event_json(as_hashed(self._org_id, row), row.changes), row.previous_hash
            if previous is None or row.seq != self._next or self._previous not in (None, previous):
                self._broken()
            if sha256(previous.encode() + event).hexdigest() != row.hash:
                self._broken()
            self._next, self._previous = self._next + 1, row.hash
            lines.append(b'{"hash":"%b","previous":"%b","event":%b}\n' % (row.hash.encode(), previous.encode(), event))
        return b"".join(lines)

    def events(self) -> EventRange:
        """What was read; Conflict when it is not all of it."""
        if (self._next - 1, self._previous or self._head[1]) != self._head:
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
    with store.reader() as connection:
        first = first_since(connection, pack.org_id, pack.since, pack.head[0])
    chain = _Chain(pack.org_id, first, pack.head)
    since = "" if pack.since is None else instant_text(pack.since)
    count = pack.policies.height

    def frames(log: Writing) -> Iterator[pl.DataFrame]:
        nonlocal count
        yield pack.policies
        for page in events_between(store, pack.org_id, first, pack.head[0]):
            log.write(chain.lines(page))
            frame = rows_of([row for row in page if row.occurred_at >= since], pack)
            count += frame.height
            yield frame

    with (
        spool.writing(LOG, ABOUT_LOG, lambda: chain.events().count) as log,
        spool.writing(PACK, ABOUT_PACK, lambda: count) as csv,
    ):
        for chunk in csv_chunks(frames(log)):
            csv.write(chunk)
    return chain.events(), pack.policies.height


def spool_pack(material: Material, spool: ArchiveSpool) -> None:
    """The evidence pack alone."""
    count = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal count
        for frame in pages(material.store, material.pack):
            count += frame.height
            yield frame

    with spool.writing(PACK, ABOUT_PACK, lambda: count) as csv:
        for chunk in csv_chunks(counted()):
            csv.write(chunk)
