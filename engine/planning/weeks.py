"""The weeks of a plan: numbered from the present one, work in each done by its Friday."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

WORKING_DAYS = 5


@dataclass(frozen=True)
class PlanWeeks:
    """The weeks from that of ``as_of`` to that of ``by``, both included."""

    as_of: date
    by: date

    @cached_property
    def mondays(self) -> tuple[date, ...]:
        """The first day of each."""
        first = self.as_of - timedelta(days=self.as_of.weekday())
        return tuple(first + timedelta(weeks=number) for number in range(1 + (self.by - first).days // 7))

    def end(self, number: int) -> date:
        """The day by which work of the week is done: its Friday, the last day where that is earlier, and not before
        the first."""
        return max(min(self.mondays[number] + timedelta(days=WORKING_DAYS - 1), self.by), self.as_of)

    @cached_property
    def ends(self) -> tuple[date, ...]:
        """The same of each, none before the one before."""
        return tuple(map(self.end, range(len(self.mondays))))

    def last_week_by(self, day: date) -> int:
        """The last week whose work is done by a day; -1 where none is."""
        return bisect_right(self.ends, day) - 1

    def first_week_from(self, day: date) -> int:
        """The first week whose work is done on a day or later."""
        return bisect_left(self.ends, day)

    def words(self, first: int, last: int) -> str:
        """``in 2026-W48`` or ``from 2026-W48 to 2027-W07``."""
        names = [f"{self.mondays[week]:%G-W%V}" for week in (first, last)]
        return f"in {names[0]}" if first == last else f"from {names[0]} to {names[1]}"

    def hours(self, known: Mapping[date, float | None]) -> tuple[float, ...]:
        """The hours of each week, the last one whole, from those that are ``known`` by their Monday."""
        return tuple(round(max(known.get(monday) or 0.0, 0.0), 6) for monday in self.mondays)

    def share_of_last(self, away: Mapping[date, float]) -> float:
        """The share of the last week's hours that lie before the last day is over, evenly on the days on which somebody
        is there: ``away`` has the share of days on which they are not."""
        first = max(self.mondays[-1], self.as_of)
        days = [self.mondays[-1] + timedelta(days=number) for number in range(WORKING_DAYS)]
        there = {on: 1.0 - away.get(on, 0.0) for on in days if on >= first}
        whole = sum(there.values())
        return sum(share for on, share in there.items() if on <= self.by) / whole if whole > 0 else 0.0

    @property
    def last_share(self) -> float:
        """The same of somebody who is there on every day."""
        return self.share_of_last({})
