"""What happened at the platform, one entry for each moment, written in the order in which it happened."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import groupby
from random import Random

from engine.store import Revision

PAUSE = timedelta(minutes=25)
SATURDAY = 5


@dataclass(frozen=True)
class DiaryEntry:
    """Somebody did something."""

    at: datetime
    actor: str
    act: Callable[[Revision], object]


class Diary:
    """The entries of all. Nothing is later than ``now``: what would be has not happened yet."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.today = now.date()
        self._entries: list[DiaryEntry] = []

    def note(self, at: datetime, actor: str, act: Callable[[Revision], object]) -> None:
        if at < self.now:
            self._entries.append(DiaryEntry(at, actor, act))

    def days(self) -> Iterator[tuple[datetime, Callable[[Revision], None]]]:
        """A revision for each day, recorded at its end or now, as the store writes them in order."""
        entries = sorted(self._entries, key=lambda entry: entry.at)
        for day, noted in groupby(entries, key=lambda entry: entry.at.date()):
            end = datetime.combine(day + timedelta(days=1), time(), UTC) - timedelta(seconds=1)
            yield min(end, self.now), partial(_write, entries=list(noted))


def _write(revision: Revision, entries: Sequence[DiaryEntry]) -> None:
    """The clock and the actor of the revision follow the entries."""
    for entry in entries:
        revision.now, revision.actor = entry.at, entry.actor
        entry.act(revision)


class Hours:
    """The moments of one story: each is after the one before, and people work on working days."""

    def __init__(self, today: date, rng: Random) -> None:
        self._today = today
        self._rng = rng
        self._last: datetime | None = None

    def any(self, ago: int) -> datetime:
        """Some moment of that day, as people write when they find the time."""
        return self._after(self._today - timedelta(days=ago), self._rng.uniform(6.5, 21.5))

    def office(self, ago: int) -> datetime:
        """Some moment of the working hours of that day, or of the Monday after it."""
        return self._after(working_day(self._today - timedelta(days=ago)), self._rng.uniform(8, 16.5))

    def next_moment(self) -> datetime:
        """Some minutes after the last moment."""
        self._last = self._before() + timedelta(minutes=self._rng.randint(4, 22))
        return self._last

    def response(self) -> datetime:
        """The next moment at which the office is at work after the last one."""
        last = self._before()
        on = last.date() if last.hour < 15 else last.date() + timedelta(days=1)
        return self._after(working_day(on), self._rng.uniform(8.5, 11))

    def _before(self) -> datetime:
        if self._last is None:
            raise ValueError("A story begins with a moment of some day; this one begins with what comes after it.")
        return self._last

    def _after(self, on: date, hour: float) -> datetime:
        at = datetime.combine(on, time(), UTC) + timedelta(minutes=round(hour * 60))
        self._last = at if self._last is None else max(at, self._last + PAUSE)
        return self._last


def working_day(on: date) -> date:
    """The day itself, or the Monday after a weekend."""
    return on if on.weekday() < SATURDAY else on + timedelta(days=7 - on.weekday())


def follow_up(today: date, ago: int) -> date:
    """A working day to ask again: the Friday before a past weekend, the Monday after one that is to come."""
    on = today - timedelta(days=ago)
    return on - timedelta(days=max(0, on.weekday() - SATURDAY + 1)) if ago > 0 else working_day(on)


def meeting(today: date, ago: int, hour: int) -> datetime:
    """A full hour of a working day."""
    return datetime.combine(working_day(today - timedelta(days=ago)), time(hour), UTC)
