"""What a file of pulls declares: sources, and checks over them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from engine.model.vocabulary import Cadence
from engine.store.types import canonical_json

# what a git repository is read into, each a table after the source's name
GIT_TABLES = ("merges", "tags", "paths")


@dataclass(frozen=True)
class PullSource:
    """A source by its name; ``options`` are the other lines of its table, checked for their kind."""

    name: str
    kind: str
    options: Mapping[str, object]
    max_rows: int

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that queries see of it."""
        return tuple(f"{self.name}_{table}" for table in GIT_TABLES) if self.kind == "git" else (self.name,)

    def text(self, option: str) -> str:
        """An option that is a text; empty where it is not there."""
        return str(self.options.get(option, ""))

    def number(self, option: str, default: int) -> int:
        """An option that is a whole number."""
        value = self.options.get(option, default)
        return value if isinstance(value, int) else default

    def words(self, option: str) -> tuple[str, ...]:
        """An option that is a list of texts."""
        value = self.options.get(option, ())
        return tuple(str(word) for word in value) if isinstance(value, list) else ()


@dataclass(frozen=True)
class PullCheck:
    """A check: ``population`` is what is tested, ``exceptions`` what of it is wrong, more than ``most`` of them fail.

    ``tables`` are those of the sources that the two queries look at, by name.
    """

    id: str
    title: str
    controls: tuple[tuple[str, str], ...]  # framework, control
    cadence: Cadence
    population: str
    exceptions: str
    most: int
    least_population: int
    owner: str | None
    tables: tuple[str, ...]
    source_queries: tuple[tuple[str, str], ...] = ()  # of databases that it looks at: source, query

    @property
    def query_sha256(self) -> str:
        """The hash of all that decides what the check answers about given rows: another one is another series."""
        said = {
            "controls": [":".join(control) for control in self.controls],
            "exceptions": self.exceptions,
            "least_population": self.least_population,
            "most": self.most,
            "population": self.population,
            "sources": dict(self.source_queries),
        }
        return hashlib.sha256(canonical_json(said).encode()).hexdigest()


@dataclass(frozen=True)
class PullFile:
    """One file of pulls, read and checked; its checks belong to its ``name``, wherever it lies, and its paths begin at
    ``folder``."""

    name: str
    path: Path
    folder: Path
    sha256: str
    sources: Mapping[str, PullSource]
    checks: tuple[PullCheck, ...]

    def sources_of(self, check: PullCheck) -> list[PullSource]:
        """The sources whose tables a check looks at, by name."""
        return [source for name, source in sorted(self.sources.items()) if set(source.tables) & set(check.tables)]


@dataclass(frozen=True)
class DaySpan:
    """The days that a check asks about, both inclusive and local to the organization."""

    since: date
    until: date


_STEPS = {"continuous": 1, "daily": 1, "weekly": 7}
_MONTHS = {"monthly": 1, "quarterly": 3, "semi-annual": 6, "annual": 12}


def window_span(cadence: Cadence, until: date) -> DaySpan:
    """The window of a cadence that ends on a day: seven days for a week, a calendar month for a month."""
    if cadence in _STEPS:
        return DaySpan(until - timedelta(days=_STEPS[cadence] - 1), until)
    return DaySpan(shift_months(until, -_MONTHS[cadence]) + timedelta(days=1), until)


def shift_months(day: date, months: int) -> date:
    """The same day some months on or back, the last one of a shorter month."""
    number = day.year * 12 + day.month - 1 + months
    year, month = divmod(number, 12)
    first = date(year, month + 1, 1)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return first.replace(day=min(day.day, last))


def window_of_day(cadence: Cadence, starts_on: date, on: date) -> DaySpan:
    """The window of a schedule that began on ``starts_on`` in which a day falls: its first and its last day."""
    if cadence in _STEPS:
        step = _STEPS[cadence]
        first = starts_on + timedelta(days=(on - starts_on).days // step * step)
        return DaySpan(first, first + timedelta(days=step - 1))
    months = _MONTHS[cadence]
    number = ((on.year - starts_on.year) * 12 + on.month - starts_on.month) // months
    while shift_months(starts_on, number * months) > on:
        number -= 1
    while shift_months(starts_on, (number + 1) * months) <= on:
        number += 1
    return DaySpan(
        shift_months(starts_on, number * months), shift_months(starts_on, (number + 1) * months) - timedelta(days=1)
    )
