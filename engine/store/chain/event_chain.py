"""The events of one write, chained to what came before: the last of them waits, as it commits to the changed rows."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from engine.store.chain.chain import ChainedEvent, EventRow, SpelledEvent, link
from engine.store.chain.events import BATCH, EventBuffer
from engine.store.schema.audit import audit_log
from engine.store.types import canonical_json, instant_text
from engine.store.writing.batches import in_batches


class EventChain:
    """The chain of an organization from ``head`` on; ``stamp`` is the revision of the write, ``now`` its time."""

    def __init__(self, buffer: EventBuffer, org_id: str, stamp: int, now: datetime, head: tuple[int, str]) -> None:
        self._buffer = buffer
        self._org_id = org_id
        self._stamp = stamp
        self._recorded_at = instant_text(now)
        self._head = head
        self._last: list[EventRow | SpelledEvent] = []
        self.actions: set[str] = set()

    @property
    def last_seq(self) -> int:
        """The sequence number of the newest event, the one that waits included."""
        return self._head[0] + len(self._last)

    def append(self, events: Iterable[EventRow | SpelledEvent]) -> int:
        """Chain ``events`` in their order; returns how many. Memory: two batches of 10,000."""
        count = 0
        for batch in in_batches(events, BATCH):
            self.actions.update(event[3] for event in batch)
            waiting = [*self._last, *batch]
            self._last = [waiting.pop()]
            self._chain(waiting, None)
            count += len(batch)
        return count

    def seal(self, changes: str | None) -> tuple[int, str] | None:
        """Chain the last event, which commits to ``changes``; returns the head, None where there is no event."""
        if not self._last:
            return None
        last, self._last = self._last, []
        self._chain(last, changes)
        return self._head

    def recorded_events(self, connection: Connection, ids: Sequence[str]) -> dict[str, EventRow]:
        """Those of ``ids`` that are recorded already, with their content; ``connection`` sees what was stored."""
        event_rows = {event[0]: _event_row(event) for event in self._last if event[0] in ids}
        self._buffer.store()
        columns = [audit_log.c[name] for name in EventRow._fields]
        for batch in in_batches(ids, 10_000):
            query = select(*columns).where(audit_log.c.org_id == self._org_id, audit_log.c.event_id.in_(batch))
            for row in connection.execute(query):
                event = EventRow(*row)
                details = None if row.details is None else canonical_json(row.details)
                event_rows[event.event_id] = event._replace(details=details)
        return event_rows

    def _chain(self, events: Sequence[EventRow | SpelledEvent], changes: str | None) -> None:
        recorded_at, org_id, stamp = self._recorded_at, self._org_id, self._stamp
        seq, previous = self._head
        rows = []
        for event_id, moment, actor, action, object_type, object_id, outcome, workspace_id, controls, details in events:
            seq += 1
            at = moment if isinstance(moment, str) else instant_text(moment)

            chained = ChainedEvent(
                action,
                actor,
                controls,
                details,
                event_id,
                object_id,
                object_type,
                at,
                org_id,
                outcome,
                recorded_at,
                stamp,
                seq,
                workspace_id,
            )
            previous = link(previous, chained, changes)
            rows.append(
                (
                    org_id,
                    seq,
                    event_id,
                    stamp,
                    at,
                    recorded_at,
                    actor,
                    action,
                    object_type,
                    object_id,
                    outcome,
                    workspace_id,
                    controls,
                    details,
                    changes,
                    previous,
                )
            )

        self._buffer.add(rows)
        self._head = (seq, previous)


def _event_row(event: EventRow | SpelledEvent) -> EventRow:
    if isinstance(event, EventRow):
        return event
    return EventRow(event[0], datetime.fromisoformat(event[1]), *event[2:])
