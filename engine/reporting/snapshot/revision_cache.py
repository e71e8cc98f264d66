"""Where a question about the past stands in the chain of an organization, and for which day it is computed."""

from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from engine.model.days import local_day, midnight
from engine.model.declarations.as_of import AsOf
from engine.model.documents.document import Position
from engine.model.errors import BadRequest
from engine.store import Reader, Store
from engine.store.queries.history.positions import (
    HistoryStart,
    history_start,
    is_part,
    recorded_before,
    write_at,
    write_end,
)

KEPT_MOMENTS = 10_000


@dataclass(frozen=True)
class _Moment:
    """What was found where the chain ended at ``head`` and the organization lived in ``zone``."""

    head: Position
    zone: ZoneInfo
    position: Position
    day: date


class RevisionCache:
    """The moments of one process; what was found before is found again without a look at the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._found: dict[tuple[str, AsOf], _Moment] = {}

    def find(self, org_id: str, at: AsOf, head: Position, today: date, zone: ZoneInfo) -> tuple[Position, date]:
        """The position and the day of a question, where the chain ends at ``head`` and ``today`` is the day there.

        BadRequest for a day that is still to come, a revision that is not there yet, and what lies before the records.
        """
        if at == AsOf(today):
            return head, today
        moment = self._found.get((org_id, at))
        if moment is None or moment.head != head or moment.zone is not zone:
            with self._store.reader() as connection:
                moment = _Finder(connection, org_id, head, today, zone).find(at, moment)
            if len(self._found) >= KEPT_MOMENTS:
                self._found.clear()
            self._found[org_id, at] = moment
        return moment.position, moment.day


class _Finder:
    """A look at one organization's chain."""

    def __init__(self, connection: Reader, org_id: str, head: Position, today: date, zone: ZoneInfo) -> None:
        self._connection = connection
        self._org_id = org_id
        self._head = head
        self._today = today
        self._zone = zone

    def find(self, at: AsOf, before: _Moment | None) -> _Moment:
        """``before`` is what was found at an earlier head."""
        day = at.day or self._today
        if day > self._today:
            raise self._refusal(at, "later days are still to come")
        if at.revision is not None:
            position, own = self._at_revision(at, at.revision)
            return _Moment(self._head, self._zone, position, at.day or own)
        if before is not None and not (
            before.zone is self._zone and is_part(self._connection, self._org_id, before.head)
        ):
            before = None
        return _Moment(self._head, self._zone, self._by(at, day, before), day)

    def _by(self, at: AsOf, day: date, known: _Moment | None) -> Position:
        """The last position by the end of a day; ``known`` spares the look at what was there at an earlier head."""
        end = midnight(day + timedelta(days=1), self._zone)
        after = 0 if known is None else known.head.seq
        position = recorded_before(self._connection, self._org_id, end, after=after)
        if position is None and known is not None:
            position = known.position
        start = self._start()
        if position is None or start is None or position.seq < start.seq:
            raise self._refusal(at, "nothing was recorded by then" if start is None else start.why)
        return position

    def _at_revision(self, at: AsOf, seq: int) -> tuple[Position, date]:
        """The write that ``seq`` ends or comes after, and the day on which it was recorded."""
        start = self._start()
        found = write_at(self._connection, self._org_id, seq) if seq <= self._head.seq else None
        if found is None or start is None or found[0].seq < start.seq:
            first = self._head.seq
            if start is not None:
                first = write_end(self._connection, self._org_id, start.seq, self._head.seq)
            raise at.refuse_revision(first, self._head.seq, self._why(start, seq))
        own = local_day(found[1], self._zone)
        if at.day is not None and at.day < own:
            raise at.refuse_day(own, self._today, f"revision {found[0].seq} was recorded on {own}")
        return found[0], own

    def _refusal(self, at: AsOf, why: str) -> BadRequest:
        """What is said of a day without an answer."""
        start = self._start()
        first = self._today if start is None else local_day(start.recorded_at, self._zone)
        return at.refuse_day(first, self._today, why)

    def _start(self) -> HistoryStart | None:
        return history_start(self._connection, self._org_id)

    def _why(self, start: HistoryStart | None, seq: int) -> str:
        if seq > self._head.seq:
            return f"the head is {self._head.seq}"
        return "nothing was recorded before" if start is None else start.why
