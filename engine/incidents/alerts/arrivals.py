"""The job that notes what came: a message that changes nothing leaves the chain as it is, and so does a dead letter.

Of each sender one event says when it was last heard; each dead letter has one; where nothing came for a day, one says
so: without it nobody can tell silence from a day that has only begun.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from engine.model.arrivals import ARRIVALS, MESSAGE, TICK, UNREAD
from engine.store import EventRow, Reader, Store
from engine.store.chain.chain import own_event_id
from engine.store.queries.operations.arrivals import (
    UnnotedSender,
    UnreadPayload,
    newest_event,
    note_payloads,
    unnoted_senders,
    unnoted_unread,
)
from engine.store.types import canonical_json, instant_text

ACTOR = "arrivals"
SPAN = timedelta(hours=24)
LOOK_BACK = timedelta(days=8)  # the first time: as far as a regular sender is told by
GRACE = timedelta(hours=1)  # a body is dated before it is stored
REASON = 200


def note_arrivals(store: Store, org_id: str, *, now: datetime) -> int:
    """Record who was heard, which messages nobody could read, or that nothing came for a day; how many events."""
    with store.reader() as connection:
        since = _since(connection, org_id, now)
        is_new = bool(unnoted_senders(connection, org_id, since) or unnoted_unread(connection, org_id, since))
        silent_since = None if is_new else _silent_since(connection, org_id, now)
    if not is_new and silent_since is None:
        return 0
    with store.revision(org_id, ACTOR, now=now) as revision:
        if silent_since is not None:
            revision.record(TICK, details={"since": instant_text(silent_since)})
            return 1
        senders = unnoted_senders(revision.records, org_id, since)
        letters = unnoted_unread(revision.records, org_id, since)
        events = list(_events(senders, letters, revision.last_seq + 1))
        revision.append_events(events)
        note_payloads(revision.side_tables, org_id, since, [letter.id for letter in letters], now)
    return len(events)


def _events(senders: Sequence[UnnotedSender], letters: Sequence[UnreadPayload], seq: int) -> Iterator[EventRow]:
    """Dated when the messages came, by the token that they came with."""
    newest: dict[tuple[str, str], tuple[datetime, int]] = {}
    for sender in senders:
        for source in sender.source.split("; "):
            at, messages = newest.get((sender.actor, source), (sender.last_at, 0))
            newest[sender.actor, source] = max(at, sender.last_at), messages + sender.messages
    for (actor, source), (at, messages) in sorted(newest.items()):
        details = canonical_json({"messages": messages, "source": source})
        yield EventRow(own_event_id(seq), at, actor, MESSAGE, details=details)
        seq += 1
    for letter in letters:
        details = canonical_json({"reason": (letter.reason or "")[:REASON], "route": letter.route})
        event = EventRow(own_event_id(seq), letter.received_at, letter.actor, UNREAD, details=details)
        yield event._replace(object_type="payload", object_id=letter.id, workspace_id=letter.workspace_id)
        seq += 1


def _since(connection: Reader, org_id: str, now: datetime) -> datetime:
    last = newest_event(connection, org_id, MESSAGE, UNREAD)
    return now - LOOK_BACK if last is None else min(last, now) - GRACE


def _silent_since(connection: Reader, org_id: str, now: datetime) -> datetime | None:
    """When the last message came, where that is a day ago and nobody noted it yet."""
    last, noted = newest_event(connection, org_id, *ARRIVALS, UNREAD), newest_event(connection, org_id, TICK)
    if last is None or now - last < SPAN or (noted is not None and noted >= last):
        return None
    return last
