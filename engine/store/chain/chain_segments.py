"""An audit chain checked segment by segment: each from the hash stored before it, which the one before must reach.

Segments can be checked side by side, by processes of their own: what is said of the chain is the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, func, select

from engine.model.errors import NotFound
from engine.store.chain.chain import GENESIS, ChainCheck, ChainedEvent, link
from engine.store.database.dialects import canonical_column
from engine.store.schema.audit import audit_log, chain_cuts
from engine.store.schema.organizations import heads, organizations

SEGMENT = 25_000  # events that are checked at a time
PAGE = 1_000  # of them in memory
StoredEvent: TypeAlias = tuple[Any, ...]
"""What is hashed of an event, in the order of ``ChainedEvent``, then what it commits to, and its hash."""
_TIMES = ("occurred_at", "recorded_at")


class ChainSpan(NamedTuple):
    """What there is of a chain: where retention cut it, or its beginning, and its head; position and hash of each."""

    start: tuple[int, str]
    head: tuple[int, str]

    def segments(self) -> list[tuple[int, int]]:
        """The first and the last position of each segment."""
        first, last = self.start[0] + 1, self.head[0]
        return [(at, min(at + SEGMENT - 1, last)) for at in range(first, last + 1, SEGMENT)]


class SegmentCheck(NamedTuple):
    """What was found of a segment: the hash that it was checked from, how many events hold, and where they end.

    ``problem`` names the first event that does not fit.
    """

    before: str
    events: int
    end: tuple[int, str]
    problem: str | None = None
    broken_seq: int | None = None


def chain_span(connection: Connection, org_id: str) -> ChainSpan:
    """Where the chain of an organization begins and ends. NotFound for an unknown one."""
    head = connection.execute(select(heads.c.last_seq, heads.c.hash).where(heads.c.org_id == org_id)).first()
    if head is None:
        raise NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
    cuts = select(chain_cuts.c.seq, chain_cuts.c.hash).where(chain_cuts.c.org_id == org_id)
    cut = connection.execute(cuts.order_by(chain_cuts.c.seq.desc()).limit(1)).first()
    return ChainSpan((cut.seq, cut.hash) if cut else (0, GENESIS), (head.last_seq, head.hash))


def missing_rows(connection: Connection, org_id: str) -> str | None:
    """What is said of an organization that has events, and no head or no row of its own."""
    events = select(audit_log.c.seq).where(audit_log.c.org_id == org_id).limit(1)
    found = (
        connection.execute(select(heads.c.org_id).where(heads.c.org_id == org_id)).first() is not None,
        connection.execute(select(organizations.c.id).where(organizations.c.id == org_id)).first() is not None,
    )
    if all(found) or (not any(found) and connection.execute(events).first() is None):
        return None
    return "the head of its chain is missing" if not found[0] else "its row in organizations is missing"


def check_segment(
    connection: Connection, org_id: str, first: int, last: int, before: str | None = None
) -> SegmentCheck:
    """Recompute every link from ``first`` to ``last``, from ``before``, else from the hash that is stored there."""
    if before is None:
        stored = select(audit_log.c.hash).where(audit_log.c.org_id == org_id, audit_log.c.seq == first - 1)
        before = connection.execute(stored).scalar() or ""
    seq, previous = first - 1, before

    def segment_check(problem: str | None = None, broken_seq: int | None = None) -> SegmentCheck:
        return SegmentCheck(before, seq + 1 - first, (seq, previous), problem, broken_seq)

    for row in stored_events(connection, org_id, first, last):
        event, changes, digest = ChainedEvent(*row[:-2]), row[-2], row[-1]
        if event.seq != seq + 1:
            return segment_check(f"event {seq + 1} is missing: after {seq} comes {event.seq}", seq + 1)
        expected = link(previous, event, changes)
        if digest != expected:
            text = f"event {event.seq} ({event.event_id}) does not match its hash: expected {expected}, found {digest}"
            return segment_check(text, event.seq)
        seq, previous = event.seq, digest
    if seq < last:
        later = select(func.min(audit_log.c.seq)).where(audit_log.c.org_id == org_id, audit_log.c.seq > seq)
        following = connection.execute(later).scalar()
        if following is not None:
            return segment_check(f"event {seq + 1} is missing: after {seq} comes {following}", seq + 1)
    return segment_check()


def chain_check(org_id: str, span: ChainSpan, checks: Iterable[SegmentCheck]) -> ChainCheck:
    """What the segments of a chain, in order, say of all of it; the first break."""
    first, count = span.start[0] + 1, 0
    end = span.start
    for check in checks:
        if check.end[0] - check.events > end[0]:
            break  # the one before came to no end of its own: nothing is there any more
        problem, at = check.problem, check.broken_seq
        if check.before != end[1]:
            problem, at = f"what is stored as the hash of event {end[0]} is not what was found there", end[0]
        count += check.events
        if problem is not None:
            return ChainCheck(org_id, count, first, *span.head, problem, at)
        end = check.end
    if end != span.head:
        text = f"the head says {span.head[0]} {span.head[1]}, the chain ends at {end[0]} {end[1]}"
        return ChainCheck(org_id, count, first, *span.head, text, end[0])
    return ChainCheck(org_id, count, first, *end, None)


def stored_events(connection: Connection, org_id: str, first: int, last: int) -> Iterator[StoredEvent]:
    """The stored events exactly as they were hashed, each with what it commits to and its hash; as the driver has
    them, as a million of them pass here."""
    sqlite = connection.dialect.name == "sqlite"
    names, mark = ChainedEvent.__struct_fields__, "?" if sqlite else "%s"
    if not sqlite:
        names = tuple(canonical_column(name, "instant") if name in _TIMES else name for name in names)
    query = (
        f"SELECT {', '.join(names)}, changes, hash FROM audit_log "  # noqa: S608 - names of columns are ours
        f"WHERE org_id = {mark} AND seq BETWEEN {mark} AND {mark} ORDER BY seq"
    )
    with connection.exec_driver_sql(query, (org_id, first, last)) as result:
        cursor = result.cursor
        while page := cursor.fetchmany(PAGE):
            yield from page
