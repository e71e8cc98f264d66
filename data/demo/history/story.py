"""The diary of a demo organization: what was recorded on which day, up to today.

A row is added on a day and amended on later ones; tables as they stand are what is left of that at the end of today,
and any day before can be looked at as it was. What would happen after today has not happened and is not noted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from operator import itemgetter
from random import Random
from typing import Any

import polars as pl

from data.demo.cast.profile import Profile
from data.demo.draws import draws
from data.demo.history.chronicle import noted_on, turns

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """An audit event; ``at`` in microseconds since 1970, ``details`` as JSON text."""

    id: str
    at: int
    actor: str
    action: str
    object_type: str | None
    object_id: str | None
    outcome: str
    workspace_id: str | None
    controls: str | None
    details: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """A row as it stood from one day on and up to the day before another."""

    row: Row
    since: date
    until: date


class Story:
    """One organization on one day. Every chapter draws from a generator of its own, so that none disturbs another."""

    def __init__(self, profile: Profile, today: date) -> None:
        self.profile = profile
        self.today = today
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.frames: dict[str, pl.DataFrame] = {}  # large tables, which are drawn column by column
        self._since: dict[int, date] = {}  # by identity of the row, which its table keeps alive
        self._before: dict[int, list[tuple[date, Row]]] = {}
        self.events: list[StoryEvent] = []
        self._numbers: dict[str, int] = defaultdict(int)

    def rng(self, chapter: str) -> Random:
        return draws(f"{self.profile.org}/{chapter}")

    def day(self, ago: int) -> date:
        """The day ``ago`` days before today; negative ones are to come."""
        return self.today - timedelta(days=ago)

    def at(self, ago: int, minutes: float) -> datetime:
        """A moment of that day, ``minutes`` after local midnight, in UTC."""
        start = datetime.combine(self.day(ago), time(), UTC)
        return start + timedelta(minutes=round(minutes) - 60 * self.profile.utc_offset)

    def office(self, ago: int, rng: Random) -> datetime:
        """Some moment of the working hours of that day."""
        return self.at(ago, rng.uniform(8.5 * 60, 17.5 * 60))

    def monday(self, weeks_ago: int) -> date:
        """The Monday of the current week, or of an earlier (negative: later) one."""
        return self.today - timedelta(days=self.today.weekday() + 7 * weeks_ago)

    @property
    def first_day(self) -> date:
        """The day of the first record."""
        return self.day(self.profile.days)

    @property
    def peak_monday(self) -> date:
        """The week about five weeks ahead in which too much falls due."""
        return self.monday(-5)

    def add(self, table: str, *, since: date = date.min, **row: Any) -> Row:
        """Note a row. Without a day it was there before everything else."""
        self.tables[table].append(row)
        if since > self.today:
            raise ValueError(f"{since} is after {self.today}: that row of {table} does not exist yet")
        if since > date.min:
            self._since[id(row)] = since
        return row

    def amend(self, row: Row, on: date, **changes: Any) -> None:
        """From that day the row says something else; amendments are told in the order of their days."""
        if on > self.today:
            return
        self._before.setdefault(id(row), []).append((on, {name: row.get(name) for name in changes}))
        row.update(changes)

    def versions(self, table: str) -> Iterator[Version]:
        """Every row of a table as it stood from day to day, the newest version first."""
        zone = self.profile.time_zone
        for row in self.tables[table]:
            since = self._since.get(id(row)) or noted_on(table, row, zone) or date.min
            since = min(since, self.today)
            changes = sorted([*turns(table, row, zone), *self._before.get(id(row), ())], key=itemgetter(0))
            until, later = date.max, dict(row)
            for on, before in reversed(changes):
                if on > self.today:
                    continue
                if on <= since:
                    break
                if on < until:
                    yield Version(dict(later), on, until)
                    until = on
                later |= before
            yield Version(later, since, until)

    def number(self, prefix: str) -> str:
        """The next identifier of a series: V-1, V-2 …"""
        self._numbers[prefix] += 1
        return f"{prefix}-{self._numbers[prefix]}"

    def yearly(self, prefix: str, on: date) -> str:
        """The next identifier of a series that starts anew each year: INC-2026-0142."""
        series = f"{prefix}-{on.year}"
        self._numbers[series] += 1
        return f"{series}-{self._numbers[series]:04d}"

    def event(
        self,
        id: str,
        at: datetime,
        actor: str,
        action: str,
        object_type: str | None = None,
        object_id: str | None = None,
        *,
        controls: str | None = None,
        details: str | None = None,
        outcome: str = "success",
        workspace_id: str | None = None,
    ) -> str:
        moment = (at - EPOCH) // timedelta(microseconds=1)
        self.events.append(
            StoryEvent(id, moment, actor, action, object_type, object_id, outcome, workspace_id, controls, details)
        )
        return id

    def action_ages(self) -> Mapping[str, int]:
        """Days since each action that was told so far was last seen."""
        newest: dict[str, int] = {}
        for event in self.events:
            newest[event.action] = max(event.at, newest.get(event.action, 0))
        return {
            action: (self.today - (EPOCH + timedelta(microseconds=at)).date()).days for action, at in newest.items()
        }


def plus_months(start: date, months: int) -> date:
    """The same day some months on; the start is on day 28 or before."""
    month = start.year * 12 + start.month - 1 + months
    return date(month // 12, month % 12 + 1, min(start.day, 28))


def week_of(on: date) -> str:
    """The ISO week of a day, such as 2026-W47."""
    year, week, _ = on.isocalendar()
    return f"{year}-W{week:02d}"
